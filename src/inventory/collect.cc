// SPDX-License-Identifier: Apache-2.0
#include "inventory/collect.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/format.h"
#include "elf/object.h"
#include "inventory/debian.h"
#include "inventory/distributions.h"
#include "inventory/roles.h"
#include "inventory/scan.h"

namespace loadable::inventory {
namespace {

using python::Environment;
using python::EnvironmentKind;
using tree::Path;
using tree::Walk;

constexpr std::size_t kMaxIncidents = 1000;

// PYTHONPATH or a .pth file may add a directory that holds half of a system: those are searched by
// imports, and not walked. `/app` is no such directory.
bool is_too_high(std::string_view directory) {
  static constexpr std::array<std::string_view, 18> kPlaces = {
      "/",    "/bin", "/boot", "/dev", "/etc",  "/home", "/lib", "/lib64", "/media",
      "/mnt", "/opt", "/proc", "/run", "/root", "/srv",  "/sys", "/usr",   "/var"};
  return std::find(kPlaces.begin(), kPlaces.end(), directory) != kPlaces.end();
}

void note_unread(const std::vector<python::Unread>& unread, Inventory* inventory) {
  for (const python::Unread& each : unread) {
    inventory->incidents.push_back({each.path, each.message});
  }
}

// Import roots that nobody walked, and those that may not be looked at.
void note_unseen(const std::vector<std::string>& roots, Inventory* inventory) {
  for (const Environment& environment : inventory->environments) {
    note_unread(environment.unread, inventory);
    for (const std::string& site : environment.site_directories) {
      const bool is_walked = std::any_of(roots.begin(), roots.end(), [&](const std::string& root) {
        return Path(site).is_within(Path(root));
      });
      if (is_walked || !is_too_high(site)) continue;
      inventory->incidents.push_back(
          {site, "on sys.path, and too large a part of a system to be walked"});
    }
  }
}

// The directories to walk: outermost ones, each once.
std::vector<std::string> roots_of(Walk& walk, const Scope& scope) {
  std::vector<std::string> all;
  if (!scope.below.empty()) {
    all.push_back(scope.below);
    std::vector<python::Unread> unread;  // told of each environment
    for (std::string& path : python_path_directories(walk, scope.variables, &unread)) {
      if (!is_too_high(path)) all.push_back(std::move(path));
    }
  }
  for (const Environment& environment : scope.environments) {
    const bool owns_prefix = environment.kind != EnvironmentKind::System;
    if (owns_prefix && !environment.prefix.empty()) all.push_back(environment.prefix);
    if (!scope.below.empty() && environment.kind == EnvironmentKind::System) continue;
    for (const std::string& site : environment.site_directories) {
      if (!is_too_high(site)) all.push_back(site);
    }
    const bool is_folder = environment.kind == EnvironmentKind::Folder;
    if (!environment.lib_dynload.empty() && !is_folder) all.push_back(environment.lib_dynload);
  }
  std::sort(all.begin(), all.end());
  std::vector<std::string> roots;
  for (std::string& path : all) {
    const bool is_inside = std::any_of(roots.begin(), roots.end(), [&](const std::string& root) {
      return Path(path).is_within(Path(root));
    });
    if (!is_inside) roots.push_back(std::move(path));
  }
  return roots;
}

void find_environments(Walk& walk, const ScanResult& scan,
                       const python::ProcessVariables& variables, Inventory* inventory) {
  std::set<std::pair<std::string, std::string>> known;  // prefix, python3.X
  for (const Environment& environment : inventory->environments) {
    known.emplace(environment.prefix, environment.directory_name());
  }
  const auto add = [&](const std::string& path, Result<Environment> environment) {
    if (!environment) {
      inventory->incidents.push_back({path, environment.error().message});
    } else if (known.emplace(environment->prefix, environment->directory_name()).second) {
      python::add_process_directories(walk, variables, &*environment);
      inventory->environments.push_back(std::move(*environment));
    }
  };
  for (const std::string& prefix : scan.venvs) add(prefix, python::read_venv(walk, Path(prefix)));
  for (const std::string& prefix : scan.conda_prefixes) {
    add(prefix, python::read_conda_prefix(walk, Path(prefix)));
  }
  for (const std::string& program : scan.interpreters) {
    add(program, python::read_interpreter(walk, Path(program)));
  }
}

void sort_environments(Inventory* inventory) {
  std::sort(inventory->environments.begin(), inventory->environments.end(),
            [](const Environment& a, const Environment& b) {
              return std::tie(a.prefix, a.executable) < std::tie(b.prefix, b.executable);
            });
}

/// Which sys.path directory a directory lies below.
class Places {
 public:
  explicit Places(const Inventory& inventory) {
    for (std::uint32_t i = 0; i < inventory.environments.size(); ++i) {
      const Environment& environment = inventory.environments[i];
      for (const std::string& site : environment.site_directories) add(site, true, i, environment);
      if (!environment.lib_dynload.empty()) add(environment.lib_dynload, true, i, environment);
      // The prefix of a system's interpreter is the whole system.
      const bool owns = environment.kind != EnvironmentKind::System;
      if (owns && !environment.prefix.empty()) add(environment.prefix, false, i, environment);
    }
  }

  struct Row {
    std::string directory;
    bool is_import_root = false;
    std::uint32_t environment = 0;
    const Environment* of = nullptr;
  };

  // The innermost directory known that holds `path`; null: none. Consecutive questions about one
  // directory cost one comparison.
  const Row* find(std::string_view path) {
    const std::string_view directory = path.substr(0, path.rfind('/'));
    if (has_last_ && directory == last_) return answer_;
    has_last_ = true;
    last_ = directory;
    answer_ = nullptr;
    for (const Row& row : rows_) {
      const bool is_longer = answer_ == nullptr || row.directory.size() > answer_->directory.size();
      if (is_longer && Path(std::string(path)).is_within(Path(row.directory))) answer_ = &row;
    }
    return answer_;
  }

