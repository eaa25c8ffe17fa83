// SPDX-License-Identifier: Apache-2.0
// A graph whose nodes are distributions together with the extra that was asked of them: what
// stands behind `extra == "gpu"` was pulled in by those alone who ask for `[gpu]`.

#include "python/requirement_chain.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "base/quote.h"
#include "python/blanks.h"
#include "python/names.h"
#include "python/requirement.h"

namespace loadable::python {
namespace {

using Index = std::uint32_t;
constexpr Index kNone = std::numeric_limits<Index>::max();

/// A line of metadata, parsed. What is no requirement still names somebody: its marker holds.
struct Wish {
  const Requirer* requirer = nullptr;
  std::string target, text;
  std::vector<std::string> extras;
  Marker marker;
};

Wish parse_wish(const Requirer& requirer, std::string_view line) {
  auto parsed = Requirement::parse(line);
  if (parsed) {
    return {&requirer, parsed->normalized, parsed->to_string(), std::move(parsed->extras),
            std::move(parsed->marker)};
  }
  constexpr std::size_t kShown = 200;
  const std::string_view text = without_blanks(line.substr(0, line.find(';')));
  std::size_t end = 0;
  while (end < text.size() &&
         (is_word(text[end]) || ((text[end] == '-' || text[end] == '.') && end > 0))) {
    ++end;
  }
  return {
      &requirer, normalize_name(text.substr(0, end)), std::string(text.substr(0, kShown)), {}, {}};
}

/// A requirement that is in force.
struct Edge {
  Index from = 0;  ///< state
  const Wish* wish = nullptr;
};

/// A distribution with nothing asked of it, or with one extra.
struct State {
  Index node = 0;
  std::string extra;
};

class Graph {
 public:
  Graph(const std::vector<Requirer>& all, const MarkerEnvironment& environment);

  std::vector<std::vector<ChainLink>> chains_to(const std::string& target, std::size_t limit);

 private:
  struct Node {
    std::string name;
    std::vector<Wish> wishes;
    std::map<std::string, std::vector<const Wish*>> behind_extra;
  };
  // What a search from one target found out about a state.
  struct Reached {
    Index edge = kNone, next = kNone;  ///< that lead on to the target; next: none, the target
    std::size_t distance = 0;
  };

  void activate(Index node, const std::string& extra);
  void expand(Index state);
  void run();
  void add_edge(Index from, const Wish& wish);
  void choose_extras_of_roots(const MarkerEnvironment& environment);
  void search_back(const std::string& target);
  [[nodiscard]] std::vector<Index> before(Index state) const;
  [[nodiscard]] std::vector<Index> sources() const;
  [[nodiscard]] std::vector<ChainLink> chain_from(Index state) const;

