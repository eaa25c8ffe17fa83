// SPDX-License-Identifier: Apache-2.0
// Tables of knowledge as anybody may hand them to --knowledge: read, or refused with a message.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "accel/knowledge.h"
#include "base/assert.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const loadable::EmbeddedFile file{"fuzz.toml", text};
  const auto knowledge = loadable::accel::read_knowledge({&file, 1});
  if (!knowledge) {
    LOADABLE_ASSERT(!knowledge.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  for (const auto& row : knowledge->families) {
    for (const auto& member : row.members) {
      LOADABLE_ASSERT(knowledge->family(member.soname) == &row || knowledge->families.size() > 1,
                      "a soname leads to its family");
      static_cast<void>(knowledge->cuda_of(member.soname));
      static_cast<void>(knowledge->packages_of(member.soname));
    }
  }
  static_cast<void>(knowledge->provided({"lib*.so*"}));
  return 0;
}
