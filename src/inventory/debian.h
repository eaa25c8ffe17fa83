// SPDX-License-Identifier: Apache-2.0
#pragma once
// Debian's packages of a root directory.

#include <string>
#include <unordered_map>

#include "inventory/inventory.h"
#include "tree/walk.h"

namespace loadable::inventory {

/// Adds the installed packages to `distributions`; files that cannot be read are incidents.
void read_debian(tree::Walk& walk, Inventory* inventory);

/// The site directories that Debian's own Python packages install into.
[[nodiscard]] bool is_debian_site(std::string_view site);

/// Metadata paths (`<site>/six-1.16.0.egg-info`) -> the .md5sums of the Debian package that holds
/// them. Reads the lists of packages named `python3-…` alone.
std::unordered_map<std::string, std::string> find_debian_lists(tree::Walk& walk,
                                                               const std::string& site);

}  // namespace loadable::inventory
