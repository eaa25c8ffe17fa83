// SPDX-License-Identifier: Apache-2.0
// Zip archives: the index ends, names stay inside, and no member grows past what is asked for.
#include <cstdint>

#include "archive/zip.h"
#include "base/assert.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kLimit = 1U << 16;
  const auto text = loadable::as_text(std::as_bytes(std::span(data, size)));
  auto archive =
      loadable::archive::ZipArchive::open(std::make_unique<loadable::MemorySource>(text), "fuzz");
  if (!archive) {
    LOADABLE_ASSERT(!archive.error().message.empty(), "an error has a message");
    return 0;
  }
  // An entry of the directory takes 46 bytes and a name.
  LOADABLE_ASSERT(archive->members().size() <= size / 46, "members lie in the archive");
  for (const auto& member : archive->members()) {
    LOADABLE_ASSERT(!member.name.empty() && member.name.front() != '/', "names are relative");
    const auto content = archive->read(member.name, kLimit);
    if (content) {
      LOADABLE_ASSERT(content->size() <= kLimit, "the limit holds");
      LOADABLE_ASSERT(content->size() == member.size, "a member is whole");
    }
  }
  return 0;
}
