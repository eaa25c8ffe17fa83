// SPDX-License-Identifier: Apache-2.0
#include "exam/lock.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "archive/zip.h"
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "exam/installation.h"
#include "exam/planned.h"
#include "exam/project_files.h"
#include "python/names.h"
#include "python/record.h"
#include "python/requirement.h"

namespace loadable::exam {
namespace {

using check::PackageTool;
using python::Lock;
using python::LockedPackage;
using python::LockFormat;
using tree::Path;

constexpr std::uint64_t kMaxRecord = 16U << 20U;

std::vector<PackageTool> tools_of(const Lock& lock) {
  switch (lock.format) {
    case LockFormat::Uv:
      return {PackageTool::Uv};
    case LockFormat::Poetry:
      return {PackageTool::Poetry};
    case LockFormat::Pdm:
      return {PackageTool::Pdm};
    case LockFormat::CondaYaml:
      return {PackageTool::Conda, PackageTool::Pip};
    case LockFormat::Pyproject:
      switch (lock.tool) {
        case python::ProjectTool::Poetry:
          return {PackageTool::Poetry};
        case python::ProjectTool::Pdm:
          return {PackageTool::Pdm};
        case python::ProjectTool::Uv:
          return {PackageTool::Uv};
        case python::ProjectTool::None:
          return {PackageTool::Uv, PackageTool::Pip};
      }
      return {};
    case LockFormat::Pylock:
    case LockFormat::Pipfile:
    case LockFormat::Requirements:
      return {PackageTool::Pip, PackageTool::UvPip, PackageTool::Dockerfile};
  }
  return {};
}

/// How the project's tool installs that selection; none for the default one.
std::vector<std::string> commands_of(const Lock& lock, const python::Selection& selection) {
  const std::vector<PackageTool> tools = tools_of(lock);
  const PackageTool tool = tools.empty() ? PackageTool::Pip : tools.front();
  std::string command, extra, group;
  switch (tool) {
    case PackageTool::Uv:
      command = "uv sync", extra = " --extra ", group = " --group ";
      break;
    case PackageTool::Poetry:
      command = "poetry install", extra = " --extras ", group = " --with ";
      break;
    case PackageTool::Pdm:
      command = "pdm sync", extra = group = " -G ";
      break;
    default:
      return {};
  }
  if (selection.extras.empty() && selection.groups.empty()) return {};
  for (const std::string& name : selection.extras) command += extra + check::shell_word(name);
  for (const std::string& name : selection.groups) command += group + check::shell_word(name);
  return {std::move(command)};
}

/// RECORD of a wheel that lies in the tree; nothing where it cannot be read.
std::optional<std::vector<PlannedFile>> files_of(tree::Walk& walk, const std::string& path) {
  auto source = walk.open(Path(path));
  if (!source) return std::nullopt;
  auto archive = archive::ZipArchive::open(std::move(*source), path);
  if (!archive) return std::nullopt;
  for (const archive::ZipMember& member : archive->members()) {
    if (!member.name.ends_with(".dist-info/RECORD")) continue;
    const auto text = archive->read(member.name, kMaxRecord);
    if (!text) return std::nullopt;
    std::vector<PlannedFile> files;
    python::RecordReader reader(*text);
    python::RecordRow row;
    while (reader.next(&row)) files.push_back({std::string(row.path), std::string(row.hash)});
    return files;
  }
  return std::nullopt;
}

class LockExam {
 public:
  LockExam(target::Target& target, const accel::Knowledge& knowledge, const Options& options)
      : target_(target), knowledge_(knowledge), options_(options) {}

