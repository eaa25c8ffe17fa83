// SPDX-License-Identifier: Apache-2.0
#pragma once
// The installed distributions and their lists of files, held against what the walk saw.

#include <string>
#include <vector>

#include "inventory/inventory.h"
#include "inventory/scan.h"
#include "tree/walk.h"

namespace loadable::inventory {

/// Fills `distributions`, `missing`, `shared`, `directories`, the owners of `scan.objects`, and
/// incidents. `below`: the directory that is judged, which may itself be what `pip install
/// --target` made; empty: none.
void read_distributions(tree::Walk& walk, const std::string& below, ScanResult* scan,
                        Inventory* inventory);

}  // namespace loadable::inventory
