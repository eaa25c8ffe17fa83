// SPDX-License-Identifier: Apache-2.0
// The hashes by which poetry and pdm tell whether a lock belongs to a pyproject.toml: of JSON texts
// of those tables that decide a resolution.

#include <algorithm>
#include <set>

#include "base/digest.h"
#include "base/format.h"
#include "base/quote.h"
#include "python/lock_freshness.h"
#include "python/names.h"
#include "python/version.h"

namespace loadable::python {
namespace {

/// A code point of valid UTF-8, and how many bytes it has.
std::pair<std::uint32_t, std::size_t> code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xe0) return {(first & 0x1fU) << 6U | (byte(1) & 0x3fU), 2};
  if (first < 0xf0) {
    return {(first & 0x0fU) << 12U | (byte(1) & 0x3fU) << 6U | (byte(2) & 0x3fU), 3};
  }
  return {(first & 0x07U) << 18U | (byte(1) & 0x3fU) << 12U | (byte(2) & 0x3fU) << 6U |
              (byte(3) & 0x3fU),
          4};
}

void append_escaped(std::uint32_t point, std::string& out) {
  constexpr std::string_view kPlain = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  const std::size_t at = point < 0x80 ? kPlain.find(static_cast<char>(point)) : kPlain.npos;
  if (at != kPlain.npos) {
    out += '\\';
    out += kLetters[at];
  } else if (point >= 0x20 && point < 0x7f) {
    out += static_cast<char>(point);
  } else if (point < 0x10000) {
    out += format("\\u{:04x}", point);
  } else {
    const std::uint32_t rest = point - 0x10000;
    out += format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10U), 0xdc00 + (rest & 0x3ffU));
  }
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto [point, size] = code_point(text);
    append_escaped(point, out);
    text.remove_prefix(std::min(size, text.size()));
  }
  return out + "\"";
}

/// False: a value that JSON has no word for, or whose digits are Python's own affair.
bool append_json(const TomlValue& value, std::string& out) {
  switch (value.kind) {
    case TomlValue::Kind::Text:
      out += json_text(value.text);
      return true;
    case TomlValue::Kind::Integer:
      out += format("{}", value.integer);
      return true;
    case TomlValue::Kind::Boolean:
      out += value.boolean ? "true" : "false";
      return true;
    case TomlValue::Kind::Real:
    case TomlValue::Kind::Time:
      return false;
    case TomlValue::Kind::List:
      out += '[';
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) out += ", ";
        if (!append_json(value.items[i], out)) return false;
      }
      out += ']';
      return true;
    case TomlValue::Kind::Table:
      break;
  }
  out += '{';
  for (std::size_t i = 0; i < value.members.size(); ++i) {
    if (i > 0) out += ", ";
    out += json_text(value.members[i].key) + ": ";
    if (!append_json(value.members[i].value, out)) return false;
  }
  out += '}';
  return true;
}

/// An object whose members are JSON texts already.
class JsonObject {
 public:
  void add(std::string key, std::string json) {
    is_whole_ = is_whole_ && !json.empty();
    members_.emplace_back(std::move(key), std::move(json));
  }
  [[nodiscard]] bool empty() const { return members_.empty(); }
  /// Empty: one of the members could not be written.
  [[nodiscard]] std::string text() {
    if (!is_whole_) return {};
    std::sort(members_.begin(), members_.end());
    std::string out = "{";
    for (const auto& [key, json] : members_) {
      out += (out.size() > 1 ? ", " : "") + json_text(key) + ": " + json;
    }
    return out + "}";
  }

 private:
  std::vector<std::pair<std::string, std::string>> members_;
  bool is_whole_ = true;
};

const TomlValue& table_of(const TomlValue& value, std::initializer_list<std::string_view> keys) {
  static const TomlValue kNone;
  const TomlValue* at = &value;
  for (const std::string_view key : keys) {
    at = at->find(key);
    if (at == nullptr) return kNone;
  }
  return *at;
}

std::string poetry_content(const TomlValue& project, bool with_groups) {
  JsonObject standard;
  for (const char* key : {"requires-python", "dependencies", "optional-dependencies"}) {
    const TomlValue* value = table_of(project, {"project"}).find(key);
    if (value != nullptr) standard.add(key, python_json(*value));
  }
  const TomlValue& groups = table_of(project, {"dependency-groups"});
  const bool has_groups = with_groups && !groups.members.empty();
  JsonObject own;
  for (const char* key : {"dependencies", "source", "extras", "dev-dependencies", "group"}) {
    const TomlValue* value = table_of(project, {"tool", "poetry"}).find(key);
    if (value != nullptr) {
      own.add(key, python_json(*value));
    } else if (std::string_view(key) != "group" && standard.empty() && !has_groups) {
      own.add(key, "null");
    }
  }
  if (standard.empty() && !has_groups) return own.text();
  JsonObject tool;
  tool.add("poetry", own.text());
  JsonObject all;
  if (!standard.empty()) all.add("project", standard.text());
  if (has_groups) all.add("dependency-groups", python_json(groups));
  all.add("tool", tool.text());
  return all.text();
}