  Result<check::Report> run() {
    auto lock = read_planned(target_);
    if (!lock) return fail(lock.error());
    lock_ = std::move(*lock);
    const auto selections = selections_of(lock_, options_.planned);
    if (!selections) {
      Error error = selections.error();
      if (error.subject.empty()) error.subject = lock_.path;
      return fail(std::move(error));
    }
    check::Report report = head(selections->front());
    const std::size_t count = affordable(lock_, selections->size());
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < count; ++i) plans.push_back(plan_of(lock_, (*selections)[i]));
    if (count < selections->size() && has_members(lock_)) {
      report.not_checked.push_back(
          format("{} of the {} selections that this lock allows: it is too large for all of them",
                 selections->size() - count, selections->size()));
    }
    plans.front().hard = hard_dependencies();
    if (!lock_.outdated.empty()) add_wishes(plans);
    judge_plans(knowledge_, options_, plans, report);
    finish(report);
    std::set<std::string> names;
    for (const Plan& plan : plans) {
      for (const PlannedDistribution& planned : plan.distributions)
        names.insert(python::normalize_name(planned.name));
    }
    report.counts.distributions = names.size();
    return report;
  }

 private:
  check::Report head(const NamedSelection& selection) {
    check::Report report;
    report.target_kind = target::to_string(target_.kind);
    report.target_path = target_.path;
    if (target_.root != "/") report.root = target_.root;
    report.sources = lock_.files;
    const auto& variables = selection.selection.environment.variables;
    if (const auto machine = variables.find("platform_machine"); machine != variables.end()) {
      report.machine = machine->second;
    }
    check::EnvironmentReport environment;
    if (const auto python = variables.find("python_version"); python != variables.end()) {
      environment.python = python->second;
    }
    report.environments.push_back(std::move(environment));
    return report;
  }

  /// A member of a family, or something that the tables know to require one.
  [[nodiscard]] bool is_known(const std::string& name) const {
    return knowledge_.distribution(name) != nullptr ||
           std::any_of(knowledge_.requirers.begin(), knowledge_.requirers.end(),
                       [&](const accel::RequirerRow& row) {
                         return row.name == name && !row.members.empty();
                       });
  }
  /// What it pulls in is known, if anything.
  [[nodiscard]] bool is_explained(const LockedPackage& package) const {
    const auto has_name = [&](const auto& row) { return row.name == package.normalized; };
    const auto& conda = knowledge_.conda_builds;
    return knowledge_.distribution(package.normalized) != nullptr ||
           std::any_of(knowledge_.requirers.begin(), knowledge_.requirers.end(), has_name) ||
           (package.is_conda && std::any_of(conda.begin(), conda.end(), has_name));
  }
  [[nodiscard]] bool has_members(const Lock& lock) const {
    return std::any_of(lock.packages.begin(), lock.packages.end(),
                       [&](const auto& package) { return is_known(package.normalized); });
  }

  /// How many of the selections are examined: one where no family has a member; and a bound on
  /// packages and edges times selections, which no real lock reaches.
  [[nodiscard]] std::size_t affordable(const Lock& lock, std::size_t selections) const {
    if (!has_members(lock)) return 1;
    std::size_t size = lock.packages.size();
    for (const LockedPackage& package : lock.packages) size += package.dependencies.size();
    constexpr std::size_t kMaxVisited = 3'000'000;
    return std::clamp<std::size_t>(kMaxVisited / std::max<std::size_t>(size, 1), 1, selections);
  }

  /// A lock that is out of date says nothing of what its project requires now: that is judged too,
  /// as far as it can be without a resolution.
  void add_wishes(std::vector<Plan>& plans) {
    if (lock_.format == LockFormat::Pipfile) return;
    const Path file = Path(lock_.path).parent().join("pyproject.toml");
    const auto wishes = python::read_lock(*target_.walk, file, LockFormat::Pyproject);
    if (!wishes) return;
    const auto selections = selections_of(*wishes, options_.planned);
    if (!selections) return;
    const std::size_t count = affordable(*wishes, selections->size());
    for (std::size_t i = 0; i < count; ++i) {
      NamedSelection named = (*selections)[i];
      named.name = "by `pyproject.toml`" + (named.name.empty() ? "" : " " + named.name);
      Plan plan = plan_of(*wishes, named);
      plan.tools = tools_of(lock_);
      // What it requires in turn is not known: nothing is said to lack.
      plan.is_chosen = false;
      plans.push_back(std::move(plan));
    }
  }

