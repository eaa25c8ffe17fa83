// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void searches_working_directory(const Subject& subject, Rulings& out) {
  for (const WorkingDirectoryElement& element : subject.working_directory) {
    const bool fell_through = !element.lookups.empty() || !element.answers.empty();
    const std::string where = element.owner.empty()
                                  ? element.variable
                                  : format("{} of {}", element.variable, quoted(element.owner));
    Ruling ruling =
        plain_ruling(subject, "searches-working-directory",
                     weigh(subject, fell_through ? Severity::Warning : Severity::Note),
                     format("{} has an element that means the working directory{}", where,
                            fell_through ? ", and lookups fell through to it" : ""));
    ruling.order = kLast;
    ruling.finding.effect =
        "whoever chooses the directory in which the process starts chooses the library";
    if (!element.owner.empty()) {
      ruling.finding.locations.push_back({element.owner, {}, std::nullopt, Role::Consumer});
    }
    if (!element.lookups.empty()) {
      ruling.finding.evidence.values.push_back({"lookups", element.lookups});
    }
    if (!element.answers.empty()) {
      ruling.finding.evidence.values.push_back({"answers", element.answers});
    }
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
