// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words of file-system errors, one for every kind of tree.

#include <string_view>

#include "base/result.h"
#include "tree/tree.h"

namespace loadable::tree {

/// What a class of error means, for example "no such file or directory".
[[nodiscard]] std::string_view file_error_text(ErrorCode code);

/// "directory", "FIFO", "character device" …
[[nodiscard]] std::string_view kind_name(Kind kind);

/// The error of opening something that is no regular file: IsADirectory, TooManyLinks for a link
/// (as open(2) with O_NOFOLLOW), otherwise Unsupported with the kind.
[[nodiscard]] tl::unexpected<Error> fail_kind(Kind kind, const Path& path);

}  // namespace loadable::tree
