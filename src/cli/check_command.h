// SPDX-License-Identifier: Apache-2.0
#pragma once
// `loadable check`: targets, options and configuration -> reports, in the format asked for.

#include <string_view>

#include "cli/command.h"

namespace loadable::cli {

inline constexpr std::string_view kCheckSummary =
    "Would each accelerator provider of a target load? Verdicts, findings and remedies";

int run_check(const Invocation& invocation);
void declare_check(CLI::App& app);

}  // namespace loadable::cli
