// SPDX-License-Identifier: Apache-2.0
#include "python/lock_fields.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "base/quote.h"
#include "python/names.h"

namespace loadable::python {
namespace {

/// No project has that many extras or groups.
constexpr std::size_t kMaxNames = 1000;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void LockFields::complain(Error error) {
  if (!error_) error_ = std::move(error);
}

void LockFields::complain(const TomlValue& value, std::string_view key, std::string_view wanted) {
  complain(Error{ErrorCode::Malformed,
                 format("line {}: {} is {}, wanted {}", value.line, quoted(key),
                        to_string(value.kind), wanted),
                 file_, std::nullopt, nullptr});
}

std::string LockFields::place(const TomlValue& value) const {
  return format("{}:{}", file_, value.line);
}

std::string LockFields::text(const TomlValue& table, std::string_view key) {
  const TomlValue* value = table.find(key);
  if (value == nullptr) return {};
  if (value->kind == TomlValue::Kind::Text) return value->text;
  complain(*value, key, "a string");
  return {};
}

std::string LockFields::needed_text(const TomlValue& table, std::string_view key) {
  std::string found = text(table, key);
  if (found.empty()) {
    complain(Error{ErrorCode::Malformed,
                   format("line {}: a table without {}, wanted a string", table.line, quoted(key)),
                   file_, std::nullopt, nullptr});
  }
  return found;
}

bool LockFields::flag(const TomlValue& table, std::string_view key) {
  const TomlValue* value = table.find(key);
  if (value == nullptr) return false;
  if (value->kind != TomlValue::Kind::Boolean) complain(*value, key, "true or false");
  return value->boolean;
}

std::vector<std::string> LockFields::texts(const TomlValue& table, std::string_view key) {
  std::vector<std::string> found;
  const TomlValue* value = list(table, key);
  if (value == nullptr) return found;
  for (const TomlValue& item : value->items) {
    if (item.kind != TomlValue::Kind::Text) {
      complain(item, key, "a list of strings");
      break;
    }
    found.push_back(item.text);
  }
  return found;
}

const TomlValue* LockFields::list(const TomlValue& table, std::string_view key) {
  const TomlValue* value = table.find(key);
  if (value == nullptr || value->kind == TomlValue::Kind::List) return value;
  complain(*value, key, "a list");
  return nullptr;
}

const TomlValue* LockFields::table(const TomlValue& table, std::string_view key) {
  const TomlValue* value = table.find(key);
  if (value == nullptr || value->kind == TomlValue::Kind::Table) return value;
  complain(*value, key, "a table");
  return nullptr;
}

Marker LockFields::marker(const TomlValue& table, std::string_view key) {
  const std::string written = text(table, key);
  if (written.empty()) return {};
  auto marker = Marker::parse(written);
  if (marker) return std::move(*marker);
  complain(
      Error{marker.error().code,
            format("line {}: {}: {}", table.find(key)->line, quoted(key), marker.error().message),
            file_, std::nullopt, nullptr});
  return {};
}

std::optional<Requirement> LockFields::requirement(const TomlValue& value, std::string_view key) {
  if (value.kind != TomlValue::Kind::Text) {
    complain(value, key, "a list of strings");
    return std::nullopt;
  }
  auto requirement = Requirement::parse(value.text);
  if (requirement) return std::move(*requirement);
  complain(Error{requirement.error().code,
                 format("line {}: {}: {}", value.line, quoted(key), requirement.error().message),
                 file_, std::nullopt, nullptr});
  return std::nullopt;
}

Result<bool> check_package_count(std::size_t count, const std::string& file) {
  if (count <= kMaxPackages) return true;
  return fail(ErrorCode::LimitReached,
              format("{} packages, wanted at most {}", count, kMaxPackages), file);
}

std::string project_file(const LockText& text) {
  return tree::Path(text.directory).join("pyproject.toml").text();
}

Result<bool> read_packages(const TomlValue& lock, std::string_view key, LockFields& fields,
                           const std::function<void(const TomlValue&)>& read) {
  if (const TomlValue* packages = fields.list(lock, key)) {
    if (auto count = check_package_count(packages->items.size(), fields.file()); !count) {
      return count;
    }
    for (const TomlValue& table : packages->items) {
      if (table.kind == TomlValue::Kind::Table) {
        read(table);
      } else {
        fields.complain(table, key, "a list of tables");
      }
    }
  }
  if (fields.has_failed()) return fail(fields.take_error());
  return true;
}

LockedPackage package_head(const TomlValue& table, LockFields& fields) {
  LockedPackage package;
  package.name = fields.needed_text(table, "name");
  package.normalized = normalize_name(package.name);
  package.version = fields.text(table, "version");
  package.place = fields.place(table);
  return package;
}

void read_conflicts(const TomlValue& table, LockFields& fields, Lock& lock) {
  const TomlValue* conflicts = fields.list(table, "conflicts");
  if (conflicts == nullptr) return;
  for (const TomlValue& set : conflicts->items) {
    Conflict conflict;
    for (const TomlValue& item : set.items) {
      const std::string extra = fields.text(item, "extra");
      const std::string group = fields.text(item, "group");
      if (!extra.empty()) conflict.push_back("extra:" + normalize_name(extra));
      if (!group.empty()) conflict.push_back("group:" + normalize_name(group));
    }
    if (conflict.size() > 1) lock.conflicts.push_back(std::move(conflict));
  }
}

LockedDependency dependency_of(const Requirement& requirement) {
  LockedDependency edge;
  edge.name = requirement.normalized;
  edge.requirement = requirement.to_string();
  edge.extras = requirement.extras;
  edge.marker = requirement.marker;
  return edge;
}

std::string pinned_version(const SpecifierSet& specifiers) {
  if (specifiers.clauses().size() != 1) return {};
  const Specifier& only = specifiers.clauses().front();
  const bool is_exact = only.comparison == Comparison::Arbitrary ||
                        (only.comparison == Comparison::Equal && !only.is_prefix);
  return is_exact ? only.text : std::string{};
}

std::string local_path(std::string_view where) {
  constexpr std::string_view kFile = "file://";
  if (!where.starts_with(kFile)) {
    return where.find("://") == std::string_view::npos ? std::string(where) : std::string{};
  }
  where.remove_prefix(kFile.size());
  std::string path;
  for (std::size_t at = 0; at < where.size(); ++at) {
    unsigned code = 0;
    const char* digits = where.data() + at + 1;
    const bool is_escape = where[at] == '%' && at + 2 < where.size() &&
                           std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    path += is_escape ? static_cast<char>(code) : where[at];
    if (is_escape) at += 2;
  }
  return path;
}

tree::Path written_path(const std::string& directory, std::string_view written) {
  return written.starts_with('/') ? tree::Path(std::string(written))
                                  : tree::Path(directory).join(written);
}

void add_name(std::vector<std::string>& names, std::string_view name) {
  std::string normalized = normalize_name(name);
  if (normalized.empty() || names.size() >= kMaxNames) return;
  if (std::find(names.begin(), names.end(), normalized) == names.end()) {
    names.push_back(std::move(normalized));
  }
}

std::string url_file_name(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t slash = url.find_last_of("/\\");
  if (slash != std::string_view::npos) url.remove_prefix(slash + 1);
  std::string name;
  for (std::size_t i = 0; i < url.size(); ++i) {
    if (url[i] == '%' && i + 2 < url.size() && hex_digit(url[i + 1]) >= 0 &&
        hex_digit(url[i + 2]) >= 0) {
      name += static_cast<char>(hex_digit(url[i + 1]) * 16 + hex_digit(url[i + 2]));
      i += 2;
    } else {
      name += url[i];
    }
  }
  return name;
}

}  // namespace loadable::python
