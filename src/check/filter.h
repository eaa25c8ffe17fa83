// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the user's options, configuration and baseline take out of the count, and the exit status
// that is left.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/model.h"

namespace loadable::check {

/// One row of `ignore`.
struct Ignore {
  std::string rule;  ///< `*` for all
  std::string path;  ///< pattern of `*` and `?` for a location; empty: any
  std::string reason;
  std::string expires;  ///< `2026-12-31`; empty: never. From the day after, it no longer counts.
};

/// A finding that an earlier report held.
struct KnownFinding {
  std::string rule, provider, path, request;
  auto operator<=>(const KnownFinding&) const = default;
};

struct Filter {
  std::vector<std::string> select;  ///< rules that count; empty: all
  std::vector<Ignore> ignore;
  std::optional<std::vector<KnownFinding>> baseline;
  std::string today;  ///< `2026-11-30`
};

/// Moves what does not count from `findings` to `suppressed`. Verdicts stay as they are.
void apply(const Filter& filter, Report& report);

/// The findings of a report of `check --format json`, for a baseline. Errors: Malformed.
Result<std::vector<KnownFinding>> read_baseline(std::string_view json);

/// 0 nothing at or above `fail_on`; 1 findings; 3 no finding, and not complete.
[[nodiscard]] int exit_status(const std::vector<Report>& reports, Severity fail_on);

/// `error`, `warning`, `note`. Errors: InvalidArgument, with the accepted words.
Result<Severity> parse_severity(std::string_view text);

}  // namespace loadable::check
