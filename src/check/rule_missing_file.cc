// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "check/ownership_words.h"
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
  add_reinstall(ruling.finding, subject, gap.gone);
  ruling.is_consequence = std::all_of(gap.gone.begin(), gap.gone.end(), [&](const Gone& gone) {
    return is_gutted(subject, gone.distribution);
  });
  out.push_back(std::move(ruling));
}

/// Libraries that are gone and that nothing which was emulated asks for: images are slimmed on
/// purpose.
void judge_idle(const Subject& subject, const std::vector<Gone>& gone_files, Rulings& out) {
  if (gone_files.empty()) return;
  Ruling ruling = plain_ruling(
      subject, "missing-file", Severity::Note,
      format("{} {} that an installed distribution lists {} gone; nothing that {} loads needs {}",
             gone_files.size(), gone_files.size() == 1 ? "library" : "libraries",
             gone_files.size() == 1 ? "is" : "are", subject.title,
             gone_files.size() == 1 ? "it" : "them"));
  ruling.impact.intact = Verdict::Partly;
  ruling.order = kLast;
  ruling.reason =
      format("{} is gone, although {} lists it", quoted(file_name(gone_files.front().path)),
             quoted(gone_files.front().distribution));
  for (const Gone& gone : gone_files) {
    ruling.finding.locations.push_back({gone.path, gone.distribution, std::nullopt, Role::Removed});
  }
  add_reinstall(ruling.finding, subject, gone_files);
  out.push_back(std::move(ruling));
}

/// Files that no load plan asks for: of the provider's own distribution, or of any other.
void judge_lost(const Subject& subject, const LostFacts& lost, Rulings& out) {
  if (lost.files.empty() || is_gutted(subject, lost.by)) return;
  Ruling ruling =
      plain_ruling(subject, "missing-file", Severity::Note,
                   format("{} {} that {} lists {} gone, {} among them", lost.count,
                          lost.count == 1 ? "file" : "files", quoted(lost.by),
                          lost.count == 1 ? "is" : "are", quoted(file_name(lost.files.front()))));
  ruling.impact.intact = Verdict::Partly;
  ruling.order = kLast;
  ruling.reason = format("{} of its files are gone", lost.count);
  for (const std::string& path : lost.files) {
    ruling.finding.locations.push_back({path, lost.by, std::nullopt, Role::Removed});
  }
  add_reinstall(ruling.finding, subject, {{lost.files.front(), lost.by}});
  out.push_back(std::move(ruling));
}

}  // namespace

void missing_file(const Subject& subject, Rulings& out) {
  for (const Gap& gap : subject.gaps) {
    if (classify(gap) == GapCause::MissingFile) judge_gap(subject, gap, out);
  }
  for (const LostFacts& lost : subject.ownership.lost) judge_lost(subject, lost, out);
  std::vector<Gone> told = subject.gone;
  std::erase_if(told, [&](const Gone& gone) { return is_gutted(subject, gone.distribution); });
  judge_idle(subject, told, out);
}

}  // namespace loadable::check
