// SPDX-License-Identifier: Apache-2.0
#include "tree/errors.h"

#include "base/format.h"

namespace loadable::tree {

std::string_view file_error_text(ErrorCode code) {
  switch (code) {
    case ErrorCode::NotFound:
      return "no such file or directory";
    case ErrorCode::NotADirectory:
      return "not a directory";
    case ErrorCode::IsADirectory:
      return "is a directory";
    case ErrorCode::PermissionDenied:
      return "permission denied";
    case ErrorCode::TooManyLinks:
      return "too many symbolic links";
    case ErrorCode::NameTooLong:
      return "file name too long";
    case ErrorCode::LimitReached:
      return "too many files were looked up";
    default:
      return "input or output error";
  }
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::Regular:
      return "regular file";
    case Kind::Directory:
      return "directory";
    case Kind::Symlink:
      return "symbolic link";
    case Kind::Fifo:
      return "FIFO";
    case Kind::Socket:
      return "socket";
    case Kind::CharDevice:
      return "character device";
    case Kind::BlockDevice:
      return "block device";
  }
  return "file";
}

tl::unexpected<Error> fail_kind(Kind kind, const Path& path) {
  if (kind == Kind::Directory) return fail(ErrorCode::IsADirectory, "is a directory", path.text());
  if (kind == Kind::Symlink) {
    return fail(ErrorCode::TooManyLinks, "is a symbolic link, which is not followed here",
                path.text());
  }
  return fail(ErrorCode::Unsupported, format("is a {}, a regular file is wanted", kind_name(kind)),
              path.text());
}

}  // namespace loadable::tree
