// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads one row of a table: every field is asked for by name, what is left over is an error, and
// the first error is kept, with file, row, field, the value found and the value wanted.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accel/knowledge.h"
#include "base/result.h"
#include "base/toml.h"

namespace loadable::accel {

class RowReader {
 public:
  /// `place`: `nvidia.toml, [[family]] 3`.
  RowReader(const TomlValue& row, std::string place);

  std::string text(std::string_view key);           ///< required, not empty
  std::string optional_text(std::string_view key);  ///< empty when absent
  std::vector<std::string> texts(std::string_view key);
  std::vector<int> integers(std::string_view key);
  bool boolean(std::string_view key, bool otherwise);
  /// One of the words; the first one when `is_optional` and absent.
  template <class T>
  T one_of(std::string_view key, std::span<const std::pair<std::string_view, T>> words,
           bool is_optional) {
    std::vector<std::string_view> names;
    for (const auto& [word, value] : words) names.push_back(word);
    return words[choose(key, names, is_optional)].second;
  }
  /// [[cuda, soname, package, directory], …]
  std::vector<FamilyMember> members(std::string_view key);
  /// source, verified and the place: what every row has.
  void read_origin(Row& row);

  /// Keeps an error of a field's value that only the table's reader can see.
  void reject(std::string_view key, std::string found_and_wanted);
  /// The first error, if any; fields that nobody asked for are errors too.
  [[nodiscard]] std::optional<Error> finish();

 private:
  const TomlValue* take(std::string_view key, TomlValue::Kind kind);
  std::size_t choose(std::string_view key, const std::vector<std::string_view>& words,
                     bool is_optional);

  const TomlValue& row_;
  std::string place_;
  std::vector<std::string_view> taken_;
  std::optional<Error> error_;
};

}  // namespace loadable::accel
