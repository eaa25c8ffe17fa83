// SPDX-License-Identifier: Apache-2.0
#include "inventory/ownership_states.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "inventory/roles.h"

namespace loadable::inventory {
namespace {

using tree::Path;
using tree::Walk;

bool is_init(std::string_view name) {
  return name.starts_with("__init__.") && (name.ends_with(".py") || name.ends_with(".so"));
}

bool has_init(Walk& walk, const Path& directory) {
  const auto entries = walk.list(directory);
  return entries && std::any_of(entries->begin(), entries->end(), [](const tree::Entry& entry) {
           return entry.kind != tree::Kind::Directory && is_init(entry.name);
         });
}

std::set<std::string> site_directories(const Inventory& inventory) {
  std::set<std::string> sites;
  for (const Distribution& distribution : inventory.distributions) {
    const bool has_site = distribution.kind == DistributionKind::DistInfo ||
                          distribution.kind == DistributionKind::EggInfo;
    if (has_site) sites.insert(distribution.site_directory);
  }
  for (const python::Environment& environment : inventory.environments) {
    sites.insert(environment.site_directories.begin(), environment.site_directories.end());
  }
  return sites;
}

// The innermost of them that holds `path`; empty: none.
std::string_view site_of(const std::set<std::string>& sites, const std::string& path) {
  std::string_view best;
  for (const std::string& site : sites) {
    if (site.size() > best.size() && Path(path).is_within(Path(site))) best = site;
  }
  return best;
}

/// Finds the packages among the files that a distribution lost.
class Gutted {
 public:
  Gutted(Walk& walk, const Inventory& inventory)
      : walk_(walk), sites_(site_directories(inventory)) {}

  // A lost `__init__`: its package, if the import finds none now and no package is above it.
  void lost_init(const std::string& path, std::vector<std::string>* packages) {
    const Path package = Path(path).parent();
    const std::string_view site = site_of(sites_, path);
    if (site.empty() || package.text() == site) return;
    const bool is_below_another =
        std::any_of(packages->begin(), packages->end(),
                    [&](const std::string& other) { return package.is_within(Path(other)); });
    if (is_below_another || has_init(walk_, package)) return;
    for (Path above = package.parent(); above.text() != site && above.text() != "/";
         above = above.parent()) {
      if (has_init(walk_, above)) return;  // a part of a package that is there
    }
    packages->push_back(package.text());
  }

