// SPDX-License-Identifier: Apache-2.0
#include "cli/configuration.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/format.h"
#include "base/quote.h"
#include "base/toml.h"
#include "check/catalogue.h"
#include "tree/tree.h"
#include "tree/walk.h"

namespace loadable::cli {
namespace {

constexpr std::uint64_t kLimit = 16U << 20U;

constexpr std::array<std::string_view, 19> kKeys = {
    "select",  "ignore",   "after",   "provided",  "require", "exclude",  "env",
    "fail-on", "format",   "cwd",     "cpu",       "libc",    "baseline", "knowledge",
    "color",   "host-env", "symbols", "integrity", "python"};

tl::unexpected<Error> wrong(const TomlValue& value, std::string_view name, std::string_view key,
                            std::string_view wanted) {
  return fail(ErrorCode::Malformed,
              format("line {}: {} is {}, wanted {}", value.line, quoted(key), to_string(value.kind),
                     wanted),
              std::string(name));
}

/// One reader for each key; they stop at the first error.
class Reader {
 public:
  Reader(const TomlValue& table, std::string_view name) : table_(table), name_(name) {}

  Result<Configuration> read() {
    if (auto bad = unknown_key()) return fail(std::move(*bad));
    texts("select", configuration_.select);
    texts("after", configuration_.after);
    texts("provided", configuration_.provided);
    texts("require", configuration_.require);
    texts("exclude", configuration_.exclude);
    text("fail-on", configuration_.fail_on);
    text("format", configuration_.format);
    text("cwd", configuration_.cwd);
    text("cpu", configuration_.cpu);
    text("libc", configuration_.libc);
    text("baseline", configuration_.baseline);
    text("knowledge", configuration_.knowledge);
    text("color", configuration_.color);
    text("integrity", configuration_.integrity);
    text("python", configuration_.python);
    boolean("host-env", configuration_.counts_host);
    boolean("symbols", configuration_.binds_symbols);
    environment();
    ignores();
    if (error_) return fail(std::move(*error_));
    return std::move(configuration_);
  }

 private:
  std::optional<Error> unknown_key() const {
    for (const auto& [key, value] : table_.members) {
      if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end()) continue;
      const std::string near = check::nearest_word(key, kKeys);
      return Error{ErrorCode::Malformed,
                   format("line {}: unknown key {}{}", value.line, quoted(key),
                          near.empty() ? "" : format("; did you mean {}?", quoted(near))),
                   std::string(name_), std::nullopt, nullptr};
    }
    return std::nullopt;
  }

  void complain(const TomlValue& value, std::string_view key, std::string_view wanted) {
    if (!error_) error_ = wrong(value, name_, key, wanted).value();
  }

  void text(std::string_view key, std::optional<std::string>& out) {
    const TomlValue* value = table_.find(key);
    if (value == nullptr) return;
    if (value->kind != TomlValue::Kind::Text) return complain(*value, key, "a string");
    out = value->text;
  }

  void boolean(std::string_view key, std::optional<bool>& out) {
    const TomlValue* value = table_.find(key);
    if (value == nullptr) return;
    if (value->kind != TomlValue::Kind::Boolean) return complain(*value, key, "a boolean");
    out = value->boolean;
  }

  void texts(std::string_view key, std::vector<std::string>& out) {
    const TomlValue* value = table_.find(key);
    if (value == nullptr) return;
    if (value->kind == TomlValue::Kind::Text) return out.push_back(value->text);
    if (value->kind != TomlValue::Kind::List) return complain(*value, key, "a list of strings");
    for (const TomlValue& item : value->items) {
      if (item.kind != TomlValue::Kind::Text) return complain(item, key, "a list of strings");
      out.push_back(item.text);
    }
  }

  void environment() {
    const TomlValue* value = table_.find("env");
    if (value == nullptr) return;
    if (value->kind != TomlValue::Kind::Table) return complain(*value, "env", "a table of strings");
    for (const auto& [key, item] : value->members) {
      if (item.kind != TomlValue::Kind::Text) return complain(item, "env", "a table of strings");
      configuration_.env.emplace_back(key, item.text);
    }
  }

