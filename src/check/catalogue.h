// SPDX-License-Identifier: Apache-2.0
#pragma once
// The catalogue of rules: name, verdict, default severity, one line, page. Data only.

#include <span>
#include <string>
#include <string_view>

#include "check/model.h"

namespace loadable::check {

/// Which question of the chain a rule answers; Intent: what the target says it wants.
enum class Question : std::uint8_t { Intact, Loadable, Usable, Intent };
[[nodiscard]] std::string_view to_string(Question question);

struct Rule {
  std::string_view name;
  Question question;
  Severity severity;  ///< for a required provider, at its highest
  std::string_view summary;
};

/// All rules, by question and then as design.md lists them.
[[nodiscard]] std::span<const Rule> catalogue();
/// The rule of that name; null if there is none.
[[nodiscard]] const Rule* find_rule(std::string_view name);
/// The rule whose name is nearest to `name` (edit distance at most a third of it, and at most 4);
/// empty if none is near.
[[nodiscard]] std::string_view nearest_rule(std::string_view name);
/// Markdown of docs/rules/NAME.md; empty if there is none.
[[nodiscard]] std::string_view rule_page(std::string_view name);

/// The candidate with the smallest edit distance to `text`, if it is near (see nearest_rule).
[[nodiscard]] std::string nearest_word(std::string_view text,
                                       std::span<const std::string_view> candidates);

}  // namespace loadable::check
