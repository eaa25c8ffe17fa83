// SPDX-License-Identifier: Apache-2.0
// String literals of Python (reference, 2.4.1), which markers are quoted as.

#include <optional>

#include "base/format.h"
#include "base/quote.h"
#include "python/marker_nodes.h"

namespace loadable::python {
namespace {

constexpr std::uint32_t kMaxCodePoint = 0x10FFFF;

void append_utf8(std::uint32_t code, std::string* out) {
  constexpr std::uint32_t kOne = 0x80, kTwo = 0x800, kThree = 0x10000, kTail = 0x3F;
  const auto add = [&](std::uint32_t byte) { *out += static_cast<char>(byte); };
  if (code < kOne) return add(code);
  if (code < kTwo) {
    add(0xC0U | (code >> 6U));
  } else {
    if (code < kThree) {
      add(0xE0U | (code >> 12U));
    } else {
      add(0xF0U | (code >> 18U));
      add(kOne | ((code >> 12U) & kTail));
    }
    add(kOne | ((code >> 6U) & kTail));
  }
  add(kOne | (code & kTail));
}

std::optional<std::uint32_t> digit_of(char c, std::uint32_t base) {
  std::uint32_t digit = base;
  if (c >= '0' && c <= '9') digit = static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') digit = static_cast<std::uint32_t>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') digit = static_cast<std::uint32_t>(c - 'A') + 10;
  return digit < base ? std::optional(digit) : std::nullopt;
}

// Takes up to `count` digits; nothing if fewer than `least` are there.
std::optional<std::uint32_t> number(std::string_view* rest, std::uint32_t base, std::size_t least,
                                    std::size_t count) {
  std::uint32_t value = 0;
  std::size_t taken = 0;
  while (taken < count && taken < rest->size()) {
    const auto digit = digit_of((*rest)[taken], base);
    if (!digit) break;
    value = value * base + *digit;
    ++taken;
  }
  if (taken < least) return std::nullopt;
  rest->remove_prefix(taken);
  return value;
}

char simple_escape(char c) {
  constexpr std::string_view kNames = "\\'\"abfnrtv", kValues = "\\'\"\a\b\f\n\r\t\v";
  const std::size_t at = kNames.find(c);
  return at == std::string_view::npos ? '\0' : kValues[at];
}

// Resolves what follows a backslash; false where Python has an error.
bool escape(std::string_view* rest, std::string* out) {
  if (rest->empty()) return false;
  const char c = rest->front();
  if (const char value = simple_escape(c); value != '\0') {
    *out += value;
    rest->remove_prefix(1);
    return true;
  }
  if (c == '\n' || c == '\r') {  // the line goes on; `\r\n` is one line end
    rest->remove_prefix(rest->starts_with("\r\n") ? 2 : 1);
    return true;
  }
  if (c == 'N') return false;
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  std::optional<std::uint32_t> code;
  if (digits > 0) {
    rest->remove_prefix(1);
    code = number(rest, 16, digits, digits);
    if (!code || *code > kMaxCodePoint) return false;
  } else {
    code = number(rest, 8, 1, 3);
  }
  if (code) {
    append_utf8(*code, out);
  } else {
    *out += '\\';  // an unknown escape stays as it is; what follows is read next
  }
  return true;
}

}  // namespace

Result<std::string> python_string(std::string_view quoted_text) {
  const auto malformed = [&] {
    return fail(ErrorCode::Malformed, format("{} is no text literal", quoted(quoted_text)));
  };
  if (quoted_text.size() < 2 || quoted_text.front() != quoted_text.back()) return malformed();
  std::string_view rest = quoted_text.substr(1, quoted_text.size() - 2);
  std::string value;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '\\') {
      if (!escape(&rest, &value)) return malformed();
    } else if (c == '\n' || c == '\r' || c == '\0') {
      return malformed();
    } else {
      value += c;
    }
  }
  return value;
}

}  // namespace loadable::python
