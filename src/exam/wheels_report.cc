// SPDX-License-Identifier: Apache-2.0
// The report on wheels that are not installed.

#include "base/format.h"
#include "exam/planned.h"
#include "exam/planned_wheels.h"

namespace loadable::exam {
namespace {

/// A stand-in for a member names another of its family, and that is its purpose.
bool is_stand_in(const PlannedDistribution& planned) {
  if (!planned.files) return false;
  for (const PlannedFile& file : *planned.files) {
    if (file.path.find(".dist-info/") == std::string::npos) return false;
  }
  return true;
}

}  // namespace

Result<check::Report> examine_wheels(target::Target& target, const accel::Knowledge& knowledge,
                                     const Options& options) {
  auto facts = read_wheels(target);
  if (!facts) return fail(facts.error());
  const bool is_folder = target.kind == target::Kind::Wheelhouse;
  Plan plan;
  plan.noun = is_folder ? "in this folder" : "in this wheel";
  plan.tools = {check::PackageTool::Pip, check::PackageTool::UvPip};
  for (const PlannedDistribution& planned : facts->distributions) {
    if (is_stand_in(planned)) continue;
    for (check::HardDependency& hard :
         find_hard_dependencies(knowledge, planned.name, planned.requires_dist, planned.place)) {
      plan.hard.push_back(std::move(hard));
    }
  }
  plan.distributions = std::move(facts->distributions);

  check::Report report;
  report.target_kind = target::to_string(target.kind);
  report.target_path = target.path;
  if (target.root != "/") report.root = target.root;
  report.counts.files = facts->members;
  report.counts.distributions = plan.distributions.size();
  report.incidents = std::move(facts->incidents);
  report.is_complete = facts->is_complete;
  judge_plans(knowledge, options, {std::move(plan)}, report);
  return report;
}

}  // namespace loadable::exam
