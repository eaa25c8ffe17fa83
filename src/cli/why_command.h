// SPDX-License-Identifier: Apache-2.0
#pragma once
// `loadable why`: the ordered search for one library.

#include "cli/command.h"

namespace loadable::cli {

inline constexpr std::string_view kWhySummary =
    "The ordered search for one library: each rule, each path tried, who asked";

int run_why(const Invocation& invocation);
void declare_why(CLI::App& app);

inline constexpr std::string_view kCompletionsSummary = "Completions for bash, zsh or fish";

int run_completions(const Invocation& invocation);
void declare_completions(CLI::App& app);

}  // namespace loadable::cli
