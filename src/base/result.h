// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one way to report that something could not be done. Knows nothing of files, targets or
// output.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace loadable {

/// Stable classes of failure. The file-system ones mirror the errno that a loader would see,
/// because what a loader does next depends on it (glibc 2.36 elf/dl-load.c open_path: ENOENT,
/// EACCES and ENOTDIR go on; anything else ends the list).
enum class ErrorCode : std::uint8_t {
  NotFound,          ///< ENOENT
  NotADirectory,     ///< ENOTDIR
  IsADirectory,      ///< EISDIR
  PermissionDenied,  ///< EACCES, EPERM
  TooManyLinks,      ///< ELOOP: more than 40 symlinks
  NameTooLong,       ///< ENAMETOOLONG
  Io,                ///< any other errno
  Truncated,         ///< the bytes end before the field
  Malformed,         ///< the bytes are there and wrong
  Unsupported,       ///< well-formed, and outside of what is understood
  LimitReached,      ///< a bound of ours on time, size or count
  InvalidArgument,   ///< the user's or the caller's request makes no sense
};

/// Why something could not be done.
/// `message` starts in lower case, has no full stop, says the value found and the value wanted.
struct Error {
  ErrorCode code = ErrorCode::Io;
  std::string message;
  std::string subject;                  ///< what it is about, as shown to the user; may be empty
  std::optional<std::uint64_t> offset;  ///< position in the subject, in bytes
  std::shared_ptr<const Error> cause;   ///< the failure below this one; may be null

  /// "subject: message (at offset 0x40): cause".
  [[nodiscard]] std::string to_string() const;
};

/// A value or an Error; dropping one is a compile-time warning (a plain alias would not warn).
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

/// Makes the error half of a Result.
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message,
                                                std::string subject = {}) {
  return fail(Error{code, std::move(message), std::move(subject), std::nullopt, nullptr});
}

}  // namespace loadable
