// SPDX-License-Identifier: Apache-2.0
#pragma once
// The release that a program was built as, from a string of its read-only data.

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "elf/object.h"

namespace loadable::elf {

/// The releases that end a zero-terminated string of a PT_LOAD that is not writable, each once:
/// `series`, a dot, digits, then at most a pre-release (`rc1`, `a2`) and a `+`. What follows on the
/// left is neither a digit nor a dot: linkers put the string `3.11.2` into the end of a longer one.
/// Looks at no more than 256 MiB, in blocks of 1 MiB. Errors: the source's own.
Result<std::vector<std::string>> recover_releases(ByteSource& source, const ElfObject& object,
                                                  std::string_view series);

}  // namespace loadable::elf
