// SPDX-License-Identifier: Apache-2.0
#pragma once
// A string that its copies share.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace loadable {

/// Text that does not change: a copy counts a reference and allocates nothing, so that what holds
/// thousands of paths can be copied thousands of times. The count is not atomic: one thread's.
class SharedString {
 public:
  SharedString() = default;
  explicit SharedString(std::string text)
      : body_(text.empty() ? nullptr : new Body{std::move(text)}) {}
  SharedString(const SharedString& other) : body_(other.body_) {
    if (body_ != nullptr) ++body_->references;
  }
  SharedString(SharedString&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  SharedString& operator=(SharedString other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  SharedString& operator=(std::string text) { return *this = SharedString(std::move(text)); }
  SharedString& operator=(std::string_view text) { return *this = std::string(text); }
  SharedString& operator=(const char* text) { return *this = std::string(text); }
  ~SharedString() {
    if (body_ != nullptr && --body_->references == 0) drop(body_);
  }

  /// Stays where it is as long as any copy lives.
  [[nodiscard]] const std::string& str() const { return body_ == nullptr ? kEmpty : body_->text; }
  operator const std::string&() const { return str(); }  // NOLINT: it is a string
  operator std::string_view() const { return str(); }    // NOLINT
  [[nodiscard]] bool empty() const { return body_ == nullptr; }

  friend bool operator==(const SharedString& a, const SharedString& b) {
    return a.body_ == b.body_ || a.str() == b.str();
  }
  friend bool operator==(const SharedString& a, const std::string& b) { return a.str() == b; }
  friend bool operator==(const SharedString& a, std::string_view b) { return a.str() == b; }
  friend bool operator==(const SharedString& a, const char* b) { return a.str() == b; }

 private:
  struct Body {
    std::string text;
    std::size_t references = 1;
  };
  // Not inline: g++ 12 does not see that two copies have two references, and warns.
  [[gnu::noinline]] static void drop(Body* body) { delete body; }
  inline static const std::string kEmpty;
  Body* body_ = nullptr;
};

}  // namespace loadable
