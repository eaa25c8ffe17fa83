// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which providers a target ships, and which it ought to.

#include <string>
#include <string_view>
#include <vector>

#include "accel/facts.h"
#include "accel/knowledge.h"
#include "base/result.h"
#include "inventory/inventory.h"
#include "tree/walk.h"

namespace loadable::accel {

/// A value of --require: `onnxruntime:cuda+cudnn`.
struct Requirement {
  std::string provider;             ///< `onnxruntime:cuda`
  std::vector<std::string> losses;  ///< `cudnn`: losing it is an error too
};

/// Errors: InvalidArgument, the message lists the accepted ids (or losses of that provider).
Result<Requirement> parse_requirement(std::string_view text, const Knowledge& knowledge);

/// Errors: InvalidArgument for a name that no table has; the message lists those accepted.
Result<std::string> parse_after(std::string_view text, const Knowledge& knowledge);

/// The providers of one environment (index into the inventory): those that are shipped, those that
/// an installed distribution intends, and those of `required` (ids) whatever is there. In the order
/// of the tables.
std::vector<ProviderInstance> find_providers(const Knowledge& knowledge,
                                             const inventory::Inventory& inventory,
                                             tree::Walk& walk, std::size_t environment,
                                             const std::vector<std::string>& required);

}  // namespace loadable::accel
