// SPDX-License-Identifier: Apache-2.0
#pragma once
// The only place where links are followed: inside the root, at most 40 times, as Linux does
// (fs/namei.c MAXSYMLINKS). Remembers every answer, so that a path asked twice costs one lookup.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "tree/tree.h"

namespace loadable::tree {

/// Where a path leads.
struct Found {
  Path physical;  ///< without links, `.` and `..`
  Stat stat;      ///< of the file itself, never Kind::Symlink from resolve()
};

/// The memory of one walk; not for use by two threads at once.
class Walk {
 public:
  explicit Walk(const Tree& tree);
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;
  ~Walk();

  /// Follows every link. The reference lives as long as the Walk. Errors: NotFound, NotADirectory
  /// (also for a trailing slash behind a file), PermissionDenied, TooManyLinks, NameTooLong (a
  /// component over 255 bytes, the whole over 4095), Io.
  const Result<Found>& resolve(const Path& path);
  const Result<Found>& resolve(std::string_view path);
  /// Follows links in all components but the last.
  Result<Found> resolve_parent(const Path& path);

  /// resolve() and then list / open / read of the whole file.
  Result<std::vector<Entry>> list(const Path& path);
  Result<std::unique_ptr<ByteSource>> open(const Path& path);
  Result<std::string> read_text(const Path& path, std::uint64_t limit);

  [[nodiscard]] const Tree& tree() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace loadable::tree
