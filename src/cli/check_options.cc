// SPDX-License-Identifier: Apache-2.0
#include "cli/check_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <ctime>
#include <thread>

#include "accel/providers.h"
#include "base/format.h"
#include "base/quote.h"
#include "check/catalogue.h"
#include "cli/host.h"
#include "tree/tree.h"
#include "tree/walk.h"

namespace loadable::cli {
namespace {

constexpr std::uint64_t kBaselineLimit = 256U << 20U;
constexpr std::array<std::string_view, 3> kFormats = {"full", "concise", "json"};
constexpr std::array<std::string_view, 2> kIntegrity = {"default", "full"};

/// An option that may be given several times, or once with commas.
CLI::Option* add_list(CLI::App& app, const char* name, std::vector<std::string>& list,
                      const char* variable, const char* text, const char* help) {
  CLI::Option* option = app.add_option(name, list, help);
  option->option_text(text)->delimiter(',')->take_all()->type_size(1)->allow_extra_args(false);
  return option->envname(variable);
}

CLI::Option* add_text(CLI::App& app, const char* name, std::string& value, const char* variable,
                      const char* text, const char* help) {
  CLI::Option* option = app.add_option(name, value, help);
  return option->option_text(text)->envname(variable);
}

void add_process_options(CLI::App& app, CheckOptions& options) {
  constexpr const char* kGroup = "The process that will run";
  add_list(app, "--after", options.after, "LOADABLE_AFTER", "NAME",
           "What the program loads first: torch, onnxruntime.preload_dlls")
      ->group(kGroup);
  add_list(app, "--provided", options.provided, "LOADABLE_PROVIDED", "NAME",
           "A library (or a pattern) that the host supplies")
      ->group(kGroup);
  app.add_option("--env", options.variables, "A variable of the process, e.g. LD_LIBRARY_PATH")
      ->option_text("K=V")
      ->take_all()
      ->type_size(1)
      ->allow_extra_args(false)
      ->group(kGroup);
  app.add_flag("--no-host-env", options.ignores_host, "The caller's variables do not count")
      ->envname("LOADABLE_NO_HOST_ENV")
      ->group(kGroup);
  add_text(app, "--cwd", options.cwd, "LOADABLE_CWD", "DIR",
           "Its working directory, inside the root; else it is unknown")
      ->group(kGroup);
  add_text(app, "--cpu", options.cpu, "LOADABLE_CPU", "LEVEL",
           "x86-64-v1 to x86-64-v4; else this machine's CPU")
      ->group(kGroup);
  add_text(app, "--libc", options.libc, "LOADABLE_LIBC", "NAME-VERSION",
           "Judge for this C library instead of the one found, e.g. glibc-2.41")
      ->group(kGroup);
}

void add_planned_options(CLI::App& app, CheckOptions& options) {
  constexpr const char* kGroup = "Which installation of a lock, requirements file or project";
  add_list(app, "--extra", options.extras, "LOADABLE_EXTRA", "NAME",
           "With this extra; without a choice every one that is allowed is judged")
      ->group(kGroup);
  app.add_flag("--all-extras", options.all_extras, "With all extras")
      ->envname("LOADABLE_ALL_EXTRAS")
      ->group(kGroup);
  add_list(app, "--group", options.groups, "LOADABLE_GROUP", "NAME", "With this dependency group")
      ->group(kGroup);
  app.add_flag("--all-groups", options.all_groups, "With all dependency groups")
      ->envname("LOADABLE_ALL_GROUPS")
      ->group(kGroup);
  app.add_flag("--no-default-groups", options.no_default_groups,
               "Without the groups that are installed unless one says so")
      ->envname("LOADABLE_NO_DEFAULT_GROUPS")
      ->group(kGroup);
  add_text(app, "--python-version", options.python_version, "LOADABLE_PYTHON_VERSION", "VERSION",
           "For this Python; else for every one that the lock is for")
      ->group(kGroup);
  add_text(app, "--platform", options.platform, "LOADABLE_PLATFORM", "PLATFORM",
           "For linux (default), macos or windows, with a machine: aarch64-linux")
      ->group(kGroup);
}

void add_finding_options(CLI::App& app, CheckOptions& options) {
  constexpr const char* kGroup = "Which findings count";
  add_text(app, "--fail-on", options.fail_on, "LOADABLE_FAIL_ON", "SEVERITY",
           "Exit 1 from this severity on: error (default), warning, note")
      ->group(kGroup);
  add_list(app, "--select", options.select, "LOADABLE_SELECT", "RULE", "Only these rules count")
      ->group(kGroup);
  add_list(app, "--ignore", options.ignore, "LOADABLE_IGNORE", "RULE", "These rules do not count")
      ->group(kGroup);
  add_text(app, "--baseline", options.baseline, "LOADABLE_BASELINE", "FILE",
           "A JSON report of check; what it holds does not count")
      ->group(kGroup);
  app.add_flag("--exit-zero", options.exits_zero, "Exit 0 whatever is found")
      ->envname("LOADABLE_EXIT_ZERO")
      ->group(kGroup);
}

/// `item` is one of `accepted`, or an error that names what is accepted and what is near.
Result<bool> check_word(std::string_view option, std::string_view item,
                        std::span<const std::string_view> accepted) {
  if (std::find(accepted.begin(), accepted.end(), item) != accepted.end()) return true;
  std::string list;
  for (const std::string_view word : accepted)
    list += (list.empty() ? "" : ", ") + loadable::quoted(word);
  const std::string near = check::nearest_word(item, accepted);
  return fail(ErrorCode::InvalidArgument,
              near.empty()
                  ? format("{} {} is unknown; accepted: {}", option, loadable::quoted(item), list)
                  : format("{} {} is unknown; did you mean {}? accepted: {}", option,
                           loadable::quoted(item), loadable::quoted(near), list));
}

Result<bool> check_rules(std::string_view option, const std::vector<std::string>& rules) {
  for (const std::string& rule : rules) {
    if (check::find_rule(rule) != nullptr || rule == "*") continue;
    const std::string_view near = check::nearest_rule(rule);
    return fail(
        ErrorCode::InvalidArgument,
        format("{} {} is no rule{}; `loadable rules` lists them", option, loadable::quoted(rule),
               near.empty() ? "" : format("; did you mean {}?", loadable::quoted(near))));
  }
  return true;
}

std::vector<std::string> joined(const std::vector<std::string>& first,
                                const std::vector<std::string>& second) {
  std::vector<std::string> all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

const std::string& either(const std::string& stated, const std::optional<std::string>& configured) {
  static const std::string kNone;
  if (!stated.empty()) return stated;
  return configured ? *configured : kNone;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

std::string host_path(const std::string& path) {
  return path.starts_with("/") ? path : host_directory() + "/" + path;
}

Result<std::string> read_host_file(const std::string& path, std::uint64_t limit) {
  const auto host = tree::open_host_tree("/");
  if (!host) return fail(host.error());
  tree::Walk walk(**host);
  auto text = walk.read_text(tree::Path(host_path(path)), limit);
  if (text) return text;
  Error error = text.error();
  if (error.subject.empty()) error.subject = path;
  return fail(std::move(error));
}

Result<accel::Knowledge> knowledge_of(const std::string& directory) {
  if (directory.empty()) return accel::built_in_knowledge();
  const auto host = tree::open_host_tree("/");
  if (!host) return fail(host.error());
  tree::Walk walk(**host);
  return accel::load_knowledge(walk, host_path(directory));
}

Result<bool> plan_integrity(const CheckOptions& options, const Configuration& configuration,
                            exam::Options& exam) {
  exam.threads = std::max(1U, std::thread::hardware_concurrency());
  if (const std::string& level = either(options.integrity, configuration.integrity);
      !level.empty()) {
    if (auto known = check_word("--integrity", level, kIntegrity); !known) return known;
    exam.hashes_all = level == "full";
  }
  return true;
}

Result<bool> plan_process(const CheckOptions& options, const Configuration& configuration,
                          CheckPlan& plan) {
  exam::Options& exam = plan.exam;
  for (const std::string& text : joined(configuration.require, options.require)) {
    auto requirement = accel::parse_requirement(text, plan.knowledge);
    if (!requirement) return fail(requirement.error());
    exam.require.push_back(std::move(*requirement));
  }
  for (const std::string& text : joined(configuration.after, options.after)) {
    auto action = accel::parse_after(text, plan.knowledge);
    if (!action) return fail(action.error());
    exam.after.push_back(std::move(*action));
  }
  exam.provided = joined(configuration.provided, options.provided);
  exam.exclude = joined(configuration.exclude, options.exclude);
  exam.planned = {options.extras,
                  options.groups,
                  options.all_extras,
                  options.all_groups,
                  options.no_default_groups,
                  options.python_version,
                  options.platform};
  exam.host = host_loader_variables();
  exam.host_python = host_python_variables();
  exam.counts_host = !options.ignores_host && configuration.counts_host.value_or(true);
  exam.binds_symbols = options.binds_symbols || configuration.binds_symbols.value_or(false);
  if (auto integrity = plan_integrity(options, configuration, exam); !integrity) return integrity;
  exam.stated = configuration.env;
  for (const std::string& text : options.variables) {
    auto variable = parse_variable(text);
    if (!variable) return fail(variable.error());
    std::erase_if(exam.stated, [&](const auto& known) { return known.first == variable->first; });
    exam.stated.push_back(std::move(*variable));
  }
  if (const std::string& cwd = either(options.cwd, configuration.cwd); !cwd.empty()) {
    if (!cwd.starts_with('/')) {
      return fail(ErrorCode::InvalidArgument,
                  format("--cwd {} is relative, wanted a path that begins with `/`",
                         loadable::quoted(cwd)));
    }
    exam.cwd = cwd;
  }
  exam.cpu = host_cpu();
  if (const std::string& cpu = either(options.cpu, configuration.cpu); !cpu.empty()) {
    const auto level = loader::parse_cpu(cpu);
    if (!level) return fail(level.error());
    exam.cpu = {*level, {}};
  }
  if (const std::string& libc = either(options.libc, configuration.libc); !libc.empty()) {
    auto parsed = loader::parse_libc(libc);
    if (!parsed) return fail(parsed.error());
    exam.libc = *parsed;
  }
  return true;
}

Result<bool> plan_findings(const CheckOptions& options, const Configuration& configuration,
                           CheckPlan& plan) {
  plan.filter.today = today();
  plan.filter.select = options.select.empty() ? configuration.select : options.select;
  plan.filter.ignore = configuration.ignore;
  for (const auto& rules :
       {std::pair{"--select", plan.filter.select}, std::pair{"--ignore", options.ignore}}) {
    if (auto known = check_rules(rules.first, rules.second); !known) return known;
  }
  for (const std::string& rule : options.ignore) {
    plan.filter.ignore.push_back({rule, {}, "--ignore", {}});
  }
  for (const check::Ignore& ignore : plan.filter.ignore) {
    if (ignore.expires.empty() || ignore.expires >= plan.filter.today) continue;
    plan.warnings.push_back(format("{}: the row of `ignore` for {} expired on {}",
                                   configuration.file, loadable::quoted(ignore.rule),
                                   ignore.expires));
  }
  if (const std::string& text = either(options.fail_on, configuration.fail_on); !text.empty()) {
    const auto severity = check::parse_severity(text);
    if (!severity) {
      return fail(ErrorCode::InvalidArgument, "--fail-on: " + severity.error().message);
    }
    plan.fail_on = *severity;
  }
  if (const std::string& format = either(options.format, configuration.format); !format.empty()) {
    if (auto known = check_word("--format", format, kFormats); !known) return known;
    plan.format = format;
  }
  const std::string& baseline = either(options.baseline, configuration.baseline);
  if (baseline.empty()) return true;
  const auto text = read_host_file(baseline, kBaselineLimit);
  if (!text) return fail(text.error());
  auto known = check::read_baseline(*text);
  if (!known) {
    Error error = known.error();
    error.subject = baseline;
    return fail(std::move(error));
  }
  plan.filter.baseline = std::move(*known);
  return true;
}

}  // namespace

void add_check_options(CLI::App& app, CheckOptions& options) {
  app.add_option("TARGET", options.targets,
                 "Virtual environment, interpreter, conda prefix, root directory, folder of `pip "
                 "install --target`, wheel, folder of wheels, lock or requirements file, project "
                 "folder; default: .venv, VIRTUAL_ENV, "
                 "CONDA_PREFIX");
  app.add_option("--root", options.root, "TARGET is a path inside this other root")
      ->option_text("DIR");
  app.add_option(
         "--kind", options.kind,
         "What TARGET is, where the guess is wrong: venv, interpreter, conda, rootfs, wheel, "
         "wheelhouse, lock, requirements, project")
      ->option_text("KIND");
  add_text(app, "--python", options.python, "LOADABLE_PYTHON", "PATH",
           "Interpreter that imports from a folder of `pip install --target`; default: python3 "
           "on PATH");
  add_list(app, "--require", options.require, "LOADABLE_REQUIRE", "PROVIDER",
           "It must load: onnxruntime:cuda, onnxruntime:cuda+cudnn");
  add_text(app, "--integrity", options.integrity, "LOADABLE_INTEGRITY", "LEVEL",
           "default: hashes of files that several distributions install, and of those that carry a "
           "provider; full: of all files");
  app.add_flag("--symbols", options.binds_symbols, "Bind the symbols of all objects, as `ldd -r`")
      ->envname("LOADABLE_SYMBOLS");
  add_list(app, "--exclude", options.exclude, "LOADABLE_EXCLUDE", "PATTERN",
           "Paths that are not looked at");
  add_text(app, "--format", options.format, "LOADABLE_FORMAT", "FORMAT",
           "full (default), concise or json");
  add_process_options(app, options);
  add_planned_options(app, options);
  add_finding_options(app, options);
  constexpr const char* kGroup = "Common options";
  app.add_flag("-v,--verbose", options.is_verbose,
               "Notes in full, every place searched, side effects of remedies")
      ->group(kGroup);
  add_text(app, "--config", options.config, "LOADABLE_CONFIG", "FILE",
           "Instead of the nearest loadable.toml or pyproject.toml")
      ->group(kGroup);
  add_text(app, "--knowledge", options.knowledge, "LOADABLE_KNOWLEDGE", "DIR",
           "Tables that replace the built-in ones")
      ->group(kGroup);
}

Result<CheckPlan> plan_check(const CheckOptions& options, const Configuration& configuration) {
  CheckPlan plan;
  auto knowledge = knowledge_of(either(options.knowledge, configuration.knowledge));
  if (!knowledge) return fail(knowledge.error());
  plan.knowledge = std::move(*knowledge);
  if (auto process = plan_process(options, configuration, plan); !process) {
    return fail(process.error());
  }
  if (auto findings = plan_findings(options, configuration, plan); !findings) {
    return fail(findings.error());
  }
  return plan;
}

}  // namespace loadable::cli
