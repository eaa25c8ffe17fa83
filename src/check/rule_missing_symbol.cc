// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void missing_symbol(const Subject& subject, Rulings& out) {
  for (const Break& fault : subject.breaks) {
    if (fault.failure.kind != loader::FailureKind::Symbol) continue;
    if (fault.follows_from_stub || !fault.better.empty()) continue;
    Ruling ruling = break_ruling(
        subject, fault, "missing-symbol",
        format("{} cannot load: {} needs the symbol {}, which nothing in its scope defines",
               subject.title, quoted(file_name(fault.failure.object)),
               quoted(fault.failure.symbol)));
    Finding& finding = ruling.finding;
    if (!fault.library_path.empty()) {
      finding.locations.push_back(
          {fault.library_path, fault.library_distribution, std::nullopt, Role::Library});
    }
    finding.evidence.values.push_back({"symbols", fault.symbols});
    if (fault.symbols.size() > 1) {
      finding.notes.push_back(format("{} symbols of this object are undefined: {}{}",
                                     fault.symbols.size(), first_names(fault.symbols, 4),
                                     fault.symbols.size() > 4 ? ", …" : ""));
    }
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
