// SPDX-License-Identifier: Apache-2.0
// The list of commands. A new command is one more line here.

#include "cli/check_command.h"
#include "cli/command.h"
#include "cli/ldd_command.h"
#include "cli/rules_command.h"

namespace loadable::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"check", kCheckSummary, run_check, declare_check},
      {"ldd", kLddSummary, run_ldd, declare_ldd},
      {"rules", kRulesSummary, run_rules, declare_rules},
      {"explain", kExplainSummary, run_explain, declare_explain},
  };
  return all;
}

}  // namespace loadable::cli
