// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void mixed_cuda_majors(const Subject& subject, Rulings& out) {
  for (const ForeignRelease& foreign : subject.foreign) {
    Ruling ruling =
        plain_ruling(subject, "mixed-cuda-majors", weigh(subject, Severity::Error),
                     format("{} is built for CUDA {} and gets {} of CUDA {}", subject.title,
                            foreign.expected, quoted(foreign.request), foreign.found));
    ruling.order = foreign.order;
    ruling.impact.loadable = Verdict::Partly;
    ruling.reason = format("{} belongs to CUDA {}, the provider to CUDA {}", quoted(foreign.path),
                           foreign.found, foreign.expected);
    ruling.losses.push_back({foreign.request,
                             "handles and memory of one CUDA runtime reach the other: a crash or a "
                             "wrong result when it is used"});
    Finding& finding = ruling.finding;
    finding.effect = "two CUDA runtimes in one process: a crash or a wrong result, not a message";
    finding.notes.push_back(format("{}: {}", quoted(foreign.path), foreign.why));
    finding.locations.push_back({foreign.consumer, {}, std::nullopt, Role::Consumer});
    finding.locations.push_back({foreign.path, foreign.distribution, std::nullopt, Role::Library});
    add_copies(finding, foreign.own, Role::Shadowed);
    finding.evidence.values.push_back({"request", {foreign.request}});
    finding.evidence.values.push_back({"rule", {foreign.rule}});
    add_loader_path(finding, subject, foreign.own);
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
