// SPDX-License-Identifier: Apache-2.0
// Which packages of a lock one selection would install.

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/format.h"
#include "base/holds.h"
#include "python/lock.h"
#include "python/names.h"
#include "python/version.h"

namespace loadable::python {
namespace {

/// Does what an edge pins allow that version? `1.24` is `1.24.0`, and a pin without a local part
/// takes any. Empty: any.
bool is_pin_of(const std::string& pin, const std::string& version) {
  if (pin.empty() || version.empty() || pin == version) return true;
  const auto wanted = Version::parse(pin), found = Version::parse(version);
  if (!wanted || !found) return false;
  return *wanted == (wanted->local().empty() ? found->without_local() : *found);
}

constexpr std::size_t kMaxChain = 20;
/// Of one name: a real lock has one for each fork, a handful.
constexpr std::size_t kMaxEntries = 200;

class Installation {
 public:
  Installation(const Lock& lock, const Selection& selection)
      : lock_(lock), selection_(selection), environment_(selection.environment) {
    choose();
    for (std::size_t i = 0; i < lock.packages.size(); ++i) {
      std::vector<std::size_t>& entries = by_name_[lock.packages[i].normalized];
      if (entries.size() < kMaxEntries) entries.push_back(i);
    }
    state_.resize(lock.packages.size());
  }

  std::vector<Installed> run() {
    if (lock_.is_flat) seed_flat();
    start_roots();
    follow();
    if (lock_.is_flat) explain_flat();
    std::vector<Installed> installed;
    for (std::size_t i = 0; i < lock_.packages.size(); ++i) {
      const LockedPackage& package = lock_.packages[i];
      const bool is_of_project = package.is_root || package.source.starts_with("virtual ");
      if (!state_[i].is_installed || is_of_project) continue;
      const bool is_asked = !selection_.explains || selection_.explains(package);
      installed.push_back({i, is_asked ? chain_of(i) : std::vector<std::string>{}});
    }
    return installed;
  }

 private:
  struct State {
    bool is_installed = false;
    std::optional<std::size_t> parent;       // package that pulled it in
    const LockedDependency* edge = nullptr;  // by this edge
    std::set<std::string> extras;            // those whose edges were followed
    bool was_followed = false;
  };
  struct Step {
    std::size_t package;
    std::string extra;  // empty: the unconditional edges
  };

  void choose() {
    extras_ = selection_.extras;
    if (selection_.all_extras) extras_ = lock_.extras;
    if (!selection_.no_default_groups) groups_ = lock_.default_groups;
    groups_.insert(groups_.end(), selection_.groups.begin(), selection_.groups.end());
    if (selection_.all_groups) groups_ = lock_.groups;
    environment_.extras.insert(extras_.begin(), extras_.end());
    environment_.groups.insert(groups_.begin(), groups_.end());
    if (lock_.format != LockFormat::Uv) return;
    // uv.lock names the extras and groups of conflicts `extra-4-demo-gpu`, `group-4-demo-dev`.
    for (const LockedPackage& package : lock_.packages) {
      if (!package.is_root && !package.is_member) continue;
      const std::string& name = package.normalized;
      for (const std::string& extra : extras_) {
        environment_.extras.insert(format("extra-{}-{}-{}", name.size(), name, extra));
      }
      for (const std::string& group : groups_) {
        environment_.extras.insert(format("group-{}-{}-{}", name.size(), name, group));
      }
    }
  }

  [[nodiscard]] bool is_chosen(const std::string& group) const {
    return group == "main" || group == "default" || holds(groups_, group) || holds(extras_, group);
  }

  [[nodiscard]] bool is_in_groups(const LockedPackage& package) const {
    if (package.groups.empty()) return true;
    return std::any_of(package.groups.begin(), package.groups.end(), [&](const auto& group) {
      if (!is_chosen(group)) return false;
      const auto marker = std::find_if(package.group_markers.begin(), package.group_markers.end(),
                                       [&](const auto& entry) { return entry.first == group; });
      return marker == package.group_markers.end() || marker->second.holds(environment_);
    });
  }

  void seed_flat() {
    for (std::size_t i = 0; i < lock_.packages.size(); ++i) {
      const LockedPackage& package = lock_.packages[i];
      if (package.is_root || package.is_optional) continue;
      state_[i].is_installed = is_in_groups(package) && package.marker.holds(environment_);
    }
  }

