// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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
  Ruling ruling =
      gap_ruling(subject, gap, "missing-file",
                 format("is gone, although {} lists it", quoted(gap.gone.front().distribution)));
  ruling.impact.intact =
      carries_provider(subject, gap.gone.front().path) ? Verdict::No : Verdict::Partly;
  for (const Gone& gone : gap.gone) {
    ruling.finding.locations.push_back({gone.path, gone.distribution, std::nullopt, Role::Removed});
  }
  ruling.finding.notes.push_back(
      format("{} of {} is gone from the disk: something deleted it after the installation",
             quoted(gap.gone.front().path), gap.gone.front().distribution));
  add_reinstall(ruling.finding, gap.gone);
  out.push_back(std::move(ruling));
}

}  // namespace

void missing_file(const Subject& subject, Rulings& out) {
  for (const Gap& gap : subject.gaps) {
    if (classify(gap) == GapCause::MissingFile) judge_gap(subject, gap, out);
  }
  if (subject.gone.empty()) return;
  // Nothing that was emulated asks for these: images are slimmed on purpose.
  Ruling ruling = plain_ruling(
      subject, "missing-file", Severity::Note,
      format("{} {} that an installed distribution lists {} gone; nothing that {} loads needs {}",
             subject.gone.size(), subject.gone.size() == 1 ? "library" : "libraries",
             subject.gone.size() == 1 ? "is" : "are", subject.title,
             subject.gone.size() == 1 ? "it" : "them"));
  ruling.impact.intact = Verdict::Partly;
  ruling.order = kLast;
  ruling.reason =
      format("{} is gone, although {} lists it", quoted(file_name(subject.gone.front().path)),
             quoted(subject.gone.front().distribution));
  for (const Gone& gone : subject.gone) {
    ruling.finding.locations.push_back({gone.path, gone.distribution, std::nullopt, Role::Removed});
  }
  add_reinstall(ruling.finding, subject.gone);
  out.push_back(std::move(ruling));
}

}  // namespace loadable::check
