// SPDX-License-Identifier: Apache-2.0
#include "exam/planned.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/quote.h"
#include "check/rules.h"
#include "check/verdicts.h"
#include "python/names.h"
#include "python/requirement.h"

namespace loadable::exam {
namespace {

using accel::DistributionRow;
using accel::Knowledge;
using accel::ProviderRow;
using check::PlannedConflict;

bool holds(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

const DistributionRow* row_of(const Knowledge& knowledge, const PlannedDistribution& planned) {
  return knowledge.distribution(python::normalize_name(planned.name), planned.version);
}

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
  conflict.has_uv_table = plan.has_uv_table;
  conflict.requirements = plan.requirements;
  for (const PlannedDistribution* planned : members) {
    conflict.members.push_back(member_of(knowledge, *planned));
    conflict.chains.push_back(planned->chain);
    conflict.places.push_back(planned->place);
    if (planned->is_local && !planned->files) conflict.maybe_stand_in.push_back(planned->name);
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

/// What one plan holds of a provider's family.
struct Holding {
  const PlannedDistribution* carrier = nullptr;
  const PlannedDistribution* other = nullptr;
  const PlannedDistribution* intender = nullptr;
};

Holding holding_of(const Knowledge& knowledge, const ProviderRow& row, const Plan& plan) {
  Holding holding;
  for (const PlannedDistribution& planned : plan.distributions) {
    const DistributionRow* known = row_of(knowledge, planned);
    if (known == nullptr) continue;
    if (holds(known->intends, row.id) && holding.intender == nullptr) holding.intender = &planned;
    if (known->family != row.family || is_stand_in(planned)) continue;
    auto& place = holds(known->providers, row.id) ? holding.carrier : holding.other;
    if (place == nullptr) place = &planned;
  }
  return holding;
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

class Judge {
 public:
  Judge(const Knowledge& knowledge, const Options& options, const std::vector<Plan>& plans,
        check::Report& report)
      : knowledge_(knowledge), options_(options), plans_(plans), report_(report) {}

  void run() {
    for (const Plan& plan : plans_) {
      for (PlannedConflict& conflict : find_planned_conflicts(knowledge_, plan)) {
        note_conflict(std::move(conflict), &plan);
      }
    }
    for (const ProviderRow& row : knowledge_.providers) judge_provider(row);
    judge_rest();
    merge();
  }

 private:
  struct Noted {
    PlannedConflict conflict;
    const Plan* plan = nullptr;
    bool is_told = false;
  };

  /// The same members in a later selection are no second conflict.
  void note_conflict(PlannedConflict conflict, const Plan* plan) {
    std::string key = conflict.family;
    for (const check::Member& member : conflict.members) {
      key += "\n" + python::normalize_name(member.name);
    }
    const auto [place, is_new] = known_.emplace(key, conflicts_.size());
    if (is_new) {
      conflicts_.push_back({std::move(conflict), plan, false});
    } else if (plan->tells_all_selections) {
      conflicts_[place->second].conflict.also.push_back(conflict.selection);
    }
  }

  [[nodiscard]] bool is_asked_for(const std::string& id) const {
    return std::any_of(options_.require.begin(), options_.require.end(),
                       [&](const accel::Requirement& r) { return r.provider == id; });
  }

  void judge_provider(const ProviderRow& row) {
    const bool is_asked = is_asked_for(row.id);
    const Plan* chosen = nullptr;
    Holding holding;
    for (const Plan& plan : plans_) {
      const Holding here = holding_of(knowledge_, row, plan);
      const bool matters = here.carrier != nullptr || here.intender != nullptr;
      if (chosen == nullptr && (matters || is_asked)) {
        chosen = &plan;
        holding = here;
      }
    }
    if (chosen == nullptr) return;
    check::Subject subject = subject_of(row, holding, *chosen);
    if (holding.carrier == nullptr) subject.elsewhere = elsewhere(row);
    for (Noted& noted : conflicts_) {
      if (noted.plan == chosen && is_about(noted.conflict, row)) {
        subject.conflicts.push_back(noted.conflict);
        noted.is_told = true;
      }
    }
    tell(subject, true);
    tell_of_other_plans(row, *chosen, subject);
  }

  /// A conflict of another selection does not lower the verdicts of this one.
  void tell_of_other_plans(const ProviderRow& row, const Plan& chosen, check::Subject& subject) {
    for (Noted& noted : conflicts_) {
      if (noted.plan == &chosen || !is_about(noted.conflict, row)) continue;
      check::Subject other;
      other.provider = subject.provider;
      other.title = subject.title;
      other.weight = subject.weight;
      other.planned = subject.planned;
      other.instance = subject.instance;
      other.instance.is_shipped = true;
      other.conflicts = {noted.conflict};
      noted.is_told = true;
      tell(other, false);
    }
  }

  static bool is_about(const PlannedConflict& conflict, const ProviderRow& row) {
    return conflict.family == row.family &&
           std::any_of(conflict.members.begin(), conflict.members.end(),
                       [&](const check::Member& m) { return holds(m.carries, row.id); });
  }

  check::Subject subject_of(const ProviderRow& row, const Holding& holding, const Plan& plan) {
    check::Subject subject;
    subject.provider = row.id;
    subject.title = row.what.empty() ? quoted(row.id) : row.what;
    subject.planned = plan.noun;
    subject.target = options_.shown_target;
    subject.effect = row.effect;
    accel::ProviderInstance& instance = subject.instance;
    instance.id = row.id;
    instance.is_companion = row.is_companion;
    instance.is_shipped = holding.carrier != nullptr;
    instance.is_cpu_build = !instance.is_shipped && holding.other != nullptr;
    instance.states_gpu_intent = holding.intender != nullptr;
    const PlannedDistribution* owner = holding.carrier != nullptr ? holding.carrier : holding.other;
    if (owner != nullptr) {
      instance.distribution = printable(owner->name);
      instance.version = printable(owner->version);
    }
    subject.weight = row.is_companion ? check::Weight::Companion : check::Weight::Offered;
    if (instance.states_gpu_intent && !row.is_companion) subject.weight = check::Weight::Required;
    if (is_asked_for(row.id)) subject.weight = check::Weight::Required;
    for (const DistributionRow& distribution : knowledge_.distributions) {
      if (!holds(distribution.providers, row.id)) continue;
      subject.wanted_distribution = distribution.name;
      break;
    }
    return subject;
  }

  std::string elsewhere(const ProviderRow& row) const {
    for (const Plan& plan : plans_) {
      const bool ships = holding_of(knowledge_, row, plan).carrier != nullptr;
      if (ships && !plan.selection.empty()) {
        return format("an installation {}", plan.selection);
      }
    }
    return {};
  }

  void tell(const check::Subject& subject, bool has_verdicts) {
    const check::Rulings rulings = check::judge(subject);
    std::string cause;
    if (has_verdicts) {
      check::ProviderReport provider = check::decide(subject, rulings);
      cause = provider.cause;
      report_.providers.push_back(std::move(provider));
    }
    for (check::Finding& finding : check::findings_of(rulings, cause)) {
      report_.findings.push_back(std::move(finding));
    }
  }

  /// Families without a provider, pairs of no family, and what projects require.
  void judge_rest() {
    check::Subject subject;
    subject.planned = plans_.empty() ? "locked" : plans_.front().noun;
    for (const Noted& noted : conflicts_) {
      if (!noted.is_told) subject.conflicts.push_back(noted.conflict);
    }
    std::set<std::pair<std::string, std::string>> known;
    for (const Plan& plan : plans_) {
      for (const check::HardDependency& hard : plan.hard) {
        if (known.emplace(hard.requirer, hard.requirement).second) {
          subject.hard_dependencies.push_back(hard);
        }
      }
    }
    std::set<std::tuple<std::string, std::string, std::string>> hidden_known;
    for (const Plan& plan : plans_) {
      for (check::HiddenFacts& hidden : find_planned_hidden(plan)) {
        if (hidden_known.emplace(hidden.module, hidden.module_of.name, hidden.package_of.name)
                .second) {
          subject.ownership.hidden.push_back(std::move(hidden));
        }
      }
    }
    // No object of a process: the rule of lost providers has nothing to say.
    subject.instance.is_shipped = true;
    tell(subject, false);
  }

  /// One conflict that touches several providers is one finding, the first provider's.
  void merge() {
    std::vector<check::Finding> merged;
    for (check::Finding& finding : report_.findings) {
      const auto same =
          std::find_if(merged.begin(), merged.end(), [&](const check::Finding& other) {
            return other.rule == "conflicting-distributions" && other.rule == finding.rule &&
                   other.message == finding.message;
          });
      if (same == merged.end()) {
        merged.push_back(std::move(finding));
        continue;
      }
      if (finding.severity > same->severity) {
        finding.providers.insert(finding.providers.end(), same->providers.begin(),
                                 same->providers.end());
        *same = std::move(finding);
      } else if (!finding.provider.empty() && !holds(same->providers, finding.provider)) {
        same->providers.push_back(finding.provider);
      }
    }
    std::stable_sort(merged.begin(), merged.end(),
                     [](const auto& a, const auto& b) { return a.severity > b.severity; });
    report_.findings = std::move(merged);
  }

  const Knowledge& knowledge_;
  const Options& options_;
  const std::vector<Plan>& plans_;
  check::Report& report_;
  std::vector<Noted> conflicts_;
  std::map<std::string, std::size_t> known_;
};

}  // namespace

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
    // Behind an extra it is the user's choice.
    if (requirement->marker.to_string().find("extra") != std::string::npos) continue;
    check::HardDependency hard;
    hard.requirer = requirer;
    hard.requirement = requirement->to_string();
    hard.member = requirement->normalized;
    hard.family = row->family;
    hard.place = place;
    hard.alternatives = alternatives_of(knowledge, *row, requirement->normalized);
    if (!hard.alternatives.empty()) found.push_back(std::move(hard));
  }
  return found;
}

void judge_plans(const Knowledge& knowledge, const Options& options, const std::vector<Plan>& plans,
                 check::Report& report) {
  Judge(knowledge, options, plans, report).run();
  report.not_checked.emplace_back(
      "whether anything loads, device code, driver and GPU, a real session: nothing is installed "
      "yet");
}

}  // namespace loadable::exam
