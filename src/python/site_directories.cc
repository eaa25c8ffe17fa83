// SPDX-License-Identifier: Apache-2.0
#include "python/site_directories.h"

#include <algorithm>
#include <string_view>

#include "python/pth.h"

namespace loadable::python {
namespace {

using tree::Kind;
using tree::Path;
using tree::Walk;

/// The directory that a path leads to, physical; nothing where there is none.
std::optional<std::string> directory_at(Walk& walk, const Path& path, std::vector<Unread>* unread) {
  const auto& found = walk.resolve(path);
  if (found && found->stat.kind == Kind::Directory) return found->physical.text();
  if (!found && found.error().code == ErrorCode::PermissionDenied) {
    unread->push_back({path.text(), found.error().message});
  }
  return std::nullopt;
}

void add_once(std::string directory, std::vector<std::string>* list) {
  const bool is_known = std::find(list->begin(), list->end(), directory) != list->end();
  if (!is_known) list->push_back(std::move(directory));
}

/// site.py check_enableusersite() and venv().
bool has_user_site(const ProcessVariables& variables, const Environment& environment) {
  if (variables.has_no_user_site || environment.major == 0) return false;
  return environment.kind != EnvironmentKind::Venv || environment.includes_system_site_packages;
}

/// site.py getuserbase().
std::string user_base(const ProcessVariables& variables) {
  if (!variables.user_base.empty()) return variables.user_base;
  return variables.home.empty() ? std::string{} : Path(variables.home).join(".local").text();
}

void add_user_site(Walk& walk, const ProcessVariables& variables, Environment* environment) {
  if (!has_user_site(variables, *environment)) return;
  const std::string base = user_base(variables);
  if (!base.starts_with('/')) return;
  const Path site = Path(base).join("lib").join(environment->directory_name());
  const std::size_t before = environment->site_directories.size();
  add_site_directory(walk, environment, site.join("site-packages"), true);
  environment->has_user_site = environment->site_directories.size() > before;
}

}  // namespace

void add_site_directory(Walk& walk, Environment* environment, const Path& path, bool reads_pth) {
  std::optional<std::string> directory = directory_at(walk, path, &environment->unread);
  if (!directory) return;
  auto& known = environment->site_directories;
  if (std::find(known.begin(), known.end(), *directory) != known.end()) return;
  known.push_back(*directory);
  if (!reads_pth) return;
  for (const std::string& added : pth_directories(walk, Path(*directory), &environment->unread)) {
    add_site_directory(walk, environment, Path(added), false);
  }
}

std::vector<std::string> python_path_directories(Walk& walk, const ProcessVariables& variables,
                                                 std::vector<Unread>* unread) {
  std::vector<std::string> directories;
  std::string_view rest = variables.path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string_view element = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool is_relative = !element.starts_with('/');
    if (is_relative && !variables.cwd.starts_with('/')) continue;
    const Path path = is_relative ? Path(variables.cwd).join(element) : Path(std::string(element));
    if (auto directory = directory_at(walk, path, unread)) {
      add_once(std::move(*directory), &directories);
    }
  }
  return directories;
}

void add_process_directories(Walk& walk, const ProcessVariables& variables,
                             Environment* environment) {
  const bool is_fixed =
      environment->kind == EnvironmentKind::Bare || environment->kind == EnvironmentKind::Folder;
  if (is_fixed) return;
  const std::vector<std::string> found = std::move(environment->site_directories);
  environment->python_path = python_path_directories(walk, variables, &environment->unread);
  environment->site_directories = environment->python_path;
  const std::size_t own = std::min(environment->own_site_directories, found.size());
  for (std::size_t i = 0; i < own; ++i) add_once(found[i], &environment->site_directories);
  add_user_site(walk, variables, environment);
  for (std::size_t i = own; i < found.size(); ++i) {
    add_once(found[i], &environment->site_directories);
  }
}

}  // namespace loadable::python
