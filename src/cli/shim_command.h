// SPDX-License-Identifier: Apache-2.0
#pragma once
// `loadable shim DISTRIBUTION`: writes the stand-in wheel.

#include <string_view>

#include "cli/command.h"

namespace loadable::cli {

inline constexpr std::string_view kShimSummary =
    "A wheel without files that takes the place of a CPU build";

int run_shim(const Invocation& invocation);
void declare_shim(CLI::App& app);

}  // namespace loadable::cli
