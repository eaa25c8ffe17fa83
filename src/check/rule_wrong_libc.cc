// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void wrong_libc(const Subject& subject, Rulings& out) {
  for (const Gap& gap : subject.gaps) {
    if (classify(gap) != GapCause::WrongLibc) continue;
    Ruling ruling = gap_ruling(
        subject, gap, "wrong-libc",
        format("belongs to another C library than the {} of this process", subject.libc));
    ruling.finding.message =
        format("{} was built for another C library than the {} of this process: it needs {}",
               subject.title, subject.libc, quoted(gap.request));
    ruling.finding.remedies.push_back(
        {"matching-build",
         format("install a build for {}, or use a base image of the other C library", subject.libc),
         {},
         {},
         false});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
