// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "base/format.h"
#include "base/quote.h"
#include "check/catalogue.h"
#include "cli/rules_command.h"

namespace loadable::cli {
namespace {

constexpr std::string_view kExamples = "loadable explain unreachable-library";

struct ExplainOptions {
  Terminal terminal;
  std::string rule;
};

const Command& explain_command() {
  static const Command command = {"explain", kExplainSummary, run_explain, declare_explain};
  return command;
}

void add_explain_options(CLI::App& app, ExplainOptions& options) {
  prepare_app(app, explain_command(), kExamples, options.terminal);
  app.add_option("RULE", options.rule, "Its name, as findings show it in brackets")->required();
}

}  // namespace

void declare_explain(CLI::App& app) {
  static ExplainOptions options;
  add_explain_options(app, options);
}

int run_explain(const Invocation& invocation) {
  ExplainOptions options;
  CLI::App app;
  add_explain_options(app, options);
  if (const auto status = parse_arguments(app, invocation)) return *status;
  if (check::find_rule(options.rule) == nullptr) {
    const std::string_view near = check::nearest_rule(options.rule);
    tell_error(format("{} is no rule; {}", loadable::quoted(options.rule),
                      near.empty() ? std::string("`loadable rules` lists them")
                                   : format("did you mean {}?", loadable::quoted(near))));
    return kExitUnable;
  }
  const bool is_written = write_report(options.terminal, check::rule_page(options.rule));
  return is_written ? kExitClean : kExitUnable;
}

}  // namespace loadable::cli
