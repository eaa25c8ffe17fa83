// SPDX-License-Identifier: Apache-2.0
// Installations that are allowed -> entries of providers and findings.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/holds.h"
#include "base/quote.h"
#include "check/rules.h"
#include "check/verdicts.h"
#include "exam/planned.h"
#include "python/names.h"

namespace loadable::exam {
namespace {

using accel::DistributionRow;
using accel::Knowledge;
using accel::ProviderRow;
using check::PlannedConflict;

/// What a conda package is of a family by its build string.
const accel::CondaBuildRow* conda_row(const Knowledge& knowledge,
                                      const PlannedDistribution& planned) {
  if (!planned.is_conda) return nullptr;
  const std::string name = python::normalize_name(planned.name);
  const auto found =
      std::find_if(knowledge.conda_builds.begin(), knowledge.conda_builds.end(),
                   [&](const accel::CondaBuildRow& row) { return row.name == name; });
  return found == knowledge.conda_builds.end() ? nullptr : &*found;
}

bool has_word(const std::vector<std::string>& words, const std::string& build) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return build.find(word) != std::string::npos;
  });
}

/// What one plan holds of a provider's family.
struct Holding {
  const PlannedDistribution* carrier = nullptr;
  const PlannedDistribution* other = nullptr;
  const PlannedDistribution* intender = nullptr;
  const PlannedDistribution* open = nullptr;  ///< a conda package that may be either build
};

void add_conda(const accel::CondaBuildRow& conda, const ProviderRow& row,
               const PlannedDistribution& planned, Holding& holding) {
  if (conda.family != row.family) return;
  const bool can_carry = holds(conda.providers, row.id);
  const bool is_gpu = has_word(conda.gpu_words, planned.build);
  const bool is_open = can_carry && !is_gpu && !has_word(conda.cpu_words, planned.build);
  auto& place = is_open ? holding.open : can_carry && is_gpu ? holding.carrier : holding.other;
  if (place == nullptr) place = &planned;
  // Nobody names a build for the GPU who does not want it.
  if (can_carry && is_gpu && holding.intender == nullptr) holding.intender = &planned;
}

Holding holding_of(const Knowledge& knowledge, const ProviderRow& row, const Plan& plan) {
  Holding holding;
  for (const PlannedDistribution& planned : plan.distributions) {
    if (const accel::CondaBuildRow* conda = conda_row(knowledge, planned)) {
      add_conda(*conda, row, planned, holding);
      continue;
    }
    const DistributionRow* known = row_of(knowledge, planned);
    if (known == nullptr) continue;
    if (holds(known->intends, row.id) && holding.intender == nullptr) holding.intender = &planned;
    if (known->family != row.family || is_stand_in(planned)) continue;
    auto& place = holds(known->providers, row.id) ? holding.carrier : holding.other;
    if (place == nullptr) place = &planned;
  }
  return holding;
}

class Judge {
 public:
  Judge(const Knowledge& knowledge, const Options& options, const std::vector<Plan>& plans,
        check::Report& report)
      : knowledge_(knowledge), options_(options), plans_(plans), report_(report) {}

  void run() {
    for (const Plan& plan : plans_) {
      if (!plan.is_asked_about) continue;
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
      conflict.choices = choices_of(conflict);
      conflicts_.push_back({std::move(conflict), plan, false});
    } else if (plan->tells_all_selections) {
      conflicts_[place->second].conflict.also.push_back(conflict.selection);
    }
  }

  [[nodiscard]] bool is_asked_for(const std::string& id) const {
    return std::any_of(options_.require.begin(), options_.require.end(),
                       [&](const accel::Requirement& r) { return r.provider == id; });
  }

  /// What one of the installations holds of a provider.
  struct Answer {
    const Plan* plan = nullptr;
    Holding holding;
  };

  /// The installation that the entry of the provider is about: the first that lacks it and should
  /// not, else the first that has it.
  void judge_provider(const ProviderRow& row) {
    const bool is_asked = is_asked_for(row.id);
    std::vector<Answer> relevant, lacking;
    for (const Plan& plan : plans_) {
      if (!plan.is_asked_about) continue;
      const Answer answer{&plan, holding_of(knowledge_, row, plan)};
      const Holding& here = answer.holding;
      const bool is_wanted = (is_asked && plan.is_chosen) || here.intender != nullptr;
      if (!is_wanted && here.carrier == nullptr) continue;
      if (is_wanted && here.carrier == nullptr) lacking.push_back(answer);
      relevant.push_back(answer);
    }
    if (relevant.empty()) return;
    // What lacks for certain before what may yet be pulled in.
    std::stable_partition(lacking.begin(), lacking.end(), [](const Answer& answer) {
      return answer.holding.other != nullptr || answer.plan->unseen.empty();
    });
    const Answer& chosen = lacking.empty() ? relevant.front() : lacking.front();
    check::Subject subject = subject_of(row, chosen.holding, *chosen.plan);
    if (!lacking.empty()) {
      add_elsewhere(row, *chosen.plan, subject);
      subject.where = where_of(lacking, chosen);
    }
    for (Noted& noted : conflicts_) {
      if (noted.plan == chosen.plan && is_about(noted.conflict, row)) {
        subject.conflicts.push_back(noted.conflict);
        noted.is_told = true;
      }
    }
    tell(subject, true);
    tell_of_other_lacks(row, lacking);
    tell_of_other_plans(row, *chosen.plan, subject);
  }

