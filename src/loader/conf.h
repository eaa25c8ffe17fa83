// SPDX-License-Identifier: Apache-2.0
#pragma once
// /etc/ld.so.conf. No loader reads it: ldconfig does, and writes the cache from it. Read here to
// say why a directory that is listed is not searched, and whether the cache is stale.

#include <string>
#include <string_view>
#include <vector>

#include "tree/walk.h"

namespace loadable::loader {

struct ConfDirectory {
  std::string path;  ///< absolute, without trailing slashes and `=type`
  std::string file;  ///< where it is written
  std::size_t line = 0;
};

/// What one file says, includes not followed: `include` lines are in `includes`.
struct ConfText {
  std::vector<ConfDirectory> directories;
  std::vector<std::string> includes;  ///< patterns, absolute
};

/// Parses one file's text as elf/ldconfig.c parse_conf does: `#` begins a comment, `include`
/// patterns count from the file's directory, `hwcap` lines and relative paths are ignored.
[[nodiscard]] ConfText parse_conf_text(std::string_view text, const std::string& file);

/// The directories of /etc/ld.so.conf and all that it includes, in ldconfig's order, each once. An
/// unreadable or absent file counts as empty. At most 16 includes deep and 4,096 files.
[[nodiscard]] std::vector<ConfDirectory> read_conf(tree::Walk& walk);

}  // namespace loadable::loader
