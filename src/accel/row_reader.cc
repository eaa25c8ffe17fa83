// SPDX-License-Identifier: Apache-2.0
#include "accel/row_reader.h"

#include <algorithm>
#include <limits>

#include "base/format.h"
#include "base/quote.h"

namespace loadable::accel {
namespace {

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + quoted(word);
  return text;
}

bool is_int(const TomlValue& value) {
  return value.kind == TomlValue::Kind::Integer && value.integer >= 0 &&
         value.integer <= std::numeric_limits<int>::max();
}

}  // namespace

RowReader::RowReader(const TomlValue& row, std::string place)
    : row_(row), place_(std::move(place)) {}

void RowReader::reject(std::string_view key, std::string found_and_wanted) {
  if (error_) return;
  error_ =
      Error{ErrorCode::InvalidArgument,
            format("{} (line {}), field {}: {}", place_, row_.line, quoted(key), found_and_wanted),
            "knowledge", std::nullopt, nullptr};
}

const TomlValue* RowReader::take(std::string_view key, TomlValue::Kind kind) {
  taken_.push_back(key);
  const TomlValue* value = row_.find(key);
  if (value != nullptr && value->kind != kind) {
    reject(key, format("found {}, wanted {}", to_string(value->kind), to_string(kind)));
    return nullptr;
  }
  return value;
}

std::string RowReader::text(std::string_view key) {
  const TomlValue* value = take(key, TomlValue::Kind::Text);
  if (value == nullptr) {
    reject(key, "is absent, wanted a string");
    return {};
  }
  if (value->text.empty()) reject(key, "found an empty string, wanted a value");
  return value->text;
}

std::string RowReader::optional_text(std::string_view key) {
  const TomlValue* value = take(key, TomlValue::Kind::Text);
  return value == nullptr ? std::string() : value->text;
}

std::vector<std::string> RowReader::texts(std::string_view key) {
  std::vector<std::string> found;
  const TomlValue* list = take(key, TomlValue::Kind::List);
  if (list == nullptr) return found;
  for (const TomlValue& item : list->items) {
    if (item.kind != TomlValue::Kind::Text || item.text.empty()) {
      reject(key, format("found {} in the list, wanted strings that are not empty",
                         to_string(item.kind)));
      return found;
    }
    found.push_back(item.text);
  }
  return found;
}

std::vector<int> RowReader::integers(std::string_view key) {
  std::vector<int> found;
  const TomlValue* list = take(key, TomlValue::Kind::List);
  if (list == nullptr) return found;
  for (const TomlValue& item : list->items) {
    if (!is_int(item)) {
      reject(key, format("found {} in the list, wanted numbers from 0", to_string(item.kind)));
      return found;
    }
    found.push_back(static_cast<int>(item.integer));
  }
  return found;
}

bool RowReader::boolean(std::string_view key, bool otherwise) {
  const TomlValue* value = take(key, TomlValue::Kind::Boolean);
  return value == nullptr ? otherwise : value->boolean;
}

std::size_t RowReader::choose(std::string_view key, const std::vector<std::string_view>& words,
                              bool is_optional) {
  const TomlValue* value = take(key, TomlValue::Kind::Text);
  if (value == nullptr) {
    if (!is_optional) reject(key, "is absent, wanted one of " + joined(words));
    return 0;
  }
  const auto found = std::find(words.begin(), words.end(), value->text);
  if (found == words.end()) {
    reject(key, format("found {}, wanted one of {}", quoted(value->text), joined(words)));
    return 0;
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::vector<FamilyMember> RowReader::members(std::string_view key) {
  std::vector<FamilyMember> found;
  const TomlValue* list = take(key, TomlValue::Kind::List);
  if (list == nullptr || list->items.empty()) {
    reject(key, "is absent or empty, wanted a list of [CUDA major, soname, package, directory]");
    return found;
  }
  for (const TomlValue& item : list->items) {
    const bool is_right =
        item.kind == TomlValue::Kind::List && item.items.size() == 4 && is_int(item.items[0]) &&
        std::all_of(item.items.begin() + 1, item.items.end(), [](const TomlValue& part) {
          return part.kind == TomlValue::Kind::Text && !part.text.empty();
        });
    if (!is_right) {
      reject(key, format("found {} in the list, wanted [CUDA major, soname, package, directory]",
                         to_string(item.kind)));
      return found;
    }
    found.push_back({static_cast<int>(item.items[0].integer), item.items[1].text,
                     item.items[2].text, item.items[3].text});
  }
  return found;
}

void RowReader::read_origin(Row& row) {
  row.place = place_;
  row.source = text("source");
  if (take("verified", TomlValue::Kind::Boolean) == nullptr) {
    reject("verified", "is absent, wanted true or false");
  }
  row.is_verified = boolean("verified", false);
}

std::optional<Error> RowReader::finish() {
  for (const auto& [key, value] : row_.members) {
    if (std::find(taken_.begin(), taken_.end(), key) != taken_.end()) continue;
    std::vector<std::string_view> wanted(taken_);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    reject(key, "is unknown, wanted one of " + joined(wanted));
  }
  return error_;
}

}  // namespace loadable::accel
