// SPDX-License-Identifier: Apache-2.0
#pragma once
// `loadable rules` and `loadable explain RULE`: the catalogue.

#include <string_view>

#include "cli/command.h"

namespace loadable::cli {

inline constexpr std::string_view kRulesSummary = "The rules: name, verdict, severity, one line";
inline constexpr std::string_view kExplainSummary = "One rule: what, why, example, how to fix";

int run_rules(const Invocation& invocation);
void declare_rules(CLI::App& app);
int run_explain(const Invocation& invocation);
void declare_explain(CLI::App& app);

}  // namespace loadable::cli
