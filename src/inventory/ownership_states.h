// SPDX-License-Identifier: Apache-2.0
#pragma once
// States of ownership that need no hash. Internal to ownership.

#include <string>
#include <vector>

#include "inventory/claims.h"
#include "inventory/ownership.h"

namespace loadable::inventory {

/// Distributions that lack files, and packages that lost their `__init__`.
std::vector<Losses> find_losses(tree::Walk& walk, const Inventory& inventory);

/// Several metadata directories of one name in one directory. `overlaps` says whose bytes are
/// there.
std::vector<StaleMetadata> find_stale(const Inventory& inventory,
                                      const std::vector<Overlap>& overlaps,
                                      const std::vector<Losses>& losses);

/// A package directory and a module of one name in one site directory.
struct HiddenPair {
  std::string package;       ///< the directory
  std::string package_init;  ///< its `__init__` file
  std::string module;        ///< the module's file
};
std::vector<HiddenPair> find_hidden_pairs(tree::Walk& walk, const Inventory& inventory);

/// Objects that no list names, in packages of distributions that have lists.
std::vector<std::string> find_unowned(const Inventory& inventory);

}  // namespace loadable::inventory