  std::vector<Node> nodes_;  // by name
  std::map<std::string, Index, std::less<>> by_name_;
  MarkerEnvironment environment_;  // with the one extra that is being looked at
  std::map<std::pair<Index, std::string>, Index> state_ids_;
  std::vector<State> states_;
  std::deque<Index> queue_;
  std::vector<Edge> edges_;
  // Edges to a name that ask for an extra; all edges to it under the extra "".
  std::map<std::pair<std::string, std::string>, std::vector<Index>> incoming_;
  std::vector<Reached> reached_;  // by state
  std::string target_;
};

Graph::Graph(const std::vector<Requirer>& all, const MarkerEnvironment& environment)
    : environment_(environment) {
  environment_.extras.clear();
  for (const Requirer& requirer : all) by_name_.emplace(normalize_name(requirer.name), 0);
  for (auto& [name, node] : by_name_) {
    node = static_cast<Index>(nodes_.size());
    nodes_.push_back({name, {}, {}});
  }
  for (const Requirer& requirer : all) {
    Node& node = nodes_[by_name_.find(normalize_name(requirer.name))->second];
    for (const std::string& line : requirer.requires_dist) {
      Wish wish = parse_wish(requirer, line);
      if (!wish.target.empty()) node.wishes.push_back(std::move(wish));
    }
  }
  for (Index node = 0; node < nodes_.size(); ++node) activate(node, {});
  run();
  choose_extras_of_roots(environment);
  run();
}

void Graph::activate(Index node, const std::string& extra) {
  const auto [entry, is_new] =
      state_ids_.emplace(std::pair(node, extra), static_cast<Index>(states_.size()));
  if (!is_new) return;
  states_.push_back({node, extra});
  queue_.push_back(entry->second);
}

void Graph::run() {
  while (!queue_.empty()) {
    const Index state = queue_.front();
    queue_.pop_front();
    expand(state);
  }
}

void Graph::expand(Index state) {
  // A marker that names more extras than this holds for each of them: real ones name one or two.
  constexpr std::size_t kMaxExtras = 16;
  const std::string extra = states_[state].extra;
  Node& node = nodes_[states_[state].node];
  environment_.extras.clear();
  if (extra.empty()) {
    for (const Wish& wish : node.wishes) {
      if (wish.marker.holds(environment_)) {
        add_edge(state, wish);
        continue;
      }
      for (const std::string& name : wish.marker.extras()) node.behind_extra[name].push_back(&wish);
    }
    return;
  }
  environment_.extras.insert(extra);
  const auto behind = node.behind_extra.find(extra);
  if (behind == node.behind_extra.end()) return;
  for (const Wish* wish : behind->second) {
    if (wish->marker.extras().size() > kMaxExtras || wish->marker.holds(environment_)) {
      add_edge(state, *wish);
    }
  }
}

void Graph::add_edge(Index from, const Wish& wish) {
  const auto id = static_cast<Index>(edges_.size());
  edges_.push_back({from, &wish});
  incoming_[{wish.target, ""}].push_back(id);
  const auto target = by_name_.find(wish.target);
  for (const std::string& extra : wish.extras) {
    incoming_[{wish.target, extra}].push_back(id);
    if (target != by_name_.end()) activate(target->second, extra);
  }
}

void Graph::choose_extras_of_roots(const MarkerEnvironment& environment) {
  for (Index node = 0; node < nodes_.size(); ++node) {
    const auto edges = incoming_.find({nodes_[node].name, ""});
    const bool is_required =
        edges != incoming_.end() &&
        std::any_of(edges->second.begin(), edges->second.end(),
                    [&](Index edge) { return states_[edges_[edge].from].node != node; });
    if (is_required) continue;
    for (const std::string& extra : environment.extras) activate(node, extra);
  }
}

// The edges that ask for a state. One that the target itself asks for explains nothing.
std::vector<Index> Graph::before(Index state) const {
  const State& of = states_[state];
  std::vector<Index> result;
  const auto edges = incoming_.find({nodes_[of.node].name, of.extra});
  if (edges == incoming_.end()) return result;
  for (const Index edge : edges->second) {
    const Index from = states_[edges_[edge].from].node;
    if (nodes_[from].name == target_) continue;
    if (from != of.node || !of.extra.empty()) result.push_back(edge);
  }
  return result;
}

void Graph::search_back(const std::string& target) {
  target_ = target;
  reached_.assign(states_.size(), {});
  std::deque<Index> queue;
  const auto reach = [&](Index edge, Index next, std::size_t distance) {
    Reached& from = reached_[edges_[edge].from];
    if (from.edge != kNone) return;
    from = {edge, next, distance};
    queue.push_back(edges_[edge].from);
  };
  const auto edges = incoming_.find({target, ""});
  if (edges == incoming_.end()) return;
  for (const Index edge : edges->second) {
    if (nodes_[states_[edges_[edge].from].node].name != target) reach(edge, kNone, 1);
  }
  while (!queue.empty()) {
    const Index state = queue.front();
    queue.pop_front();
    for (const Index edge : before(state)) reach(edge, state, reached_[state].distance + 1);
  }
}

/// Tarjan's strongly connected components over "is asked for by", without recursion.
class Components {
 public:
  template <class Before>
  Components(std::size_t size, const std::vector<Index>& starts, const Before& before)
      : of(size, kNone), order_(size, kNone), low_(size, 0) {
    for (const Index start : starts) {
      if (order_[start] == kNone) visit(start, before);
    }
  }

