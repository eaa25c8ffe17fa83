// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dynamic string tokens ($ORIGIN, $LIB, $PLATFORM) of glibc. Knows nothing of files.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadable::loader {

/// What the tokens stand for; nothing: the token has no value and its path is dropped.
struct TokenValues {
  std::optional<std::string_view> origin, lib, platform;
  /// AT_SECURE: $ORIGIN counts only as the whole first component (dl-load.c _dl_dst_substitute).
  bool is_secure = false;
  /// In secure mode the program's expanded paths must lie in one of these (each ends in `/`).
  const std::vector<std::string>* trusted_dirs = nullptr;
  bool is_program = false;
};

/// Does the text hold a token that glibc knows? `$ORIGINAL` is none: a token ends where an
/// identifier ends (is_dst).
[[nodiscard]] bool has_token(std::string_view text);

/// The text with its tokens replaced; nothing when one has no value or is not trusted. A `$` that
/// begins no known token stays.
[[nodiscard]] std::optional<std::string> expand_tokens(std::string_view text,
                                                       const TokenValues& values);

/// Is the path, with `.` and `..` resolved by text, in or below a trusted directory?
[[nodiscard]] bool is_trusted_path(std::string_view path,
                                   const std::vector<std::string>& trusted_dirs);

}  // namespace loadable::loader
