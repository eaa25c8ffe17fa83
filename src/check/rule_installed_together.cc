// SPDX-License-Identifier: Apache-2.0
// `conflicting-distributions` of what is installed already: members of one family whose common
// files are identical overwrite nothing, but uninstalling either takes the other's files along.
#include "base/format.h"
#include "base/quote.h"
#include "check/ownership_words.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void installed_together(const Subject& subject, Rulings& out) {
  for (const OverlapFacts& overlap : subject.ownership.overlaps) {
    if (overlap.state != OverlapState::Identical || overlap.family.empty()) continue;
    if (overlap.shared == 0) continue;
    Ruling ruling = plain_ruling(
        subject, "conflicting-distributions", Severity::Note,
        format("{} and {} are both installed; what they share ({}) is identical, so "
               "nothing is overwritten: uninstalling one takes the other's files along",
               shown(overlap.first), shown(overlap.second), files(overlap.shared)));
    ruling.order = kLast;
    add_overlap_evidence(ruling.finding, overlap);
    ruling.finding.notes.push_back(why_there(overlap.first, overlap.first_chain));
    ruling.finding.notes.push_back(why_there(overlap.second, overlap.second_chain));
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