  std::vector<Index> of;  ///< number of the component of each state
  Index count = 0;

 private:
  struct Frame {
    Index state;
    std::vector<Index> before;
    std::size_t at = 0;
  };

  template <class Before>
  void enter(Index state, const Before& before) {
    order_[state] = low_[state] = clock_++;
    open_.push_back(state);
    frames_.push_back({state, before(state)});
  }

  template <class Before>
  void visit(Index start, const Before& before) {
    enter(start, before);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.at < frame.before.size()) {
        const Index next = frame.before[frame.at++];
        if (order_[next] == kNone) {
          enter(next, before);
        } else if (of[next] == kNone) {
          low_[frame.state] = std::min(low_[frame.state], order_[next]);
        }
        continue;
      }
      leave(frame.state);
    }
  }

  void leave(Index state) {
    frames_.pop_back();
    if (!frames_.empty()) {
      Index& low = low_[frames_.back().state];
      low = std::min(low, low_[state]);
    }
    if (low_[state] != order_[state]) return;
    while (of[state] == kNone) {
      of[open_.back()] = count;
      open_.pop_back();
    }
    ++count;
  }

  std::vector<Index> order_, low_, open_;
  std::vector<Frame> frames_;
  Index clock_ = 0;
};

// The first state by name of each component that nobody outside of it asks for.
std::vector<Index> Graph::sources() const {
  std::vector<Index> found;
  for (Index state = 0; state < states_.size(); ++state) {
    if (reached_[state].edge != kNone) found.push_back(state);
  }
  const auto states_before = [&](Index state) {
    std::vector<Index> result = before(state);
    for (Index& entry : result) entry = edges_[entry].from;
    return result;
  };
  const Components components(states_.size(), found, states_before);
  std::vector<Index> first(components.count, kNone);
  std::vector<bool> is_asked_for(components.count, false);
  const auto comes_before = [&](Index a, Index b) {
    return std::tie(states_[a].node, states_[a].extra) <
           std::tie(states_[b].node, states_[b].extra);
  };
  for (const Index state : found) {
    const Index component = components.of[state];
    if (first[component] == kNone || comes_before(state, first[component]))
      first[component] = state;
    for (const Index other : states_before(state)) {
      if (components.of[other] != component) is_asked_for[component] = true;
    }
  }
  std::vector<Index> result;
  for (Index i = 0; i < components.count; ++i) {
    if (!is_asked_for[i]) result.push_back(first[i]);
  }
  std::sort(result.begin(), result.end(), [&](Index a, Index b) {
    if (reached_[a].distance != reached_[b].distance) {
      return reached_[a].distance < reached_[b].distance;
    }
    return comes_before(a, b);
  });
  return result;
}

std::vector<ChainLink> Graph::chain_from(Index state) const {
  std::vector<ChainLink> chain;
  for (; state != kNone; state = reached_[state].next) {
    const Wish& wish = *edges_[reached_[state].edge].wish;
    chain.push_back({wish.requirer->name, wish.requirer->version, wish.text, states_[state].extra});
  }
  return chain;
}

std::vector<std::vector<ChainLink>> Graph::chains_to(const std::string& target, std::size_t limit) {
  search_back(target);
  std::vector<std::vector<ChainLink>> chains;
  for (const Index state : sources()) {
    if (chains.size() == limit) break;
    chains.push_back(chain_from(state));
  }
  return chains;
}

}  // namespace

std::string ChainLink::to_string() const {
  const std::string behind = extra.empty() ? "" : format(" (extra {})", quoted(extra));
  return format("{} {} requires {}{}", requirer, version, requirement, behind);
}

std::vector<std::vector<ChainLink>> chains_to(std::string_view name,
                                              const std::vector<Requirer>& all,
                                              const MarkerEnvironment& environment,
                                              std::size_t limit) {
  return Graph(all, environment).chains_to(normalize_name(name), limit);
}

}  // namespace loadable::python
