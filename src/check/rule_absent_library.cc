// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void absent_library(const Subject& subject, Rulings& out) {
  for (const Gap& gap : subject.gaps) {
    if (classify(gap) != GapCause::Absent) continue;
    // A thing that a library only tries, and that nobody ships, is no problem of the target.
    if (gap.necessity == accel::Necessity::Optional) continue;
    Ruling ruling = gap_ruling(subject, gap, "absent-library", "is nowhere in the target");
    ruling.finding.notes.push_back(
        format("no file of the target is called {}, and no installed "
               "distribution lists one",
               quoted(gap.request)));
    add_install(ruling.finding, gap);
    add_provided(ruling.finding, subject, gap);
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
