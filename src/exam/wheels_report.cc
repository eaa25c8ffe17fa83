// SPDX-License-Identifier: Apache-2.0
// The report on wheels that are not installed.

#include <set>

#include "base/format.h"
#include "exam/planned.h"
#include "exam/planned_wheels.h"
#include "python/requirement.h"

namespace loadable::exam {
namespace {

/// The requirements that count: those whose marker holds here, then, of one wheel, the others (its
/// author has all interpreters in mind).
std::vector<std::string> requirements_of(const PlannedDistribution& planned, const TagSet& tags,
                                         bool with_others) {
  const auto environment = environment_of(tags.python.release(), tags.platform.platform());
  std::vector<std::string> lines, others;
  for (const std::string& line : planned.requires_dist) {
    const auto parsed = python::Requirement::parse(line);
    const bool holds = !parsed || parsed->marker.holds(environment);
    (holds ? lines : others).push_back(line);
  }
  if (with_others) lines.insert(lines.end(), others.begin(), others.end());
  return lines;
}

/// Of one wheel and one family the first: fastembed names onnxruntime once for each interpreter.
/// `told` holds the names of the wheels that another selection told.
void add_hard_dependencies(const accel::Knowledge& knowledge, const WheelSelection& selection,
                           bool is_folder, std::set<std::string>& told, Plan& plan) {
  for (const PlannedDistribution& planned : selection.distributions) {
    if (is_stand_in(planned)) continue;  // it names another of its family: that is its purpose
    if (told.contains(planned.name)) continue;
    std::set<std::string> families;
    const auto lines = requirements_of(planned, selection.tags, !is_folder);
    for (check::HardDependency& hard :
         find_hard_dependencies(knowledge, planned.name, lines, planned.place)) {
      if (families.insert(hard.family).second) plan.hard.push_back(std::move(hard));
    }
    if (!families.empty()) told.insert(planned.name);
  }
}

std::vector<Plan> plans_of(const accel::Knowledge& knowledge, WheelFacts& facts, bool is_folder,
                           bool is_stated) {
  std::vector<Plan> plans;
  std::set<std::string> told;
  const bool says_which = is_folder && (is_stated || facts.selections.size() > 1);
  for (WheelSelection& selection : facts.selections) {
    Plan plan;
    plan.noun = is_folder ? "in this folder" : "in this wheel";
    plan.tools = {check::PackageTool::Pip, check::PackageTool::UvPip};
    if (says_which) plan.selection = selection.shown();
    plan.tells_all_selections = says_which;
    add_hard_dependencies(knowledge, selection, is_folder, told, plan);
    plan.distributions = std::move(selection.distributions);
    plan.is_chosen = plans.empty();
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace

Result<check::Report> examine_wheels(target::Target& target, const accel::Knowledge& knowledge,
                                     const Options& options) {
  const bool is_folder = target.kind == target::Kind::Wheelhouse;
  // One wheel is judged for all that it is for.
  auto facts = read_wheels(target, is_folder ? options.planned : PlannedOptions{});
  if (!facts) return fail(facts.error());
  const bool is_stated =
      !options.planned.platform.empty() || !options.planned.python_version.empty();
  if (facts->selections.empty() && facts->names > 0) {
    facts->incidents.push_back(
        {target.path, "no interpreter that is asked about takes any of them"});
  }
  const std::vector<Plan> plans = plans_of(knowledge, *facts, is_folder, is_stated);

  check::Report report;
  report.target_kind = target::to_string(target.kind);
  report.target_path = target.path;
  if (target.root != "/") report.root = target.root;
  report.counts.files = facts->members;
  report.counts.distributions = facts->names;
  report.incidents = std::move(facts->incidents);
  report.is_complete = facts->is_complete;
  judge_plans(knowledge, options, plans, report);
  return report;
}

}  // namespace loadable::exam
