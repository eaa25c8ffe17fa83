// SPDX-License-Identifier: Apache-2.0
// What the program loads first, as `--after` states it.

#include <algorithm>

#include "accel/plan_runner.h"

namespace loadable::accel {
namespace {

constexpr std::uint64_t kMaxVersionFile = std::uint64_t{1} << 20;

// The value of `name = 'value'` in a line of Python; empty: no such line.
std::string assigned(const std::string& text, const std::string& name) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(name)) continue;
    line.erase(0, name.size());
    std::erase(line, ' ');
    if (!line.starts_with('=')) continue;
    const std::size_t open = line.find_first_of("'\"");
    if (open == std::string::npos) continue;
    const std::size_t close = line.find(line[open], open + 1);
    if (close == std::string::npos) continue;
    return line.substr(open + 1, close - open - 1);
  }
  return {};
}

bool is_regular(tree::Walk& walk, const std::string& path) {
  const auto& found = walk.resolve(path);
  return found && found->stat.kind == tree::Kind::Regular;
}

bool is_pattern(std::string_view text) { return text.find_first_of("*?[") != text.npos; }

// Paths below `directory` that fit a relative path whose components may be patterns, by name.
std::vector<std::string> below(tree::Walk& walk, const std::string& directory,
                               const std::string& relative) {
  std::vector<std::string> found = {directory};
  std::size_t at = 0;
  while (at <= relative.size()) {
    const std::size_t end = std::min(relative.find('/', at), relative.size());
    const std::string component = relative.substr(at, end - at);
    at = end + 1;
    std::vector<std::string> next;
    for (const std::string& path : found) {
      if (!is_pattern(component)) {
        next.push_back(path + "/" + component);
        continue;
      }
      const auto entries = walk.list(tree::Path(path));
      if (!entries) continue;
      for (const tree::Entry& entry : *entries) {
        if (fits(component, entry.name)) next.push_back(path + "/" + entry.name);
      }
    }
    found = std::move(next);
  }
  return found;
}

// The file that a row means: the first that is there; empty: none.
std::string find_preload(tree::Walk& walk, const PreloadRow& row,
                         const std::vector<std::string>& parents) {
  for (const std::string& parent : parents) {
    for (const std::string& directory : row.directories) {
      for (std::string& path : below(walk, parent, directory + "/" + row.library)) {
        if (is_regular(walk, path)) return std::move(path);
      }
    }
  }
  return {};
}

}  // namespace

void PlanRunner::run_actions(bool after_import) {
  for (const std::string& name : context_.after) {
    const ActionRow* action = knowledge_.action(name);
    if (action != nullptr && action->is_after_import == after_import) run_action(*action);
  }
}

void PlanRunner::run_action(const ActionRow& action) {
  const ProviderRow* provider = knowledge_.provider(run_.instance.id);
  const bool is_own = provider != nullptr && provider->package == action.package;
  if (is_own) {
    if (!action.releases.contains(run_.instance.plan_release)) return;
    const std::string version = package_version(action, run_.instance.package_dir);
    if (!action_applies(action, version)) return;
    run_preloads(action, version, {tree::Path(run_.instance.package_dir).parent().text()});
    return;
  }
  for (const std::string& site : context_.site_directories) {
    const std::string package_dir = site + "/" + action.package;
    if (!store_.walk().resolve(package_dir)) continue;
    const std::string version = package_version(action, package_dir);
    if (!action_applies(action, version)) return;
    std::vector<std::string> parents = {site};
    parents.insert(parents.end(), context_.site_directories.begin(),
                   context_.site_directories.end());
    run_preloads(action, version, parents);
    return;
  }
}

/// What the package's version file says; empty: nothing.
std::string PlanRunner::package_version(const ActionRow& action, const std::string& package_dir) {
  if (action.version_file.empty()) return {};
  const auto text =
      store_.walk().read_text(tree::Path(package_dir).join(action.version_file), kMaxVersionFile);
  if (!text) return {};
  const std::string version = assigned(*text, action.version_variable);
  return version.substr(0, version.find('+'));  // `2.9.1+cu128`
}

bool PlanRunner::action_applies(const ActionRow& action, const std::string& version) {
  if (action.oldest_version.empty()) return true;
  return !version.empty() && compare_releases(version, action.oldest_version) >= 0;
}

std::optional<std::string> PlanRunner::ctypes_code() {
  if (has_ctypes_) return ctypes_ ? ctypes_ : interpreter_code();
  has_ctypes_ = true;
  if (context_.ctypes_module.empty()) return interpreter_code();
  StepRun step;
  step.id = "ctypes";
  step.what = "the module `_ctypes` of the interpreter";
  step.alternatives = {context_.ctypes_module};
  step.necessity = Necessity::Optional;
  step.options.caller = interpreter_code();
  step.caller = step.options.caller.value_or(process_.program());
  step.is_preload = true;
  open_any(step);
  if (step.result.succeeded) ctypes_ = context_.ctypes_module;
  finish(std::move(step));
  return ctypes_ ? ctypes_ : interpreter_code();
}

StepRun PlanRunner::preload_step(const PreloadRow& row) {
  StepRun step;
  step.id = "preload";
  step.what = row.library + ", which " + row.action + " loads";
  step.necessity = Necessity::Optional;
  step.options.is_global = row.is_global;
  step.options.caller = row.is_import ? interpreter_code() : ctypes_code();
  step.caller = step.options.caller.value_or(process_.program());
  step.is_preload = true;
  step.is_verified = row.is_verified;
  return step;
}

bool PlanRunner::preload_applies(const PreloadRow& row, const ActionRow& action,
                                 const std::string& version) const {
  const bool is_too_old = !row.package_from.empty() && !version.empty() &&
                          compare_releases(version, row.package_from) < 0;
  if (is_too_old) return false;
  const bool has_cuda = row.cuda.empty() || (cuda_ && std::find(row.cuda.begin(), row.cuda.end(),
                                                                *cuda_) != row.cuda.end());
  return row.action == action.name && has_cuda && row.releases.contains(run_.instance.plan_release);
}

// Two passes, as the action does: first all paths below the packages, then the bare names of those
// that did not load.
void PlanRunner::run_preloads(const ActionRow& action, const std::string& version,
                              const std::vector<std::string>& parents) {
  std::vector<std::pair<const PreloadRow*, StepRun>> left;
  for (const PreloadRow& row : knowledge_.preloads) {
    if (!preload_applies(row, action, version)) continue;
    StepRun step = preload_step(row);
    const std::string path = find_preload(store_.walk(), row, parents);
    if (path.empty() && row.is_path_only) continue;
    if (!path.empty()) {
      step.alternatives = {path};
      open_any(step);
    }
    if (step.result.succeeded || row.is_path_only) {
      finish(std::move(step));
    } else {
      left.emplace_back(&row, std::move(step));
    }
  }
  for (auto& [row, step] : left) {
    step.alternatives.push_back(row->library);
    step.request = row->library;
    step.result = process_.dlopen(row->library, step.options);
    step.first_step = step.last_step = step.result.step;
    finish(std::move(step));
  }
}

}  // namespace loadable::accel
