// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where distributions could lie that were not seen.

#include <string>

#include "inventory/inventory.h"

namespace loadable::exam {

/// The path of an incident that hides an import root of the environment, one of its directories of
/// distributions or what leads to them; empty: all were looked at. Nothing can be called not
/// installed where there is one.
[[nodiscard]] std::string unseen_place(const inventory::Inventory& inventory,
                                       const python::Environment& environment);

}  // namespace loadable::exam
