// SPDX-License-Identifier: Apache-2.0
// The report on wheels that are not installed.

#include <set>

#include "exam/planned.h"
#include "exam/planned_wheels.h"
#include "python/requirement.h"

namespace loadable::exam {
namespace {

/// The requirements that count: those whose marker holds here, then, of one wheel, the others (its
/// author has all interpreters in mind).
std::vector<std::string> requirements_of(const PlannedDistribution& planned,
                                         const std::string& interpreter, bool with_others) {
  const auto environment = python::MarkerEnvironment::for_interpreter(interpreter, "x86_64");
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
void add_hard_dependencies(const accel::Knowledge& knowledge, const WheelFacts& facts,
                           bool is_folder, Plan& plan) {
  for (const PlannedDistribution& planned : facts.distributions) {
    if (is_stand_in(planned)) continue;  // it names another of its family: that is its purpose
    std::set<std::string> families;
    const auto lines = requirements_of(planned, facts.interpreter, !is_folder);
    for (check::HardDependency& hard :
         find_hard_dependencies(knowledge, planned.name, lines, planned.place)) {
      if (families.insert(hard.family).second) plan.hard.push_back(std::move(hard));
    }
  }
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
  add_hard_dependencies(knowledge, *facts, is_folder, plan);
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
