// SPDX-License-Identifier: Apache-2.0
// RECORD: every row ends, and no view leaves the text or the reader.
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "base/bytes.h"
#include "python/record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = loadable::as_text(std::as_bytes(std::span(data, size)));
  loadable::python::RecordReader reader(text);
  loadable::python::RecordRow row;
  std::size_t rows = 0;
  while (reader.next(&row)) {
    LOADABLE_ASSERT(!row.path.empty(), "a row has a path");
    LOADABLE_ASSERT(row.path.size() + row.hash.size() <= size, "a row is part of the text");
    ++rows;
  }
  LOADABLE_ASSERT(rows <= size, "a row takes at least one byte");
  return 0;
}
