// SPDX-License-Identifier: Apache-2.0
#pragma once
// Requirements: `fastembed[gpu] >=0.8 ; python_version < "3.13"` (packaging.python.org, dependency
// specifiers, of PEP 508).

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "python/marker.h"
#include "python/specifier.h"

namespace loadable::python {

struct Requirement {
  std::string name;                 ///< as written
  std::string normalized;           ///< PEP 503
  std::vector<std::string> extras;  ///< normalised, in the order written
  SpecifierSet specifiers;
  std::string url;  ///< `name @ url`; empty: none
  Marker marker;

  /// Every spelling found in real METADATA: `numpy (>=1.24.2)`, `numpy <2.0,>=1.21.6`,
  /// `x[a,b]@ https://… ; marker`. Errors: Malformed, with the position; LimitReached (over 1 MiB,
  /// or the marker's own).
  static Result<Requirement> parse(std::string_view text);
  /// `fastembed[gpu]>=0.8`, without the marker, for messages.
  [[nodiscard]] std::string to_string() const;
};

}  // namespace loadable::python
