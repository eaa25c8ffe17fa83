// SPDX-License-Identifier: Apache-2.0
// Parsing by CLI11 behind one door: its exceptions and its exit codes end here.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <numeric>

#include "base/format.h"
#include "base/quote.h"
#include "cli/command.h"

namespace loadable::cli {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t same = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, same});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The first argument that looks like an option and is none of the App's.
std::optional<std::string> unknown_option(const CLI::App& app,
                                          const std::vector<std::string>& arguments) {
  const auto names = option_names(app);
  for (const auto& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--")) continue;
    const std::string name = argument.substr(0, argument.find('='));
    if (std::find(names.begin(), names.end(), name) == names.end()) return name;
  }
  return std::nullopt;
}

std::string hint_for(const CLI::App& app, const Invocation& invocation) {
  const auto unknown = unknown_option(app, invocation.arguments);
  if (!unknown) return format("try `loadable {} --help`", app.get_name());
  const auto names = option_names(app);
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const auto nearest = nearest_name(*unknown, views)) {
    return format("did you mean `{}`?", *nearest);
  }
  return format("try `loadable {} --help`", app.get_name());
}

std::string first_line(std::string text) {
  text = text.substr(0, text.find('\n'));
  while (text.ends_with('.')) text.pop_back();
  const auto is_capital = [&](std::size_t at) {
    return at < text.size() && text[at] >= 'A' && text[at] <= 'Z';
  };
  // A word all in capitals is a name, as FILE.
  if (is_capital(0) && !is_capital(1)) {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view word,
                                             const std::vector<std::string_view>& names) {
  std::optional<std::string_view> best;
  std::size_t best_distance = word.size() <= 4 ? 2 : 3;  // one past what is near enough
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

void prepare_app(CLI::App& app, const Command& command, std::string_view examples,
                 Terminal& terminal) {
  app.name(std::string(command.name));
  app.description(std::string(command.summary));
  std::string footer = "Examples:\n";
  for (std::size_t at = 0; at < examples.size();) {
    const std::size_t end = std::min(examples.find('\n', at), examples.size());
    footer.append("  ").append(examples.substr(at, end - at)).push_back('\n');
    at = end + 1;
  }
  footer.pop_back();
  app.footer(std::move(footer));
  app.set_help_flag("-h,--help", "Show this text and exit");
  const std::map<std::string, Terminal::Color> colors = {{"auto", Terminal::Color::Auto},
                                                         {"always", Terminal::Color::Always},
                                                         {"never", Terminal::Color::Never}};
  app.add_option("--color", terminal.color, "auto, always or never; NO_COLOR is respected")
      ->transform(CLI::Transformer(colors))
      ->option_text("WHEN")
      ->group("Common options");
  app.add_option("--output", terminal.output, "Write the report to this file, whole or not at all")
      ->option_text("FILE")
      ->group("Common options");
  app.add_flag("-q,--quiet", terminal.is_quiet, "Say nothing on standard error but errors")
      ->group("Common options");
}

std::optional<int> parse_arguments(CLI::App& app, const Invocation& invocation) {
  try {
    std::vector<std::string> reversed(invocation.arguments.rbegin(), invocation.arguments.rend());
    app.parse(std::move(reversed));
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    // Help that was asked for is a report.
    return write_report(Terminal{}, app.help("loadable")) ? kExitClean : kExitUnable;
  } catch (const CLI::ParseError& error) {
    tell_error(format("{}; {}", printable(first_line(error.what())), hint_for(app, invocation)));
    return kExitUnable;
  }
}

}  // namespace loadable::cli