  static bool is_same_lack(const Answer& a, const Answer& b) {
    const auto name = [](const PlannedDistribution* other) {
      return other == nullptr ? std::string{} : python::normalize_name(other->name);
    };
    if (name(a.holding.other) != name(b.holding.other)) return false;
    return a.holding.open == b.holding.open &&
           (a.holding.other != nullptr || a.plan->unseen.empty() == b.plan->unseen.empty());
  }

  /// On which Pythons, where not on all: `on Python 3.9 and 3.10`.
  [[nodiscard]] std::string where_of(const std::vector<Answer>& lacking,
                                     const Answer& chosen) const {
    std::vector<std::string> releases;
    for (const Answer& answer : lacking) {
      if (!is_same_lack(answer, chosen) || holds(releases, answer.plan->release)) continue;
      releases.push_back(answer.plan->release);
    }
    const bool is_everywhere = std::all_of(plans_.begin(), plans_.end(), [&](const Plan& plan) {
      return !plan.is_chosen || holds(releases, plan.release);
    });
    if (is_everywhere || releases.empty() || releases.front().empty()) return {};
    std::string text = "on Python ";
    for (std::size_t i = 0; i < releases.size(); ++i) {
      if (i > 0) text += i + 1 == releases.size() ? " and " : ", ";
      text += releases[i];
    }
    return text;
  }

  /// Where it lacks for another reason: a CPU build on one Python, nothing at all on another.
  void tell_of_other_lacks(const ProviderRow& row, const std::vector<Answer>& lacking) {
    for (std::size_t i = 1; i < lacking.size(); ++i) {
      const bool was_told =
          std::any_of(lacking.begin(), lacking.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const Answer& earlier) { return is_same_lack(earlier, lacking[i]); });
      if (was_told) continue;
      check::Subject subject = subject_of(row, lacking[i].holding, *lacking[i].plan);
      add_elsewhere(row, *lacking[i].plan, subject);
      subject.where = where_of(lacking, lacking[i]);
      tell(subject, false);
    }
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

  /// `onnxruntime=*=*cuda*`
  [[nodiscard]] std::string gpu_build_of(const PlannedDistribution& planned) const {
    const accel::CondaBuildRow* conda = conda_row(knowledge_, planned);
    return conda == nullptr ? planned.name
                            : format("{}=*=*{}*", planned.name, conda->gpu_words.front());
  }

  /// `/p/environment.yml:4` -> `line 4: `
  static std::string line_of(const std::string& place) {
    const std::size_t colon = place.rfind(':');
    return colon == std::string::npos ? std::string{}
                                      : format("line {}: ", place.substr(colon + 1));
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
    if (holding.open != nullptr && owner == nullptr) {
      instance.distribution = printable(holding.open->name);
      instance.version = printable(holding.open->version);
      subject.undecided = format(
          "{}{} states no build: conda chooses the one for the CPU or the one for the GPU "
          "by the machine that it runs on; {} states it",
          line_of(holding.open->place), quoted(instance.distribution),
          quoted(gpu_build_of(*holding.open)));
    } else if (owner == nullptr && !plan.unseen.empty()) {
      subject.undecided = format("{}: {} may come with it", plan.unseen, subject.title);
    }
    subject.weight = row.is_companion ? check::Weight::Companion : check::Weight::Offered;
    if (instance.states_gpu_intent && !row.is_companion) subject.weight = check::Weight::Required;
    if (is_asked_for(row.id)) subject.weight = check::Weight::Required;
    for (const DistributionRow& distribution : knowledge_.distributions) {
      if (!holds(distribution.providers, row.id)) continue;
      subject.wanted_distribution = distribution.name;
      break;
    }
    if (owner != nullptr && conda_row(knowledge_, *owner) != nullptr) {
      subject.wanted_distribution = gpu_build_of(*owner);
    }
    return subject;
  }

  /// Extras and groups that bring one member each, where the members of a conflict come from
  /// different ones: they can be said to exclude each other.
  [[nodiscard]] std::vector<std::string> choices_of(const PlannedConflict& conflict) const {
    std::vector<std::string> choices;
    for (const check::Member& member : conflict.members) {
      const auto brings = [&](const Plan& plan) {
        return std::any_of(plan.distributions.begin(), plan.distributions.end(),
                           [&](const auto& planned) { return planned.name == member.name; });
      };
      if (brings(plans_.front())) return {};
      const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const Plan& plan) {
        return !plan.choice.empty() && brings(plan);
      });
      if (found == plans_.end() || holds(choices, found->choice)) return {};
      choices.push_back(found->choice);
    }
    return choices;
  }

  /// The first other installation that would ship it: of the same Python where there is one.
  void add_elsewhere(const ProviderRow& row, const Plan& lacking, check::Subject& subject) const {
    const Plan* found = nullptr;
    for (const Plan& plan : plans_) {
      if (holding_of(knowledge_, row, plan).carrier == nullptr || plan.selection.empty()) continue;
      if (found == nullptr ||
          (found->release != lacking.release && plan.release == lacking.release)) {
        found = &plan;
      }
    }
    if (found == nullptr) return;
    subject.elsewhere = found->selection;
    subject.elsewhere_commands = found->commands;
  }

  void tell(const check::Subject& subject, bool has_verdicts) {
    if (!subject.undecided.empty() && subject.weight == check::Weight::Required) {
      report_.incidents.push_back({report_.target_path, subject.undecided});
      report_.is_complete = false;
    }
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

void judge_plans(const Knowledge& knowledge, const Options& options, const std::vector<Plan>& plans,
                 check::Report& report) {
  Judge(knowledge, options, plans, report).run();
  report.not_checked.emplace_back(
      "whether anything loads, device code, driver and GPU, a real session: nothing is installed "
      "yet");
}

}  // namespace loadable::exam
