// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void hard_family_dependency(const Subject& subject, Rulings& out) {
  for (const HardDependency& hard : subject.hard_dependencies) {
    Ruling ruling = plain_ruling(
        subject, "hard-family-dependency", Severity::Note,
        format("{} requires {} by its plain name: whoever needs {} gets both, and they overwrite "
               "each other",
               quoted(hard.requirer), quoted(hard.requirement), first_names(hard.alternatives, 1)));
    ruling.order = kLast;
    Finding& finding = ruling.finding;
    Location location;
    location.path = hard.place;
    location.role = Role::Consumer;
    finding.locations.push_back(std::move(location));
    finding.evidence.values = {{"requirement", {hard.requirement}},
                               {"family", {hard.family}},
                               {"alternatives", hard.alternatives}};
    finding.notes = {
        format(
            "extras let the user choose: an extra `{}` with this requirement, an extra `{}` with "
            "the other member, and neither among the plain requirements",
            hard.is_for_gpu ? "gpu" : "cpu", hard.is_for_gpu ? "cpu" : "gpu"),
        "a lock that holds both extras still conflicts: declare that they exclude each other "
        "(uv: `[tool.uv] conflicts`)"};
    const std::string other = hard.alternatives.empty() ? "" : hard.alternatives.front();
    const std::string& plain = hard.is_for_gpu ? other : hard.requirement;
    const std::string& more = hard.is_for_gpu ? hard.requirement : other;
    finding.remedies.push_back(
        {"extras",
         "in pyproject.toml, move the requirement to extras",
         {"# [project.optional-dependencies]", format("# cpu = [\"{}\"]", plain),
          format("# gpu = [\"{}\"]", more)},
         {"users install `NAME[cpu]` or `NAME[gpu]`; without an extra they get neither"},
         false});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
