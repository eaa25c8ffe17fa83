// SPDX-License-Identifier: Apache-2.0
#pragma once
// A file system in memory, for tests and for what a remedy would change. Records what was opened.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tree/tree.h"

namespace loadable::tree {

class MemoryTree final : public Tree {
 public:
  MemoryTree();
  ~MemoryTree() override;

  /// Each creates missing parent directories and replaces what is there.
  MemoryTree& add_directory(std::string_view path);
  MemoryTree& add_file(std::string_view path, std::string_view content, std::uint32_t mode = 0644);
  MemoryTree& add_file(std::string_view path, std::vector<std::byte> content,
                       std::uint32_t mode = 0644);
  MemoryTree& add_link(std::string_view path, std::string_view target);
  /// A second name of the same inode.
  MemoryTree& add_hard_link(std::string_view path, std::string_view existing);
  /// FIFO, socket or device.
  MemoryTree& add_special(std::string_view path, Kind kind);
  /// From now on every operation at or below `path` fails with PermissionDenied.
  MemoryTree& deny(std::string_view path);
  MemoryTree& remove(std::string_view path);

  [[nodiscard]] Result<Stat> stat(const Path& physical) const override;
  [[nodiscard]] Result<std::string> read_link(const Path& physical) const override;
  [[nodiscard]] Result<std::vector<Entry>> list(const Path& physical) const override;
  [[nodiscard]] Result<std::unique_ptr<ByteSource>> open(const Path& physical) const override;

  /// Paths opened so far, in order: "reads no more than it needs" is a test.
  [[nodiscard]] const std::vector<std::string>& opened() const;

 private:
  struct Node;
  struct Nodes;
  std::unique_ptr<Nodes> nodes_;
};

}  // namespace loadable::tree
