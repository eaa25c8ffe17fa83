// SPDX-License-Identifier: Apache-2.0
// The grammar of dependency specifiers (PEP 508). What it leaves open is taken from
// `packaging` 26.4
// (_parser.py), which the comparison in tests/python checks.

#include "python/requirement.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/quote.h"
#include "python/blanks.h"
#include "python/names.h"

namespace loadable::python {
namespace {

bool is_alnum(char c) { return is_word(c) && c != '_' && static_cast<unsigned char>(c) < 0x80; }
bool is_name_character(char c) { return is_alnum(c) || c == '_' || c == '.' || c == '-'; }
bool is_space(char c) { return c == ' ' || c == '\t'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Requirement> parse() {
    pass_spaces();
    requirement_.name = identifier();
    if (requirement_.name.empty()) return wrong("the name of a distribution");
    requirement_.normalized = normalize_name(requirement_.name);
    pass_spaces();
    if (take('[')) {
      if (auto error = extras()) return fail(std::move(*error));
    }
    if (auto error = take('@') ? url() : specifiers()) return fail(std::move(*error));
    if (at_ == text_.size()) return std::move(requirement_);
    if (!take(';')) return wrong("`,`, `;` or the end");
    auto marker = Marker::parse(text_.substr(at_));
    if (!marker) {
      Error error = std::move(marker.error());
      if (error.offset) *error.offset += at_;
      return fail(std::move(error));
    }
    requirement_.marker = std::move(*marker);
    return std::move(requirement_);
  }

 private:
  using Failure = std::optional<Error>;

  [[nodiscard]] Error error(std::string_view wanted) const {
    constexpr std::size_t kShown = 40;
    const std::string found =
        at_ < text_.size() ? quoted(text_.substr(at_, kShown)) : std::string("the end");
    return {ErrorCode::Malformed,
            format("{} in a requirement, wanted {}", found, wanted),
            {},
            at_,
            nullptr};
  }
  [[nodiscard]] tl::unexpected<Error> wrong(std::string_view wanted) const {
    return fail(error(wanted));
  }

  void pass_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // Begins with a letter or digit and ends at a boundary of words: `a.b_` of `a.b_-`. Empty: none.
  std::string identifier() {
    if (at_ == text_.size() || !is_alnum(text_[at_])) return {};
    std::size_t end = at_;
    while (end < text_.size() && is_name_character(text_[end])) ++end;
    const auto is_boundary = [&](std::size_t place) {
      return is_word(text_[place - 1]) != (place < text_.size() && is_word(text_[place]));
    };
    while (end > at_ && !is_boundary(end)) --end;
    std::string name(text_.substr(at_, end - at_));
    at_ = end;
    return name;
  }

  Failure extras() {
    pass_spaces();
    for (bool is_first = true;; is_first = false) {
      const std::string name = identifier();
      if (name.empty() && is_first) break;
      if (name.empty()) return error("the name of an extra");
      requirement_.extras.push_back(normalize_name(name));
      pass_spaces();
      if (!take(',')) break;
      pass_spaces();
    }
    if (!take(']')) return error("`,` or `]`");
    pass_spaces();
    return std::nullopt;
  }

  Failure url() {
    pass_spaces();
    const std::size_t start = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    if (at_ == start) return error("a URL");
    requirement_.url = text_.substr(start, at_ - start);
    if (at_ == text_.size()) return std::nullopt;
    if (!is_space(text_[at_])) return error("a blank behind the URL");
    pass_spaces();
    return std::nullopt;
  }

  Failure specifiers() {
    const bool is_enclosed = take('(');
    if (is_enclosed) pass_spaces();
    if (!whole_list()) {
      if (auto failure = separate_clauses()) return failure;
    }
    if (is_enclosed && !take(')')) return error("`,` or `)`");
    pass_spaces();
    return std::nullopt;
  }

  // All up to `;`, `)` or the end, where that is a list of clauses with at most one comma too many,
  // at its end. False, and nothing taken, where it is not.
  bool whole_list() {
    std::size_t end = at_;
    const auto is_listed = [](char c) {
      return (c == '\t' || (c >= ' ' && c <= '~')) && c != ';' && c != ')';
    };
    while (end < text_.size() && is_listed(text_[end])) ++end;
    if (end < text_.size() && text_[end] != ';' && text_[end] != ')') return false;
    const std::string_view list = text_.substr(at_, end - at_);
    auto set = SpecifierSet::parse(list);
    if (!set || set->empty()) return false;
    const auto commas = static_cast<std::size_t>(std::count(list.begin(), list.end(), ','));
    const bool ends_with_comma = without_blanks(list).ends_with(',');
    const std::size_t count = set->clauses().size();
    if (count != commas + 1 && !(count == commas && ends_with_comma)) return false;
    requirement_.specifiers = std::move(*set);
    at_ = end;
    return true;
  }

  // Clause by clause: what `whole_list` leaves is an error in nearly all cases, told here by its
  // position. The text of `===` ends at a blank alone, and so takes commas along.
  Failure separate_clauses() {
    const std::size_t start = at_;
    std::string list;
    while (const std::size_t length = clause_length()) {
      list += text_.substr(at_, length);
      at_ += length;
      pass_spaces();
      if (!take(',')) break;
      list += ',';
      pass_spaces();
    }
    auto set = SpecifierSet::parse(list);
    if (!set) {
      Error failure = std::move(set.error());
      failure.offset = start;
      return failure;
    }
    requirement_.specifiers = std::move(*set);
    return std::nullopt;
  }

  // The longest text at this place that is one clause; 0: none.
  [[nodiscard]] std::size_t clause_length() const {
    constexpr std::string_view kOperators = "~=!<>";
    std::size_t end = at_;
    while (end < text_.size() && kOperators.find(text_[end]) != std::string_view::npos) ++end;
    if (end == at_) return 0;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    const bool is_arbitrary = text_.substr(at_).starts_with("===");
    while (end < text_.size() && !is_blank(text_[end]) && text_[end] != ';' && text_[end] != ')' &&
           (is_arbitrary || text_[end] != ',')) {
      ++end;
    }
    return Specifier::parse(text_.substr(at_, end - at_)) ? end - at_ : 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Requirement requirement_;
};

}  // namespace

Result<Requirement> Requirement::parse(std::string_view text) {
  constexpr std::size_t kMaxText = std::size_t{1} << 20U;
  if (text.size() > kMaxText) {
    return fail(ErrorCode::LimitReached,
                format("a requirement of {} bytes, more than {}", text.size(), kMaxText));
  }
  return Parser(text).parse();
}

std::string Requirement::to_string() const {
  std::string text = name;
  for (std::size_t i = 0; i < extras.size(); ++i) text += (i == 0 ? '[' : ',') + extras[i];
  if (!extras.empty()) text += ']';
  if (!url.empty()) return text + " @ " + url;
  return text + specifiers.to_string();
}

}  // namespace loadable::python
