// SPDX-License-Identifier: Apache-2.0
#include "cli/rules_command.h"

#include <CLI/CLI.hpp>

#include "check/catalogue.h"
#include "report/rules.h"

namespace loadable::cli {
namespace {

constexpr std::string_view kExamples = "loadable rules\nloadable rules --format json";

struct RulesOptions {
  Terminal terminal;
  std::string format = "text";
};

const Command& rules_command() {
  static const Command command = {"rules", kRulesSummary, run_rules, declare_rules};
  return command;
}

void add_rules_options(CLI::App& app, RulesOptions& options) {
  prepare_app(app, rules_command(), kExamples, options.terminal);
  app.add_option("--format", options.format, "text or json")
      ->option_text("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
}

}  // namespace

void declare_rules(CLI::App& app) {
  static RulesOptions options;
  add_rules_options(app, options);
}

int run_rules(const Invocation& invocation) {
  RulesOptions options;
  CLI::App app;
  add_rules_options(app, options);
  if (const auto status = parse_arguments(app, invocation)) return *status;
  const report::Style style{options.terminal.uses_color(), false, false};
  const std::string text =
      options.format == "json" ? report::rules_json() : report::rules_text(style);
  return write_report(options.terminal, text) ? kExitClean : kExitUnable;
}

}  // namespace loadable::cli
