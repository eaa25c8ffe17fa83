// SPDX-License-Identifier: Apache-2.0
// Two memories. Texts: every path text ever asked, and every directory text, so that a repeated
// question is one probe. Names: (directory, name) -> node, so that differently written paths share
// their system calls and nothing below an absent directory costs one.

#include "tree/walk.h"

#include <array>
#include <deque>
#include <memory_resource>
#include <unordered_map>

#include "base/bytes.h"
#include "tree/errors.h"

namespace loadable::tree {
namespace {

constexpr int kMaxLinks = 40;
constexpr std::size_t kMaxName = 255, kMaxPath = 4095;
// Bounds on memory, for roots that are made to exhaust it.
constexpr std::size_t kMaxNames = 2'000'000, kMaxTexts = 2'000'000;
constexpr std::size_t kMaxArena = std::size_t{256} * 1024 * 1024;
// After so many misses in one directory its names are listed once, and further misses are free.
constexpr std::uint32_t kMissesBeforeListing = 48;

/// A file that exists.
struct Node {
  Node* parent;
  Result<Found> found;
  std::optional<std::string> target = std::nullopt;  ///< of a link, once read
  std::uint32_t misses = 0;
  bool is_listed = false;    ///< listing was tried
  bool is_complete = false;  ///< every name in it is in the memory of names
};

/// What is known of a name: a node, that it is there (listed, not looked at), or why it is not.
struct Name {
  Node* node = nullptr;
  ErrorCode error = ErrorCode::NotFound;
  bool is_listed = false;
};

struct NameKey {
  const Node* directory;
  std::string_view name;
  bool operator==(const NameKey&) const = default;
};

struct NameHash {
  std::size_t operator()(const NameKey& key) const {
    constexpr std::size_t kMix = 0x9E3779B97F4A7C15U;
    return std::hash<std::string_view>{}(key.name) ^
           (std::hash<const void*>{}(key.directory) * kMix);
  }
};

/// Where a walk ended: a node or an error, and how many links it took.
struct End {
  Node* node = nullptr;
  ErrorCode error = ErrorCode::NotFound;
  int links = 0;
};

std::string_view take_part(std::string_view* rest) {
  while (rest->starts_with('/')) rest->remove_prefix(1);
  const std::string_view part = rest->substr(0, rest->find('/'));
  rest->remove_prefix(part.size());
  return part;
}

// Nothing but slashes: what remains behind the last component.
bool is_blank(std::string_view rest) { return rest.find_first_not_of('/') == rest.npos; }

}  // namespace

struct Walk::Memory {
  explicit Memory(const Tree& the_tree);

  const Result<Found>& resolve(std::string_view path);
  End follow(Node* from, std::string_view path, int links, bool follows_last);
  const Result<Found>& error(ErrorCode code) { return errors_[static_cast<std::size_t>(code)]; }

  const Tree& tree;
  Node* root = nullptr;
  ErrorCode root_error = ErrorCode::NotFound;

 private:
  End directory(std::string_view text);
  Name look_up(Node* directory, std::string_view name);
  Name ask_tree(Node* directory, std::string_view name);
  void list_names(Node* directory);
  const std::string* target_of(Node* link);
  std::string_view keep(std::string_view text);
  [[nodiscard]] bool is_full() const {
    return names_.size() >= kMaxNames || arena_used_ >= kMaxArena;
  }

  std::pmr::monotonic_buffer_resource arena_;
  std::size_t arena_used_ = 0;
  std::deque<Node> nodes_;
  std::unordered_map<NameKey, Name, NameHash> names_;
  std::unordered_map<std::string_view, const Result<Found>*> texts_;
  std::unordered_map<std::string_view, End> directories_;
  std::string_view last_directory_;  ///< asked for last, a key of directories_; empty: none yet
  End last_end_;
  std::array<Result<Found>, static_cast<std::size_t>(ErrorCode::InvalidArgument) + 1> errors_;
};

Walk::Memory::Memory(const Tree& the_tree) : tree(the_tree) {
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    errors_[i] = fail(code, std::string(file_error_text(code)));
  }
  auto stat = tree.stat(Path());
  if (!stat) {
    root_error = stat.error().code;
    return;
  }
  root = &nodes_.emplace_back(Node{nullptr, Found{Path(), *stat}});
  root->parent = root;
}

