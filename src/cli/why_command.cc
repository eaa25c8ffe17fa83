// SPDX-License-Identifier: Apache-2.0
#include "cli/why_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "accel/knowledge.h"
#include "accel/providers.h"
#include "base/format.h"
#include "base/quote.h"
#include "cli/host.h"
#include "cli/ldd_command.h"
#include "exam/plan_trace.h"
#include "loader/conf.h"
#include "report/plan.h"
#include "report/why.h"
#include "target/target.h"

namespace loadable::cli {
namespace {

constexpr std::string_view kExamples =
    "loadable why /usr/bin/git libz.so.1\n"
    "loadable why .venv onnxruntime:cuda\n"
    "loadable why .venv libcudnn.so.9 --caller "
    ".venv/lib/python3.11/site-packages/onnxruntime/capi/libonnxruntime_providers_cuda.so\n"
    "loadable why --root /srv/image --env LD_LIBRARY_PATH=/opt/lib /usr/bin/app libfoo.so.2";

struct WhyOptions {
  Terminal terminal;
  ProcessOptions process;
  std::string caller, format = "text", target, name, python;
  std::vector<std::string> after;
};

const Command& why_command() {
  static const Command command = {"why", kWhySummary, run_why, declare_why};
  return command;
}

void add_why_options(CLI::App& app, WhyOptions& options) {
  add_process_options(app, options.process);
  app.add_option("--caller", options.caller,
                 "The object that asks; loaded first where the program does not load it")
      ->option_text("PATH");
  app.add_option("--after", options.after,
                 "What the program does before a provider loads: onnxruntime.preload_dlls, torch")
      ->option_text("NAME")
      ->take_all()
      ->type_size(1)
      ->allow_extra_args(false);
  app.add_option("--python", options.python,
                 "Interpreter that imports from a folder of `pip install --target`; default: "
                 "python3 on PATH")
      ->option_text("PATH")
      ->envname("LOADABLE_PYTHON");
  app.add_option("--format", options.format, "text or json")
      ->option_text("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("TARGET", options.target, "A program, or an environment: its interpreter then")
      ->required();
  app.add_option("NAME", options.name,
                 "A soname, a path, or a provider (onnxruntime:cuda): each search of its load plan")
      ->required();
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Paths that the user gives for this machine count from the working directory.
std::string in_root(const WhyOptions& options, const std::string& path) {
  if (!options.process.is_host() || path.starts_with('/')) return path;
  return host_directory() + '/' + path;
}

Result<target::Target> target_of(const WhyOptions& options) {
  target::Spec spec;
  spec.path = options.target;
  spec.cwd = host_directory();
  spec.virtual_env = variable("VIRTUAL_ENV");
  spec.conda_prefix = variable("CONDA_PREFIX");
  spec.search_path = variable("PATH");
  spec.python = options.python;
  if (!options.process.is_host()) spec.root = options.process.root;
  return target::resolve_target(spec);
}

/// The program behind TARGET: the file itself, or the interpreter of an environment.
Result<std::string> program_of(const WhyOptions& options, tree::Walk& walk) {
  const std::string path = in_root(options, options.target);
  const auto& found = walk.resolve(path);
  if (found && found->stat.kind == tree::Kind::Regular) return path;
  auto target = target_of(options);
  if (!target) return fail(target.error());
  for (const auto& environment : target->environments) {
    if (environment.program.empty()) continue;
    const std::string root = target->root == "/" ? std::string() : target->root;
    return options.process.is_host() ? root + environment.program : environment.program;
  }
  return fail(ErrorCode::NotFound,
              format("{} has no interpreter here, wanted a program or an environment that has one",
                     loadable::quoted(options.target)));
}

/// Requests of that name that the process made, or the search that a dlopen would make now.
std::vector<loader::Request> requests_for(loader::Process& process, const WhyOptions& options,
                                          const std::optional<std::string>& caller) {
  std::vector<loader::Request> result;
  for (const loader::Request& request : process.requests()) {
    if (request.name != options.name) continue;
    if (caller && request.requester != *caller) continue;
    result.push_back(request);
  }
  if (!result.empty()) return result;
  loader::DlopenOptions dlopen;
  dlopen.caller = caller;
  loader::Request request = process.search(options.name, dlopen);
  request.requester = caller.value_or(process.objects().front().path);
  return {std::move(request)};
}

/// Why a directory that ldconfig knows is not searched.
std::vector<std::string> notes_for(tree::Walk& walk, const WhyOptions& options,
                                   const std::vector<loader::Request>& requests) {
  std::vector<std::string> notes;
  const bool is_missing = std::any_of(requests.begin(), requests.end(),
                                      [](const auto& request) { return request.path.empty(); });
  if (!is_missing || options.name.find('/') != std::string::npos) return notes;
  for (const loader::ConfDirectory& directory : loader::read_conf(walk)) {
    const std::string path = directory.path + '/' + options.name;
    if (!walk.resolve(path)) continue;
    notes.push_back(
        format("{} is there, and {} lists its directory, but no loader reads that "
               "file: run `ldconfig`",
               path, directory.file));
  }
  return notes;
}

int explain(const WhyOptions& options, tree::Walk& walk, loader::Environment environment) {
  const auto program = program_of(options, walk);
  if (!program) {
    tell_error(program.error());
    return kExitUnable;
  }
  loader::Store store(walk);
  environment.traces_all = true;
  auto process = loader::Process::start(store, *program, std::move(environment));
  if (!process) {
    tell_error(process.error());
    return kExitUnable;
  }
  std::optional<std::string> caller;
  if (!options.caller.empty()) {
    caller = in_root(options, options.caller);
    if (!process->find(*caller)) process->dlopen(*caller, {});
    const auto member = process->find(*caller);
    if (member) caller = process->objects()[*member].path;
  }
  report::WhySubject subject;
  subject.program = *program;
  subject.name = options.name;
  subject.requests = requests_for(*process, options, caller);
  subject.notes = notes_for(walk, options, subject.requests);
  const auto colors = options.terminal.uses_color() ? report::Colors::On : report::Colors::Off;
  const std::string text = options.format == "json"
                               ? report::render_why_json(*process, subject)
                               : report::render_why_text(*process, subject, colors);
  if (!write_report(options.terminal, text)) return kExitUnable;
  const bool is_found = std::all_of(subject.requests.begin(), subject.requests.end(),
                                    [](const auto& request) { return !request.path.empty(); });
  return is_found ? kExitClean : kExitFindings;
}

/// `onnxruntime:cuda`: no soname has a colon.
bool names_provider(const WhyOptions& options) {
  return options.name.find(':') != std::string::npos &&
         options.name.find('/') == std::string::npos &&
         options.name.find(".so") == std::string::npos;
}

/// Variables, CPU and C library as for a library; the working directory is unknown, as for `check`.
Result<exam::Options> exam_options(const WhyOptions& options, const accel::Knowledge& knowledge) {
  auto environment = make_environment(options.process);
  if (!environment) return fail(environment.error());
  exam::Options exam;
  exam.counts_host = false;
  exam.stated = environment->variables;
  if (options.process.is_host()) {
    for (auto& variable : host_python_variables()) {
      const bool is_stated =
          std::any_of(exam.stated.begin(), exam.stated.end(),
                      [&](const auto& each) { return each.first == variable.first; });
      if (!is_stated) exam.stated.push_back(std::move(variable));
    }
  }
  if (!options.process.cwd.empty()) exam.cwd = options.process.cwd;
  exam.cpu = environment->cpu;
  if (environment->stated) {
    exam.libc = std::pair{environment->stated->libc, environment->stated->version};
  }
  for (const std::string& name : options.after) {
    auto action = accel::parse_after(name, knowledge);
    if (!action) return fail(action.error());
    exam.after.push_back(std::move(*action));
  }
  return exam;
}

/// The load plan of a provider, each search of it.
int explain_provider(const WhyOptions& options) {
  if (!options.caller.empty()) {
    tell_error("--caller has no meaning for a provider: its load plan says who asks");
    return kExitUnable;
  }
  const accel::Knowledge& knowledge = accel::built_in_knowledge();
  const auto exam = exam_options(options, knowledge);
  auto target = exam ? target_of(options) : Result<target::Target>(fail(exam.error()));
  if (!target) {
    tell_error(target.error());
    return kExitUnable;
  }
  std::string text;
  bool is_loaded = false;
  const auto ran =
      exam::trace_plan(*target, knowledge, *exam, options.name, [&](const accel::ProviderRun& run) {
        const auto colors =
            options.terminal.uses_color() ? report::Colors::On : report::Colors::Off;
        text = options.format == "json" ? report::render_plan_json(run)
                                        : report::render_plan_text(run, colors);
        is_loaded = report::is_plan_loaded(run);
      });
  if (!ran) {
    tell_error(ran.error());
    return kExitUnable;
  }
  if (!write_report(options.terminal, text)) return kExitUnable;
  return is_loaded ? kExitClean : kExitFindings;
}

}  // namespace

void declare_why(CLI::App& app) {
  static WhyOptions options;
  prepare_app(app, why_command(), kExamples, options.terminal);
  add_why_options(app, options);
}

int run_why(const Invocation& invocation) {
  WhyOptions options;
  CLI::App app;
  prepare_app(app, why_command(), kExamples, options.terminal);
  add_why_options(app, options);
  if (const auto status = parse_arguments(app, invocation)) return *status;
  if (names_provider(options)) return explain_provider(options);
  if (!options.after.empty()) {
    tell_error("--after is for a provider, and NAME is a library; it takes --caller instead");
    return kExitUnable;
  }
  auto root = open_root(options.process);
  if (!root) {
    tell_error(root.error());
    return kExitUnable;
  }
  auto environment = make_environment(options.process);
  if (!environment) {
    tell_error(environment.error());
    return kExitUnable;
  }
  tree::Walk walk(**root);
  return explain(options, walk, std::move(*environment));
}

}  // namespace loadable::cli
