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

}  // namespace

void turn_remedies_to_folder(const Scene& scene, check::Report& report) {
  const auto& environments = scene.target.environments;
  if (environments.empty() || environments.front().kind != python::EnvironmentKind::Folder) return;
  const check::FolderFacts facts = facts_of(scene, environments.front().prefix);
  for (check::Finding& finding : report.findings) check::turn_to_folder(facts, finding);
}

}  // namespace loadable::exam
