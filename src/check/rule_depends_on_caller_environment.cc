// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void depends_on_caller_environment(const Subject& subject, Rulings& out) {
  if (!subject.caller.decides) return;
  Ruling ruling =
      plain_ruling(subject, "depends-on-caller-environment", weigh(subject, Severity::Warning),
                   format("the verdict on {} rests on the variables of this shell; without them {}",
                          subject.title, subject.caller.without));
  ruling.order = kLast;
  ruling.finding.effect = "a service, a container or another shell may come to another verdict";
  for (const auto& [name, value] : subject.caller.variables) {
    ruling.finding.evidence.values.push_back({name, {value}});
    ruling.finding.notes.push_back(format("{}={}", name, printable(value)));
  }
  std::string stated;
  for (const auto& [name, value] : subject.caller.variables) {
    stated += " --env " + shell_word(name + "=" + value);
  }
  ruling.finding.remedies.push_back(
      {"state-the-environment",
       "state the variables of the process that will run; these are the caller's",
       {format("loadable check {} --no-host-env{}", subject.target, stated)},
       {},
       false});
  out.push_back(std::move(ruling));
}

}  // namespace loadable::check
