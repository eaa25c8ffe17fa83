// SPDX-License-Identifier: Apache-2.0
#pragma once
// Version specifiers: `>=1.17,!=1.20.0,<2` (packaging.python.org, version specifiers, of PEP 440).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "python/version.h"

namespace loadable::python {

enum class Comparison : std::uint8_t {
  Compatible,    ///< ~=
  Equal,         ///< ==
  NotEqual,      ///< !=
  LessEqual,     ///< <=
  GreaterEqual,  ///< >=
  Less,          ///< <
  Greater,       ///< >
  Arbitrary      ///< ===, by text
};

/// One clause.
struct Specifier {
  Comparison comparison = Comparison::Equal;
  std::string text;        ///< the version as written, without `.*`
  bool is_prefix = false;  ///< `== 1.4.*`

  /// One clause, blanks around it allowed, as `packaging`'s Specifier. Errors: Malformed.
  static Result<Specifier> parse(std::string_view text);
  /// `==1.4.*`
  [[nodiscard]] std::string to_string() const;
  /// Is that version one that the clause allows, pre-releases included?
  [[nodiscard]] bool contains(const Version& version) const;
};

/// Clauses that must all hold; none allows everything.
class SpecifierSet {
 public:
  /// Accepts what the standard accepts, and the parentheses of old metadata (`(>=1.24.2)`). Errors:
  /// Malformed, naming the clause.
  static Result<SpecifierSet> parse(std::string_view text);

  [[nodiscard]] const std::vector<Specifier>& clauses() const { return clauses_; }
  [[nodiscard]] bool empty() const { return clauses_.empty(); }
  /// Does any clause name a pre-release, so that pre-releases are meant?
  [[nodiscard]] bool names_prerelease() const;
  /// As `packaging`'s SpecifierSet.contains(version, prereleases=allows_prereleases).
  [[nodiscard]] bool contains(const Version& version, bool allows_prereleases = true) const;
  /// Clauses joined by commas, in the order written.
  [[nodiscard]] std::string to_string() const;

 private:
  std::vector<Specifier> clauses_;
};

}  // namespace loadable::python
