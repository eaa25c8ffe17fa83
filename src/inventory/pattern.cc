// SPDX-License-Identifier: Apache-2.0
#include "inventory/pattern.h"

#include <algorithm>

namespace loadable::inventory {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

/// Wildcards with one place to come back to for `*` and one for `**`: time is the product of the
/// lengths at worst.
class Matcher {
 public:
  Matcher(std::string_view pattern, std::string_view text) : pattern_(pattern), text_(text) {}

  bool run() {
    while (t_ < text_.size() || p_ < pattern_.size()) {
      if (!take_wildcard() && !take_character() && !go_back()) return false;
    }
    return true;
  }

 private:
  bool take_wildcard() {
    const std::string_view rest = pattern_.substr(p_);
    if (rest.starts_with("**")) {
      is_component_ = rest.starts_with("**/");
      p_ += is_component_ ? 3 : 2;
      deep_ = p_;
      deep_text_ = t_;
      star_ = kNone;
      return true;
    }
    if (!rest.starts_with('*')) return false;
    star_ = ++p_;
    star_text_ = t_;
    return true;
  }

  bool take_character() {
    if (p_ >= pattern_.size() || t_ >= text_.size()) return false;
    if (pattern_[p_] != text_[t_] && (pattern_[p_] != '?' || text_[t_] == '/')) return false;
    ++p_;
    ++t_;
    return true;
  }

  bool go_back() {
    if (star_ != kNone && star_text_ < text_.size() && text_[star_text_] != '/') {
      p_ = star_;
      t_ = ++star_text_;
      return true;
    }
    if (deep_ == kNone || deep_text_ >= text_.size()) return false;
    if (is_component_) {
      const std::size_t slash = text_.find('/', deep_text_);
      if (slash == kNone) return false;
      deep_text_ = slash;
    }
    p_ = deep_;
    t_ = ++deep_text_;
    star_ = kNone;
    return true;
  }

  std::string_view pattern_, text_;
  std::size_t p_ = 0, t_ = 0;
  std::size_t star_ = kNone, star_text_ = 0, deep_ = kNone, deep_text_ = 0;
  bool is_component_ = false;  ///< `**/` stands for whole components
};

bool matches(std::string_view pattern, std::string_view text) {
  return Matcher(pattern, text).run();
}

}  // namespace

bool matches_path(std::string_view pattern, std::string_view path) {
  while (pattern.ends_with('/')) pattern.remove_suffix(1);
  if (pattern.empty()) return false;
  if (pattern.front() == '/') return matches(pattern, path);
  if (pattern.find('/') == std::string_view::npos) {
    return matches(pattern, path.substr(path.rfind('/') + 1));
  }
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    if (matches(pattern, path.substr(slash + 1))) return true;
  }
  return false;
}

bool is_excluded(const std::vector<std::string>& patterns, std::string_view path) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches_path(pattern, path); });
}

}  // namespace loadable::inventory
