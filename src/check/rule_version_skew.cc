// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/ownership_words.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {
namespace {

/// The core is of one release, the provider library that it opens of another.
void judge_skew(const Subject& subject, const SkewFacts& skew, Rulings& out) {
  Ruling ruling = plain_ruling(
      subject, "version-skew", weigh(subject, Severity::Error),
      format("{} is of {}, and {} is of {}: {} and its core must be of one release",
             quoted(file_name(skew.core)), shown(skew.core_of), quoted(file_name(skew.provider)),
             shown(skew.provider_of), subject.title));
  ruling.impact.intact = Verdict::No;
  ruling.reason = format("core {} and provider {} are of different releases", skew.core_of.version,
                         skew.provider_of.version);
  ruling.finding.effect = subject.effect;
  ruling.finding.locations = {
      {skew.core, skew.core_of.to_string(), std::nullopt, Role::Owner},
      {skew.provider, skew.provider_of.to_string(), std::nullopt, Role::Owner}};
  ruling.finding.evidence.values.push_back({"files",
                                            {skew.core + ": " + skew.core_of.to_string(),
                                             skew.provider + ": " + skew.provider_of.to_string()}});
  add_reinstall(ruling.finding, subject, {{skew.provider, skew.provider_of.to_string()}});
  out.push_back(std::move(ruling));
}

/// Files of two releases lie side by side in one package: what one of them imports from the other
/// may not be there.
void judge_overlap(const Subject& subject, const OverlapFacts& overlap, Rulings& out) {
  const Sides sides = sides_of(subject, overlap);
  const bool is_mixed = sides.of_carrier > 0 && sides.of_other > 0;
  if (!is_mixed || overlap.family.empty() || sides.carrier->version == sides.other->version) return;
  if (sides.carrier->carries.empty()) return;
  Ruling ruling = plain_ruling(subject, "version-skew", weigh(subject, Severity::Error),
                               format("{} is a mixture of two releases: {} of {}, {} of {}",
                                      quoted(overlap.package), files_are(sides.of_carrier),
                                      shown(*sides.carrier), sides.of_other, shown(*sides.other)));
  ruling.impact.intact = Verdict::Partly;
  ruling.reason =
      format("{} and {} are mixed, file by file", shown(*sides.carrier), shown(*sides.other));
  ruling.finding.effect =
      "the import may fail on names that the other release lacks, or fail later";
  add_contested(ruling.finding, overlap);
  add_overlap_evidence(ruling.finding, overlap);
  add_family_remedies(ruling.finding, subject, sides);
  out.push_back(std::move(ruling));
}

}  // namespace

void version_skew(const Subject& subject, Rulings& out) {
  if (subject.provider.empty()) return;
  for (const SkewFacts& skew : subject.ownership.skews) judge_skew(subject, skew, out);
  for (const OverlapFacts& overlap : subject.ownership.overlaps) {
    judge_overlap(subject, overlap, out);
  }
}

}  // namespace loadable::check