std::string_view Walk::Memory::keep(std::string_view text) {
  if (text.empty()) return {};
  arena_used_ += text.size();
  char* copy = static_cast<char*>(arena_.allocate(text.size(), 1));
  text.copy(copy, text.size());
  return {copy, text.size()};
}

// A listing tells which names are there, not what they are: those are looked at when asked for.
void Walk::Memory::list_names(Node* directory) {
  constexpr std::size_t kMaxListed = 20'000;
  directory->is_listed = true;
  const auto entries = tree.list(directory->found->physical);
  if (!entries || entries->size() > kMaxListed) return;
  for (const Entry& entry : *entries) {
    if (is_full()) return;
    if (names_.contains({directory, entry.name})) continue;
    names_.emplace(NameKey{directory, keep(entry.name)}, Name{nullptr, ErrorCode::NotFound, true});
  }
  directory->is_complete = true;
}

Name Walk::Memory::ask_tree(Node* directory, std::string_view name) {
  Path physical = directory->found->physical.join(name);
  auto stat = tree.stat(physical);
  if (!stat) return Name{nullptr, stat.error().code};
  nodes_.push_back(Node{directory, Found{std::move(physical), *stat}});
  return Name{&nodes_.back()};
}

Name Walk::Memory::look_up(Node* directory, std::string_view name) {
  if (name.size() > kMaxName) return {nullptr, ErrorCode::NameTooLong};
  const auto known = names_.find(NameKey{directory, name});
  if (known != names_.end()) {
    if (known->second.is_listed) known->second = ask_tree(directory, name);
    return known->second;
  }
  if (directory->is_complete) return {};
  if (is_full()) return {nullptr, ErrorCode::LimitReached};
  const Name answer = ask_tree(directory, name);
  names_.emplace(
      NameKey{directory, answer.node != nullptr ? answer.node->found->physical.name() : keep(name)},
      answer);
  // Only a miss proves that the directory may be searched, so that a listing says what stat would.
  const bool is_miss = answer.node == nullptr && answer.error == ErrorCode::NotFound;
  if (is_miss && ++directory->misses >= kMissesBeforeListing && !directory->is_listed) {
    list_names(directory);
  }
  return answer;
}

const std::string* Walk::Memory::target_of(Node* link) {
  if (!link->target) {
    auto target = tree.read_link(link->found->physical);
    if (!target) return nullptr;
    link->target = std::move(*target);
  }
  return &*link->target;
}

// The walk of fs/namei.c link_path_walk, without the host: `from` is a directory.
End Walk::Memory::follow(Node* from, std::string_view path, int links, bool follows_last) {
  std::string expanded;  // the target of the last link, and what was still to go
  std::string_view rest = path;
  Node* here = from;
  while (true) {
    const std::string_view part = take_part(&rest);
    if (part.empty()) return {here, {}, links};
    if (part == ".") continue;
    if (part == "..") {
      here = here->parent;
      continue;
    }
    const Name name = look_up(here, part);
    if (name.node == nullptr) return {nullptr, name.error, links};
    const Kind kind = name.node->found->stat.kind;
    if (kind == Kind::Directory) {
      here = name.node;
      continue;
    }
    if (kind != Kind::Symlink || (rest.empty() && !follows_last)) {
      if (!rest.empty()) return {nullptr, ErrorCode::NotADirectory, links};
      return {name.node, {}, links};
    }
    if (++links > kMaxLinks) return {nullptr, ErrorCode::TooManyLinks, links};
    const std::string* target = target_of(name.node);
    if (target == nullptr || target->empty()) return {nullptr, ErrorCode::NotFound, links};
    if (target->front() == '/') here = root;
    std::string next;
    next.reserve(target->size() + rest.size());
    next.append(*target).append(rest);
    expanded = std::move(next);
    rest = expanded;
  }
}

