// SPDX-License-Identifier: Apache-2.0
#include "exam/folder.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "check/folder_remedies.h"

namespace loadable::exam {
namespace {

using Owners = std::set<std::string>;  // normalised names

/// `onnxruntime` of `/folder/onnxruntime/capi` below `/folder`; empty: the folder itself.
std::string top_of(const std::string& directory, const std::string& folder) {
  if (!directory.starts_with(folder + "/")) return {};
  const std::size_t begin = folder.size() + 1;
  return directory.substr(begin, directory.find('/', begin) - begin);
}

/// The packages of a family belong to all of its members.
std::vector<std::string> family_packages(const Scene& scene,
                                         const inventory::Distribution& distribution) {
  const accel::DistributionRow* row =
      scene.knowledge.distribution(distribution.normalized, distribution.version);
  if (row == nullptr) return {};
  const accel::DistributionFamilyRow* family = scene.knowledge.distribution_family(row->family);
  return family == nullptr ? std::vector<std::string>{} : family->packages;
}

/// Whose files lie below each top directory, as far as lists name them.
std::map<std::string, Owners> owners_of_tops(const Scene& scene, const std::string& folder) {
  std::map<std::string, Owners> owners;
  const auto add = [&](const std::string& directory, std::uint32_t index) {
    const std::string top = top_of(directory, folder);
    if (top.empty() || top == "bin" || top.ends_with(".dist-info")) return;
    owners[top].insert(scene.inventory.distributions[index].normalized);
  };
  for (const auto& [directory, index] : scene.inventory.directories) add(directory, index);
  // What pip left out of a directory that was there.
  for (const inventory::MissingFile& missing : scene.inventory.missing) {
    add(tree::Path(missing.path).parent().text(), missing.distribution);
  }
  return owners;
}

check::FolderFacts facts_of(const Scene& scene, const std::string& folder) {
  check::FolderFacts facts;
  facts.folder = folder;
  const auto owners = owners_of_tops(scene, folder);
  for (const inventory::Distribution& one : scene.inventory.distributions) {
    check::FolderContent& content = facts.content[one.normalized];
    const std::vector<std::string> packages = family_packages(scene, one);
    for (const std::string& package : packages) {
      const std::string path = tree::Path(folder).join(package).text();
      if (scene.target.walk->resolve(path)) content.paths.push_back(path);
    }
    for (const auto& [top, names] : owners) {
      if (!packages.empty() || !names.contains(one.normalized)) continue;
      if (names.size() > 1) content.shares_directory = true;
      const tree::Path path = tree::Path(folder).join(top);
      if (names.size() == 1 && scene.target.walk->resolve(path)) {
        content.paths.push_back(path.text());
      }
    }
    content.paths.push_back(one.metadata_path);
  }
  for (auto& [name, content] : facts.content) {
    std::sort(content.paths.begin(), content.paths.end());
    content.paths.erase(std::unique(content.paths.begin(), content.paths.end()),
                        content.paths.end());
  }
  return facts;
}

/// A regular package of that name, or a module, with what makes it one; empty: none.
std::string regular_in(tree::Walk& walk, const std::string& directory, const std::string& name) {
  const tree::Path base(directory);
  for (const char* ending : {"/__init__.py", ".py"}) {
    const tree::Path path = base.join(name + ending);
    if (walk.resolve(path)) return path.text();
  }
  return {};
}

bool is_namespace(tree::Walk& walk, const tree::Path& directory) {
  const auto entries = walk.list(directory);
  return entries && std::none_of(entries->begin(), entries->end(), [](const tree::Entry& entry) {
           return entry.kind != tree::Kind::Directory && entry.name.starts_with("__init__.");
         });
}

const python::Environment* folder_of(const Scene& scene) {
  const auto& environments = scene.target.environments;
  const bool is_folder =
      !environments.empty() && environments.front().kind == python::EnvironmentKind::Folder;
  return is_folder ? &environments.front() : nullptr;
}

}  // namespace

void add_hidden_by_interpreter(const Scene& scene, std::vector<check::HiddenFacts>& all) {
  const python::Environment* environment = folder_of(scene);
  if (environment == nullptr) return;
  tree::Walk& walk = *scene.target.walk;
  for (const auto& [top, names] : owners_of_tops(scene, environment->prefix)) {
    const tree::Path directory = tree::Path(environment->prefix).join(top);
    if (!is_namespace(walk, directory)) continue;
    for (const std::string& behind : environment->behind) {
      std::string regular = regular_in(walk, behind, top);
      const auto owner = scene.inventory.find_distribution(*names.begin());
      if (regular.empty() || !owner) continue;
      check::HiddenFacts hidden;
      hidden.package = std::move(regular);
      hidden.module = directory.text();
      hidden.module_of.name = scene.inventory.distributions[*owner].name;
      hidden.module_of.version = scene.inventory.distributions[*owner].version;
      all.push_back(std::move(hidden));
      break;
    }
  }
}

void turn_remedies_to_folder(const Scene& scene, check::Report& report) {
  const python::Environment* environment = folder_of(scene);
  if (environment == nullptr) return;
  const check::FolderFacts facts = facts_of(scene, environment->prefix);
  for (check::Finding& finding : report.findings) check::turn_to_folder(facts, finding);
}

}  // namespace loadable::exam
