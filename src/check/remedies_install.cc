// SPDX-License-Identifier: Apache-2.0
#include "check/remedies_install.h"

#include "base/format.h"
#include "check/remedies.h"

namespace loadable::check {
namespace {

using Words = std::vector<std::string>;

std::string conda_place(const Installation& place) {
  return place.prefix.empty() ? "" : " -p " + shell_word(place.prefix);
}

/// `nvidia-cublas-cu12 12.9.3.13` -> `nvidia-cublas-cu12==12.9.3.13`.
std::string pinned(const std::string& distribution, std::string_view sign) {
  const std::size_t space = distribution.find(' ');
  if (space == std::string::npos) return distribution;
  return distribution.substr(0, space) + std::string(sign) + distribution.substr(space + 1);
}

std::string reinstall_command(const Installation& place, Installer by, const Words& distributions) {
  Words pins;
  Words names;
  const std::string_view sign = by == Installer::Conda ? "=" : "==";
  for (const std::string& distribution : distributions) {
    names.push_back(distribution.substr(0, distribution.find(' ')));
    pins.push_back(pinned(distribution, sign));
  }
  switch (by) {
    case Installer::Uv:
      return format("uv pip install{} --reinstall --no-deps{}", uv_place(place), shell_words(pins));
    case Installer::Conda:
      return format("conda install -y{} --force-reinstall{}", conda_place(place),
                    shell_words(pins));
    case Installer::Debian:
      return format("apt-get install --reinstall{}", shell_words(names));
    case Installer::Pip:
      break;
  }
  return format("{} install --force-reinstall --no-deps{}", pip_command(place), shell_words(pins));
}

}  // namespace

Installer installer_of(const Installation& place, std::string_view distribution) {
  const auto found = place.made_by.find(std::string(distribution));
  const std::string by = found == place.made_by.end() ? std::string{} : found->second;
  if (by == "conda") return Installer::Conda;
  if (by == "debian") return Installer::Debian;
  if (by.starts_with("uv")) return Installer::Uv;
  const bool is_pip = by == "pip" && (place.has_pip || !place.is_uvs);
  return place.is_uvs && !is_pip ? Installer::Uv : Installer::Pip;
}

std::string pip_command(const Installation& place) {
  if (place.python.empty()) return "pip";
  return place.has_pip ? shell_word(place.python) + " -m pip"
                       : "pip --python " + shell_word(place.python);
}

std::string uv_place(const Installation& place) {
  std::string text;
  if (!place.python.empty()) text += " --python " + shell_word(place.python);
  return text;
}

Words install_commands(const Installation& place, const Words& requirements) {
  if (installer_of(place, {}) == Installer::Uv) {
    return {format("uv pip install{}{}", uv_place(place), shell_words(requirements))};
  }
  return {format("{} install{}", pip_command(place), shell_words(requirements))};
}

Words reinstall_commands(const Installation& place, const Words& distributions) {
  Words commands;
  for (const Installer by : {Installer::Debian, Installer::Conda, Installer::Pip, Installer::Uv}) {
    Words theirs;
    for (const std::string& distribution : distributions) {
      if (installer_of(place, distribution) == by) theirs.push_back(distribution);
    }
    if (!theirs.empty()) commands.push_back(reinstall_command(place, by, theirs));
  }
  return commands;
}

std::string remove_command(const Installation& place, Installer by, const Words& names) {
  switch (by) {
    case Installer::Uv:
      return format("uv pip uninstall{}{}", uv_place(place), shell_words(names));
    case Installer::Conda:
      return format("conda remove -y{} --force{}", conda_place(place), shell_words(names));
    case Installer::Debian:
      return format("apt-get remove{}", shell_words(names));
    case Installer::Pip:
      break;
  }
  return format("{} uninstall -y{}", pip_command(place), shell_words(names));
}

}  // namespace loadable::check
