// SPDX-License-Identifier: Apache-2.0
#include "exam/planned.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/quote.h"
#include "python/names.h"
#include "python/requirement.h"

namespace loadable::exam {
namespace {

using accel::DistributionRow;
using accel::Knowledge;
using accel::ProviderRow;
using check::PlannedConflict;

/// A file that an import could meet: not the metadata of the distribution, not a launcher.
bool is_contested_kind(const std::string& path) {
  const bool is_outside = path.starts_with("../") || path.starts_with('/');
  return !is_outside && path.find(".dist-info/") == std::string::npos &&
         path.find(".data/scripts/") == std::string::npos && !path.ends_with(".pyc");
}

std::string package_of(const Knowledge& knowledge, const std::string& family) {
  const accel::DistributionFamilyRow* row = knowledge.distribution_family(family);
  return row == nullptr || row->packages.empty() ? family : row->packages.front();
}

check::Member member_of(const Knowledge& knowledge, const PlannedDistribution& planned) {
  check::Member member;
  // Names of a file that anybody may have written go into messages.
  member.name = printable(planned.name);
  member.version = printable(planned.version);
  if (const DistributionRow* row = row_of(knowledge, planned)) {
    member.carries = row->providers;
    member.states_intent = !row->intends.empty();
    member.builds_for = row->builds_for;
  }
  return member;
}

using Members = std::vector<const PlannedDistribution*>;

PlannedConflict conflict_of(const Knowledge& knowledge, const Plan& plan, const Members& members) {
  PlannedConflict conflict;
  conflict.selection = plan.selection;
  conflict.noun = plan.noun;
  conflict.tools = plan.tools;
  conflict.file = plan.file;
  for (const PlannedDistribution* planned : members) {
    conflict.members.push_back(member_of(knowledge, *planned));
    conflict.chains.push_back(planned->chain);
    conflict.places.push_back(planned->place);
    if (planned->is_local && !planned->files) conflict.maybe_stand_in.push_back(planned->name);
    const bool is_installed_from = !plan.file.requirements.empty();
    if (planned->is_entry && is_installed_from) conflict.file.listed.push_back(planned->name);
  }
  return conflict;
}

/// Compares the lists of files of the members, where all are at hand.
void compare_lists(const Members& members, PlannedConflict& conflict) {
  conflict.has_wheels = std::all_of(members.begin(), members.end(),
                                    [](const auto* planned) { return planned->files.has_value(); });
  if (!conflict.has_wheels) return;
  struct Seen {
    std::string hash;
    std::size_t owners = 0;
    bool differs = false;
  };
  std::map<std::string, Seen> seen;
  for (const PlannedDistribution* planned : members) {
    std::set<std::string> own;
    for (const PlannedFile& file : *planned->files) {
      if (file.hash.empty() || !is_contested_kind(file.path)) continue;
      if (!own.insert(file.path).second) continue;
      Seen& entry = seen[file.path];
      entry.differs = entry.differs || (entry.owners > 0 && entry.hash != file.hash);
      if (entry.owners++ == 0) entry.hash = file.hash;
    }
  }
  for (const auto& [path, entry] : seen) {
    if (entry.owners < 2) continue;
    ++conflict.shared;
    if (entry.differs) {
      conflict.differing.push_back(path);
    } else {
      ++conflict.identical;
    }
  }
}

/// One distribution for each name, by name; of several releases the first.
Members unique_members(const Plan& plan) {
  std::map<std::string, const PlannedDistribution*> by_name;
  for (const PlannedDistribution& planned : plan.distributions) {
    by_name.emplace(python::normalize_name(planned.name), &planned);
  }
  Members members;
  for (const auto& [name, planned] : by_name) members.push_back(planned);
  return members;
}

void add_family_conflicts(const Knowledge& knowledge, const Plan& plan, const Members& all,
                          std::vector<PlannedConflict>& out) {
  std::map<std::string, Members> families;
  for (const PlannedDistribution* planned : all) {
    const DistributionRow* row = row_of(knowledge, *planned);
    if (row == nullptr || is_stand_in(*planned)) continue;
    const accel::DistributionFamilyRow* family = knowledge.distribution_family(row->family);
    if (family == nullptr || family->is_exclusive) families[row->family].push_back(planned);
  }
  for (const auto& [family, members] : families) {
    if (members.size() < 2) continue;
    // Conda's own packages of these names are made to live together or to exclude each other.
    const bool is_condas = std::all_of(members.begin(), members.end(),
                                       [](const auto* planned) { return planned->is_conda; });
    if (is_condas) continue;
    PlannedConflict conflict = conflict_of(knowledge, plan, members);
    conflict.family = family;
    conflict.package = package_of(knowledge, family);
    for (const ProviderRow& row : knowledge.providers) {
      if (row.family == family && accel::compare_releases(row.newest, conflict.newest) > 0) {
        conflict.newest = row.newest;
      }
    }
    compare_lists(members, conflict);
    if (!conflict.has_wheels || conflict.shared > 0) out.push_back(std::move(conflict));
  }
}

using Pair = std::pair<const PlannedDistribution*, const PlannedDistribution*>;

/// Distributions whose lists name one path; bounded, since anybody may write lists.
std::set<Pair> pairs_that_share(const Members& all) {
  constexpr std::size_t kMaxPairs = 1000, kMaxOwners = 50;
  std::map<std::string_view, Members> owners;
  for (const PlannedDistribution* planned : all) {
    if (!planned->files) continue;
    for (const PlannedFile& file : *planned->files) {
      if (file.hash.empty() || !is_contested_kind(file.path)) continue;
      Members& list = owners[file.path];
      if (list.empty() || list.back() != planned) list.push_back(planned);
    }
  }
  std::set<Pair> pairs;
  for (const auto& [path, list] : owners) {
    for (std::size_t i = 0; i + 1 < list.size() && pairs.size() < kMaxPairs; ++i) {
      for (std::size_t j = i + 1; j < list.size() && j < i + kMaxOwners; ++j) {
        pairs.emplace(list[i], list[j]);
      }
    }
  }
  return pairs;
}

bool are_of_one_family(const Knowledge& knowledge, const Pair& pair) {
  const DistributionRow* a = row_of(knowledge, *pair.first);
  const DistributionRow* b = row_of(knowledge, *pair.second);
  return a != nullptr && b != nullptr && a->family == b->family;
}

/// Two distributions of no common family whose lists name one path with different bytes.
void add_other_conflicts(const Knowledge& knowledge, const Plan& plan, const Members& all,
                         std::vector<PlannedConflict>& out) {
  const std::set<Pair> pairs = pairs_that_share(all);
  for (const PlannedDistribution* first : all) {
    for (const PlannedDistribution* second : all) {
      const Pair pair(first, second);
      if (!pairs.contains(pair) || are_of_one_family(knowledge, pair)) continue;
      PlannedConflict conflict = conflict_of(knowledge, plan, {first, second});
      compare_lists({first, second}, conflict);
      std::erase_if(conflict.differing, [&](const auto& p) { return knowledge.is_stray(p); });
      if (conflict.differing.empty()) continue;
      const std::string& path = conflict.differing.front();
      conflict.package = path.substr(0, path.find('/'));
      out.push_back(std::move(conflict));
    }
  }
}

/// Do its members differ in what they can use, so that a user has something to choose?
bool has_choice(const Knowledge& knowledge, const std::string& family) {
  const auto& all = knowledge.distributions;
  return std::any_of(all.begin(), all.end(), [&](const DistributionRow& row) {
    return row.family == family &&
           (!row.builds_for.empty() || !row.providers.empty() || !row.intends.empty());
  });
}

/// Other members, at most five: those first whose builds are for something else, which is what
/// users would miss.
std::vector<std::string> alternatives_of(const Knowledge& knowledge, const DistributionRow& row,
                                         const std::string& name) {
  std::vector<std::string> names;
  const bool is_plain = row.builds_for.empty();
  for (const bool builds_for_more : {is_plain, !is_plain}) {
    for (const bool is_verified : {true, false}) {
      for (const DistributionRow& other : knowledge.distributions) {
        const bool is_other = other.family == row.family && other.name != name;
        const bool is_name = other.name.find_first_of("*?[") == std::string::npos;
        if (!is_other || !is_name || other.is_verified != is_verified) continue;
        if (other.builds_for.empty() == builds_for_more || names.size() >= 5) continue;
        names.push_back(other.name);
      }
    }
  }
  return names;
}

}  // namespace

const DistributionRow* row_of(const Knowledge& knowledge, const PlannedDistribution& planned) {
  return knowledge.distribution(python::normalize_name(planned.name), planned.version);
}

bool is_stand_in(const PlannedDistribution& planned) {
  return planned.files.has_value() &&
         std::none_of(planned.files->begin(), planned.files->end(),
                      [](const PlannedFile& file) { return is_contested_kind(file.path); });
}

std::vector<PlannedConflict> find_planned_conflicts(const Knowledge& knowledge, const Plan& plan) {
  std::vector<PlannedConflict> conflicts;
  const Members all = unique_members(plan);
  add_family_conflicts(knowledge, plan, all, conflicts);
  add_other_conflicts(knowledge, plan, all, conflicts);
  return conflicts;
}

std::vector<check::HardDependency> find_hard_dependencies(
    const Knowledge& knowledge, const std::string& requirer,
    const std::vector<std::string>& requires_dist, const std::string& place) {
  std::vector<check::HardDependency> found;
  const DistributionRow* own = knowledge.distribution(python::normalize_name(requirer));
  for (const std::string& line : requires_dist) {
    const auto requirement = python::Requirement::parse(line);
    if (!requirement) continue;
    const DistributionRow* row = knowledge.distribution(requirement->normalized);
    if (row == nullptr || (own != nullptr && own->family == row->family)) continue;
    const accel::DistributionFamilyRow* family = knowledge.distribution_family(row->family);
    if (family != nullptr && !family->is_exclusive) continue;
    if (!has_choice(knowledge, row->family)) continue;
    // Behind an extra it is the user's choice.
    if (requirement->marker.to_string().find("extra") != std::string::npos) continue;
    check::HardDependency hard;
    hard.requirer = requirer;
    hard.requirement = requirement->to_string();
    hard.member = requirement->normalized;
    hard.family = row->family;
    hard.place = place;
    hard.is_for_gpu = !row->builds_for.empty();
    hard.alternatives = alternatives_of(knowledge, *row, requirement->normalized);
    if (!hard.alternatives.empty()) found.push_back(std::move(hard));
  }
  return found;
}

}  // namespace loadable::exam
