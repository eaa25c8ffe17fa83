// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pieces that `ldd` and `why` share. Heavy: include it in .cc files only.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "loader/types.h"
#include "report/ldd.h"

namespace loadable::report {

/// Colours or none.
class Paint {
 public:
  explicit Paint(Colors colors) : is_on_(colors == Colors::On) {}
  [[nodiscard]] std::string red(std::string_view text) const { return wrap("31;1", text); }
  [[nodiscard]] std::string yellow(std::string_view text) const { return wrap("33;1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return wrap("2", text); }
  [[nodiscard]] std::string bold(std::string_view text) const { return wrap("1", text); }

 private:
  [[nodiscard]] std::string wrap(std::string_view code, std::string_view text) const;
  bool is_on_;
};

/// `tried` of the contract.
[[nodiscard]] Json tried_json(const std::vector<loader::Candidate>& tried);

/// One line for each place that was looked at, in order, under a line for each rule.
[[nodiscard]] std::string search_lines(const std::vector<loader::Candidate>& tried,
                                       const Paint& paint, std::string_view indent);

}  // namespace loadable::report
