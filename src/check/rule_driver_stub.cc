// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void driver_stub(const Subject& subject, Rulings& out) {
  for (const Stub& stub : subject.stubs) {
    Ruling ruling = plain_ruling(
        subject, "driver-stub", weigh(subject, Severity::Error),
        format("{} gets {} from a stub, not from a driver", subject.title, quoted(stub.request)));
    ruling.order = stub.order;
    ruling.impact.usable = Verdict::No;
    ruling.reason = format("{} is a stub: {}", quoted(stub.path), stub.why);
    Finding& finding = ruling.finding;
    finding.effect =
        "the first CUDA call fails with error 34 (stub library), and the session falls back to the "
        "CPU";
    if (!stub.lacking.empty()) {
      ruling.impact.loadable = loadable_after(stub.necessity);
      finding.evidence.values.push_back({"lacking", stub.lacking});
    }
    if (ruling.impact.loadable == Verdict::No) {
      finding.effect =
          format("the provider does not even load: undefined symbol: {}", stub.lacking.front());
    }
    if (ruling.impact.loadable == Verdict::Partly) {
      ruling.losses.push_back({file_name(stub.path), stub.effect});
    }
    finding.notes.push_back(format("{}: {}", quoted(stub.path), stub.why));
    finding.locations.push_back({stub.consumer, {}, std::nullopt, Role::Consumer});
    finding.locations.push_back({stub.path, stub.distribution, std::nullopt, Role::Library});
    finding.evidence.values.push_back({"request", {stub.request}});
    finding.remedies.push_back({"remove-stub",
                                format("take {} off the loader's path; stubs are for linking only",
                                       quoted(directory_name(stub.path))),
                                {},
                                {},
                                false});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
