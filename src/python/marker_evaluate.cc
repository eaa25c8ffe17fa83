// SPDX-License-Identifier: Apache-2.0
// What a marker says of an environment: `packaging` 26.4, markers.py _evaluate_markers, and pip's
// way of asking for several extras (req/req_install.py match_markers).

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/format.h"
#include "python/blanks.h"
#include "python/marker.h"
#include "python/marker_nodes.h"
#include "python/names.h"
#include "python/specifier.h"

namespace loadable::python {
namespace {

using Node = Marker::Node;
using Names = std::set<std::string, std::less<>>;

// CPython on Linux, for what the environment does not say.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kDefaults = {
    {{"implementation_name", "cpython"},
     {"implementation_version", ""},
     {"os_name", "posix"},
     {"platform_machine", "x86_64"},
     {"platform_release", ""},
     {"platform_system", "Linux"},
     {"platform_version", ""},
     {"platform_python_implementation", "CPython"},
     {"python_full_version", ""},
     {"python_version", ""},
     {"sys_platform", "linux"}}};

bool is_compared_as_version(std::string_view variable) {
  return variable == "implementation_version" || variable == "platform_release" ||
         variable == "python_full_version" || variable == "python_version";
}

std::optional<std::string> value_of(const MarkerEnvironment& environment, std::string_view name) {
  std::optional<std::string> value;
  for (const auto& [known, text] : kDefaults) {
    if (known == name) value = text;
  }
  if (!value) return value;
  const auto given = environment.variables.find(name);
  if (given != environment.variables.end()) value = given->second;
  // A Python built from an untagged source says `3.13.0+`, which is no version.
  if (name == "python_full_version" && value->ends_with('+')) *value += "local";
  return value;
}

// The comparison of two texts, for all variables that are no versions.
std::optional<bool> compare_texts(const std::string& left, std::string_view operation,
                                  const std::string& right) {
  if (operation == "in") return right.find(left) != std::string::npos;
  if (operation == "not in") return right.find(left) == std::string::npos;
  if (operation == "==" || operation == "<=" || operation == ">=") return left == right;
  if (operation == "!=") return left != right;
  if (operation == "<" || operation == ">") return false;
  return std::nullopt;  // `~=` and `===` mean nothing here
}

// `lhs` against the specifier made of operator and right side; nothing if they make none.
std::optional<bool> compare_versions_by(const std::string& left, const std::string& operation,
                                        const std::string& right) {
  const auto clause = Specifier::parse(operation + right);
  if (!clause) return std::nullopt;
  if (clause->comparison == Comparison::Arbitrary) {
    return std::equal(left.begin(), left.end(), clause->text.begin(), clause->text.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
  }
  const auto version = Version::parse(left);
  return version && clause->contains(*version);
}

struct Evaluation {
  const MarkerEnvironment& environment;
  std::string_view extra;
  bool any_extra = false;   // `extra == …` holds, whatever it names
  bool any_choice = false;  // the same of `"…" in extras` and of groups

  // Nothing where the comparison has no meaning.
  [[nodiscard]] std::optional<bool> comparison(const Node& node) const {
    // A literal on the right is looked up like a variable when the left is none.
    const std::string& key = node.left.is_variable ? node.left.text : node.right.text;
    if (is_set_variable(key)) return set_comparison(node, key);
    if (key == "extra" && any_extra) return compare_texts("", node.operation, "").has_value();
    auto value = key == "extra" ? std::string(extra) : value_of(environment, key);
    if (!value) return std::nullopt;
    const std::string& left = node.left.is_variable ? *value : node.left.text;
    const std::string& right = node.left.is_variable ? node.right.text : *value;
    if (is_compared_as_version(key)) {
      if (const auto result = compare_versions_by(left, node.operation, right)) return result;
    }
    return compare_texts(left, node.operation, right);
  }

  [[nodiscard]] std::optional<bool> set_comparison(const Node& node, std::string_view key) const {
    if (node.left.is_variable) return std::nullopt;
    const Names& names = key == "extras" ? environment.extras : environment.groups;
    const bool is_membership = node.operation == "in" || node.operation == "not in";
    if (!is_membership) return compare_texts("a", node.operation, "b");  // a text is no set
    if (any_choice) return true;
    return names.contains(normalize_name(node.left.text)) == (node.operation == "in");
  }

  [[nodiscard]] std::optional<bool> operator()(const Node& node) const {
    if (!node.is_group()) return comparison(node);
    bool any = false, all = true, is_undefined = false;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (i > 0 && node.is_or[i - 1] != 0) {
        any = any || all;
        all = true;
      }
      // All are asked: one without meaning makes the whole meaningless, as in `packaging`.
      const auto item = (*this)(node.items[i]);
      is_undefined = is_undefined || !item;
      all = all && item.value_or(false);
    }
    return is_undefined ? std::nullopt : std::optional(any || all);
  }
};

// The literals that `extra` is compared with; false when there is no such comparison.
bool collect_extras(const Node& node, Names* names) {
  if (!node.is_group()) {
    const bool is_left = node.left.is_variable && node.left.text == "extra";
    const bool is_right = !node.left.is_variable && node.right.text == "extra";
    if (is_left || is_right) {
      names->insert(normalize_name(is_left ? node.right.text : node.left.text));
    }
    return is_left || is_right;
  }
  bool any = false;
  for (const Node& item : node.items) any = collect_extras(item, names) || any;
  return any;
}

}  // namespace

bool Marker::holds(const MarkerEnvironment& environment) const {
  if (!root_) return true;
  const auto holds_with = [&](std::string_view extra) {
    return Evaluation{environment, extra}(*root_).value_or(false);
  };
  if (holds_with("")) return true;
  Names named;
  if (environment.extras.empty() || !collect_extras(*root_, &named)) return false;
  return std::any_of(environment.extras.begin(), environment.extras.end(), holds_with);
}

Names Marker::extras() const {
  Names names;
  if (root_) collect_extras(*root_, &names);
  return names;
}

bool Marker::can_hold(const MarkerEnvironment& environment) const {
  constexpr std::size_t kMaxTried = 64;
  if (holds(environment)) return true;
  Names extras;
  collect_extras(*root_, &extras);
  if (extras.size() > kMaxTried) {
    return Evaluation{environment, "", true, true}(*root_).value_or(false);
  }
  extras.insert("");
  extras.insert("an extra that no marker names");
  return std::any_of(extras.begin(), extras.end(), [&](const std::string& extra) {
    return Evaluation{environment, extra, false, true}(*root_).value_or(false);
  });
}

MarkerEnvironment MarkerEnvironment::for_interpreter(std::string_view version,
                                                     std::string_view machine) {
  MarkerEnvironment environment;
  for (const auto& [name, text] : kDefaults) {
    if (!text.empty()) environment.variables.emplace(name, text);
  }
  if (!machine.empty()) environment.variables["platform_machine"] = machine;
  const auto parsed = Version::parse(version);
  if (!parsed) return environment;
  std::string full = parsed->to_string();
  constexpr std::size_t kFullLength = 3;
  if (parsed->release().size() < kFullLength && !parsed->is_prerelease()) {
    full = format("{}.{}.{}", parsed->component(0), parsed->component(1), parsed->component(2));
  }
  environment.variables["python_version"] =
      format("{}.{}", parsed->component(0), parsed->component(1));
  environment.variables["python_full_version"] = full;
  environment.variables["implementation_version"] = full;
  return environment;
}

}  // namespace loadable::python
