// SPDX-License-Identifier: Apache-2.0
#include "exam/project_files.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/quote.h"

namespace loadable::exam {
namespace {

using python::Lock;
using python::LockFormat;
using tree::Path;

/// What says what a project installs, its lock before its wishes.
constexpr std::array<const char*, 10> kProjectFiles = {
    "uv.lock",        "pylock.toml",      "poetry.lock",     "pdm.lock",         "Pipfile.lock",
    "pyproject.toml", "requirements.txt", "environment.yml", "environment.yaml", "setup.cfg"};

/// Those that are there; the first counts.
std::vector<Path> files_of_project(target::Target& target) {
  std::vector<Path> files;
  for (const char* name : kProjectFiles) {
    Path path = Path(target.path).join(name);
    const auto& found = target.walk->resolve(path);
    if (found && found->stat.kind == tree::Kind::Regular) files.push_back(std::move(path));
  }
  return files;
}

tl::unexpected<Error> fail_without_files(target::Target& target) {
  for (const char* name : {"pixi.lock", "conda-lock.yml"}) {
    if (!target.walk->resolve(Path(target.path).join(name))) continue;
    return fail(ErrorCode::Unsupported,
                format("this project has only {}, which this release cannot read", quoted(name)),
                target.shown);
  }
  return fail(ErrorCode::NotFound,
              "this project has none of `uv.lock`, `pylock.toml`, `poetry.lock`, `pdm.lock`, "
              "`Pipfile.lock`, "
              "`pyproject.toml`, `requirements.txt`, `environment.yml`, `setup.cfg`: what it "
              "requires is not known (what `setup.py` requires only a run would tell)",
              target.shown);
}

/// The name says it, unless the user does.
Result<LockFormat> format_of(const target::Target& target, const Path& path) {
  if (const auto known = python::lock_format_of(path.name())) return *known;
  if (target.kind == target::Kind::Requirements) {
    const bool is_yaml = path.name().ends_with(".yml") || path.name().ends_with(".yaml");
    return is_yaml ? LockFormat::CondaYaml : LockFormat::Requirements;
  }
  return fail(ErrorCode::Unsupported,
              format("{} is no lock file that this release can read; accepted: `uv.lock`, "
                     "`pylock.toml`, `poetry.lock`, `pdm.lock`, `Pipfile.lock`, requirements "
                     "files, "
                     "`environment.yml`, `pyproject.toml`",
                     quoted(path.name())),
              target.shown);
}

Result<Lock> read_file(target::Target& target, const Path& path) {
  const auto kind = format_of(target, path);
  if (!kind) return fail(kind.error());
  return python::read_lock(*target.walk, path, *kind);
}

/// A pyproject.toml that only configures tools, for example.
bool requires_nothing(const Lock& lock) {
  return lock.format == LockFormat::Pyproject && lock.problems.empty() &&
         std::all_of(lock.packages.begin(), lock.packages.end(),
                     [](const auto& package) { return package.is_root; });
}

Result<Lock> read_folder(target::Target& target) {
  const std::vector<Path> files = files_of_project(target);
  if (files.empty()) return fail_without_files(target);
  auto lock = read_file(target, files.front());
  if (!lock || !requires_nothing(*lock)) return lock;
  for (const Path& path : files) {
    const auto format = python::lock_format_of(path.name());
    if (format != LockFormat::Requirements && format != LockFormat::CondaYaml) continue;
    auto list = read_file(target, path);
    if (list) list->files.insert(list->files.begin(), lock->files.begin(), lock->files.end());
    return list;
  }
  return lock;
}

}  // namespace

Result<Lock> read_planned(target::Target& target) {
  if (target.kind == target::Kind::Project) {
    const auto& found = target.walk->resolve(Path(target.path));
    if (found && found->stat.kind == tree::Kind::Directory) return read_folder(target);
  }
  return read_file(target, Path(target.path));
}

std::vector<std::string> lists_beside(target::Target& target, const Lock& lock) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> names;
  if (target.kind != target::Kind::Project) return names;
  const Path folder = Path(lock.path).parent();
  const auto entries = target.walk->list(folder);
  if (!entries) return names;
  for (const tree::Entry& entry : *entries) {
    const std::string& name = entry.name;
    const auto format = python::lock_format_of(name);
    const bool is_unread = name == "pixi.lock" || name == "conda-lock.yml";
    const bool is_source = name.ends_with(".in") || name.find("constraints") != name.npos;
    if (!is_unread && (!format || format == LockFormat::Pyproject || is_source)) continue;
    const std::string path = folder.join(name).text();
    if (std::find(lock.files.begin(), lock.files.end(), path) == lock.files.end()) {
      names.push_back(printable(name));
    }
  }
  std::sort(names.begin(), names.end());
  if (names.size() > kMost) names.resize(kMost);
  return names;
}

}  // namespace loadable::exam
