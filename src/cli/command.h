// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a command is to the program: a name, a summary and a function. One file per command,
// <name>_command.cc; commands.cc lists them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
}

namespace loadable::cli {

/// Exit statuses of every command.
inline constexpr int kExitClean = 0;       ///< nothing found
inline constexpr int kExitFindings = 1;    ///< findings, or something missing or failed
inline constexpr int kExitUnable = 2;      ///< the tool could not do its work
inline constexpr int kExitIncomplete = 3;  ///< no finding, but something was not examined

/// The options that every command takes, and where its report goes.
struct Terminal {
  enum class Color : unsigned char { Auto, Always, Never };
  Color color = Color::Auto;
  std::string output;  ///< --output FILE; empty: standard output
  bool is_quiet = false;

  /// Colours are used on a terminal, never into a file, never with NO_COLOR, unless asked for.
  [[nodiscard]] bool uses_color() const;
};

/// One call of the program, past the name of the command.
struct Invocation {
  std::vector<std::string> arguments;
};

struct Command {
  std::string_view name;
  std::string_view summary;
  /// Parses the arguments, works, writes the report; returns the exit status.
  int (*run)(const Invocation&);
  /// Adds the command's options to an App, for shell completions.
  void (*declare)(CLI::App&);
};

/// Every command, in the order of the help. Extend it in commands.cc.
[[nodiscard]] const std::vector<Command>& commands();

/// The App of one command: name, summary, examples as footer, common options.
/// `examples`: lines without indentation.
void prepare_app(CLI::App& app, const Command& command, std::string_view examples,
                 Terminal& terminal);

/// Parses; returns the exit status when the command must not run (help, a mistake), else nothing.
/// A mistake is told on standard error with the nearest option's name, status 2.
[[nodiscard]] std::optional<int> parse_arguments(CLI::App& app, const Invocation& invocation);

/// Writes the report: to standard output, or to --output by way of a temporary file beside it that
/// is renamed, so that no reader ever sees a half of it. Returns false after telling why not.
[[nodiscard]] bool write_report(const Terminal& terminal, std::string_view report);

/// `loadable: error: …` on standard error.
void tell_error(std::string_view message);
void tell_error(const Error& error);
/// `loadable: warning: …` on standard error, unless quiet.
void tell_warning(const Terminal& terminal, std::string_view message);

/// The name in `names` that is spelled most like `word`, within two edits (one for short words).
[[nodiscard]] std::optional<std::string_view> nearest_name(
    std::string_view word, const std::vector<std::string_view>& names);

}  // namespace loadable::cli
