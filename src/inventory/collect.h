// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one walk over a target, and the questions that need a second look at its files.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inventory/inventory.h"
#include "python/environment.h"
#include "python/site_directories.h"
#include "tree/walk.h"

namespace loadable::inventory {

/// What to look at.
struct Scope {
  /// A directory whose whole content is judged, physical; empty: only the environments' own
  /// directories (their prefix for a venv, for conda and for a folder that PYTHONPATH names, else
  /// site directories and lib-dynload).
  std::string below;
  /// Known already; with `below`, those found on the way are added.
  std::vector<python::Environment> environments;
  python::ProcessVariables
      variables;                     ///< what they add to each interpreter's sys.path is looked at
  std::vector<std::string> exclude;  ///< --exclude: patterns of `*`, `**` and `?` for paths
  std::size_t max_entries = 5'000'000;  ///< an incident, and is_complete false, when reached
  /// Told each regular file with a library's name as soon as the walk sees it (its physical path),
  /// so that it can be read while the walk goes on. May be empty.
  std::function<void(const std::string&)> on_library;
};

/// Never fails as a whole: what cannot be read is an incident.
Inventory collect(tree::Walk& walk, Scope scope);

/// Paths of the libraries whose DT_SONAME is `soname` and whose file name is another: reads the
/// dynamic section of every library of the inventory, so ask it last.
std::vector<std::string> find_by_soname(const Inventory& inventory, tree::Walk& walk,
                                        std::string_view soname);

/// The Debian package whose list names that path, with or without the `/usr` that merged systems
/// put before `/lib` and `/bin`. Reads the lists of all packages: ask it for a few paths only.
std::optional<std::string> find_debian_owner(tree::Walk& walk, std::string_view path);

}  // namespace loadable::inventory
