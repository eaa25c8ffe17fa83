// SPDX-License-Identifier: Apache-2.0
// PEP 440, appendix B: the grammar by hand, the order as its section on ordering says.

#include "python/version.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/format.h"
#include "base/quote.h"
#include "python/blanks.h"

namespace loadable::python {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); }
bool is_separator(char c) { return c == '.' || c == '-' || c == '_'; }

std::string lowered(std::string_view text) {
  std::string lower(without_blanks(text));
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// The rest of the text, and the steps of the grammar.
struct Scanner {
  std::string_view rest;

  bool take(char c) {
    if (!rest.starts_with(c)) return false;
    rest.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    return true;
  }
  std::optional<std::uint64_t> number() {
    if (rest.empty() || !is_digit(rest[0])) return std::nullopt;
    std::uint64_t value = 0;
    while (!rest.empty() && is_digit(rest[0])) {
      constexpr std::uint64_t kBase = 10;
      const auto digit = static_cast<std::uint64_t>(rest[0] - '0');
      // Saturates one below the "none" of the order: no release is so large.
      value = value > (kNone - 1 - digit) / kBase ? kNone - 1 : value * kBase + digit;
      rest.remove_prefix(1);
    }
    return value;
  }
  // `[-_.]?(word)[-_.]?N?`: the number, 0 without one; nothing and no progress if no word fits.
  template <std::size_t N>
  std::optional<std::uint64_t> labelled(const std::array<std::string_view, N>& words,
                                        std::size_t* which) {
    const std::string_view before = rest;
    if (!rest.empty() && is_separator(rest[0])) rest.remove_prefix(1);
    for (std::size_t i = 0; i < N; ++i) {
      if (!take(words.at(i))) continue;
      *which = i;
      // The separator may stand there without a number: `1.0a.` is a version.
      if (!rest.empty() && is_separator(rest[0])) rest.remove_prefix(1);
      return number().value_or(0);
    }
    rest = before;
    return std::nullopt;
  }
};

std::string normal_local(std::string_view text) {
  std::string local;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_alnum(text[end])) ++end;
    if (end == at) return {};
    if (end < text.size() && !is_separator(text[end])) return {};
    std::string_view part = text.substr(at, end - at);
    if (std::all_of(part.begin(), part.end(), is_digit)) {
      while (part.size() > 1 && part.front() == '0') part.remove_prefix(1);
    }
    if (!local.empty()) local += '.';
    local += part;
    at = end + 1;
    if (end + 1 == text.size()) return {};
  }
  return local;
}

// Segments: numbers are greater than words; more segments are greater than fewer.
std::weak_ordering compare_local(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view left = a.substr(0, a.find('.')), right = b.substr(0, b.find('.'));
    const bool left_number = is_digit(left[0]) && std::all_of(left.begin(), left.end(), is_digit);
    const bool right_number =
        is_digit(right[0]) && std::all_of(right.begin(), right.end(), is_digit);
    if (left_number != right_number) return left_number <=> right_number;
    if (left_number && left.size() != right.size()) return left.size() <=> right.size();
    if (left != right) return left <=> right;
    a.remove_prefix(std::min(a.size(), left.size() + 1));
    b.remove_prefix(std::min(b.size(), right.size() + 1));
  }
  return !a.empty() <=> !b.empty();
}

}  // namespace

