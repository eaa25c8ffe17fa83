// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void incomplete_library_set(const Subject& subject, Rulings& out) {
  for (const Gap& gap : subject.gaps) {
    if (classify(gap) != GapCause::IncompleteSet) continue;
    if (gap.necessity == accel::Necessity::Optional && gap.gone.empty()) continue;
    Ruling ruling =
        gap_ruling(subject, gap, "incomplete-library-set",
                   format("is missing from the set of libraries that make up {}", gap.set));
    for (const Gone& gone : gap.gone) {
      ruling.finding.locations.push_back(
          {gone.path, gone.distribution, std::nullopt, Role::Removed});
    }
    if (gap.gone.empty()) {
      ruling.finding.notes.push_back(
          format("{} is shipped in pieces that open each other by name; this one is nowhere in the "
                 "target",
                 gap.set));
      add_install(ruling.finding, subject, gap);
    } else {
      ruling.impact.intact = Verdict::Partly;
      ruling.finding.notes.push_back(
          format("{} of {} is gone from the disk: {} is shipped in "
                 "pieces that open each other by name",
                 quoted(gap.gone.front().path), gap.gone.front().distribution, gap.set));
      add_reinstall(ruling.finding, subject, gap.gone);
    }
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
