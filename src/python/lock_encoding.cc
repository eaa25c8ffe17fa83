// SPDX-License-Identifier: Apache-2.0
#include "python/lock_encoding.h"

#include <cstdint>

namespace loadable::python {
namespace {

constexpr std::uint32_t kNoCharacter = 0xFFFD;

void append(std::uint32_t code, std::string& out) {
  const auto add = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto add_rest = [&](unsigned shift) { add(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0U | (code >> 6U));
    add_rest(0);
  } else if (code < 0x10000) {
    add(0xE0U | (code >> 12U));
    add_rest(6);
    add_rest(0);
  } else {
    add(0xF0U | (code >> 18U));
    add_rest(12);
    add_rest(6);
    add_rest(0);
  }
}

std::string from_utf16(std::string_view text, bool is_big) {
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<std::uint32_t>(static_cast<unsigned char>(text[at]));
    const auto second = static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + 1]));
    return is_big ? first << 8U | second : second << 8U | first;
  };
  std::string out;
  for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
    std::uint32_t code = unit(at);
    const bool is_high = code >= 0xD800 && code < 0xDC00;
    const std::uint32_t low = is_high && at + 3 < text.size() ? unit(at + 2) : 0;
    if (low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
      at += 2;
    } else if (code >= 0xD800 && code < 0xE000) {
      code = kNoCharacter;
    }
    append(code, out);
  }
  return out;
}

}  // namespace

std::string decoded(std::string_view text) {
  constexpr std::string_view kUtf8 = "\xef\xbb\xbf", kLittle = "\xff\xfe", kBig = "\xfe\xff";
  if (text.starts_with(kUtf8)) return std::string(text.substr(kUtf8.size()));
  if (text.starts_with(kLittle)) return from_utf16(text.substr(kLittle.size()), false);
  if (text.starts_with(kBig)) return from_utf16(text.substr(kBig.size()), true);
  return std::string(text);
}

}  // namespace loadable::python