// A directory text, as `/a/b`; what it leads to may be remembered as an error.
End Walk::Memory::directory(std::string_view text) {
  if (is_blank(text)) return {root, {}, 0};
  if (text == last_directory_) return last_end_;
  const auto known = directories_.find(text);
  if (known != directories_.end()) {
    last_directory_ = known->first;
    last_end_ = known->second;
    return known->second;
  }
  End end = follow(root, text, 0, true);
  if (end.node != nullptr && end.node->found->stat.kind != Kind::Directory) {
    end = {nullptr, ErrorCode::NotADirectory, end.links};
  }
  if (directories_.size() < kMaxTexts && !is_full()) directories_.emplace(keep(text), end);
  return end;
}

const Result<Found>& Walk::Memory::resolve(std::string_view path) {
  const auto known = texts_.find(path);
  if (known != texts_.end()) return *known->second;
  if (root == nullptr) return error(root_error);
  if (path.size() > kMaxPath) return error(ErrorCode::NameTooLong);
  const std::size_t slash = path.rfind('/');
  const bool has_directory = slash != std::string_view::npos;
  End end = directory(has_directory ? path.substr(0, slash) : std::string_view{});
  if (end.node != nullptr) {
    end = follow(end.node, has_directory ? path.substr(slash + 1) : path, end.links, true);
  }
  const Result<Found>& answer = end.node != nullptr ? end.node->found : error(end.error);
  if (texts_.size() < kMaxTexts && !is_full()) {
    // Most paths that are asked for are physical: the node has the text already.
    const bool is_physical = answer && answer->physical.text() == path;
    texts_.emplace(is_physical ? std::string_view(answer->physical.text()) : keep(path), &answer);
  }
  return answer;
}

Walk::Walk(const Tree& tree) : memory_(std::make_unique<Memory>(tree)) {}
Walk::~Walk() = default;

const Result<Found>& Walk::resolve(const Path& path) { return memory_->resolve(path.text()); }
const Result<Found>& Walk::resolve(std::string_view path) { return memory_->resolve(path); }

Result<Found> Walk::resolve_parent(const Path& path) {
  if (memory_->root == nullptr) return memory_->error(memory_->root_error);
  if (path.text().size() > kMaxPath) return memory_->error(ErrorCode::NameTooLong);
  const End end = memory_->follow(memory_->root, path.text(), 0, false);
  return end.node != nullptr ? end.node->found : memory_->error(end.error);
}

namespace {
// The shared errors name no file; these calls know it.
tl::unexpected<Error> fail_at(const Path& path, Error error) {
  error.subject = path.text();
  return fail(std::move(error));
}
}  // namespace

Result<std::vector<Entry>> Walk::list(const Path& path) {
  const Result<Found>& found = resolve(path);
  if (!found) return fail_at(path, found.error());
  auto entries = memory_->tree.list(found->physical);
  if (!entries) return fail_at(path, std::move(entries.error()));
  return entries;
}

Result<std::unique_ptr<ByteSource>> Walk::open(const Path& path) {
  const Result<Found>& found = resolve(path);
  if (!found) return fail_at(path, found.error());
  const bool is_regular = found->stat.kind == Kind::Regular;
  auto source = is_regular ? memory_->tree.open_regular(found->physical)
                           : memory_->tree.open(found->physical);
  if (!source) return fail_at(path, std::move(source.error()));
  return source;
}

Result<std::string> Walk::read_text(const Path& path, std::uint64_t limit) {
  const auto source = open(path);
  if (!source) return fail(source.error());
  auto text = loadable::read_text(**source, limit);
  if (!text) return fail_at(path, std::move(text.error()));
  return text;
}

const Tree& Walk::tree() const { return memory_->tree; }

}  // namespace loadable::tree
