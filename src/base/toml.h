// SPDX-License-Identifier: Apache-2.0
#pragma once
// The only door to TOML (1.0): a text becomes a tree of plain values that know their line.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace loadable {

struct TomlMember;

struct TomlValue {
  enum class Kind : std::uint8_t { Text, Integer, Real, Boolean, Time, List, Table };
  Kind kind = Kind::Table;
  std::string text;  ///< Text; Time as it would be written (`2026-11-30`)
  std::int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  std::vector<TomlValue> items;     ///< List
  std::vector<TomlMember> members;  ///< Table, sorted by key
  std::uint32_t line = 0;           ///< from 1

  /// The member of that key, or null (also when this is no table).
  [[nodiscard]] const TomlValue* find(std::string_view key) const;
};

/// One key of a table with its value. A pair would have to be complete inside of TomlValue.
struct TomlMember {
  std::string key;
  TomlValue value;
};

/// `a string`, `an integer`, … for messages.
[[nodiscard]] std::string_view to_string(TomlValue::Kind kind);

/// Parses a text; the result is a Table. Errors: Malformed, the message names line and column;
/// LimitReached for a text over 16 MiB.
Result<TomlValue> parse_toml(std::string_view text, std::string_view name);

}  // namespace loadable
