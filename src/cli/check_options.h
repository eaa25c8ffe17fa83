// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options of `check`: command line before LOADABLE_* before configuration.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accel/knowledge.h"
#include "base/result.h"
#include "check/filter.h"
#include "cli/command.h"
#include "cli/configuration.h"
#include "exam/exam.h"

namespace loadable::cli {

/// As typed.
struct CheckOptions {
  Terminal terminal;
  bool is_verbose = false;
  std::vector<std::string> targets;
  std::string root, kind, python;
  std::vector<std::string> require, after, provided, variables, exclude, select, ignore;
  bool ignores_host = false, binds_symbols = false, exits_zero = false;
  std::vector<std::string> extras, groups;
  bool all_extras = false, all_groups = false, no_default_groups = false;
  std::string python_version, platform;
  std::string cwd, cpu, libc, format, fail_on, config, baseline, knowledge, integrity;
};

void add_check_options(CLI::App& app, CheckOptions& options);

/// What they mean, together with the configuration.
struct CheckPlan {
  accel::Knowledge knowledge;
  exam::Options exam;
  check::Filter filter;
  check::Severity fail_on = check::Severity::Error;
  std::string format = "full";
  std::vector<std::string> warnings;  ///< for standard error: expired rows of `ignore` …
};

/// Errors: InvalidArgument for a value that is not accepted (the message says what was found, what
/// is accepted, and the nearest name), and those of reading files.
Result<CheckPlan> plan_check(const CheckOptions& options, const Configuration& configuration);

}  // namespace loadable::cli
