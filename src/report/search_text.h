// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ordered search as text: one line for each rule, subdirectories for CPUs folded away.

#include <string>
#include <vector>

#include "check/model.h"
#include "report/check.h"

namespace loadable::report {

/// Lines that begin with `   |   `; empty without rows.
[[nodiscard]] std::string search_text(const std::vector<check::SearchRow>& rows,
                                      const std::string& base, const Style& style);

}  // namespace loadable::report
