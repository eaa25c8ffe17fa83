// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/rules.h"

namespace loadable::check {

void not_shipped(const Subject& subject, Rulings& out) {
  if (subject.instance.is_shipped || subject.instance.is_cpu_build) return;
  // What is not seen is a gap that cannot be read: nothing is known then.
  if (subject.weight != Weight::Required || !subject.gaps.empty()) return;
  Ruling ruling =
      plain_ruling(subject, "not-shipped", Severity::Error,
                   format("{} is required, and nothing of its family is {}", subject.title,
                          subject.planned.empty() ? "installed" : subject.planned));
  ruling.reason = format("no distribution of its family is {}",
                         subject.planned.empty() ? "installed" : subject.planned);
  ruling.finding.effect = "the import fails";
  if (!subject.elsewhere.empty()) {
    ruling.finding.notes.push_back(format("{} would ship it", subject.elsewhere));
  }
  if (subject.planned.empty() && !subject.wanted_distribution.empty()) {
    ruling.finding.remedies.push_back({"install",
                                       format("install {}", quoted(subject.wanted_distribution)),
                                       {format("pip install '{}'", subject.wanted_distribution)},
                                       {},
                                       false});
  }
  out.push_back(std::move(ruling));
}

}  // namespace loadable::check
