// SPDX-License-Identifier: Apache-2.0
#include "exam/scene.h"

#include <algorithm>

#include "exam/python_variables.h"
#include "inventory/collect.h"

namespace loadable::exam {

bool counts_host(const target::Target& target, const Options& options) {
  return options.counts_host && target.root == "/";
}

inventory::Inventory look_around(target::Target& target, const Options& options,
                                 std::function<void(const std::string&)> on_library) {
  inventory::Scope scope;
  scope.on_library = std::move(on_library);
  scope.variables = python_variables(target, options);
  if (target.kind == target::Kind::Rootfs) scope.below = target.path;
  scope.environments = target.environments;
  scope.exclude = options.exclude;
  return inventory::collect(*target.walk, std::move(scope));
}

Scene::Scene(target::Target& a_target, const accel::Knowledge& some_knowledge,
             const Options& some_options, inventory::Inventory an_inventory)
    : target(a_target),
      knowledge(some_knowledge),
      options(some_options),
      inventory(std::move(an_inventory)),
      store(*a_target.walk),
      opened_names(std::make_shared<accel::OpenedNames>(store)) {}

bool Scene::counts_host() const { return exam::counts_host(target, options); }

Variables Scene::variables(bool with_host) const {
  Variables result;
  if (with_host && counts_host()) result = options.host;
  for (const auto& [name, value] : options.stated) {
    const auto same = std::find_if(result.begin(), result.end(),
                                   [&](const auto& pair) { return pair.first == name; });
    if (same == result.end()) {
      result.emplace_back(name, value);
    } else {
      same->second = value;
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

void Scene::add_incident(std::string path, std::string message) {
  incidents.push_back({std::move(path), std::move(message)});
}

void Scene::tell(std::string_view stage, std::size_t done, std::size_t total) const {
  if (options.progress) options.progress(stage, done, total);
}

std::string Scene::owner(std::string_view path) const {
  const inventory::Distribution* distribution = inventory.owner_of(path);
  return distribution == nullptr ? std::string{} : distribution->to_string();
}

loader::Environment process_environment(const Scene& scene, const StartOptions& start) {
  loader::Environment environment;
  environment.variables = scene.variables(start.with_host);
  environment.cwd = scene.options.cwd.value_or(std::string(kUnknownDirectory));
  environment.cpu = scene.options.cpu;
  environment.binds_symbols = start.binds_symbols;
  environment.traces_all = start.traces_all;
  if (scene.options.libc) {
    loader::Identity stated;
    stated.libc = scene.options.libc->first;
    stated.version = scene.options.libc->second;
    environment.stated = std::move(stated);
  }
  environment.provided = scene.knowledge.provided(scene.options.provided);
  return environment;
}

Result<loader::Process> start_program(Scene& scene, const std::string& program,
                                      const StartOptions& start) {
  loader::Environment environment = process_environment(scene, start);
  return loader::Process::start(scene.store, program, std::move(environment));
}

}  // namespace loadable::exam
