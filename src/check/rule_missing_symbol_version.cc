// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void missing_symbol_version(const Subject& subject, Rulings& out) {
  for (const Break& fault : subject.breaks) {
    if (fault.failure.kind != loader::FailureKind::Version || fault.is_libc_release) continue;
    if (!fault.better.empty()) continue;  // another copy was meant: shadowed-library
    Ruling ruling =
        break_ruling(subject, fault, "missing-symbol-version",
                     format("{} cannot load: {} does not define version {}", subject.title,
                            quoted(fault.library_path), quoted(fault.failure.symbol)));
    Finding& finding = ruling.finding;
    finding.locations.push_back(
        {fault.library_path, fault.library_distribution, std::nullopt, Role::Library});
    finding.evidence.values.push_back({"version", {fault.failure.symbol}});
    finding.remedies.push_back(
        {"newer-library",
         format("install a release of {} that defines {}",
                fault.library_distribution.empty() ? quoted(file_name(fault.library_path))
                                                   : fault.library_distribution,
                quoted(fault.failure.symbol)),
         {},
         {},
         false});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
