// SPDX-License-Identifier: Apache-2.0
#pragma once
// `loadable ldd`, and the options that say which process is meant (shared with `why`).

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "loader/process.h"
#include "tree/tree.h"

namespace loadable::cli {

inline constexpr std::string_view kLddSummary =
    "What a program loads, by which rule, and what would fail; runs nothing";

int run_ldd(const Invocation& invocation);
void declare_ldd(CLI::App& app);

/// Root, variables, working directory, CPU and C library of a process.
struct ProcessOptions {
  std::string root = "/", cwd, cpu, libc;
  std::vector<std::string> variables;
  bool binds_symbols = false, is_secure = false;

  /// Is the root this machine's own? Only then do the caller's variables count.
  [[nodiscard]] bool is_host() const { return root == "/"; }
};

void add_process_options(CLI::App& app, ProcessOptions& options);
/// Error: the root cannot be opened.
Result<std::unique_ptr<tree::Tree>> open_root(const ProcessOptions& options);
/// Errors: InvalidArgument for --env, --cpu, --libc, --cwd.
Result<loader::Environment> make_environment(const ProcessOptions& options);

}  // namespace loadable::cli
