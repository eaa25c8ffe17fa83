// SPDX-License-Identifier: Apache-2.0
// The list of commands. A new command is one more line here.

#include "cli/command.h"
#include "cli/ldd_command.h"

namespace loadable::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"ldd", kLddSummary, run_ldd, declare_ldd},
  };
  return all;
}

}  // namespace loadable::cli