  Plan plan_of(const Lock& lock, const NamedSelection& named) {
    Plan plan;
    plan.selection = named.name;
    plan.release = named.release;
    plan.is_chosen = named.is_chosen && named.is_asked_about;
    plan.is_asked_about = named.is_asked_about;
    plan.commands = commands_of(lock, named.selection);
    plan.tools = tools_of(lock);
    plan.noun = lock.is_resolved ? "locked" : "required";
    const auto [file, is_new] = files_.try_emplace(lock.path);
    if (is_new) file->second = project_file(target_, lock);
    plan.file = file->second;
    if (plan.file.command.starts_with("uv export ")) {
      plan.tools.insert(plan.tools.begin(), PackageTool::Uv);
    }
    plan.choice = choice_of(named.selection);
    python::Selection selection = named.selection;
    selection.explains = [&](const LockedPackage& package) { return is_known(package.normalized); };
    std::set<std::string> unexplained;
    for (const python::Installed& installed : python::installed_of(lock, selection)) {
      const LockedPackage& package = lock.packages[installed.package];
      if (!lock.is_resolved && !is_explained(package)) unexplained.insert(package.name);
      if (!is_first_ && !is_known(package.normalized)) continue;
      PlannedDistribution planned;
      planned.name = package.name;
      planned.version = package.version;
      planned.place = package.place;
      planned.chain = installed.chain;
      planned.is_conda = package.is_conda;
      planned.build = package.build;
      planned.is_local = !package.local_wheel.empty() || package.source.starts_with("url ");
      if (!package.local_wheel.empty()) planned.files = local_files(package.local_wheel);
      planned.is_entry = package.place.starts_with(lock.path + ":");
      plan.distributions.push_back(std::move(planned));
    }
    is_first_ = false;
    if (!lock.is_resolved) add_pulled(lock, plan);
    plan.unseen = unseen_of(lock, unexplained);
    return plan;
  }

  /// Why the list may install a distribution that it does not name.
  static std::string unseen_of(const Lock& lock, const std::set<std::string>& unexplained) {
    if (!lock.problems.empty()) {
      return "a part of it could not be read";
    }
    if (unexplained.empty()) return {};
    constexpr std::size_t kMostNames = 5;
    std::string names;
    std::size_t count = 0;
    for (const std::string& name : unexplained) {
      if (count == kMostNames) break;
      names += (count++ == 0 ? "" : ", ") + quoted(name);
    }
    if (unexplained.size() > count) names += format(" and {} more", unexplained.size() - count);
    return format("nothing is locked, and what {} {} in turn is not known", names,
                  unexplained.size() == 1 ? "requires" : "require");
  }

  /// Names that nothing more is pulled in for: those of the plan, and what the project keeps out or
  /// a constraint serves from a file.
  static std::set<std::string> settled_names(const Lock& lock, const Plan& plan) {
    std::set<std::string> names;
    for (const PlannedDistribution& planned : plan.distributions) {
      names.insert(python::normalize_name(planned.name));
    }
    for (const std::string& name : lock.excludes) names.insert(python::normalize_name(name));
    for (const std::vector<std::string>* list : {&lock.overrides, &lock.constraints}) {
      for (const std::string& text : *list) {
        const auto requirement = python::Requirement::parse(text);
        if (!requirement) continue;
        const bool keeps_out = list == &lock.overrides || !requirement->url.empty();
        if (keeps_out) names.insert(requirement->normalized);
      }
    }
    return names;
  }

  static PlannedDistribution pulled_by(const PlannedDistribution& puller, std::string member) {
    PlannedDistribution pulled;
    pulled.place = puller.place;
    pulled.chain = puller.chain;
    pulled.chain.push_back(format("{} requires {}", puller.name, member));
    pulled.name = std::move(member);
    return pulled;
  }

  /// What a list of wishes pulls in without naming it, as far as the tables know it.
  void add_pulled(const Lock& lock, Plan& plan) const {
    std::set<std::string> settled = settled_names(lock, plan);
    std::vector<PlannedDistribution> pulled;
    for (const PlannedDistribution& planned : plan.distributions) {
      if (planned.is_conda) continue;
      const std::string name = python::normalize_name(planned.name);
      for (const accel::RequirerRow& row : knowledge_.requirers) {
        if (row.name != name) continue;
        for (const std::string& member : row.members) {
          if (settled.insert(member).second) pulled.push_back(pulled_by(planned, member));
        }
      }
    }
    std::move(pulled.begin(), pulled.end(), std::back_inserter(plan.distributions));
  }

