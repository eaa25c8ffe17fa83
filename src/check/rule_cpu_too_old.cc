// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void cpu_too_old(const Subject& subject, Rulings& out) {
  for (const Break& fault : subject.breaks) {
    if (fault.failure.kind != loader::FailureKind::Isa) continue;
    Ruling ruling = break_ruling(
        subject, fault, "cpu-too-old",
        format("{} cannot load: {} needs instructions that the CPU of this process lacks",
               subject.title, quoted(file_name(fault.failure.object))));
    ruling.finding.locations.push_back(
        {fault.failure.object, fault.distribution, std::nullopt, Role::Library});
    ruling.finding.remedies.push_back(
        {"baseline-build",
         "install a build for an older CPU, or state the CPU of the deployment with --cpu",
         {},
         {},
         false});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
