// SPDX-License-Identifier: Apache-2.0
#pragma once
// The only door to YAML: a text becomes a tree of plain values that know their line.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace loadable {

struct YamlMember;

struct YamlValue {
  enum class Kind : std::uint8_t { Null, Text, List, Table };
  Kind kind = Kind::Null;
  std::string text;                 ///< Text: every scalar, as written (`1.10` stays `1.10`)
  std::vector<YamlValue> items;     ///< List
  std::vector<YamlMember> members;  ///< Table, in the order written
  std::uint32_t line = 0;           ///< from 1

  /// The first member of that key, or null (also when this is no table).
  [[nodiscard]] const YamlValue* find(std::string_view key) const;
};

struct YamlMember {
  std::string key;
  YamlValue value;
};

/// `nothing`, `a scalar`, `a list`, `a table`, for messages.
[[nodiscard]] std::string_view to_string(YamlValue::Kind kind);

/// Parses the first document of a text. Aliases are expanded as copies. Errors: Malformed, the
/// message names line and column (also for keys that are no scalars); LimitReached: a text over
/// 1 MiB, over 100,000 values with those that aliases repeat (a bomb of aliases ends here), nested
/// over 100 deep.
Result<YamlValue> parse_yaml(std::string_view text, std::string_view name);

}  // namespace loadable
