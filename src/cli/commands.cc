// SPDX-License-Identifier: Apache-2.0
// The list of commands. A new command is one more line here.

#include "cli/check_command.h"
#include "cli/command.h"
#include "cli/ldd_command.h"
#include "cli/rules_command.h"
#include "cli/shim_command.h"
#include "cli/why_command.h"

namespace loadable::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"check", kCheckSummary, run_check, declare_check},
      {"ldd", kLddSummary, run_ldd, declare_ldd},
      {"why", kWhySummary, run_why, declare_why},
      {"shim", kShimSummary, run_shim, declare_shim},
      {"rules", kRulesSummary, run_rules, declare_rules},
      {"explain", kExplainSummary, run_explain, declare_explain},
      {"completions", kCompletionsSummary, run_completions, declare_completions},
  };
  return all;
}

}  // namespace loadable::cli
