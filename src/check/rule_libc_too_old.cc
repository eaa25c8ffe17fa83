// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/rules.h"

namespace loadable::check {

void libc_too_old(const Subject& subject, Rulings& out) {
  for (const Break& fault : subject.breaks) {
    if (fault.failure.kind != loader::FailureKind::Version || !fault.is_libc_release) continue;
    Ruling ruling = break_ruling(subject, fault, "libc-too-old",
                                 format("{} needs {} of the C library; this process has {}",
                                        subject.title, quoted(fault.failure.symbol), fault.libc));
    ruling.finding.evidence.values.push_back({"version", {fault.failure.symbol}});
    ruling.finding.evidence.values.push_back({"libc", {fault.libc}});
    ruling.finding.remedies.push_back(
        {"newer-system",
         "use a newer base system, or a release of the package that was built for an older one",
         {},
         {},
         false});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
