// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {
namespace {

bool carries_provider(const Subject& subject, const std::string& path) {
  return path == subject.instance.import_library || path == subject.instance.provider_library;
}

void judge_gap(const Subject& subject, const Gap& gap, Rulings& out) {
  const Copy& copy = gap.refused ? *gap.refused : gap.copies.front();
  Ruling ruling =
      gap_ruling(subject, gap, "damaged-library", format("is damaged: {}", copy.defect));
  ruling.impact.intact = carries_provider(subject, copy.path) ? Verdict::No : Verdict::Partly;
  add_copies(ruling.finding, {copy}, Role::Library);
  ruling.finding.notes.push_back(format("{}: {}", quoted(copy.path), copy.defect));
  if (gap.refused) {
    for (const Copy& other : gap.copies) {
      if (other.path == copy.path || !other.defect.empty()) continue;
      ruling.finding.notes.push_back(format(
          "a sound copy is in {}, but the search ends at the damaged one", quoted(other.path)));
    }
  }
  add_reinstall(ruling.finding, subject, {{copy.path, copy.distribution}});
  out.push_back(std::move(ruling));
}

void judge_break(const Subject& subject, const Break& fault, Rulings& out) {
  Ruling ruling = break_ruling(subject, fault, "damaged-library",
                               format("{} cannot load {}: {}", subject.title,
                                      quoted(fault.failure.object), fault.failure.message));
  ruling.impact.intact =
      carries_provider(subject, fault.failure.object) ? Verdict::No : Verdict::Partly;
  ruling.finding.locations.push_back(
      {fault.failure.object, fault.distribution, std::nullopt, Role::Library});
  add_reinstall(ruling.finding, subject, {{fault.failure.object, fault.distribution}});
  out.push_back(std::move(ruling));
}

}  // namespace

void damaged_library(const Subject& subject, Rulings& out) {
  for (const Gap& gap : subject.gaps) {
    if (classify(gap) == GapCause::Damaged) judge_gap(subject, gap, out);
  }
  for (const Break& fault : subject.breaks) {
    const bool is_damage = fault.failure.kind == loader::FailureKind::Format ||
                           fault.failure.kind == loader::FailureKind::Type;
    if (is_damage) judge_break(subject, fault, out);
  }
  for (const Damage& damage : subject.damages) {
    Ruling ruling =
        plain_ruling(subject, "damaged-library", weigh(subject, Severity::Error),
                     format("{} is damaged: {}", quoted(damage.copy.path), damage.copy.defect));
    ruling.impact.intact = damage.carries_provider ? Verdict::No : Verdict::Partly;
    ruling.reason = ruling.finding.message;
    ruling.order = kLast;
    add_copies(ruling.finding, {damage.copy}, Role::Library);
    add_reinstall(ruling.finding, subject, {{damage.copy.path, damage.copy.distribution}});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
