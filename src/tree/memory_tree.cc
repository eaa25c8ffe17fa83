// SPDX-License-Identifier: Apache-2.0
#include "tree/memory_tree.h"

#include <set>

#include "base/assert.h"
#include "base/format.h"
#include "tree/errors.h"

namespace loadable::tree {

struct MemoryTree::Node {
  Stat stat;
  std::string target;
  std::vector<std::byte> content;
  std::map<std::string, std::shared_ptr<Node>, std::less<>> children;
};

struct MemoryTree::Nodes {
  std::shared_ptr<Node> root;
  std::uint64_t next_inode = 2;
  std::set<std::string, std::less<>> denied;
  std::vector<std::string> opened;

  std::shared_ptr<Node> make(Kind kind, std::uint32_t mode) {
    auto node = std::make_shared<Node>();
    node->stat.kind = kind;
    node->stat.mode = mode;
    node->stat.id = {1, next_inode++};
    return node;
  }

  std::shared_ptr<Node>& slot(std::string_view path);
  [[nodiscard]] bool is_denied(const Path& path) const;
  [[nodiscard]] Result<std::shared_ptr<Node>> find(const Path& physical) const;
};

namespace {
constexpr std::uint32_t kDirectoryMode = 0755, kLinkMode = 0777;

std::string_view next_part(std::string_view* rest) {
  while (rest->starts_with('/')) rest->remove_prefix(1);
  const std::string_view part = rest->substr(0, rest->find('/'));
  rest->remove_prefix(part.size());
  return part;
}
}  // namespace

// The place of `path` in its parent, whose missing directories are made.
std::shared_ptr<MemoryTree::Node>& MemoryTree::Nodes::slot(std::string_view path) {
  const Path normal = Path(std::string(path)).lexically_normal();
  std::string_view rest = normal.text();
  std::shared_ptr<Node>* place = &root;
  while (true) {
    const std::string_view part = next_part(&rest);
    if (part.empty()) return *place;
    if (*place == nullptr) *place = make(Kind::Directory, kDirectoryMode);
    LOADABLE_ASSERT((*place)->stat.kind == Kind::Directory, "a parent in a memory tree is a file");
    place = &(*place)->children[std::string(part)];
  }
}

bool MemoryTree::Nodes::is_denied(const Path& path) const {
  for (const std::string& prefix : denied) {
    if (path.is_within(Path(prefix))) return true;
  }
  return false;
}

Result<std::shared_ptr<MemoryTree::Node>> MemoryTree::Nodes::find(const Path& physical) const {
  const auto failed = [&](ErrorCode code) {
    return fail(code, std::string(file_error_text(code)), physical.text());
  };
  if (!denied.empty() && is_denied(physical)) return failed(ErrorCode::PermissionDenied);
  std::shared_ptr<Node> node = root;
  std::string_view rest = physical.text();
  while (true) {
    const std::string_view part = next_part(&rest);
    if (part.empty()) return node;
    if (node->stat.kind == Kind::Symlink) return failed(ErrorCode::TooManyLinks);
    if (node->stat.kind != Kind::Directory) return failed(ErrorCode::NotADirectory);
    const auto child = node->children.find(part);
    if (child == node->children.end()) return failed(ErrorCode::NotFound);
    node = child->second;
  }
}

MemoryTree::MemoryTree() : nodes_(std::make_unique<Nodes>()) {
  nodes_->root = nodes_->make(Kind::Directory, kDirectoryMode);
}
MemoryTree::~MemoryTree() = default;

MemoryTree& MemoryTree::add_directory(std::string_view path) {
  auto& slot = nodes_->slot(path);
  if (slot == nullptr || slot->stat.kind != Kind::Directory) {
    slot = nodes_->make(Kind::Directory, kDirectoryMode);
  }
  return *this;
}

MemoryTree& MemoryTree::add_file(std::string_view path, std::string_view content,
                                 std::uint32_t mode) {
  const ByteView bytes = as_bytes(content);
  return add_file(path, std::vector<std::byte>(bytes.begin(), bytes.end()), mode);
}

MemoryTree& MemoryTree::add_file(std::string_view path, std::vector<std::byte> content,
                                 std::uint32_t mode) {
  auto& slot = nodes_->slot(path);
  slot = nodes_->make(Kind::Regular, mode);
  slot->stat.size = content.size();
  slot->content = std::move(content);
  return *this;
}

MemoryTree& MemoryTree::add_link(std::string_view path, std::string_view target) {
  auto& slot = nodes_->slot(path);
  slot = nodes_->make(Kind::Symlink, kLinkMode);
  slot->stat.size = target.size();
  slot->target = target;
  return *this;
}

MemoryTree& MemoryTree::add_hard_link(std::string_view path, std::string_view existing) {
  const auto node = nodes_->find(Path(std::string(existing)));
  LOADABLE_ASSERT(node.has_value(), "a hard link in a memory tree needs its file");
  nodes_->slot(path) = *node;
  ++(*node)->stat.links;
  return *this;
}

MemoryTree& MemoryTree::add_special(std::string_view path, Kind kind) {
  nodes_->slot(path) = nodes_->make(kind, 0644);
  return *this;
}

MemoryTree& MemoryTree::deny(std::string_view path) {
  nodes_->denied.emplace(Path(std::string(path)).lexically_normal().text());
  return *this;
}

MemoryTree& MemoryTree::remove(std::string_view path) {
  const Path normal = Path(std::string(path)).lexically_normal();
  if (const auto parent = nodes_->find(normal.parent())) {
    (*parent)->children.erase(std::string(normal.name()));
  }
  return *this;
}

Result<Stat> MemoryTree::stat(const Path& physical) const {
  const auto node = nodes_->find(physical);
  if (!node) return fail(node.error());
  return (*node)->stat;
}

Result<std::string> MemoryTree::read_link(const Path& physical) const {
  const auto node = nodes_->find(physical);
  if (!node) return fail(node.error());
  if ((*node)->stat.kind != Kind::Symlink) {
    return fail(ErrorCode::InvalidArgument, "not a symbolic link", physical.text());
  }
  return (*node)->target;
}

Result<std::vector<Entry>> MemoryTree::list(const Path& physical) const {
  const auto node = nodes_->find(physical);
  if (!node) return fail(node.error());
  if ((*node)->stat.kind != Kind::Directory) {
    return fail(ErrorCode::NotADirectory, "not a directory", physical.text());
  }
  std::vector<Entry> entries;
  entries.reserve((*node)->children.size());
  for (const auto& [name, child] : (*node)->children) {
    entries.push_back({name, child->stat.kind});
  }
  return entries;
}

Result<std::unique_ptr<ByteSource>> MemoryTree::open(const Path& physical) const {
  const auto node = nodes_->find(physical);
  if (!node) return fail(node.error());
  if ((*node)->stat.kind != Kind::Regular) return fail_kind((*node)->stat.kind, physical);
  nodes_->opened.push_back(physical.text());
  return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>((*node)->content));
}

const std::vector<std::string>& MemoryTree::opened() const { return nodes_->opened; }

}  // namespace loadable::tree
