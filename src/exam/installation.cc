// SPDX-License-Identifier: Apache-2.0
#include "exam/installation.h"

#include <algorithm>

namespace loadable::exam {
namespace {

constexpr std::uint64_t kMaxText = 1U << 20U;
constexpr std::uint64_t kMaxRequirements = 16U << 20U;
constexpr std::size_t kMaxTables = 1000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// The next line, taken off the text.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool is_bare(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

/// uv writes its release there, and no pip into the environment.
bool is_uvs(std::string_view pyvenv_cfg) {
  while (!pyvenv_cfg.empty()) {
    const std::string_view line = next_line(pyvenv_cfg);
    if (trimmed(line.substr(0, line.find('='))) == "uv") return true;
  }
  return false;
}

std::string name_of(const inventory::Distribution& distribution) {
  switch (distribution.kind) {
    case inventory::DistributionKind::Conda:
      return "conda";
    case inventory::DistributionKind::Debian:
      return "debian";
    case inventory::DistributionKind::DistInfo:
    case inventory::DistributionKind::EggInfo:
      break;
  }
  return distribution.installer;
}

}  // namespace

check::Installation installation_of(Scene& scene, std::size_t index) {
  check::Installation place;
  const python::Environment& environment = scene.inventory.environments[index];
  bool has_uvs = false;
  place.has_pip = false;
  for (const inventory::Distribution& one : scene.inventory.distributions) {
    if (one.environment != index) continue;
    const std::string by = name_of(one);
    place.has_pip = place.has_pip || one.normalized == "pip";
    has_uvs = has_uvs || by == "uv";
    // A dist-info that conda brought is conda's.
    if (one.supplied_by || by.empty()) continue;
    const auto [known, is_new] = place.made_by.emplace(one.to_string(), by);
    if (!is_new && by == "conda") known->second = by;
  }
  tree::Walk& walk = *scene.target.walk;
  const tree::Path prefix(environment.prefix);
  const auto cfg = walk.read_text(prefix.join("pyvenv.cfg"), kMaxText);
  place.is_uvs = (cfg && is_uvs(*cfg)) || (has_uvs && !place.has_pip);
  // In another root nobody calls it by this path.
  if (scene.target.root != "/") {
    place.has_pip = true;
    return place;
  }
  place.python = environment.executable;
  // Turned into a folder's commands later (check/folder_remedies.h).
  if (environment.kind == python::EnvironmentKind::Folder) {
    place.has_pip = true;
    place.is_uvs = false;
  }
  if (environment.kind == python::EnvironmentKind::Conda) place.prefix = environment.prefix;
  if (environment.kind != python::EnvironmentKind::Venv) return place;
  const auto project = walk.read_text(prefix.parent().join("pyproject.toml"), kMaxText);
  if (!project) return place;
  place.project = prefix.parent().text();
  place.project_tables = tables_of(*project);
  return place;
}

check::ProjectFile project_file(target::Target& target, const python::Lock& lock) {
  using python::LockFormat;
  check::ProjectFile file;
  const tree::Path path(lock.path);
  // The target as it was typed, without the file's name; in another root nobody can go there.
  if (target.root == "/") {
    file.folder = target.shown;
    if (target.path != path.parent().text()) {
      file.folder.resize(std::min(file.folder.rfind('/') + 1, file.folder.size()));
    }
    while (file.folder.size() > 1 && file.folder.ends_with('/')) file.folder.pop_back();
    if (file.folder == ".") file.folder.clear();
  }
  tree::Walk& walk = *target.walk;
  const auto project = walk.read_text(path.parent().join("pyproject.toml"), kMaxText);
  if (project) file.tables = tables_of(*project);
  const bool is_installed_from = lock.format == LockFormat::Requirements ||
                                 lock.format == LockFormat::Pylock ||
                                 lock.format == LockFormat::CondaYaml;
  if (!is_installed_from) return file;
  file.requirements = std::string(path.name());
  file.is_complete = lock.is_resolved && lock.format != LockFormat::CondaYaml;
  const auto text = walk.read_text(path, kMaxRequirements);
  if (!text) return file;
  file.command = command_in(*text);
  file.has_hashes = lock.format == LockFormat::Requirements && has_hashes(*text);
  return file;
}

std::string choice_of(const python::Selection& selection) {
  if (selection.all_extras || selection.all_groups) return {};
  if (selection.extras.size() + selection.groups.size() != 1) return {};
  return selection.groups.empty() ? "extra = \"" + selection.extras.front() + "\""
                                  : "group = \"" + selection.groups.front() + "\"";
}

std::vector<std::string> tables_of(std::string_view pyproject) {
  std::vector<std::string> tables;
  std::string table;
  while (!pyproject.empty() && tables.size() < kMaxTables) {
    const std::string_view line = trimmed(next_line(pyproject));
    const bool is_head = line.starts_with('[') && !line.starts_with("[[");
    const std::size_t end = line.find(is_head ? ']' : '=');
    if (end == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(is_head ? 1 : 0, end - (is_head ? 1 : 0)));
    if (!is_bare(key)) continue;
    if (is_head) table = key;
    tables.push_back(is_head ? table : table + "." + std::string(key));
  }
  return tables;
}

std::string command_in(std::string_view text) {
  for (int i = 0; i < 10 && text.starts_with('#'); ++i) {
    const std::string_view line = trimmed(next_line(text).substr(1));
    const bool is_known = line.starts_with("uv pip compile ") || line.starts_with("uv export ") ||
                          line.starts_with("pip-compile ");
    if (!is_known) continue;
    const bool is_plain = std::all_of(line.begin(), line.end(), [](char c) {
      return is_bare({&c, 1}) || std::string_view(" /=:,@+").find(c) != std::string_view::npos;
    });
    return is_plain ? std::string(line) : std::string{};
  }
  return {};
}

bool has_hashes(std::string_view requirements) {
  while (!requirements.empty()) {
    const std::string_view line = trimmed(next_line(requirements));
    if (!line.starts_with('#') && line.find("--hash=") != std::string_view::npos) return true;
    if (line.starts_with("--require-hashes")) return true;
  }
  return false;
}

}  // namespace loadable::exam
