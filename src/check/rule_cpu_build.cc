// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void cpu_build(const Subject& subject, Rulings& out) {
  if (!subject.instance.is_cpu_build || subject.instance.is_shipped) return;
  if (subject.weight != Weight::Required) return;
  const bool is_planned = !subject.planned.empty();
  const std::string member =
      subject.instance.version.empty()
          ? quoted(subject.instance.distribution)
          : format("{} {}", quoted(subject.instance.distribution), subject.instance.version);
  Ruling ruling = plain_ruling(
      subject, "cpu-build", Severity::Error,
      is_planned
          ? format("{} is required, and {}, which is {}{}, is a build without it", subject.title,
                   member, subject.planned, subject.where.empty() ? "" : " " + subject.where)
          : format("{} is required, and the installed {} is a build without it", subject.title,
                   member));
  ruling.reason = format("{} does not contain it", member);
  ruling.finding.effect = "everything runs on the CPU";
  if (!subject.instance.package_dir.empty()) {
    ruling.finding.locations.push_back(
        {subject.instance.package_dir,
         format("{} {}", subject.instance.distribution, subject.instance.version), std::nullopt,
         Role::Owner});
  }
  if (!subject.elsewhere.empty()) {
    ruling.finding.notes.push_back(format("an installation {} would ship it", subject.elsewhere));
  }
  add_elsewhere(ruling.finding, subject);
  const std::string wanted = subject.wanted_distribution;
  // Conda's builds have one name and cannot be installed together.
  const bool is_other_build = wanted.starts_with(subject.instance.distribution + "=");
  std::vector<std::string> side_effects;
  if (!is_other_build) {
    side_effects = {
        "both builds share one directory: a lock that holds both overwrites one with the other"};
  }
  if (!wanted.empty() && is_planned) {
    ruling.finding.remedies.push_back(
        {"require-gpu-build",
         is_other_build ? format("require {} instead", quoted(wanted))
                        : format("require {} instead, and keep {} out", quoted(wanted),
                                 quoted(subject.instance.distribution)),
         {},
         side_effects,
         false});
  } else if (!wanted.empty()) {
    add_replacement(ruling.finding, subject, subject.instance.distribution,
                    subject.instance.version);
  }
  out.push_back(std::move(ruling));
}

}  // namespace loadable::check