/// `# This file is automatically @generated by Poetry 2.5.1 and …`
std::string poetry_version(std::string_view line) {
  constexpr std::string_view kWord = "Poetry ";
  const std::size_t at = line.find(kWord);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + kWord.size());
  return std::string(rest.substr(0, rest.find(' ')));
}

/// Names that the project requires and no entry has, for the message.
std::string unlocked_names(const Lock& lock) {
  constexpr std::size_t kMaxNamed = 3;
  std::set<std::string> known;
  std::vector<std::string> names;
  for (const LockedPackage& package : lock.packages) {
    if (!package.is_root) known.insert(package.normalized);
  }
  for (const LockedPackage& package : lock.packages) {
    if (!package.is_root) continue;
    for (const LockedDependency& edge : package.dependencies) {
      if (edge.name == package.normalized || !known.insert(edge.name).second) continue;
      if (names.size() < kMaxNamed) names.push_back(quoted(edge.name));
    }
  }
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string said(const char* key, const Lock& lock) {
  const std::string names = unlocked_names(lock);
  std::string text = format("its {} is not the hash of what is required", quoted(key));
  if (!names.empty()) text += ", and does not hold " + names;
  return text;
}

}  // namespace

std::string python_json(const TomlValue& value) {
  std::string out;
  return append_json(value, out) ? out : std::string{};
}

std::string poetry_difference(const LockText& text, const Lock& lock) {
  const TomlValue& found = table_of(*text.lock, {"metadata", "content-hash"});
  if (found.kind != TomlValue::Kind::Text) return {};
  const std::string version = poetry_version(text.first_line);
  // Before 2.3 the groups of the standard did not count; 3 may count something else.
  const bool counts_groups = version.empty() || compare_versions(version, "2.3.0") >= 0;
  if (!version.empty() && compare_versions(version, "3") >= 0) return {};
  for (const bool with_groups : {true, false}) {
    if (!with_groups && counts_groups) break;
    const std::string content = poetry_content(*text.project, with_groups);
    if (content.empty()) return {};
    if (to_hex(digest_of(content, DigestKind::Sha256)) == found.text) return {};
  }
  return said("content-hash", lock);
}

std::string pdm_difference(const LockText& text, const Lock& lock) {
  const TomlValue& found = table_of(*text.lock, {"metadata", "content_hash"});
  const std::size_t colon = found.text.find(':');
  if (found.kind != TomlValue::Kind::Text || colon == std::string::npos) return {};
  const auto kind = digest_kind(found.text.substr(0, colon));
  if (!kind) return {};
  const TomlValue& project = table_of(*text.project, {"project"});
  const TomlValue& own = table_of(*text.project, {"tool", "pdm"});
  const auto json_or = [](const TomlValue& table, const char* key, const char* other) {
    const TomlValue* value = table.find(key);
    return value == nullptr ? std::string(other) : python_json(*value);
  };
  // The groups of the standard, then pdm's own under the same names.
  TomlValue groups;
  for (const TomlValue* table :
       {text.project->find("dependency-groups"), own.find("dev-dependencies")}) {
    if (table == nullptr) continue;
    for (const TomlMember& group : table->members) {
      const std::string name = normalize_name(group.key);
      auto at = std::find_if(groups.members.begin(), groups.members.end(),
                             [&](const TomlMember& member) { return member.key == name; });
      if (at == groups.members.end()) {
        groups.members.push_back({name, group.value});
        continue;
      }
      at->value.items.insert(at->value.items.end(), group.value.items.begin(),
                             group.value.items.end());
    }
  }
  std::sort(groups.members.begin(), groups.members.end(),
            [](const TomlMember& a, const TomlMember& b) { return a.key < b.key; });
  // Releases before the exclusions hashed the overrides alone.
  for (const bool is_older : {false, true}) {
    JsonObject all;
    all.add("sources", json_or(own, "source", "[]"));
    all.add("dependencies", json_or(project, "dependencies", "[]"));
    all.add("dev-dependencies", python_json(groups));
    all.add("optional-dependencies", json_or(project, "optional-dependencies", "{}"));
    all.add("requires-python", json_or(project, "requires-python", "\"\""));
    const std::string resolution = json_or(own, "resolution", "{}");
    if (is_older && resolution.find("excludes") != std::string::npos) break;
    all.add(is_older ? "overrides" : "resolution",
            is_older ? json_or(table_of(own, {"resolution"}), "overrides", "{}") : resolution);
    const std::string content = all.text();
    if (content.empty()) return {};
    if (to_hex(digest_of(content, *kind)) == found.text.substr(colon + 1)) return {};
  }
  return said("content_hash", lock);
}

}  // namespace loadable::python
