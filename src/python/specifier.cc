// SPDX-License-Identifier: Apache-2.0
// PEP 440, version specifiers. What the text leaves open is decided as the library `packaging` 26.4
// decides it, which the comparison in tests/python checks.

#include "python/specifier.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.h"
#include "base/quote.h"
#include "python/blanks.h"

namespace loadable::python {
namespace {

// Longer operators first: `===` begins with `==`.
constexpr std::array<std::pair<std::string_view, Comparison>, 8> kOperators = {
    {{"===", Comparison::Arbitrary},
     {"~=", Comparison::Compatible},
     {"==", Comparison::Equal},
     {"!=", Comparison::NotEqual},
     {"<=", Comparison::LessEqual},
     {">=", Comparison::GreaterEqual},
     {"<", Comparison::Less},
     {">", Comparison::Greater}}};

std::string_view operator_text(Comparison comparison) {
  for (const auto& [text, value] : kOperators) {
    if (value == comparison) return text;
  }
  return {};
}

bool equal_but_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

// The first version behind all those whose release begins as this one does: `1.4` -> `1.5.dev0`.
Version end_of_prefix(std::uint64_t epoch, std::vector<std::uint64_t> release) {
  ++release.back();
  return Version::earliest_of(epoch, std::move(release));
}

bool begins_with(const Version& version, const Version& prefix) {
  return version >= Version::earliest_of(prefix.epoch(), prefix.release()) &&
         version < end_of_prefix(prefix.epoch(), prefix.release());
}

bool is_compatible(const Version& version, const Version& wanted) {
  std::vector<std::uint64_t> prefix = wanted.release();
  prefix.pop_back();
  if (prefix.empty()) return false;
  return version >= wanted && version < end_of_prefix(wanted.epoch(), std::move(prefix));
}

bool is_equal(const Version& version, const Version& wanted) {
  return wanted.local().empty() ? version.without_local() == wanted : version == wanted;
}

// `<1.0` leaves the pre-releases of 1.0 out unless it names one.
bool is_less(const Version& version, const Version& wanted) {
  return version < (wanted.is_prerelease() ? wanted : wanted.earliest());
}

// `>1.0` leaves the post-releases and local versions of 1.0 out unless it names one.
bool is_greater(const Version& version, const Version& wanted) {
  if (wanted.is_devrelease() || wanted.is_postrelease()) return version.without_local() > wanted;
  return version > wanted && !version.has_base_of(wanted);
}

bool is_arbitrary_text(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(),
                                       [](char c) { return is_blank(c) || c == ';' || c == ')'; });
}

// Is the text a version that may follow that operator?
bool is_wanted_version(const Specifier& clause) {
  const auto version = Version::parse(clause.text);
  if (!version) return false;
  const bool is_equality =
      clause.comparison == Comparison::Equal || clause.comparison == Comparison::NotEqual;
  if (clause.is_prefix) {
    const char last = clause.text.back();
    return is_equality && last >= '0' && last <= '9' && version->local().empty() &&
           !version->is_prerelease() && !version->is_postrelease();
  }
  if (!is_equality && !version->local().empty()) return false;
  return clause.comparison != Comparison::Compatible || version->release().size() > 1;
}

}  // namespace

Result<Specifier> Specifier::parse(std::string_view text) {
  constexpr std::string_view kPrefixEnd = ".*";
  const auto malformed = [&] {
    return fail(ErrorCode::Malformed,
                format("{} is no version specifier (PEP 440), such as `>=1.0`", quoted(text)));
  };
  const std::string_view whole = without_blanks(text);
  const auto* const found =
      std::find_if(kOperators.begin(), kOperators.end(),
                   [&](const auto& row) { return whole.starts_with(row.first); });
  if (found == kOperators.end()) return malformed();
  Specifier clause;
  clause.comparison = found->second;
  std::string_view version = without_blanks(whole.substr(found->first.size()));
  if (clause.comparison == Comparison::Arbitrary) {
    if (!is_arbitrary_text(version)) return malformed();
    clause.text = version;
    return clause;
  }
  clause.is_prefix = version.ends_with(kPrefixEnd);
  if (clause.is_prefix) version.remove_suffix(kPrefixEnd.size());
  clause.text = version;
  if (!is_wanted_version(clause)) return malformed();
  return clause;
}

std::string Specifier::to_string() const {
  return format("{}{}{}", operator_text(comparison), text, is_prefix ? ".*" : "");
}

bool Specifier::contains(const Version& version) const {
  if (comparison == Comparison::Arbitrary) return equal_but_case(version.to_string(), text);
  const auto wanted = Version::parse(text);
  if (!wanted) return false;
  switch (comparison) {
    case Comparison::Compatible:
      return is_compatible(version, *wanted);
    case Comparison::Equal:
      return is_prefix ? begins_with(version, *wanted) : is_equal(version, *wanted);
    case Comparison::NotEqual:
      return !(is_prefix ? begins_with(version, *wanted) : is_equal(version, *wanted));
    case Comparison::LessEqual:
      return version.without_local() <= *wanted;
    case Comparison::GreaterEqual:
      return version >= *wanted;
    case Comparison::Less:
      return is_less(version, *wanted);
    case Comparison::Greater:
      return is_greater(version, *wanted);
    case Comparison::Arbitrary:
      break;
  }
  return false;
}

Result<SpecifierSet> SpecifierSet::parse(std::string_view text) {
  std::string_view rest = without_blanks(text);
  if (rest.starts_with('(') && rest.ends_with(')')) rest = rest.substr(1, rest.size() - 2);
  SpecifierSet set;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    if (without_blanks(part).empty()) continue;  // `>=1.0,` is common
    auto clause = Specifier::parse(part);
    if (!clause) return fail(std::move(clause.error()));
    set.clauses_.push_back(std::move(*clause));
  }
  return set;
}

bool SpecifierSet::names_prerelease() const {
  return std::any_of(clauses_.begin(), clauses_.end(), [](const Specifier& clause) {
    if (clause.comparison == Comparison::NotEqual || clause.is_prefix) return false;
    const auto version = Version::parse(clause.text);
    return version && version->is_prerelease();
  });
}

bool SpecifierSet::contains(const Version& version, bool allows_prereleases) const {
  if (!allows_prereleases && version.is_prerelease()) return false;
  return std::all_of(clauses_.begin(), clauses_.end(),
                     [&](const Specifier& clause) { return clause.contains(version); });
}

std::string SpecifierSet::to_string() const {
  std::string text;
  for (const Specifier& clause : clauses_) {
    if (!text.empty()) text += ',';
    text += clause.to_string();
  }
  return text;
}

}  // namespace loadable::python
