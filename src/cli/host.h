// SPDX-License-Identifier: Apache-2.0
#pragma once
// What this machine adds to a question about its own files: variables, working directory, CPU.

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "loader/process.h"

namespace loadable::cli {

/// Those of the caller's variables that dynamic loaders read.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> host_loader_variables();
/// Those that Python reads to find what it imports: PYTHONPATH and where the user's site lies.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> host_python_variables();
/// Every variable of the caller.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> host_variables();
/// The working directory; `/` when it is gone.
[[nodiscard]] std::string host_directory();
/// This CPU as glibc sees it: level of the x86-64 psABI, and the platform that 2.36 derives.
[[nodiscard]] loader::Cpu host_cpu();
/// One `K=V` of --env. Error: InvalidArgument.
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_variable(const std::string& text);

}  // namespace loadable::cli