  /// Of members of families alone: nothing else could be a stand-in.
  const std::optional<std::vector<PlannedFile>>& local_files(const std::string& wheel) {
    const auto known = wheels_.find(wheel);
    if (known != wheels_.end()) return known->second;
    return wheels_.emplace(wheel, files_of(*target_.walk, wheel)).first->second;
  }

  /// What the project itself requires, behind no extra. A folder's lock hides its pyproject.toml.
  std::vector<check::HardDependency> hard_dependencies() {
    std::vector<check::HardDependency> found;
    if (target_.kind != target::Kind::Project) return found;
    Lock wishes;
    const Path project = Path(lock_.path).parent().join("pyproject.toml");
    if (lock_.format == LockFormat::Pyproject) {
      wishes = lock_;
    } else {
      auto read = python::read_lock(*target_.walk, project, LockFormat::Pyproject);
      if (!read) return found;
      wishes = std::move(*read);
    }
    if (wishes.is_application) return found;  // nobody else installs it
    for (const LockedPackage& package : wishes.packages) {
      if (!package.is_root) continue;
      std::vector<std::string> lines;
      for (const python::LockedDependency& edge : package.dependencies) {
        if (!edge.extra.empty() || !edge.group.empty()) continue;
        // Poetry's `^1.2` is no specifier of the standard; the name is what counts.
        const bool is_standard = python::Requirement::parse(edge.requirement).has_value();
        lines.push_back(is_standard ? edge.requirement : edge.name);
      }
      for (check::HardDependency& hard :
           find_hard_dependencies(knowledge_, package.name, lines, project.text())) {
        found.push_back(std::move(hard));
      }
    }
    return found;
  }

  /// A line that was passed over may name anything, also what states that a provider is wanted.
  void finish(check::Report& report) {
    for (const python::LockProblem& problem : lock_.problems) {
      report.incidents.push_back({problem.file, problem.text});
    }
    if (!lock_.outdated.empty()) {
      report.incidents.push_back({lock_.path, outdated_message()});
      report.is_complete = false;
    }
    if (!lock_.problems.empty()) report.is_complete = false;
    for (const std::string& name : lists_beside(target_, lock_)) {
      const bool is_readable = python::lock_format_of(name).has_value();
      report.not_checked.push_back(
          format("{} beside it, which may install something else: {}", quoted(name),
                 is_readable ? "name it to have it judged" : "this release cannot read it"));
    }
    if (!lock_.is_resolved || !lock_.outdated.empty()) {
      report.not_checked.emplace_back(
          "what the required distributions require in turn, but for what the tables know: nothing "
          "is locked");
    }
  }

  [[nodiscard]] std::string outdated_message() const {
    const char* cure = "";
    switch (lock_.format) {
      case LockFormat::Uv:
        cure = "; `uv lock` renews it";
        break;
      case LockFormat::Poetry:
        cure = "; `poetry lock` renews it";
        break;
      case LockFormat::Pdm:
        cure = "; `pdm lock` renews it";
        break;
      case LockFormat::Pipfile:
        cure = "; `pipenv lock` renews it";
        break;
      default:
        break;
    }
    const char* project = lock_.format == LockFormat::Pipfile ? "Pipfile" : "pyproject.toml";
    return format("this lock is out of date with `{}`: {}{}", project, lock_.outdated, cure);
  }

  target::Target& target_;
  const accel::Knowledge& knowledge_;
  const Options& options_;
  Lock lock_;
  bool is_first_ = true;
  std::map<std::string, std::optional<std::vector<PlannedFile>>> wheels_;
  std::map<std::string, check::ProjectFile> files_;  ///< by path: one reading serves all selections
};

}  // namespace

Result<check::Report> examine_lock(target::Target& target, const accel::Knowledge& knowledge,
                                   const Options& options) {
  return LockExam(target, knowledge, options).run();
}

}  // namespace loadable::exam
