// SPDX-License-Identifier: Apache-2.0
#include "base/toml.h"

namespace loadable {
namespace {

/// The parser met what its authors took for granted.
struct BrokenAssumption {};
[[noreturn]] void stop_parsing() { throw BrokenAssumption{}; }

}  // namespace
}  // namespace loadable

// Texts are untrusted, and toml++ 3.3 asserts what some of them break (a table inside of another at
// the end of a broken line); without assertions it tells the compiler that this cannot be. Here it
// is an error of the text, in every build.
#undef NDEBUG
#define TOML_ASSERT(expr) (static_cast<bool>(expr) ? void() : ::loadable::stop_parsing())
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <sstream>

#include "base/format.h"

namespace loadable {
namespace {

constexpr std::size_t kMaxText = std::size_t{16} << 20;

template <class T>
std::string written(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TomlValue convert(const toml::node& node);

void convert_table(const toml::table& table, TomlValue& to) {
  to.kind = TomlValue::Kind::Table;
  for (const auto& [key, value] : table) {
    to.members.push_back({std::string(key.str()), convert(value)});
  }
}

void convert_list(const toml::array& list, TomlValue& to) {
  to.kind = TomlValue::Kind::List;
  for (const toml::node& item : list) to.items.push_back(convert(item));
}

// The parser bounds the nesting (TOML_MAX_NESTED_VALUES), so this recursion ends.
TomlValue convert(const toml::node& node) {
  TomlValue to;
  to.line = static_cast<std::uint32_t>(node.source().begin.line);
  if (const auto* table = node.as_table()) {
    convert_table(*table, to);
  } else if (const auto* list = node.as_array()) {
    convert_list(*list, to);
  } else if (const auto* text = node.as_string()) {
    to.kind = TomlValue::Kind::Text;
    to.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    to.kind = TomlValue::Kind::Integer;
    to.integer = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    to.kind = TomlValue::Kind::Real;
    to.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    to.kind = TomlValue::Kind::Boolean;
    to.boolean = boolean->get();
  } else {
    to.kind = TomlValue::Kind::Time;
    if (const auto* date = node.as_date()) to.text = written(date->get());
    if (const auto* time = node.as_time()) to.text = written(time->get());
    if (const auto* both = node.as_date_time()) to.text = written(both->get());
  }
  return to;
}

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string_view to_string(TomlValue::Kind kind) {
  switch (kind) {
    case TomlValue::Kind::Text:
      return "a string";
    case TomlValue::Kind::Integer:
      return "an integer";
    case TomlValue::Kind::Real:
      return "a number with a fraction";
    case TomlValue::Kind::Boolean:
      return "true or false";
    case TomlValue::Kind::Time:
      return "a date or time";
    case TomlValue::Kind::List:
      return "a list";
    case TomlValue::Kind::Table:
      return "a table";
  }
  return "a value";
}

Result<TomlValue> parse_toml(std::string_view text, std::string_view name) {
  if (text.size() > kMaxText) {
    return fail(ErrorCode::LimitReached,
                format("{} bytes of TOML, wanted at most {}", text.size(), kMaxText),
                std::string(name));
  }
  try {
    return convert(toml::parse(text));
  } catch (const BrokenAssumption&) {
    return fail(ErrorCode::Malformed, "no valid TOML: a key or value is broken off",
                std::string(name));
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    return fail(
        ErrorCode::Malformed,
        format("no valid TOML in line {}, column {}: {}", at.line, at.column, error.description()),
        std::string(name));
  }
}

}  // namespace loadable