  /// In a flat lock the roots pull in only what is optional; the rest they explain.
  void start_roots() {
    for (std::size_t i = 0; i < lock_.packages.size(); ++i) {
      const LockedPackage& package = lock_.packages[i];
      const bool is_start = package.is_root || (selection_.all_packages && package.is_member);
      if (!is_start) continue;
      state_[i].is_installed = true;
      steps_.push_back({i, {}});
      for (const std::string& extra : extras_) steps_.push_back({i, extra});
    }
  }

  void follow() {
    while (!steps_.empty()) {
      const Step step = std::move(steps_.front());
      steps_.pop_front();
      State& state = state_[step.package];
      if (step.extra.empty() ? std::exchange(state.was_followed, true)
                             : !state.extras.insert(step.extra).second) {
        continue;
      }
      const LockedPackage& package = lock_.packages[step.package];
      const bool is_root = package.is_root || (selection_.all_packages && package.is_member);
      for (const LockedDependency& edge : package.dependencies) {
        if (edge.extra != step.extra) continue;
        if (!edge.group.empty() && !(is_root && holds(groups_, edge.group))) continue;
        if (edge.marker.holds(environment_)) reach(step.package, edge);
      }
    }
  }

  void reach(std::size_t from, const LockedDependency& edge) {
    const auto targets = by_name_.find(edge.name);
    if (targets == by_name_.end()) return;
    for (const std::size_t target : targets->second) {
      const LockedPackage& package = lock_.packages[target];
      if (!is_pin_of(edge.version, package.version)) continue;
      if (!edge.source.empty() && !package.source.empty() && edge.source != package.source) {
        continue;
      }
      if (!pull(from, edge, target)) continue;
      steps_.push_back({target, {}});
      for (const std::string& extra : edge.extras) steps_.push_back({target, extra});
    }
  }

  /// Is the package a part of the installation, now that this edge asks for it?
  bool pull(std::size_t from, const LockedDependency& edge, std::size_t target) {
    State& state = state_[target];
    const LockedPackage& package = lock_.packages[target];
    if (lock_.is_flat && !state.is_installed) {
      if (!package.is_optional || !package.marker.holds(environment_)) return false;
    }
    const bool is_new = !state.is_installed || (!state.parent && !package.is_root);
    state.is_installed = true;
    if (is_new && from != target) {
      state.parent = from;
      state.edge = &edge;
    }
    return true;
  }

  /// What no root explains, because the lock does not say who asked for it: the entries that no
  /// other requires are where the chains begin.
  void explain_flat() {
    std::vector<bool> is_required(lock_.packages.size(), false);
    for (std::size_t i = 0; i < lock_.packages.size(); ++i) {
      for (const LockedDependency& edge : lock_.packages[i].dependencies) {
        const auto targets = by_name_.find(edge.name);
        if (targets == by_name_.end()) continue;
        for (const std::size_t target : targets->second) {
          if (target != i) is_required[target] = true;
        }
      }
    }
    for (const bool only_unrequired : {true, false}) {
      for (std::size_t i = 0; i < lock_.packages.size(); ++i) {
        const State& state = state_[i];
        if (!state.is_installed || state.was_followed) continue;
        if (only_unrequired && is_required[i]) continue;
        steps_.push_back({i, {}});
        follow();
      }
    }
  }

  [[nodiscard]] std::vector<std::string> chain_of(std::size_t package) const {
    std::vector<std::string> chain;
    std::set<std::size_t> seen;
    for (std::size_t at = package; state_[at].parent && chain.size() < kMaxChain;) {
      if (!seen.insert(at).second) break;
      const State& state = state_[at];
      const LockedPackage& parent = lock_.packages[*state.parent];
      const LockedDependency& edge = *state.edge;
      std::string sentence = parent.is_root || parent.version.empty()
                                 ? parent.name
                                 : parent.name + " " + parent.version;
      sentence += " requires " + (edge.requirement.empty() ? edge.name : edge.requirement);
      if (!edge.extra.empty()) sentence += format(" (extra `{}`)", edge.extra);
      if (!edge.group.empty()) sentence += format(" (group `{}`)", edge.group);
      chain.push_back(std::move(sentence));
      at = *state.parent;
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

  const Lock& lock_;
  const Selection& selection_;
  MarkerEnvironment environment_;
  std::vector<std::string> extras_, groups_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_name_;
  std::vector<State> state_;
  std::deque<Step> steps_;
};

}  // namespace

std::vector<Installed> installed_of(const Lock& lock, const Selection& selection) {
  return Installation(lock, selection).run();
}

}  // namespace loadable::python