 private:
  Walk& walk_;
  std::set<std::string> sites_;
};

bool is_own_metadata(const Distribution& distribution, const std::string& path) {
  return path.starts_with(distribution.metadata_path + "/");
}

// Shallow packages first, so that one that lies in another is not named.
void sort_by_depth(std::vector<const std::string*>* paths) {
  const auto depth = [](const std::string& path) {
    return std::count(path.begin(), path.end(), '/');
  };
  std::stable_sort(paths->begin(), paths->end(), [&](const std::string* a, const std::string* b) {
    return depth(*a) < depth(*b);
  });
}

// How many files of a distribution's lie there rather than another's of the same name.
std::size_t bytes_of(std::uint32_t distribution, const std::vector<Overlap>& overlaps) {
  std::size_t count = 0;
  for (const Overlap& overlap : overlaps) {
    if (overlap.first == distribution) count += overlap.of_first;
    if (overlap.second == distribution) count += overlap.of_second;
  }
  return count;
}

// In the order in which an import tries them: `x.cpython-311-….so`, `x.abi3.so`, `x.so`.
int rank_of_suffix(std::string_view file) {
  const std::string_view suffixes = file.substr(std::min(file.find('.'), file.size()));
  if (suffixes == ".so") return 2;
  return suffixes == ".abi3.so" ? 1 : 0;
}

// Two extension modules of one name in one directory, under different suffixes.
void find_hidden_extensions(const Inventory& inventory, std::vector<HiddenPair>* pairs) {
  // Names that differ in what follows the first dot are neighbours, but for other Pythons' modules.
  const Object* before = nullptr;
  for (const Object& object : inventory.objects) {
    if (object.role != Role::ExtensionModule) continue;
    const Object* first = std::exchange(before, &object);
    const Object* second = &object;
    const bool is_pair = first != nullptr && first->module == second->module &&
                         Path(first->path).parent().text() == Path(second->path).parent().text();
    if (!is_pair) continue;
    if (rank_of_suffix(second->name()) < rank_of_suffix(first->name())) std::swap(first, second);
    pairs->push_back({first->path, first->path, second->path});
  }
}

// `attr` of `attr.py` and of `attr.cpython-311-x86_64-linux-gnu.so`; empty: no module.
std::string_view module_name(std::string_view file) {
  if (!file.ends_with(".py") && !file.ends_with(".so")) return {};
  return file.substr(0, file.find('.'));
}

}  // namespace

std::vector<Losses> find_losses(Walk& walk, const Inventory& inventory) {
  std::map<std::uint32_t, std::pair<Losses, std::vector<const std::string*>>> by_distribution;
  for (const MissingFile& missing : inventory.missing) {
    const Distribution& of = inventory.distributions[missing.distribution];
    if (is_own_metadata(of, missing.path)) continue;
    auto& [losses, inits] = by_distribution[missing.distribution];
    losses.distribution = missing.distribution;
    losses.listed = of.listed;
    ++losses.gone;
    if (is_init(Path(missing.path).name())) inits.push_back(&missing.path);
  }
  Gutted gutted(walk, inventory);
  std::vector<Losses> all;
  for (auto& [distribution, found] : by_distribution) {
    auto& [losses, inits] = found;
    // Said of the dist-info that it brought.
    const bool is_supplier = std::any_of(
        by_distribution.begin(), by_distribution.end(), [&, id = distribution](const auto& other) {
          return inventory.distributions[other.first].supplied_by == id;
        });
    if (is_supplier) continue;
    sort_by_depth(&inits);
    for (const std::string* path : inits) gutted.lost_init(*path, &losses.gutted_packages);
    std::sort(losses.gutted_packages.begin(), losses.gutted_packages.end());
    all.push_back(std::move(losses));
  }
  return all;
}

std::vector<StaleMetadata> find_stale(const Inventory& inventory,
                                      const std::vector<Overlap>& overlaps,
                                      const std::vector<Losses>& losses) {
  std::map<std::tuple<std::string, std::string>, std::vector<std::uint32_t>> by_name;
  for (std::uint32_t i = 0; i < inventory.distributions.size(); ++i) {
    const Distribution& distribution = inventory.distributions[i];
    const bool has_site = distribution.kind == DistributionKind::DistInfo ||
                          distribution.kind == DistributionKind::EggInfo;
    if (has_site && !distribution.normalized.empty()) {
      by_name[{distribution.site_directory, distribution.normalized}].push_back(i);
    }
  }
  const auto gone = [&](std::uint32_t distribution) {
    const auto found = std::find_if(losses.begin(), losses.end(), [&](const Losses& row) {
      return row.distribution == distribution;
    });
    return found == losses.end() ? std::size_t{0} : found->gone;
  };
  std::vector<StaleMetadata> stale;
  for (auto& [name, distributions] : by_name) {
    if (distributions.size() < 2) continue;
    std::stable_sort(distributions.begin(), distributions.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       const std::size_t of_a = bytes_of(a, overlaps), of_b = bytes_of(b, overlaps);
                       return of_a != of_b ? of_a > of_b : gone(a) < gone(b);
                     });
    stale.push_back({std::move(distributions)});
  }
  return stale;
}

std::vector<HiddenPair> find_hidden_pairs(Walk& walk, const Inventory& inventory) {
  std::vector<HiddenPair> pairs;
  for (const std::string& site : site_directories(inventory)) {
    const auto entries = walk.list(Path(site));
    if (!entries) continue;  // the walk of the inventory has an incident
    std::set<std::string_view> directories;
    for (const tree::Entry& entry : *entries) {
      if (entry.kind == tree::Kind::Directory) directories.insert(entry.name);
    }
    for (const tree::Entry& entry : *entries) {
      if (entry.kind == tree::Kind::Directory) continue;
      const std::string_view module = module_name(entry.name);
      if (module.empty() || !directories.contains(module)) continue;
      const Path package = Path(site).join(module);
      const auto inside = walk.list(package);
      if (!inside) continue;
      // Without an `__init__` the directory is a namespace, and the module comes first.
      const auto init = std::find_if(inside->begin(), inside->end(), [](const tree::Entry& file) {
        return file.kind != tree::Kind::Directory && is_init(file.name);
      });
      if (init == inside->end()) continue;
      pairs.push_back(
          {package.text(), package.join(init->name).text(), Path(site).join(entry.name).text()});
    }
  }
  find_hidden_extensions(inventory, &pairs);
  return pairs;
}

std::vector<std::string> find_unowned(const Inventory& inventory) {
  const std::set<std::string> sites = site_directories(inventory);
  std::vector<std::string> paths;
  for (const Object& object : inventory.objects) {
    if (!object.owners.empty() || object.role == Role::Executable) continue;
    const std::string_view site = site_of(sites, object.path);
    if (site.empty()) continue;
    for (Path at = Path(object.path).parent(); at.text().size() > site.size(); at = at.parent()) {
      if (!inventory.directories.contains(at.text())) continue;
      paths.push_back(object.path);
      break;
    }
  }
  return paths;
}

}  // namespace loadable::inventory