 private:
  // Of several environments that import from one directory, the one whose prefix holds it.
  void add(const std::string& directory, bool is_import_root, std::uint32_t index,
           const Environment& environment) {
    for (Row& row : rows_) {
      if (row.directory != directory || row.is_import_root != is_import_root) continue;
      const bool is_guest = !Path(directory).is_within(Path(row.of->prefix));
      if (is_guest && Path(directory).is_within(Path(environment.prefix))) {
        row.environment = index;
        row.of = &environment;
      }
      return;
    }
    rows_.push_back({directory, is_import_root, index, &environment});
  }

  std::vector<Row> rows_;
  std::string last_;
  bool has_last_ = false;
  const Row* answer_ = nullptr;
};

void give_roles(Inventory* inventory) {
  Places places(*inventory);
  for (Object& object : inventory->objects) {
    const Places::Row* row = places.find(object.path);
    if (row != nullptr) object.environment = row->environment;
    if (object.role == Role::Executable) continue;
    Place place;
    if (row != nullptr && row->is_import_root) place = {row->directory, row->of};
    RoleOfFile role = role_of_library(object.path, place);
    object.role = role.role;
    object.module = std::move(role.module);
  }
}

// A linked library whose file lies where nobody walked is an object under the name of its link:
// that is the path that loaders see.
void add_linked_objects(Walk& walk, ScanResult* scan) {
  for (const LibraryName& library : scan->libraries) {
    if (!library.is_link) continue;
    const auto& found = walk.resolve(library.path);
    if (!found || found->stat.kind != tree::Kind::Regular) continue;
    if (scan->paths.find(found->physical.text())) continue;
    scan->paths.insert(library.path, static_cast<std::uint32_t>(scan->objects.size()));
    scan->objects.push_back({library.path, Role::Library, {}, {}, {}});
  }
}

void find_loader_files(Walk& walk, LoaderFiles* loader) {
  const auto note = [&](std::string_view path, std::string* field) {
    if (walk.resolve(path)) *field = path;
  };
  note("/etc/ld.so.cache", &loader->cache);
  note("/etc/ld.so.conf", &loader->conf);
  note("/etc/ld.so.preload", &loader->preload);
  const auto entries = walk.list(Path("/etc"));
  if (!entries) return;
  for (const tree::Entry& entry : *entries) {
    if (entry.name.starts_with("ld-musl-") && entry.name.ends_with(".path")) {
      loader->musl_paths.push_back("/etc/" + entry.name);
    }
  }
}

void sort_all(Inventory* inventory) {
  std::sort(inventory->objects.begin(), inventory->objects.end(),
            [](const Object& a, const Object& b) { return a.path < b.path; });
  std::sort(inventory->libraries.begin(), inventory->libraries.end(),
            [](const LibraryName& a, const LibraryName& b) {
              return std::tie(a.name, a.path) < std::tie(b.name, b.path);
            });
  std::sort(inventory->missing.begin(), inventory->missing.end(),
            [](const MissingFile& a, const MissingFile& b) {
              return std::tie(a.path, a.distribution) < std::tie(b.path, b.distribution);
            });
  auto& shared = inventory->shared;
  std::sort(shared.begin(), shared.end());
  shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
  auto& incidents = inventory->incidents;
  std::sort(incidents.begin(), incidents.end(), [](const Incident& a, const Incident& b) {
    return std::tie(a.path, a.message) < std::tie(b.path, b.message);
  });
  if (incidents.size() > kMaxIncidents) {
    const std::size_t more = incidents.size() - kMaxIncidents;
    incidents.resize(kMaxIncidents);
    incidents.push_back({"", format("{} further incidents are not listed", more)});
  }
}

}  // namespace

Inventory collect(Walk& walk, Scope scope) {
  Inventory inventory;
  for (Environment& environment : scope.environments) {
    python::add_process_directories(walk, scope.variables, &environment);
  }
  ScanOptions options;
  options.roots = roots_of(walk, scope);
  options.exclude = scope.exclude;
  options.max_entries = scope.max_entries;
  options.on_library = std::move(scope.on_library);
  options.finds_environments = options.stops_at_pseudo = !scope.below.empty();
  ScanResult found = scan(walk.tree(), options);
  inventory.environments = std::move(scope.environments);
  inventory.incidents = std::move(found.incidents);
  if (options.finds_environments) find_environments(walk, found, scope.variables, &inventory);
  sort_environments(&inventory);
  note_unseen(options.roots, &inventory);
  add_linked_objects(walk, &found);
  read_distributions(walk, scope.below, &found, &inventory);
  if (!scope.below.empty()) read_debian(walk, &inventory);
  inventory.objects = std::move(found.objects);
  inventory.libraries = std::move(found.libraries);
  inventory.files_seen = found.paths.size();
  inventory.is_complete = found.is_complete;
  find_loader_files(walk, &inventory.loader);
  sort_all(&inventory);
  give_roles(&inventory);
  return inventory;
}

std::vector<std::string> find_by_soname(const Inventory& inventory, Walk& walk,
                                        std::string_view soname) {
  std::vector<std::string> paths;
  for (const Object& object : inventory.objects) {
    if (object.role == Role::Executable || object.name() == soname) continue;
    const auto source = walk.open(Path(object.path));
    if (!source) continue;
    const auto elf = elf::read_object(**source);
    if (elf && elf->dynamic.soname == soname) paths.push_back(object.path);
  }
  return paths;
}

}  // namespace loadable::inventory
