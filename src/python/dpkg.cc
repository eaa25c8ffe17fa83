// SPDX-License-Identifier: Apache-2.0
#include "python/dpkg.h"

#include <optional>

namespace loadable::python {
namespace {

std::string_view take_line(std::string_view* rest) {
  const std::size_t end = rest->find('\n');
  std::string_view line = rest->substr(0, end);
  rest->remove_prefix(end == std::string_view::npos ? rest->size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<std::string_view> value_of(std::string_view line, std::string_view field) {
  if (!line.starts_with(field)) return std::nullopt;
  line.remove_prefix(field.size());
  if (!line.starts_with(':')) return std::nullopt;
  line.remove_prefix(1);
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

}  // namespace

std::vector<DebianPackage> parse_dpkg_status(std::string_view text) {
  std::vector<DebianPackage> packages;
  DebianPackage package;
  bool is_installed = true;
  const auto finish = [&] {
    if (!package.name.empty() && is_installed) packages.push_back(std::move(package));
    package = {};
    is_installed = true;
  };
  while (!text.empty()) {
    const std::string_view line = take_line(&text);
    if (line.empty()) {
      finish();
      continue;
    }
    if (const auto name = value_of(line, "Package")) package.name = *name;
    if (const auto version = value_of(line, "Version")) package.version = *version;
    if (const auto architecture = value_of(line, "Architecture")) {
      package.architecture = *architecture;
    }
    if (const auto status = value_of(line, "Status"))
      is_installed = status->ends_with(" installed");
  }
  finish();
  return packages;
}

void for_each_dpkg_path(std::string_view list, const std::function<void(std::string_view)>& row) {
  while (!list.empty()) {
    const std::string_view line = take_line(&list);
    if (line.starts_with('/') && line != "/.") row(line);
  }
}

void for_each_dpkg_md5sum(std::string_view text,
                          const std::function<void(std::string_view, std::string_view)>& row) {
  constexpr std::size_t kDigits = 32;
  constexpr std::string_view kBetween = "  ";
  while (!text.empty()) {
    const std::string_view line = take_line(&text);
    if (line.size() <= kDigits + kBetween.size()) continue;
    const std::string_view digest = line.substr(0, kDigits);
    const bool has_form = line.substr(kDigits).starts_with(kBetween) &&
                          digest.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    if (has_form) row(line.substr(kDigits + kBetween.size()), digest);
  }
}

}  // namespace loadable::python
