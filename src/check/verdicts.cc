// SPDX-License-Identifier: Apache-2.0
#include "check/verdicts.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/quote.h"

namespace loadable::check {
namespace {

using Part = Verdict Impact::*;

Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::No || b == Verdict::No) return Verdict::No;
  if (a == Verdict::Partly || b == Verdict::Partly) return Verdict::Partly;
  return Verdict::Yes;
}

Verdict worst(const Rulings& rulings, Part part) {
  Verdict verdict = Verdict::Yes;
  for (const Ruling& ruling : rulings) verdict = worse(verdict, ruling.impact.*part);
  return verdict;
}

/// The first ruling that lowers that verdict to `value`.
const Ruling* explains(const Rulings& rulings, Part part, Verdict value) {
  const auto found = std::find_if(rulings.begin(), rulings.end(), [&](const Ruling& ruling) {
    return ruling.impact.*part == value && !ruling.is_consequence;
  });
  return found == rulings.end() ? nullptr : &*found;
}

void give_reason(ProviderReport& report, const char* verdict, const std::string& reason) {
  if (!reason.empty()) report.reasons.emplace_back(verdict, reason);
}

void decide_absent(const Rulings& rulings, ProviderReport& report) {
  report.verdicts.shipped = Verdict::No;
  report.verdicts.loadable = Verdict::No;
  for (const Ruling& ruling : rulings) {
    if (ruling.finding.rule != "cpu-build" && ruling.finding.rule != "not-shipped") continue;
    report.cause = ruling.finding.rule;
    report.effect = ruling.finding.effect;
    give_reason(report, "shipped", ruling.reason);
  }
  give_reason(report, "intact", "nothing is shipped");
  give_reason(report, "loadable", "nothing is shipped");
  give_reason(report, "usable", "nothing is shipped");
  give_reason(report, "used", "nothing was run");
}

std::string names(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& name : list) text += (text.empty() ? "" : ", ") + quoted(name);
  return text;
}

/// Is the file that carries the provider one that could not be read?
bool is_unread(const Subject& subject) {
  return std::any_of(subject.gaps.begin(), subject.gaps.end(), [&](const Gap& gap) {
    return gap.is_unreadable && (gap.request == subject.instance.provider_library ||
                                 gap.request == subject.instance.import_library);
  });
}

void decide_loadable(const Subject& subject, const Rulings& rulings, ProviderReport& report) {
  Verdict& verdict = report.verdicts.loadable;
  verdict = worst(rulings, &Impact::loadable);
  if (verdict != Verdict::Yes) {
    if (const Ruling* ruling = explains(rulings, &Impact::loadable, verdict)) {
      give_reason(report, "loadable", ruling->reason);
    } else if (const Ruling* cause = explains(rulings, &Impact::intact, Verdict::No)) {
      give_reason(report, "loadable", cause->reason);
    }
    return;
  }
  const auto unread = std::find_if(subject.gaps.begin(), subject.gaps.end(), [](const Gap& gap) {
    return classify(gap) == GapCause::Unreadable;
  });
  if (unread != subject.gaps.end()) {
    verdict = Verdict::Unknown;
    give_reason(
        report, "loadable",
        format("a place where {} is searched cannot be read here", quoted(unread->request)));
  } else if (!subject.provided.empty()) {
    verdict = Verdict::Unknown;
    give_reason(report, "loadable", format("provided elsewhere: {}", names(subject.provided)));
  } else if (!subject.instance.unexplained.empty()) {
    verdict = Verdict::Unknown;
    give_reason(report, "loadable",
                format("release {} is newer than the knowledge, and it opens names that the plan "
                       "of {} does not explain: {}",
                       subject.instance.version, subject.instance.plan_release,
                       names(subject.instance.unexplained)));
  } else {
    give_reason(report, "loadable",
                "every library that it needs is found, with the versions and symbols it asks for");
  }
}

std::string intact_reason(const OwnershipFacts& ownership) {
  if (ownership.is_fully_hashed) return "structure, and the hashes of all files";
  if (ownership.is_hashed) return "structure, and the hashes of the files that carry it";
  return "structure only: no hash of the files that carry it was at hand";
}

void decide_cause(const Rulings& rulings, ProviderReport& report) {
  struct Chain {
    Part part;
    Verdict Verdicts::*verdict;
  };
  constexpr std::array<Chain, 3> kChain = {{{&Impact::intact, &Verdicts::intact},
                                            {&Impact::loadable, &Verdicts::loadable},
                                            {&Impact::usable, &Verdicts::usable}}};
  for (const Verdict value : {Verdict::No, Verdict::Partly}) {
    for (const Chain& link : kChain) {
      if (report.verdicts.*link.verdict != value) continue;
      if (const Ruling* ruling = explains(rulings, link.part, value)) {
        report.cause = ruling->finding.rule;
        report.effect = ruling->finding.effect;
        return;
      }
    }
  }
}

