// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "base/holds.h"
#include "base/quote.h"
#include "check/ownership_words.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {
namespace {

/// Another rule tells of the same file: it is of another build, or damaged.
bool is_told(const Subject& subject, const AlteredFacts& file) {
  const bool is_damaged =
      std::any_of(subject.damages.begin(), subject.damages.end(),
                  [&](const Damage& damage) { return damage.copy.path == file.path; });
  const bool is_refused =
      std::any_of(subject.gaps.begin(), subject.gaps.end(), [&](const Gap& gap) {
        const auto is_it = [&](const Copy& copy) {
          return copy.path == file.path && !copy.defect.empty();
        };
        return (gap.refused && gap.refused->path == file.path) ||
               std::any_of(gap.copies.begin(), gap.copies.end(), is_it);
      });
  const bool is_other_build =
      file.carries_provider && holds(file.member.carries, subject.provider) &&
      std::any_of(file.witnesses.begin(), file.witnesses.end(),
                  [&](const Witness& one) { return speaks_against(one, file.member); });
  return is_damaged || is_refused || is_other_build;
}

}  // namespace

void altered_file(const Subject& subject, Rulings& out) {
  std::vector<const AlteredFacts*> files;
  for (const AlteredFacts& file : subject.ownership.altered) {
    if (!is_told(subject, file)) files.push_back(&file);
  }
  if (files.empty()) return;
  const AlteredFacts& first = *files.front();
  const bool is_object = file_name(first.path).find(".so") != std::string_view::npos;
  Ruling ruling = plain_ruling(
      subject, "altered-file", Severity::Note,
      files.size() == 1 ? format("{} is not as {} installed it: {}", quoted(file_name(first.path)),
                                 shown(first.member),
                                 is_object ? "stripped or patched" : "edited, or written anew")
                        : format("{} files are not as they were installed, the first is {} of {}",
                                 files.size(), quoted(file_name(first.path)), shown(first.member)));
  ruling.order = kLast;
  std::vector<std::string> rows;
  for (const AlteredFacts* file : files) {
    ruling.finding.locations.push_back(
        {file->path, file->member.to_string(), std::nullopt, Role::Library});
    rows.push_back(format("{}: recorded {}, found {}", file->path, file->recorded, file->found));
  }
  ruling.finding.evidence.values.push_back({"members", {first.member.to_string()}});
  ruling.finding.evidence.values.push_back({"hashes", std::move(rows)});
  out.push_back(std::move(ruling));
}

}  // namespace loadable::check
