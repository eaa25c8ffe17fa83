// SPDX-License-Identifier: Apache-2.0
#pragma once
// Environment markers: `python_version < "3.11" and extra == "cuda"` (packaging.python.org,
// dependency specifiers, of PEP 508; `extras` and `dependency_groups` of PEP 751).

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace loadable::python {

/// Values of the variables that markers may name. A variable that is not here is unknown: what
/// depends on it is taken as it would be on CPython on Linux, see for_interpreter().
struct MarkerEnvironment {
  std::map<std::string, std::string, std::less<>> variables;  ///< `python_version` -> `3.11`
  std::set<std::string, std::less<>> extras;  ///< chosen, normalised; any may satisfy `extra == …`
  std::set<std::string, std::less<>> groups;  ///< chosen dependency groups (PEP 735), normalised

  /// CPython of that version on Linux. `version` is `3.11` or `3.11.7`; `machine` as `uname -m`
  /// says it (`x86_64`, `aarch64`).
  static MarkerEnvironment for_interpreter(std::string_view version, std::string_view machine);
};

/// A parsed marker; cheap to copy. The empty marker holds everywhere.
class Marker {
 public:
  Marker() = default;
  /// Errors: Malformed with the position; LimitReached (nested over 200 deep, as
  /// `packaging` has it; over 64 KiB).
  static Result<Marker> parse(std::string_view text);

  [[nodiscard]] bool empty() const { return root_ == nullptr; }
  /// As `packaging`'s Marker.evaluate; false where that raises an error, such as for
  /// `os_name ~= "posix"`. With several extras chosen it holds if it holds for any one
  /// of them, or for none (`extra == ""`), as pip asks.
  [[nodiscard]] bool holds(const MarkerEnvironment& environment) const;
  /// Could it hold for some choice of extras and groups?
  [[nodiscard]] bool can_hold(const MarkerEnvironment& environment) const;
  /// The names that it compares `extra` with, normalised: `extra == "gpu"` names `gpu`.
  [[nodiscard]] std::set<std::string, std::less<>> extras() const;
  /// Normal form, as `packaging` writes it: double quotes, `and`, `or`, parentheses where needed.
  [[nodiscard]] std::string to_string() const;

  struct Node;  ///< a comparison or a group; marker_nodes.h

 private:
  std::shared_ptr<const Node> root_;
};

}  // namespace loadable::python
