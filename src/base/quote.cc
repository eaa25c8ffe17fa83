// SPDX-License-Identifier: Apache-2.0
#include "base/quote.h"

#include <cstddef>
#include <cstdint>

#include "base/format.h"

namespace loadable {
namespace {

bool is_continuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

// Length of the well-formed UTF-8 sequence at the front (Unicode 15, table 3-7), 0 if there is
// none.
std::size_t sequence_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80U) return 1;
  const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(at(i))) return 0;
  }
  const unsigned char second = at(1);
  const bool overlong = (lead == 0xE0U && second < 0xA0U) || (lead == 0xF0U && second < 0x90U);
  const bool surrogate = lead == 0xEDU && second > 0x9FU;
  const bool too_large = lead == 0xF4U && second > 0x8FU;
  return overlong || surrogate || too_large ? 0 : length;
}

void append_escaped_control(std::string& out, unsigned char byte) {
  switch (byte) {
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      out += format("\\x{:02x}", byte);
  }
}

}  // namespace

std::string printable(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto byte = static_cast<unsigned char>(bytes[0]);
    const std::size_t length = sequence_length(bytes);
    const bool is_c1 = length == 2 && byte == 0xC2U && static_cast<unsigned char>(bytes[1]) < 0xA0U;
    if (byte == '\\') {
      out += "\\\\";
    } else if (length == 0 || byte < 0x20U || byte == 0x7FU) {
      append_escaped_control(out, byte);
    } else if (is_c1) {
      append_escaped_control(out, byte);
      append_escaped_control(out, static_cast<unsigned char>(bytes[1]));
    } else {
      out.append(bytes.substr(0, length));
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string quoted(std::string_view bytes) { return "`" + printable(bytes) + "`"; }

std::string valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = sequence_length(bytes);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else {
      out.append(bytes.substr(0, length));
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace loadable
