// SPDX-License-Identifier: Apache-2.0
#include "python/pyvenv_cfg.h"

namespace loadable::python {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// `3.11.7.final.0` -> `3.11.7`; nothing but what begins with digits and dots.
std::string numeric_version(std::string_view text) {
  std::size_t end = 0;
  int dots = 0;
  while (end < text.size()) {
    const char c = text[end];
    if (c == '.' && ++dots == 3) break;
    if (c != '.' && (c < '0' || c > '9')) break;
    ++end;
  }
  text = text.substr(0, end);
  while (text.ends_with('.')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

PyvenvCfg parse_pyvenv_cfg(std::string_view text) {
  PyvenvCfg cfg;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string key = lowered(trimmed(line.substr(0, equals)));
    const std::string_view value = trimmed(line.substr(equals + 1));
    if (key == "home" && cfg.home.empty()) cfg.home = value;
    if (key == "executable") cfg.executable = value;
    if (key == "base-prefix") cfg.base_prefix = value;
    if (key == "base-executable") cfg.base_executable = value;
    if (key == "include-system-site-packages") {
      cfg.includes_system_site_packages = lowered(value) == "true";
    }
    if (key == "version" || key == "version_info") {
      const std::string version = numeric_version(value);
      if (version.size() > cfg.version.size()) cfg.version = version;
    }
  }
  return cfg;
}

}  // namespace loadable::python
