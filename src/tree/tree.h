// SPDX-License-Identifier: Apache-2.0
#pragma once
// The read-only view of a file system: what a target's files are, whoever holds them. Knows nothing
// of ELF, packaging or loaders.

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace loadable::tree {

/// An absolute path inside a target: bytes that begin with `/`. It may hold `.`, `..`, doubled
/// slashes and links, as loaders print them; only Walk gives it a meaning. Never a host path.
class Path {
 public:
  Path() : text_("/") {}
  /// `text` must begin with `/`; otherwise `/` is put before it.
  explicit Path(std::string text);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// This path, a slash, and `relative` (which may hold slashes and `..`).
  [[nodiscard]] Path join(std::string_view relative) const;
  /// The text before the last slash (`/` at the least), without looking at any file.
  [[nodiscard]] Path parent() const;
  /// The text after the last slash.
  [[nodiscard]] std::string_view name() const;
  /// Without `.`, `..`, doubled and trailing slashes, by text alone (right only where no component
  /// before a `..` is a link).
  [[nodiscard]] Path lexically_normal() const;
  /// Is this path `directory` or below it, by text?
  [[nodiscard]] bool is_within(const Path& directory) const;

  auto operator<=>(const Path&) const = default;

 private:
  std::string text_;
};

enum class Kind : std::uint8_t {
  Regular,
  Directory,
  Symlink,
  Fifo,
  Socket,
  CharDevice,
  BlockDevice
};

/// What makes two names one file: (st_dev, st_ino), the identity that glibc and musl compare.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  auto operator<=>(const FileId&) const = default;
};

struct Stat {
  Kind kind = Kind::Regular;
  std::uint32_t mode = 0;  ///< permission bits, 07777
  std::uint64_t size = 0;  ///< bytes
  std::uint64_t links = 1;
  FileId id;
};

struct Entry {
  std::string name;  ///< bytes, possibly invalid UTF-8; never `.` or `..`
  Kind kind = Kind::Regular;
};

/// Operations on *physical* paths: no component but the last may be a link. Walk makes them.
/// Errors carry the class that the errno would have (NotFound, NotADirectory, PermissionDenied …).
class Tree {
 public:
  Tree() = default;
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  virtual ~Tree() = default;

  /// lstat: the last component is not followed.
  [[nodiscard]] virtual Result<Stat> stat(const Path& physical) const = 0;
  [[nodiscard]] virtual Result<std::string> read_link(const Path& physical) const = 0;
  /// Entries in the order of their names. Error LimitReached over 1,000,000.
  [[nodiscard]] virtual Result<std::vector<Entry>> list(const Path& physical) const = 0;
  /// Opens a regular file; anything else (a FIFO would block) is an error that names the kind.
  [[nodiscard]] virtual Result<std::unique_ptr<ByteSource>> open(const Path& physical) const = 0;
  /// The same for what stat() said to be a regular file a moment ago: no second question.
  [[nodiscard]] virtual Result<std::unique_ptr<ByteSource>> open_regular(
      const Path& physical) const {
    return open(physical);
  }
  /// Does that directory belong to a file system that the kernel makes up (proc, sysfs, cgroup …)?
  /// Walks of a whole root stop there.
  [[nodiscard]] virtual bool is_pseudo(const Path& /*physical*/) const { return false; }
};

/// A directory of this machine as a root (tree/host_tree.cc). `directory` is a host path.
[[nodiscard]] Result<std::unique_ptr<Tree>> open_host_tree(const std::string& directory);

}  // namespace loadable::tree
