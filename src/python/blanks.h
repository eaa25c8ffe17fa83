// SPDX-License-Identifier: Apache-2.0
#pragma once
// The characters between the words of versions, specifiers, markers and requirements.

#include <string_view>

namespace loadable::python {

/// White space of ASCII as Python's `str.strip()` and `\s` see it, which take the four separators
/// 0x1C to 0x1F along. White space beyond ASCII is not known here: no tool writes it.
[[nodiscard]] constexpr bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f');
}

[[nodiscard]] constexpr std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// May the character stand inside of a word (`\w`)? All bytes beyond ASCII are taken for letters.
[[nodiscard]] constexpr bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) > 0x7F;
}

[[nodiscard]] constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace loadable::python
