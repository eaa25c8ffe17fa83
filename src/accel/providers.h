// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which providers a target ships, and which it ought to.

#include <string>
#include <vector>

#include "accel/facts.h"
#include "accel/knowledge.h"
#include "base/result.h"

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

}  // namespace loadable::accel
