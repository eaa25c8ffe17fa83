// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files that a command makes: whole or not at all, and never in the place of another.

#include <string>
#include <string_view>

#include "base/result.h"

namespace loadable::cli {

/// All of `text`, over interruptions. False: errno says why not.
[[nodiscard]] bool write_all(int fd, std::string_view text);

enum class NewFile : unsigned char { Written, AlreadyThere };

/// Makes `path` (a host path) with these bytes, by way of a temporary file beside it that is
/// renamed. A file that is there is left alone: AlreadyThere when it has the same bytes, else an
/// error. Missing directories above are made. Errors: InvalidArgument (something else is there),
/// those of the system.
Result<NewFile> write_new_file(const std::string& path, std::string_view bytes);

}  // namespace loadable::cli
