// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void not_shipped(const Subject& subject, Rulings& out) {
  if (subject.instance.is_shipped || subject.instance.is_cpu_build) return;
  // What is not seen is a gap that cannot be read: nothing is known then.
  if (subject.weight != Weight::Required || !subject.gaps.empty()) return;
  if (!subject.undecided.empty()) return;
  std::string state = subject.planned.empty() ? "installed" : subject.planned;
  if (state == "required") state = "listed";
  std::string message =
      format("{} is required, and nothing of its family is {}", subject.title, state);
  if (!subject.where.empty()) message += " " + subject.where;
  if (!subject.elsewhere.empty()) message += format("; it is {}", subject.elsewhere);
  Ruling ruling = plain_ruling(subject, "not-shipped", Severity::Error, std::move(message));
  ruling.reason = format("no distribution of its family is {}", state);
  ruling.finding.effect = "the import fails";
  add_elsewhere(ruling.finding, subject);
  if (subject.planned.empty()) add_wanted(ruling.finding, subject);
  out.push_back(std::move(ruling));
}

}  // namespace loadable::check
