// SPDX-License-Identifier: Apache-2.0
#include "exam/unseen.h"

#include <algorithm>

#include "tree/tree.h"

namespace loadable::exam {
namespace {

using tree::Path;

/// Where distributions lie: directories that were found, and for a virtual environment those that
/// it must have, because one below an unreadable directory is not found.
std::vector<Path> import_roots(const python::Environment& environment) {
  std::vector<Path> roots;
  for (const std::string& site : environment.site_directories) roots.emplace_back(site);
  const bool has_own_library = environment.kind != python::EnvironmentKind::System &&
                               environment.kind != python::EnvironmentKind::Folder;
  if (!has_own_library || environment.prefix.empty()) return roots;
  // `lib` without the version too: its number may be what could not be read.
  const Path library = Path(environment.prefix).join("lib");
  const bool has_version = environment.major != 0;
  roots.push_back(has_version ? library.join(environment.directory_name()).join("site-packages")
                              : library);
  return roots;
}

}  // namespace

std::string unseen_place(const inventory::Inventory& inventory,
                         const python::Environment& environment) {
  if (!environment.unread.empty()) return environment.unread.front().path;
  const std::vector<Path> roots = import_roots(environment);
  for (const inventory::Incident& incident : inventory.incidents) {
    if (!incident.path.starts_with('/')) continue;
    const Path place(incident.path);
    const bool hides = std::any_of(roots.begin(), roots.end(),
                                   [&](const Path& root) { return root.is_within(place); });
    // conda's distributions are known by files.
    const bool is_metadata = environment.kind == python::EnvironmentKind::Conda &&
                             place.is_within(Path(environment.prefix).join("conda-meta"));
    if (hides || is_metadata) return incident.path;
  }
  return {};
}

}  // namespace loadable::exam
