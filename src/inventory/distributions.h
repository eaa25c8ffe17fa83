// SPDX-License-Identifier: Apache-2.0
#pragma once
// The installed distributions and their lists of files, held against what the walk saw.

#include <string>
#include <vector>

#include "inventory/inventory.h"
#include "inventory/scan.h"
#include "tree/walk.h"

namespace loadable::inventory {

/// Fills `distributions`, `missing`, `directories`, the owners of `scan.objects`, and incidents.
void read_distributions(tree::Walk& walk, ScanResult* scan, Inventory* inventory);

}  // namespace loadable::inventory