Result<Version> Version::parse(std::string_view text) {
  const auto malformed = [&] {
    return fail(ErrorCode::Malformed, format("{} is no version (PEP 440)", quoted(text)));
  };
  const std::string lower = lowered(text);
  Scanner scanner{lower};
  Version version;
  scanner.take('v');
  auto number = scanner.number();
  if (number && scanner.take('!')) {
    version.epoch_ = *number;
    number = scanner.number();
  }
  if (!number) return malformed();
  version.release_.push_back(*number);
  while (scanner.rest.size() > 1 && scanner.rest[0] == '.' && is_digit(scanner.rest[1])) {
    scanner.take('.');
    version.release_.push_back(*scanner.number());
  }
  static constexpr std::array<std::string_view, 8> kPre = {"alpha", "a", "beta",    "b",
                                                           "rc",    "c", "preview", "pre"};
  static constexpr std::string_view kPreKinds = "aabbrrrr";
  std::size_t which = 0;
  if (const auto pre = scanner.labelled(kPre, &which)) version.pre_ = Pre{kPreKinds[which], *pre};
  static constexpr std::array<std::string_view, 3> kPost = {"post", "rev", "r"};
  if (scanner.rest.size() > 1 && scanner.rest[0] == '-' && is_digit(scanner.rest[1])) {
    scanner.take('-');
    version.post_ = scanner.number();
  } else {
    version.post_ = scanner.labelled(kPost, &which);
  }
  static constexpr std::array<std::string_view, 1> kDev = {"dev"};
  version.dev_ = scanner.labelled(kDev, &which);
  if (scanner.take('+')) {
    version.local_ = normal_local(scanner.rest);
    if (version.local_.empty()) return malformed();
    scanner.rest = {};
  }
  if (!scanner.rest.empty()) return malformed();
  return version;
}

std::uint64_t Version::component(std::size_t index) const {
  return index < release_.size() ? release_[index] : 0;
}

Version Version::without_local() const {
  Version copy = *this;
  copy.local_.clear();
  return copy;
}

Version Version::earliest() const {
  Version copy = without_local();
  copy.dev_ = 0;
  return copy;
}

Version Version::earliest_of(std::uint64_t epoch, std::vector<std::uint64_t> release) {
  Version version;
  version.epoch_ = epoch;
  version.release_ = std::move(release);
  version.dev_ = 0;
  return version;
}

bool Version::has_base_of(const Version& other) const {
  if (epoch_ != other.epoch_ || pre_ != other.pre_) return false;
  for (std::size_t i = 0; i < std::max(release_.size(), other.release_.size()); ++i) {
    if (component(i) != other.component(i)) return false;
  }
  return true;
}

std::string Version::to_string() const {
  std::string text = epoch_ != 0 ? format("{}!", epoch_) : std::string{};
  for (std::size_t i = 0; i < release_.size(); ++i) {
    if (i > 0) text += '.';
    text += format("{}", release_[i]);
  }
  if (pre_) {
    text += pre_->kind == 'r' ? "rc" : std::string(1, pre_->kind);
    text += format("{}", pre_->number);
  }
  if (post_) text += format(".post{}", *post_);
  if (dev_) text += format(".dev{}", *dev_);
  if (!local_.empty()) text += "+" + local_;
  return text;
}

std::weak_ordering Version::operator<=>(const Version& other) const {
  if (const auto order = epoch_ <=> other.epoch_; order != 0) return order;
  const std::size_t length = std::max(release_.size(), other.release_.size());
  for (std::size_t i = 0; i < length; ++i) {
    if (const auto order = component(i) <=> other.component(i); order != 0) return order;
  }
  // A dev release of no pre-release comes before its pre-releases; a final one after them.
  const auto pre_key = [](const Version& version) {
    if (version.pre_) return *version.pre_;
    const bool is_plain_dev = !version.post_ && version.dev_;
    return Pre{is_plain_dev ? '\0' : '\x7f', 0};
  };
  if (const auto order = pre_key(*this) <=> pre_key(other); order != 0) return order;
  const auto post_key = [](const Version& version) {
    return version.post_ ? *version.post_ + 1 : 0;
  };
  if (const auto order = post_key(*this) <=> post_key(other); order != 0) return order;
  const auto order = dev_.value_or(kNone) <=> other.dev_.value_or(kNone);
  return order != 0 ? std::weak_ordering(order) : compare_local(local_, other.local_);
}

std::weak_ordering compare_versions(std::string_view a, std::string_view b) {
  const auto left = Version::parse(a), right = Version::parse(b);
  if (left && right) return *left <=> *right;
  if (!left && !right) return a <=> b;
  return left.has_value() <=> right.has_value();
}

}  // namespace loadable::python
