// SPDX-License-Identifier: Apache-2.0
#include "cli/why_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "base/format.h"
#include "base/quote.h"
#include "cli/host.h"
#include "cli/ldd_command.h"
#include "loader/conf.h"
#include "report/why.h"
#include "target/target.h"

namespace loadable::cli {
namespace {

constexpr std::string_view kExamples =
    "loadable why /usr/bin/git libz.so.1\n"
    "loadable why .venv libcudnn.so.9 --caller "
    ".venv/lib/python3.11/site-packages/onnxruntime/capi/libonnxruntime_providers_cuda.so\n"
    "loadable why --root /srv/image --env LD_LIBRARY_PATH=/opt/lib /usr/bin/app libfoo.so.2";

struct WhyOptions {
  Terminal terminal;
  ProcessOptions process;
  std::string caller, format = "text", target, name;
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
  app.add_option("--format", options.format, "text or json")
      ->option_text("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("TARGET", options.target, "A program, or an environment: its interpreter then")
      ->required();
  app.add_option("NAME", options.name, "A soname or a path")->required();
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

/// The program behind TARGET: the file itself, or the interpreter of an environment.
Result<std::string> program_of(const WhyOptions& options, tree::Walk& walk) {
  const std::string path = in_root(options, options.target);
  const auto& found = walk.resolve(path);
  if (found && found->stat.kind == tree::Kind::Regular) return path;
  target::Spec spec;
  spec.path = options.target;
  spec.cwd = host_directory();
  spec.virtual_env = variable("VIRTUAL_ENV");
  spec.conda_prefix = variable("CONDA_PREFIX");
  if (!options.process.is_host()) spec.root = options.process.root;
  auto target = target::resolve_target(spec);
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
