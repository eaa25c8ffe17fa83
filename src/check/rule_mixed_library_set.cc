// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void mixed_library_set(const Subject& subject, Rulings& out) {
  for (const MixedSet& mixed : subject.mixed_sets) {
    Ruling ruling = plain_ruling(
        subject, "mixed-library-set", weigh(subject, Severity::Error),
        format("{} would load pieces of {} from different releases", subject.title, mixed.set));
    ruling.order = mixed.order;
    ruling.impact.loadable = Verdict::Partly;
    ruling.reason = format("pieces of {} come from different places: {} and {}", mixed.set,
                           quoted(mixed.pieces.front().path), quoted(mixed.pieces.back().path));
    ruling.losses.push_back(
        {file_name(mixed.pieces.back().path),
         format("{} refuses pieces of another release when it is used", mixed.set)});
    ruling.finding.effect =
        format("{} checks the release of its pieces and fails when they differ", mixed.set);
    add_copies(ruling.finding, mixed.pieces, Role::Library);
    add_loader_path(ruling.finding, subject, {mixed.pieces.front()});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
