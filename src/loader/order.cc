// SPDX-License-Identifier: Apache-2.0
#include "loader/order.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace loadable::loader {
namespace {

constexpr Version kDepthFirst{2, 35, 0};

/// What the older order may cost: cycles make it cubic, and the input may be made for that.
constexpr std::size_t kMaxSteps = 20'000'000;

/// l_initfini: of what was dlopened itself the whole tree, of others what they ask for.
ObjectList needs_of(const Process::State& state, ObjectIndex object) {
  ObjectList needs;
  const Member& member = state.members[object];
  if (member.searchlist) return *member.searchlist;
  if (member.place == nullptr || member.place->facts == nullptr) return needs;
  Session& session = *state.session;
  for (const FileFacts::Need& need : member.place->facts->needs) {
    NameId name = need.name;
    if (const std::string& text = session.names.text(name); text.find('$') != text.npos) {
      const auto expanded = expand_tokens(text, session.tokens(member.place->origin, object == 0));
      if (!expanded) continue;
      name = session.names.intern(*expanded);
    }
    const auto slot = answer_to(state, name);
    if (slot && slot->object < state.members.size()) needs.push_back(slot->object);
  }
  return needs;
}

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

  void visit(ObjectIndex start);
  /// That of the root is not known yet.
  [[nodiscard]] ObjectList needs(ObjectIndex object) const {
    return object == root_ ? ObjectList{} : needs_of(state_, object);
  }

  const Process::State& state_;
  ObjectIndex root_;
  const ObjectList& tree_;
  std::vector<bool> is_visited_;
  ObjectList finished_;  ///< each behind what it needs
};

void Sorter::visit(ObjectIndex start) {
  if (is_visited_[start]) return;
  is_visited_[start] = true;
  std::vector<Frame> stack;
  stack.push_back({start, needs(start), 0});
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
    stack.push_back({need, needs(need), 0});
  }
}

ObjectList Sorter::run() {
  for (auto object = tree_.rbegin(); object != tree_.rend(); ++object) visit(*object);
  std::reverse(finished_.begin(), finished_.end());
  const auto root = std::find(finished_.begin(), finished_.end(), root_);
  if (root != finished_.end()) std::rotate(finished_.begin(), root, root + 1);
  return std::move(finished_);
}

/// _dl_sort_maps before 2.35: each object in turn moves behind the last one that needs it, which
/// may put another one into its place; how often each was looked at in a place ends what a cycle
/// repeats.
class MovingSorter {
 public:
  MovingSorter(const Process::State& state, ObjectList objects)
      : objects_(std::move(objects)), seen_(objects_.size()), needed_by_(state.members.size()) {}

  /// `object`, one of those that are sorted, needs these.
  void add(ObjectIndex object, const ObjectList& needs) {
    for (const ObjectIndex need : needs) needed_by_[need].insert(object);
  }
  ObjectList run();

 private:
  [[nodiscard]] std::size_t last_that_needs(std::size_t place);

  ObjectList objects_;
  std::vector<std::size_t> seen_;
  std::vector<std::unordered_set<ObjectIndex>> needed_by_;
  std::size_t steps_ = 0;
};

/// The last place behind this one whose object needs the object of this one; itself: none.
std::size_t MovingSorter::last_that_needs(std::size_t place) {
  const auto& users = needed_by_[objects_[place]];
  if (users.empty()) return place;
  std::size_t last = objects_.size() - 1;
  while (last > place && !users.contains(objects_[last])) --last;
  steps_ += objects_.size() - last;
  return last;
}

ObjectList MovingSorter::run() {
  const auto rotate = [](auto& list, std::size_t from, std::size_t last) {
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(from);
    std::rotate(begin, begin + 1, list.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  };
  std::size_t place = 0;
  while (place < objects_.size() && steps_ < kMaxSteps) {
    ++seen_[place];
    const std::size_t last = last_that_needs(place);
    steps_ += last - place + 1;
    bool is_done = last == place;
    if (!is_done) {
      rotate(objects_, place, last);
      is_done = seen_[place + 1] > objects_.size() - place;
      if (!is_done) rotate(seen_, place, last);
    }
    if (!is_done) continue;
    ++place;
    std::fill(seen_.begin() + static_cast<std::ptrdiff_t>(place), seen_.end(), 0);
    steps_ += objects_.size() - place;
  }
  return std::move(objects_);
}

ObjectList moved_order(const Process::State& state, ObjectIndex root, const ObjectList& tree,
                       const ObjectList& fresh) {
  ObjectList objects = fresh;
  if (fresh.empty()) {
    std::copy_if(tree.begin(), tree.end(), std::back_inserter(objects),
                 [&](ObjectIndex object) { return object != root; });
  }
  MovingSorter sorter(state, objects);
  for (const ObjectIndex object : objects) {
    sorter.add(object, object == root ? tree : needs_of(state, object));
  }
  ObjectList order = sorter.run();
  if (fresh.empty()) order.insert(order.begin(), root);
  return order;
}

}  // namespace

ObjectList dependency_order(const Process::State& state, ObjectIndex root, const ObjectList& tree,
                            const ObjectList& fresh) {
  if (state.session->identity.version < kDepthFirst) return moved_order(state, root, tree, fresh);
  return Sorter(state, root, tree).run();
}

}  // namespace loadable::loader
