// SPDX-License-Identifier: Apache-2.0
// `loadable ldd`: one program, emulated, as text or JSON.

#include "cli/ldd_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "cli/host.h"
#include "report/ldd.h"
#include "tree/walk.h"

namespace loadable::cli {
namespace {

constexpr std::string_view kExamples =
    "loadable ldd /usr/bin/python3\n"
    "loadable ldd --root /srv/image --env LD_LIBRARY_PATH=/opt/lib /usr/bin/app\n"
    "loadable ldd --dlopen global@libprovider.so --dlopen /opt/plugin.so --symbols ./app\n"
    "loadable ldd --libc glibc-2.41 --cpu x86-64-v2 --format json ./app";

struct LddOptions {
  Terminal terminal;
  ProcessOptions process;
  std::vector<std::string> dlopens;
  std::string caller, format = "text", file;
};

void add_ldd_options(CLI::App& app, LddOptions& options) {
  add_process_options(app, options.process);
  app.add_option("--dlopen", options.dlopens,
                 "Load this too, as the running program would; FLAGS: lazy, now, global, deepbind")
      ->option_text("[FLAGS@]NAME")
      ->take_all()
      ->type_size(1)
      ->allow_extra_args(false);
  app.add_option("--caller", options.caller, "The loaded object whose code calls dlopen")
      ->option_text("PATH");
  app.add_option("--format", options.format, "text or json")
      ->option_text("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("FILE", options.file, "A program or library, as a path inside the root")
      ->required();
}

const Command& ldd_command() {
  static const Command command = {"ldd", kLddSummary, run_ldd, declare_ldd};
  return command;
}

/// Flags before `@`, only if every word is one; else the whole text is the name.
std::pair<loader::DlopenOptions, std::string> parse_dlopen(const std::string& text) {
  const std::size_t at = text.find('@');
  if (at == text.npos) return {{}, text};
  loader::DlopenOptions flags;
  for (std::size_t begin = 0; begin <= at;) {
    const std::size_t end = std::min(text.find(',', begin), at);
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word == "lazy") {
      flags.is_lazy = true;
    } else if (word == "global") {
      flags.is_global = true;
    } else if (word == "deepbind") {
      flags.is_deepbind = true;
    } else if (word == "noload") {
      flags.is_noload = true;
    } else if (word == "nodelete") {
      flags.is_nodelete = true;
    } else if (word != "now" && word != "local") {
      return {{}, text};
    }
  }
  return {flags, text.substr(at + 1)};
}

/// Performs the --dlopen steps; false after telling that the caller is none of the objects.
bool perform_steps(loader::Process& process, const LddOptions& options) {
  std::optional<std::string> caller;
  if (!options.caller.empty()) caller = options.caller;
  for (const auto& text : options.dlopens) {
    auto [flags, name] = parse_dlopen(text);
    flags.caller = caller;
    if (caller && !process.find(*caller)) {
      tell_error(format("--caller {} is not loaded when {} is opened", loadable::quoted(*caller),
                        loadable::quoted(name)));
      return false;
    }
    process.dlopen(name, flags);
  }
  return true;
}

std::string render(const loader::Process& process, const LddOptions& options) {
  const report::LddSubject subject{options.file};
  if (options.format == "json") return report::render_ldd_json(process, subject);
  return report::render_ldd_text(
      process, subject, options.terminal.uses_color() ? report::Colors::On : report::Colors::Off);
}

}  // namespace

void declare_ldd(CLI::App& app) {
  static LddOptions options;
  prepare_app(app, ldd_command(), kExamples, options.terminal);
  add_ldd_options(app, options);
}

int run_ldd(const Invocation& invocation) {
  LddOptions options;
  CLI::App app;
  prepare_app(app, ldd_command(), kExamples, options.terminal);
  add_ldd_options(app, options);
  if (const auto status = parse_arguments(app, invocation)) return *status;

  auto root = open_root(options.process);
  if (!root) {
    tell_error(root.error());
    return kExitUnable;
  }
  tree::Walk walk(**root);
  loader::Store store(walk);
  auto environment = make_environment(options.process);
  if (!environment) {
    tell_error(environment.error());
    return kExitUnable;
  }
  auto process = loader::Process::start(store, options.file, std::move(*environment));
  if (!process) {
    tell_error(process.error());
    return kExitUnable;
  }
  if (!perform_steps(*process, options)) return kExitUnable;
  if (!write_report(options.terminal, render(*process, options))) return kExitUnable;
  const bool is_clean = process->missing().empty() && process->failures().empty();
  return is_clean ? kExitClean : kExitFindings;
}

}  // namespace loadable::cli
