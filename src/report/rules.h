// SPDX-License-Identifier: Apache-2.0
#pragma once
// The catalogue of rules as text and JSON.

#include <string>

#include "report/check.h"

namespace loadable::report {

[[nodiscard]] std::string rules_text(const Style& style);
[[nodiscard]] std::string rules_json();

}  // namespace loadable::report
