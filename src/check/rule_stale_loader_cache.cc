// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {
namespace {

void add_ldconfig(Finding& finding) {
  finding.remedies.push_back({"ldconfig",
                              "write the cache again, in the target",
                              {"ldconfig"},
                              {"needs the rights to write /etc/ld.so.cache"},
                              false});
}

}  // namespace

void stale_loader_cache(const Subject& subject, Rulings& out) {
  for (const Gap& gap : subject.gaps) {
    if (classify(gap) != GapCause::StaleCache) continue;
    if (gap.necessity == accel::Necessity::Optional) continue;
    Ruling ruling =
        gap_ruling(subject, gap, "stale-loader-cache",
                   format("is not found through the loader's cache: {}", gap.stale_cache));
    ruling.finding.notes.push_back(gap.stale_cache);
    add_copies(ruling.finding, gap.copies, Role::Library);
    add_ldconfig(ruling.finding);
    out.push_back(std::move(ruling));
  }
  if (subject.stale_cache.empty()) return;
  Ruling ruling = plain_ruling(
      subject, "stale-loader-cache", weigh(subject, Severity::Warning),
      format("/etc/ld.so.cache does not agree with the files: {}", subject.stale_cache.front()));
  ruling.order = kLast;
  ruling.finding.notes = {subject.stale_cache.begin() + 1, subject.stale_cache.end()};
  add_ldconfig(ruling.finding);
  out.push_back(std::move(ruling));
}

}  // namespace loadable::check
