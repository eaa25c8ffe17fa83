// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void unreachable_library(const Subject& subject, Rulings& out) {
  for (const Gap& gap : subject.gaps) {
    if (classify(gap) != GapCause::Unreachable) continue;
    if (gap.necessity == accel::Necessity::Optional) continue;
    Ruling ruling = gap_ruling(
        subject, gap, "unreachable-library",
        format("is in {}, where the loader does not search", quoted(directory_of(gap.copies))));
    add_copies(ruling.finding, gap.copies, Role::Library);
    add_preloads(ruling.finding, subject, gap);
    add_loader_path(ruling.finding, subject, gap.copies);
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
