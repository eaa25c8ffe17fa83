// SPDX-License-Identifier: Apache-2.0
#include "loader/order.h"

#include <algorithm>

namespace loadable::loader {
namespace {

class Sorter {
 public:
  Sorter(const Process::State& state, ObjectIndex root, const ObjectList& tree)
      : state_(state), root_(root), tree_(tree), is_visited_(state.members.size()) {}

  ObjectList run();

 private:
  struct Frame {
    ObjectIndex object = 0;
    ObjectList needs;
    std::size_t next = 0;
  };

  [[nodiscard]] ObjectList needs_of(ObjectIndex object) const;
  void visit(ObjectIndex start);

  const Process::State& state_;
  ObjectIndex root_;
  const ObjectList& tree_;
  std::vector<bool> is_visited_;
  ObjectList finished_;  ///< each behind what it needs
};

/// l_initfini: of what was dlopened itself the whole tree, of others what they ask for. That of the
/// root is not known yet.
ObjectList Sorter::needs_of(ObjectIndex object) const {
  ObjectList needs;
  if (object == root_) return needs;
  const Member& member = state_.members[object];
  if (member.searchlist) return *member.searchlist;
  Session& session = *state_.session;
  for (const FileFacts::Need& need : member.place->facts->needs) {
    NameId name = need.name;
    if (const std::string& text = session.names.text(name); text.find('$') != text.npos) {
      const auto expanded = expand_tokens(text, session.tokens(member.place->origin, object == 0));
      if (!expanded) continue;
      name = session.names.intern(*expanded);
    }
    const auto slot = answer_to(state_, name);
    if (slot && slot->object < is_visited_.size()) needs.push_back(slot->object);
  }
  return needs;
}

void Sorter::visit(ObjectIndex start) {
  if (is_visited_[start]) return;
  is_visited_[start] = true;
  std::vector<Frame> stack;
  stack.push_back({start, needs_of(start), 0});
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == frame.needs.size()) {
      finished_.push_back(frame.object);
      stack.pop_back();
      continue;
    }
    const ObjectIndex need = frame.needs[frame.next++];
    if (need == 0 || is_visited_[need]) continue;  // the program is never traversed
    is_visited_[need] = true;
    stack.push_back({need, needs_of(need), 0});
  }
}

ObjectList Sorter::run() {
  for (auto object = tree_.rbegin(); object != tree_.rend(); ++object) visit(*object);
  std::reverse(finished_.begin(), finished_.end());
  const auto root = std::find(finished_.begin(), finished_.end(), root_);
  if (root != finished_.end()) std::rotate(finished_.begin(), root, root + 1);
  return std::move(finished_);
}

}  // namespace

ObjectList dependency_order(const Process::State& state, ObjectIndex root, const ObjectList& tree) {
  return Sorter(state, root, tree).run();
}

}  // namespace loadable::loader
