// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where distributions could lie that were not seen.

#include <string>

#include "inventory/inventory.h"

namespace loadable::exam {

/// A place that may not be looked at: an import root of the environment, one of its directories of
/// distributions, what leads to them, or a .pth file that could name more; empty: all were seen.
/// Nothing can be called not installed where there is one.
[[nodiscard]] std::string unseen_place(const inventory::Inventory& inventory,
                                       const python::Environment& environment);

}  // namespace loadable::exam