/// Nothing of it was seen, and where it could lie cannot be read: nothing is known.
void decide_unseen(const Subject& subject, ProviderReport& report) {
  give_reason(report, "shipped",
              format("{} cannot be read here", quoted(subject.gaps.front().request)));
  for (const char* verdict : {"intact", "loadable", "usable", "used"}) {
    give_reason(report, verdict, "it is unknown whether it is shipped");
  }
}

/// A file alone does not tell which build will be installed.
void decide_undecided(const Subject& subject, ProviderReport& report) {
  give_reason(report, "shipped", subject.undecided);
  for (const char* verdict : {"intact", "loadable", "usable", "used"}) {
    give_reason(report, verdict, "it is unknown whether it is shipped");
  }
}

/// Of what is not installed yet only the tables and the lists of files can be asked.
void decide_planned(const Subject& subject, const Rulings& rulings, ProviderReport& report) {
  report.verdicts.shipped = Verdict::Yes;
  give_reason(report, "shipped",
              format("{} {} is {}", subject.instance.distribution, subject.instance.version,
                     subject.planned));
  if (const Ruling* ruling = explains(rulings, &Impact::intact, Verdict::No)) {
    report.verdicts.intact = Verdict::No;
    report.cause = ruling->finding.rule;
    report.effect = ruling->finding.effect;
    give_reason(report, "intact", ruling->reason);
  } else {
    give_reason(
        report, "intact",
        "not asked: nothing is installed yet; no other member of its family would overwrite it");
  }
  for (const char* verdict : {"loadable", "usable", "used"}) {
    give_reason(report, verdict, "not asked: nothing is installed yet");
  }
}

}  // namespace

ProviderReport decide(const Subject& subject, const Rulings& rulings) {
  ProviderReport report;
  report.id = subject.provider;
  report.distribution = subject.instance.distribution;
  report.version = subject.instance.version;
  report.environment = subject.instance.environment;
  report.is_required = subject.weight == Weight::Required;
  report.expected_at_run_time = subject.expected_at_run_time;
  report.confidence = subject.instance.is_plan_exact ? "plan" : "recovered";
  if (!subject.instance.is_shipped && !subject.instance.is_cpu_build && !subject.gaps.empty()) {
    decide_unseen(subject, report);
    return report;
  }
  if (!subject.instance.is_shipped && !subject.undecided.empty()) {
    decide_undecided(subject, report);
    return report;
  }
  if (!subject.instance.is_shipped) {
    decide_absent(rulings, report);
    return report;
  }
  if (!subject.planned.empty()) {
    decide_planned(subject, rulings, report);
    return report;
  }
  report.verdicts.shipped = Verdict::Yes;
  if (!subject.is_judged) {
    for (const char* verdict : {"intact", "loadable", "usable", "used"}) {
      give_reason(report, verdict, "the interpreter of this environment could not be started");
    }
    return report;
  }
  report.verdicts.intact = worst(rulings, &Impact::intact);
  if (const Ruling* ruling = explains(rulings, &Impact::intact, report.verdicts.intact);
      ruling != nullptr && report.verdicts.intact != Verdict::Yes) {
    give_reason(report, "intact", ruling->reason);
  } else if (is_unread(subject)) {
    report.verdicts.intact = Verdict::Unknown;
    give_reason(report, "intact", "the file that carries it cannot be read here");
  } else {
    give_reason(report, "intact", intact_reason(subject.ownership));
  }
  decide_loadable(subject, rulings, report);
  if (const Ruling* ruling = explains(rulings, &Impact::usable, Verdict::No)) {
    report.verdicts.usable = Verdict::No;
    give_reason(report, "usable", ruling->reason);
  } else {
    give_reason(report, "usable", "not asked: no GPU and no driver was named");
  }
  give_reason(report, "used", "not asked: nothing was run");
  for (const Ruling& ruling : rulings) {
    report.losses.insert(report.losses.end(), ruling.losses.begin(), ruling.losses.end());
  }
  decide_cause(rulings, report);
  return report;
}

std::vector<Finding> findings_of(const Rulings& rulings, const std::string& cause) {
  std::vector<Finding> findings;
  for (const Ruling& ruling : rulings) {
    if (!ruling.is_consequence) findings.push_back(ruling.finding);
  }
  std::stable_sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) {
    const bool a_is_cause = a.rule == cause;
    const bool b_is_cause = b.rule == cause;
    if (a_is_cause != b_is_cause) return a_is_cause;
    return a.severity > b.severity;
  });
  return findings;
}

}  // namespace loadable::check
