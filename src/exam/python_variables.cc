// SPDX-License-Identifier: Apache-2.0
#include "exam/python_variables.h"

#include <algorithm>

#include "base/format.h"
#include "base/quote.h"

namespace loadable::exam {
namespace {

const std::string* find(const Variables& variables, std::string_view name) {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const auto& variable) { return variable.first == name; });
  return found == variables.end() ? nullptr : &found->second;
}

/// The caller's value that counts, because no --env states another; null: none.
const std::string* callers(const target::Target& target, const Options& options,
                           std::string_view name) {
  if (!counts_host(target, options) || find(options.stated, name) != nullptr) return nullptr;
  return find(options.host_python, name);
}

std::string value(const target::Target& target, const Options& options, std::string_view name) {
  if (const std::string* stated = find(options.stated, name)) return *stated;
  const std::string* host = callers(target, options, name);
  return host == nullptr ? std::string{} : *host;
}

bool is_in(const std::vector<std::string>& directories, const std::string& path) {
  return std::find(directories.begin(), directories.end(), path) != directories.end();
}

}  // namespace

python::ProcessVariables python_variables(const target::Target& target, const Options& options) {
  python::ProcessVariables variables;
  variables.path = value(target, options, "PYTHONPATH");
  variables.home = value(target, options, "HOME");
  variables.user_base = value(target, options, "PYTHONUSERBASE");
  variables.has_no_user_site = !value(target, options, "PYTHONNOUSERSITE").empty();
  variables.cwd = options.cwd.value_or("");
  return variables;
}

Variables shown_variables(const Scene& scene, const python::Environment& environment) {
  Variables shown = scene.variables(true);
  const auto add = [&](const char* name) {
    const std::string* host = callers(scene.target, scene.options, name);
    if (host != nullptr && !host->empty()) shown.emplace_back(name, *host);
  };
  if (environment.kind == python::EnvironmentKind::Folder) {
    std::erase_if(shown, [](const auto& variable) { return variable.first == "PYTHONPATH"; });
    shown.emplace_back("PYTHONPATH", environment.prefix);
  } else if (!environment.python_path.empty()) {
    add("PYTHONPATH");
  }
  if (environment.has_user_site) {
    const bool has_base = !value(scene.target, scene.options, "PYTHONUSERBASE").empty();
    add(has_base ? "PYTHONUSERBASE" : "HOME");
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

std::string without_python_path(const Scene& scene, const python::Environment& environment,
                                const std::string& package_dir) {
  if (environment.kind == python::EnvironmentKind::Folder) return {};  // it is what is judged
  if (callers(scene.target, scene.options, "PYTHONPATH") == nullptr) return {};
  const tree::Path package(package_dir);
  if (!is_in(environment.python_path, package.parent().text())) return {};
  for (const std::string& site : environment.site_directories) {
    if (is_in(environment.python_path, site)) continue;
    const std::string other = tree::Path(site).join(package.name()).text();
    if (scene.target.walk->resolve(other)) return format("{} is imported", quoted(other));
  }
  return "`shipped` would be no";
}

}  // namespace loadable::exam
