// SPDX-License-Identifier: Apache-2.0
#include "python/names.h"

#include <array>

namespace loadable::python {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string normalize_name(std::string_view name) {
  std::string normal;
  normal.reserve(name.size());
  bool in_run = false;
  for (const char c : name) {
    const bool is_separator = c == '-' || c == '_' || c == '.';
    if (!is_separator) normal += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (is_separator && !in_run) normal += '-';
    in_run = is_separator;
  }
  return normal;
}

std::optional<InfoName> parse_info_name(std::string_view directory) {
  constexpr std::string_view kDistInfo = ".dist-info", kEggInfo = ".egg-info";
  InfoName result;
  if (directory.ends_with(kDistInfo)) {
    directory.remove_suffix(kDistInfo.size());
  } else if (directory.ends_with(kEggInfo)) {
    directory.remove_suffix(kEggInfo.size());
    result.kind = InfoKind::EggInfo;
  } else {
    return std::nullopt;
  }
  const std::size_t dash = directory.find('-');
  result.name = directory.substr(0, dash);
  if (result.name.empty()) return std::nullopt;
  if (dash == std::string_view::npos) return result;
  std::string_view version = directory.substr(dash + 1);
  // setuptools appends the Python release that an egg was made for: `-py3.9`.
  const std::size_t python = version.rfind("-py");
  if (result.kind == InfoKind::EggInfo && python != std::string_view::npos &&
      python + 3 < version.size() && is_digit(version[python + 3])) {
    version = version.substr(0, python);
  }
  result.version = version;
  return result;
}

std::optional<WheelName> parse_wheel_name(std::string_view file_name) {
  constexpr std::string_view kSuffix = ".whl";
  constexpr std::size_t kWithoutBuild = 5, kWithBuild = 6;
  if (!file_name.ends_with(kSuffix)) return std::nullopt;
  file_name.remove_suffix(kSuffix.size());
  std::array<std::string, kWithBuild> parts;
  std::size_t count = 0;
  while (true) {
    if (count == parts.size()) return std::nullopt;
    const std::size_t dash = file_name.find('-');
    parts.at(count) = file_name.substr(0, dash);
    if (parts.at(count++).empty()) return std::nullopt;
    if (dash == std::string_view::npos) break;
    file_name.remove_prefix(dash + 1);
  }
  if (count == kWithoutBuild) {
    return WheelName{parts[0], parts[1], {}, parts[2], parts[3], parts[4]};
  }
  if (count != kWithBuild || !is_digit(parts[2][0])) return std::nullopt;
  return WheelName{parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]};
}

}  // namespace loadable::python
