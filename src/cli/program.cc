// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <malloc.h>

#include <csignal>
#include <exception>
#include <limits>

#include "base/format.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/version.h"

namespace loadable::cli {
namespace {

std::string overview() {
  std::string text =
      "Proves that the accelerator you ship is the accelerator you run on.\n\n"
      "Usage: loadable COMMAND [OPTIONS]\n\nCommands:\n";
  for (const Command& command : commands()) {
    text += format("  {:<12} {}\n", command.name, command.summary);
  }
  text +=
      "\nOptions:\n"
      "  -h, --help     Show this text, or that of a command\n"
      "  --version      Show the version and the date of the knowledge\n"
      "\nExamples:\n"
      "  loadable check .venv\n"
      "  loadable ldd /usr/bin/python3\n"
      "  loadable why /usr/bin/python3 libz.so.1\n"
      "\nExit status: 0 nothing found, 1 findings, 2 could not work, 3 not all examined\n";
  return text;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

int refuse_word(std::string_view word) {
  std::vector<std::string_view> names = {"--help", "--version"};
  for (const Command& command : commands()) names.push_back(command.name);
  std::string hint = "try `loadable --help`";
  if (const auto nearest = nearest_name(word, names)) hint = format("did you mean `{}`?", *nearest);
  const std::string_view kind = word.starts_with('-') ? "option" : "command";
  tell_error(format("unknown {} {}; {}", kind, loadable::quoted(word), hint));
  return kExitUnable;
}

int report(std::string_view text) {
  return write_report(Terminal{}, text) ? kExitClean : kExitUnable;
}

int run_words(const std::vector<std::string>& words) {
  if (words.empty()) {
    tell_error("no command; `loadable --help` lists them");
    return kExitUnable;
  }
  const std::string& first = words.front();
  if (first == "--version" || first == "-V") return report(version_text());
  if (first == "--help" || first == "-h" || first == "help") {
    if (words.size() < 2) return report(overview());
    const Command* command = find_command(words[1]);
    return command != nullptr ? command->run({{"--help"}}) : refuse_word(words[1]);
  }
  const Command* command = find_command(first);
  if (command == nullptr) return refuse_word(first);
  return command->run({{words.begin() + 1, words.end()}});
}

/// Memory is asked for in large pieces and never given back: a run is short.
void prepare_memory() {
#ifdef __GLIBC__
  constexpr int kPiece = 4 * 1024 * 1024;
  ::mallopt(M_TOP_PAD, kPiece);
  ::mallopt(M_MMAP_THRESHOLD, kPiece);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace

int run_program(int argc, char** argv) {
  prepare_memory();
  // A closed pipe is an error of write(), not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a limit on the size of files.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run_words({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::exception& error) {
    tell_error(format("this is a bug: {}", error.what()));
    return kExitUnable;
  }
}

}  // namespace loadable::cli
