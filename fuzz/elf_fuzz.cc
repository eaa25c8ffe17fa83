// SPDX-License-Identifier: Apache-2.0
// The ELF reader, its symbols and the recovery of names, on any bytes.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/assert.h"
#include "base/bytes.h"
#include "elf/names.h"
#include "elf/object.h"
#include "elf/symbols.h"

namespace {

void examine(loadable::ByteSource& source) {
  const auto header = loadable::elf::read_header(source);
  const auto object = loadable::elf::read_object(source);
  if (!object) return;
  LOADABLE_ASSERT(header.has_value(), "an object has a header");
  LOADABLE_ASSERT(object->segments.size() <= 0xffff, "e_phnum has 16 bits");
  LOADABLE_ASSERT(object->defects.size() <= 100, "defects are bounded");
  if (const auto* segment = object->truncated_segment()) {
    LOADABLE_ASSERT(segment->filesz > 0, "an empty segment cannot be truncated");
  }
  const auto symbols = loadable::elf::read_symbols(source, *object);
  if (symbols) {
    for (const auto& reference : symbols->references) {
      LOADABLE_ASSERT(reference.symbol < symbols->symbols.size() || object->dynamic.symtab == 0,
                      "references name symbols");
    }
  }
  loadable::elf::NameLimits limits;
  limits.known_stems = {"libcudnn", "libnvJitLink"};
  limits.bytes = 4 * source.size() + 4096;
  static_cast<void>(loadable::elf::recover_names(source, *object, limits));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  loadable::MemorySource source(std::vector<std::byte>(bytes.begin(), bytes.end()));
  examine(source);
  return 0;
}
