// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {
namespace {

/// One note per distribution: plugins for software that is not installed are no problem.
void note_optional(const Subject& subject, const OptionalParts& parts, Rulings& out) {
  Ruling ruling = plain_ruling(
      subject, "absent-library", Severity::Note,
      format("{} cannot load here: {}{}", subject.title, first_names(parts.lacking, 4),
             parts.lacking.size() > 4 ? format(" and {} more", parts.lacking.size() - 4)
                                      : std::string{}));
  ruling.order = kLast;
  ruling.finding.effect =
      "they serve software that is not installed; the rest of the "
      "distribution does without them";
  for (const std::string& path : parts.objects) {
    ruling.finding.locations.push_back({path, parts.distribution, std::nullopt, Role::Consumer});
  }
  ruling.finding.evidence.values.push_back({"lacking", parts.lacking});
  out.push_back(std::move(ruling));
}

}  // namespace

void absent_library(const Subject& subject, Rulings& out) {
  for (const OptionalParts& parts : subject.optional_parts) note_optional(subject, parts, out);
  for (const Gap& gap : subject.gaps) {
    if (classify(gap) != GapCause::Absent) continue;
    // A thing that a library only tries, and that nobody ships, is no problem of the target.
    if (gap.necessity == accel::Necessity::Optional) continue;
    Ruling ruling = gap_ruling(subject, gap, "absent-library", "is nowhere in the target");
    ruling.finding.notes.push_back(
        format("no file of the target is called {}, and no installed "
               "distribution lists one",
               quoted(gap.request)));
    add_install(ruling.finding, subject, gap);
    add_provided(ruling.finding, subject, gap);
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
