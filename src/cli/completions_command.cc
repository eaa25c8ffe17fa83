// SPDX-License-Identifier: Apache-2.0
// `loadable completions SHELL`: made from the declared options, so that they cannot go stale.

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "cli/why_command.h"

namespace loadable::cli {
namespace {

constexpr std::string_view kExamples =
    "loadable completions bash > /etc/bash_completion.d/loadable\n"
    "loadable completions zsh > ~/.zfunc/_loadable\n"
    "loadable completions fish > ~/.config/fish/completions/loadable.fish";

struct CompletionsOptions {
  Terminal terminal;
  std::string shell;
};

const Command& completions_command() {
  static const Command command = {"completions", kCompletionsSummary, run_completions,
                                  declare_completions};
  return command;
}

void add_completions_options(CLI::App& app, CompletionsOptions& options) {
  app.add_option("SHELL", options.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

struct Described {
  std::string_view name, summary;
  std::vector<std::pair<std::string, std::string>> options;  ///< `--name`, description
};

std::vector<Described> describe_all() {
  std::vector<Described> result;
  for (const Command& command : commands()) {
    CLI::App app;
    command.declare(app);
    Described described{command.name, command.summary, {}};
    for (const CLI::Option* option : app.get_options()) {
      for (const auto& name : option->get_lnames()) {
        described.options.emplace_back("--" + name, option->get_description());
      }
    }
    result.push_back(std::move(described));
  }
  return result;
}

std::string words(const Described& command) {
  std::string text;
  for (const auto& [name, description] : command.options) text += name + ' ';
  if (command.name == "completions") text += "bash zsh fish ";
  if (!text.empty()) text.pop_back();
  return text;
}

std::string bash(const std::vector<Described>& all) {
  std::string names;
  std::string cases;
  for (const Described& command : all) {
    names += format("{} ", command.name);
    cases += format("    {}) words=\"{}\" ;;\n", command.name, words(command));
  }
  return format(
      "_loadable() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{}--help --version\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\") $(compgen -f -- \"$current\"))\n"
      "}}\n"
      "complete -o filenames -F _loadable loadable\n",
      names, cases);
}

/// Text inside single quotes of zsh and fish.
std::string in_quotes(std::string_view text, bool escapes_brackets) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else if (escapes_brackets && (c == '[' || c == ']' || c == ':')) {
      result += format("\\{}", c);
    } else {
      result += c;
    }
  }
  return result;
}

std::string zsh(const std::vector<Described>& all) {
  std::string names;
  std::string cases;
  for (const Described& command : all) {
    names += format("    '{}:{}'\n", command.name, in_quotes(command.summary, true));
    cases += format("    {})\n      _arguments -S", command.name);
    for (const auto& [name, description] : command.options) {
      cases += format(" \\\n        '{}[{}]'", name, in_quotes(description, true));
    }
    cases += " \\\n        '*:file:_files'\n      ;;\n";
  }
  return format(
      "#compdef loadable\n"
      "_loadable() {{\n"
      "  local -a commands\n"
      "  commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n{}  esac\n"
      "}}\n"
      "_loadable \"$@\"\n",
      names, cases);
}

std::string fish(const std::vector<Described>& all) {
  std::string text;
  for (const Described& command : all) {
    text += format("complete -c loadable -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                   in_quotes(command.summary, false));
    for (const auto& [name, description] : command.options) {
      text += format("complete -c loadable -n '__fish_seen_subcommand_from {}' -l {} -d '{}'\n",
                     command.name, name.substr(2), in_quotes(description, false));
    }
  }
  return text;
}

}  // namespace

void declare_completions(CLI::App& app) {
  static CompletionsOptions options;
  prepare_app(app, completions_command(), kExamples, options.terminal);
  add_completions_options(app, options);
}

int run_completions(const Invocation& invocation) {
  CompletionsOptions options;
  CLI::App app;
  prepare_app(app, completions_command(), kExamples, options.terminal);
  add_completions_options(app, options);
  if (const auto status = parse_arguments(app, invocation)) return *status;
  const auto all = describe_all();
  const std::string text = options.shell == "bash"  ? bash(all)
                           : options.shell == "zsh" ? zsh(all)
                                                    : fish(all);
  return write_report(options.terminal, text) ? kExitClean : kExitUnable;
}

}  // namespace loadable::cli