  void ignores() {
    const TomlValue* value = table_.find("ignore");
    if (value == nullptr) return;
    constexpr std::string_view kWanted = "a list of rules or of { rule, path, reason, expires }";
    if (value->kind != TomlValue::Kind::List) return complain(*value, "ignore", kWanted);
    for (const TomlValue& item : value->items) {
      check::Ignore ignore;
      if (item.kind == TomlValue::Kind::Text) {
        ignore.rule = item.text;
      } else if (item.kind == TomlValue::Kind::Table) {
        if (!read_ignore(item, ignore)) return;
      } else {
        return complain(item, "ignore", kWanted);
      }
      if (!is_rule(item, ignore.rule)) return;
      configuration_.ignore.push_back(std::move(ignore));
    }
  }

  bool read_ignore(const TomlValue& table, check::Ignore& ignore) {
    for (const auto& [key, item] : table.members) {
      const bool is_text = item.kind == TomlValue::Kind::Text || item.kind == TomlValue::Kind::Time;
      std::string* out = key == "rule"      ? &ignore.rule
                         : key == "path"    ? &ignore.path
                         : key == "reason"  ? &ignore.reason
                         : key == "expires" ? &ignore.expires
                                            : nullptr;
      if (out == nullptr || !is_text) {
        complain(item, key, "one of `rule`, `path`, `reason`, `expires`, each a string");
        return false;
      }
      *out = item.text;
    }
    if (ignore.expires.empty() || is_date(ignore.expires)) return true;
    complain(table, "expires", "a date like `2026-12-31`");
    return false;
  }

  bool is_rule(const TomlValue& item, const std::string& rule) {
    if (rule == "*" || check::find_rule(rule) != nullptr) return true;
    const std::string_view near = check::nearest_rule(rule);
    if (!error_) {
      error_ = Error{ErrorCode::Malformed,
                     format("line {}: unknown rule {}{}", item.line, quoted(rule),
                            near.empty() ? "" : format("; did you mean {}?", quoted(near))),
                     std::string(name_), std::nullopt, nullptr};
    }
    return false;
  }

  static bool is_date(std::string_view text) {
    constexpr std::string_view kShape = "0000-00-00";
    return text.size() == kShape.size() &&
           std::equal(text.begin(), text.end(), kShape.begin(), [](char c, char shape) {
             return shape == '-' ? c == '-' : c >= '0' && c <= '9';
           });
  }

  const TomlValue& table_;
  std::string_view name_;
  Configuration configuration_;
  std::optional<Error> error_;
};

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

Result<std::string> read_host(tree::Walk& walk, const std::string& path) {
  return walk.read_text(tree::Path(path), kLimit);
}

}  // namespace

Result<Configuration> parse_configuration(std::string_view text, const std::string& name,
                                          bool is_pyproject) {
  auto parsed = parse_toml(text, name);
  if (!parsed) return fail(parsed.error());
  const TomlValue* table = &*parsed;
  if (is_pyproject) {
    const TomlValue* tool = table->find("tool");
    table = tool == nullptr ? nullptr : tool->find("loadable");
    if (table == nullptr) return Configuration{};
    if (table->kind != TomlValue::Kind::Table) {
      return wrong(*table, name, "tool.loadable", "a table");
    }
  }
  auto configuration = Reader(*table, name).read();
  if (configuration) configuration->file = name;
  return configuration;
}

Result<Configuration> find_configuration(const std::optional<std::string>& stated,
                                         const std::string& directory) {
  const auto host = tree::open_host_tree("/");
  if (!host) return fail(host.error());
  tree::Walk walk(**host);
  const auto read = [&](const std::string& path) -> Result<Configuration> {
    auto text = read_host(walk, path);
    if (!text) {
      Error error = text.error();
      if (error.subject.empty()) error.subject = path;
      return fail(std::move(error));
    }
    return parse_configuration(*text, path, path.ends_with("pyproject.toml"));
  };
  if (stated) {
    return read(stated->starts_with("/") ? *stated : directory + "/" + *stated);
  }
  for (std::string at = directory;; at = parent_of(at)) {
    for (const char* name : {"loadable.toml", "pyproject.toml"}) {
      const std::string path = (at == "/" ? "" : at) + "/" + name;
      if (!walk.resolve(path)) continue;
      auto configuration = read(path);
      if (!configuration || !configuration->file.empty()) return configuration;
    }
    if (at == "/" || at.empty()) return Configuration{};
  }
}

}  // namespace loadable::cli
