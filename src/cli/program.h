// SPDX-License-Identifier: Apache-2.0
#pragma once
// The program: which command, and what is left of it.

namespace loadable::cli {

/// Runs the command that the arguments name; returns the exit status.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace loadable::cli
