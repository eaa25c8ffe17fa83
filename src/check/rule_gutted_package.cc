// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/ownership_words.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {
namespace {

std::string import_text(const GuttedFacts& facts) {
  const std::string package = quoted(file_name(facts.packages.front()));
  return facts.import_fails ? format("`import {}` fails", file_name(facts.packages.front()))
                            : format("{} is an empty namespace", package);
}

std::string import_effect(const GuttedFacts& facts) {
  const std::string package = file_name(facts.packages.front());
  return facts.import_fails
             ? format("`import {}` fails with ModuleNotFoundError", package)
             : format("`import {}` succeeds, and every attribute of it is missing", package);
}

}  // namespace

void gutted_package(const Subject& subject, Rulings& out) {
  for (const GuttedFacts& facts : subject.ownership.gutted) {
    if (facts.packages.empty()) continue;
    const bool is_of_provider = !subject.provider.empty();
    Ruling ruling =
        plain_ruling(subject, "gutted-package",
                     is_of_provider ? weigh(subject, Severity::Error) : Severity::Warning,
                     format("{} of the {} files that {} lists are gone: {}{}", facts.gone,
                            facts.listed, shown(facts.member), import_text(facts),
                            is_of_provider ? format("; {} is gone", subject.title) : ""));
    Finding& finding = ruling.finding;
    finding.effect = import_effect(facts);
    ruling.reason = format("{} of its {} files are gone", facts.gone, facts.listed);
    if (is_of_provider) {
      ruling.impact.intact = Verdict::No;
      ruling.impact.loadable = Verdict::No;
    }
    for (const std::string& package : facts.packages) {
      finding.locations.push_back({package, facts.member.to_string(), std::nullopt, Role::Removed});
    }
    finding.evidence.values.push_back({"members", {facts.member.to_string()}});
    finding.evidence.values.push_back({"listed", {format("{}", facts.listed)}});
    finding.evidence.values.push_back({"gone", {format("{}", facts.gone)}});
    finding.evidence.values.push_back({"packages", facts.packages});
    finding.notes.push_back(
        facts.probable_culprits.empty()
            ? "they went with the uninstall of a distribution that shared them, or were deleted"
            : format("they go with the uninstall of a distribution that installs the same files, "
                     "such as {}",
                     first_names(facts.probable_culprits, 3)));
    add_reinstall(finding, subject, {{facts.packages.front(), facts.member.to_string()}});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
