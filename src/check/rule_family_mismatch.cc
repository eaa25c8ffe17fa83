// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void family_mismatch(const Subject& subject, Rulings& out) {
  for (const Gap& gap : subject.gaps) {
    if (classify(gap) != GapCause::FamilyMismatch) continue;
    if (gap.necessity == accel::Necessity::Optional) continue;
    const Copy& other = gap.other_majors.front();
    Ruling ruling = gap_ruling(
        subject, gap, "family-mismatch",
        format("is nowhere in the target, which holds {}", quoted(file_name(other.path))));
    ruling.finding.notes.push_back(
        format("the target holds {} instead: another major, which is another library to the loader",
               quoted(file_name(other.path))));
    add_copies(ruling.finding, gap.other_majors, Role::Library);
    add_install(ruling.finding, subject, gap);
    add_provided(ruling.finding, subject, gap);
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
