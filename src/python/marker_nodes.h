// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tree of a parsed marker, shared by the files that parse, evaluate and write it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "python/marker.h"

namespace loadable::python {

/// One side of a comparison.
struct MarkerOperand {
  std::string text;  ///< a variable's name with underscores, or a literal without its quotes
  bool is_variable = false;
};

/// A comparison, or, where `items` is not empty, a group: items joined by `and` and `or`, of which
/// `and` binds closer.
struct Marker::Node {
  MarkerOperand left, right;
  std::string operation;  ///< `==`, `not in`
  std::vector<Node> items;
  std::vector<std::uint8_t> is_or;  ///< between item i and i + 1

  [[nodiscard]] bool is_group() const { return !items.empty(); }
};

/// Values of the variables `extras` and `dependency_groups` are sets.
[[nodiscard]] inline bool is_set_variable(std::string_view name) {
  return name == "extras" || name == "dependency_groups";
}

/// The value of a quoted literal of Python, quotes included, with its escapes resolved. Errors:
/// Malformed (no literal; `\N{…}`, which is not known here).
Result<std::string> python_string(std::string_view quoted_text);

}  // namespace loadable::python
