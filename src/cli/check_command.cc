// SPDX-License-Identifier: Apache-2.0
#include "cli/check_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <thread>

#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "cli/check_options.h"
#include "cli/host.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "report/check.h"
#include "target/kinds.h"
#include "target/target.h"

namespace loadable::cli {
namespace {

constexpr std::string_view kExamples =
    "loadable check\n"
    "loadable check .venv --require onnxruntime:cuda+cudnn\n"
    "loadable check .venv --no-host-env --env LD_LIBRARY_PATH=/opt/cuda/lib64\n"
    "loadable check .venv --after onnxruntime.preload_dlls\n"
    "loadable check uv.lock --extra gpu\n"
    "loadable check --root /srv/image / --format json --output report.json";

const Command& check_command() {
  static const Command command = {"check", kCheckSummary, run_check, declare_check};
  return command;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<target::Spec> spec_of(const CheckOptions& options, const std::string& path) {
  target::Spec spec;
  spec.path = path;
  spec.cwd = host_directory();
  spec.virtual_env = variable("VIRTUAL_ENV");
  spec.conda_prefix = variable("CONDA_PREFIX");
  spec.python = options.python;
  if (!options.ignores_host) spec.search_path = variable("PATH");
  if (!options.root.empty()) {
    spec.root = options.root;
    if (spec.path.empty()) spec.path = "/";
  }
  if (!options.kind.empty()) {
    auto kind = target::parse_kind(options.kind);
    if (!kind) return fail(kind.error());
    spec.kind = *kind;
  }
  return spec;
}

std::string as_typed(const CheckOptions& options, const target::Target& target) {
  std::string text;
  if (!options.root.empty()) text = format("--root {} ", check::shell_word(options.root));
  if (!options.python.empty()) text += format("--python {} ", check::shell_word(options.python));
  return text + check::shell_word(options.root.empty() ? target.shown : target.path);
}

/// One thread beside the first where there is a second processor.
unsigned readers() {
  constexpr unsigned kMost = 3;
  const unsigned processors = std::thread::hardware_concurrency();
  return processors > 1 ? std::min(processors - 1, kMost) : 0;
}

/// Keeps what an examination worked with until the process is gone: freeing it piece by piece is a
/// tenth of the work on 100,000 objects.
void keep(std::shared_ptr<const void> leftover) {
  // NOLINTNEXTLINE(*-avoid-non-const-global-variables): it outlives all, on purpose
  static auto* const leftovers = new std::vector<std::shared_ptr<const void>>;
  leftovers->push_back(std::move(leftover));
}

/// The options that choose an installation and mean nothing for a target of that kind; empty: none
/// is given.
std::string idle_options(const exam::PlannedOptions& planned, target::Kind kind) {
  if (kind == target::Kind::Lock || kind == target::Kind::Requirements ||
      kind == target::Kind::Project) {
    return {};
  }
  std::string text;
  const auto add = [&](bool is_given, const char* name) {
    if (is_given) text += (text.empty() ? "" : ", ") + loadable::quoted(name);
  };
  add(!planned.extras.empty(), "--extra");
  add(planned.all_extras, "--all-extras");
  add(!planned.groups.empty(), "--group");
  add(planned.all_groups, "--all-groups");
  add(planned.no_default_groups, "--no-default-groups");
  if (target::holds_wheels(kind)) return text;
  add(!planned.python_version.empty(), "--python-version");
  add(!planned.platform.empty(), "--platform");
  return text;
}

/// Among several targets such an option may be meant for another one.
Result<bool> check_selection(const CheckOptions& options, const exam::PlannedOptions& planned,
                             const target::Target& target) {
  const std::string given = idle_options(planned, target.kind);
  if (given.empty()) return true;
  std::string message =
      format("{} choose an installation of a lock, a requirements file or a project; this is {}",
             given, target::described(target.kind));
  if (options.targets.size() <= 1) {
    return fail(ErrorCode::InvalidArgument, std::move(message), target.shown);
  }
  tell_warning(options.terminal, target.shown + ": " + message);
  return true;
}

Result<check::Report> check_one(const CheckOptions& options, const CheckPlan& plan,
                                const std::string& path) {
  const auto spec = spec_of(options, path);
  if (!spec) return fail(spec.error());
  auto resolved = target::resolve_target(*spec);
  if (!resolved) return fail(resolved.error());
  const auto target = std::make_shared<target::Target>(std::move(*resolved));
  if (auto fits = check_selection(options, plan.exam.planned, *target); !fits) {
    return fail(fits.error());
  }
  exam::Options exam = plan.exam;
  exam.shown_target = as_typed(options, *target);
  exam.readers = readers();
  if (options.targets.size() <= 1) {
    keep(target);
    exam.retire = keep;
  }
  const Progress progress(!options.terminal.is_quiet && ::isatty(STDERR_FILENO) == 1);
  exam.progress = [&](std::string_view stage, std::size_t done, std::size_t total) {
    progress.show(stage, done, total);
  };
  auto report = exam::examine(*target, plan.knowledge, exam);
  if (report) check::apply(plan.filter, *report);
  return report;
}

std::string render(const CheckOptions& options, const CheckPlan& plan,
                   const std::vector<check::Report>& reports) {
  if (plan.format == "json") {
    return report::check_json(reports, {std::string(program_version()), plan.knowledge.date});
  }
  const report::Style style{options.terminal.uses_color(), options.terminal.is_quiet,
                            options.is_verbose};
  return plan.format == "concise" ? report::check_concise(reports, style)
                                  : report::check_full(reports, style);
}

int fail_with(const Error& error) {
  tell_error(error);
  return kExitUnable;
}

}  // namespace

void declare_check(CLI::App& app) {
  static CheckOptions options;
  prepare_app(app, check_command(), kExamples, options.terminal);
  add_check_options(app, options);
}

int run_check(const Invocation& invocation) {
  CheckOptions options;
  CLI::App app;
  prepare_app(app, check_command(), kExamples, options.terminal);
  add_check_options(app, options);
  if (const auto status = parse_arguments(app, invocation)) return *status;

  std::optional<std::string> config;
  if (!options.config.empty()) config = options.config;
  const auto configuration = find_configuration(config, host_directory());
  if (!configuration) return fail_with(configuration.error());
  if (options.python.empty()) options.python = configuration->python.value_or("");
  const auto plan = plan_check(options, *configuration);
  if (!plan) return fail_with(plan.error());
  for (const std::string& warning : plan->warnings) tell_warning(options.terminal, warning);

  std::vector<check::Report> reports;
  std::vector<std::string> targets = options.targets;
  if (targets.empty()) targets.emplace_back();
  for (const std::string& path : targets) {
    auto report = check_one(options, *plan, path);
    if (!report) return fail_with(report.error());
    reports.push_back(std::move(*report));
  }
  if (!write_report(options.terminal, render(options, *plan, reports))) return kExitUnable;
  return options.exits_zero ? kExitClean : check::exit_status(reports, plan->fail_on);
}

}  // namespace loadable::cli
