// SPDX-License-Identifier: Apache-2.0
#pragma once
// Debian's packages of a root directory.

#include "inventory/inventory.h"
#include "tree/walk.h"

namespace loadable::inventory {

/// Adds the installed packages to `distributions`; files that cannot be read are incidents.
void read_debian(tree::Walk& walk, Inventory* inventory);

}  // namespace loadable::inventory
