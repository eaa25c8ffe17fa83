// SPDX-License-Identifier: Apache-2.0
// Lock and requirements files: the first byte chooses the format; reading ends, and so does the
// walk over whatever graph the text describes.
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "base/bytes.h"
#include "python/lock.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using loadable::python::LockFormat;
  if (size == 0) return 0;
  const auto kind = static_cast<LockFormat>(data[0] % 8);
  const auto text = loadable::as_text(std::as_bytes(std::span(data + 1, size - 1)));
  const auto lock = loadable::python::parse_lock(text, "/p/lock", kind);
  if (!lock) {
    LOADABLE_ASSERT(!lock.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  loadable::python::Selection selection;
  selection.environment = loadable::python::MarkerEnvironment::for_interpreter("3.11", "x86_64");
  selection.all_extras = selection.all_groups = selection.all_packages = true;
  for (const auto& installed : loadable::python::installed_of(*lock, selection)) {
    LOADABLE_ASSERT(installed.package < lock->packages.size(), "an index into the packages");
    LOADABLE_ASSERT(installed.chain.size() <= 20, "a chain is short");
  }
  return 0;
}
