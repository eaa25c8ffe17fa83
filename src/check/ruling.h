// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a rule answers: a finding, and which verdicts it lowers.

#include <string>
#include <string_view>
#include <vector>

#include "check/facts.h"
#include "check/model.h"

namespace loadable::check {

/// The value to which a ruling lowers each verdict; Yes leaves it alone.
struct Impact {
  Verdict intact = Verdict::Yes, loadable = Verdict::Yes, usable = Verdict::Yes;
};

struct Ruling {
  Finding finding;
  Impact impact;
  std::string reason;           ///< a phrase for `reasons`, naming the library
  std::vector<Loss> losses;     ///< with Impact::loadable Partly
  std::size_t order = 0;        ///< position in the loader's order; the first decides the cause
  bool is_consequence = false;  ///< explained by another ruling: lowers verdicts, is not shown
};

using Rulings = std::vector<Ruling>;

/// Why a lookup failed, each gap exactly one: so that one cause is one finding.
enum class GapCause : std::uint8_t {
  Provided,
  Unreadable,
  WrongLibc,
  Damaged,
  MissingFile,
  IncompleteSet,
  StaleCache,
  Unreachable,
  FamilyMismatch,
  Absent
};
[[nodiscard]] GapCause classify(const Gap& gap);

/// The severity for this subject of a rule whose severity is `highest` for a required provider.
[[nodiscard]] Severity weigh(const Subject& subject, Severity highest);
/// The same for a gap or a break: what only some functions need and nothing ever shipped is a
/// warning, and so is what rests on a row of knowledge that no test has seen on a real release.
[[nodiscard]] Severity weigh(const Subject& subject, const Gap& gap);
[[nodiscard]] Severity weigh(const Subject& subject, const Break& fault);

/// The verdict on `loadable` that a failure of that necessity leaves.
[[nodiscard]] Verdict loadable_after(accel::Necessity necessity);

/// A finding about a gap: message, consumers, evidence of the search, effect, impact, losses.
/// `rule` names it, `reason` is the phrase behind the library's name.
[[nodiscard]] Ruling gap_ruling(const Subject& subject, const Gap& gap, std::string_view rule,
                                std::string_view reason);
/// The same about a break; `message` is the whole message.
[[nodiscard]] Ruling break_ruling(const Subject& subject, const Break& fault, std::string_view rule,
                                  std::string message);
/// A finding with this subject's provider.
[[nodiscard]] Ruling plain_ruling(const Subject& subject, std::string_view rule, Severity severity,
                                  std::string message);

void add_copies(Finding& finding, const std::vector<Copy>& copies, Role role);

}  // namespace loadable::check
