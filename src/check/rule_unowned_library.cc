// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void unowned_library(const Subject& subject, Rulings& out) {
  for (const UnownedFacts& facts : subject.ownership.unowned) {
    const bool is_provider = facts.carries_provider && !subject.provider.empty();
    const std::string installed =
        facts.installed.empty() ? "" : format(" ({} is)", first_names(facts.installed, 2));
    Ruling ruling = plain_ruling(
        subject, "unowned-library",
        is_provider          ? weigh(subject, Severity::Error)
        : facts.what.empty() ? Severity::Note
                             : Severity::Warning,
        facts.what.empty()
            ? format("{} lies in {} and is in the list of no distribution",
                     quoted(file_name(facts.path)), quoted(facts.package))
            : format("{} is left over: no distribution that is installed{} lists it, and {} needs "
                     "the core that it came with",
                     quoted(file_name(facts.path)), installed, facts.what));
    if (is_provider) {
      ruling.impact.intact = Verdict::No;
      ruling.impact.loadable = Verdict::No;
      ruling.finding.effect = subject.effect;
      ruling.reason =
          format("{} is of no distribution that is installed", quoted(file_name(facts.path)));
      if (!facts.installed.empty()) {
        add_replacement(ruling.finding, subject, facts.installed.front(), {});
      }
    }
    ruling.order = is_provider ? 0 : kLast;
    ruling.finding.locations.push_back({facts.path, {}, std::nullopt, Role::Library});
    ruling.finding.evidence.values.push_back({"files", {facts.path + ": nobody's"}});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
