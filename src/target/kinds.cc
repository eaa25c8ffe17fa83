// SPDX-License-Identifier: Apache-2.0
#include "target/kinds.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "target/target_folder.h"

namespace loadable::target {
namespace {

using tree::Path;
using tree::Walk;

struct KindRow {
  Kind kind;
  std::string_view word, description;
  bool is_supported;
};

constexpr std::array<KindRow, 10> kKinds = {{
    {Kind::Venv, "venv", "a virtual environment", true},
    {Kind::Interpreter, "interpreter", "a Python interpreter", true},
    {Kind::Conda, "conda", "a conda prefix", true},
    {Kind::Rootfs, "rootfs", "a root directory", true},
    {Kind::Image, "image", "a container image", false},
    {Kind::Wheel, "wheel", "a wheel", true},
    {Kind::Wheelhouse, "wheelhouse", "a folder of wheels", true},
    {Kind::Lock, "lock", "a lock file", true},
    {Kind::Requirements, "requirements", "a requirements file", true},
    {Kind::Project, "project", "a project folder", true},
}};

const KindRow& row_of(Kind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(),
                       [&](const KindRow& row) { return row.kind == kind; });
}

bool has_directory(Walk& walk, const Path& path, std::string_view name) {
  const auto& found = walk.resolve(path.join(name));
  return found && found->stat.kind == tree::Kind::Directory;
}

bool has_file(Walk& walk, const Path& path, std::string_view name) {
  const auto& found = walk.resolve(path.join(name));
  return found && found->stat.kind == tree::Kind::Regular;
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return name.ends_with(suffix); });
}

// A loader in one of its usual places, as a bare test root has it.
bool has_loader(Walk& walk, const Path& path) {
  for (const std::string_view library : {"lib", "lib64", "lib32", "libx32"}) {
    const auto entries = walk.list(path.join(library));
    if (!entries) continue;
    for (const tree::Entry& entry : *entries) {
      if (entry.name.starts_with("ld-") && entry.name.find(".so") != std::string::npos) return true;
    }
  }
  return false;
}

bool has_wheels(Walk& walk, const Path& path) {
  const auto entries = walk.list(path);
  return entries && std::any_of(entries->begin(), entries->end(), [](const tree::Entry& entry) {
           return entry.name.ends_with(".whl");
         });
}

std::optional<Guess> guess_directory(Walk& walk, const Path& path, bool is_inside_stated_root) {
  if (has_file(walk, path, "pyvenv.cfg")) return Guess{Kind::Venv, "`pyvenv.cfg` in it"};
  if (has_directory(walk, path, "conda-meta")) return Guess{Kind::Conda, "`conda-meta/` in it"};
  // Wheels may bring an `etc/`, and projects are shipped with their dependencies beside them: what
  // is installed counts.
  const bool is_whole = has_directory(walk, path, "usr") || has_file(walk, path, "bin/python3");
  if (!is_whole && is_target_folder(walk, path)) {
    return Guess{Kind::Interpreter, "`.dist-info` directories in it", true};
  }
  if (is_inside_stated_root) return Guess{Kind::Rootfs, "a directory of the root given"};
  if (path.lexically_normal().text() == "/") return Guess{Kind::Rootfs, "the root"};
  const bool has_usr = has_directory(walk, path, "usr");
  const auto& python = walk.resolve(path.join("bin/python3"));
  if (python && python->stat.kind == tree::Kind::Regular && !has_usr) {
    return Guess{Kind::Interpreter, "`bin/python3` in it"};
  }
  if (has_usr) return Guess{Kind::Rootfs, "`usr/` in it"};
  if (has_file(walk, path, "oci-layout")) return Guess{Kind::Image, "`oci-layout` in it"};
  for (const std::string_view name :
       {"pyproject.toml", "setup.py", "setup.cfg", "uv.lock", "requirements.txt", "poetry.lock",
        "pdm.lock", "pylock.toml", "Pipfile.lock", "environment.yml", "environment.yaml",
        "pixi.lock", "conda-lock.yml"}) {
    if (has_file(walk, path, name)) return Guess{Kind::Project, format("`{}` in it", name)};
  }
  if (has_directory(walk, path, "etc")) return Guess{Kind::Rootfs, "`etc/` in it"};
  if (has_loader(walk, path)) return Guess{Kind::Rootfs, "a dynamic loader in its `lib`"};
  if (has_wheels(walk, path)) return Guess{Kind::Wheelhouse, "`.whl` files in it"};
  return std::nullopt;
}

std::optional<Guess> guess_file(const Path& path, const tree::Found& found) {
  constexpr std::uint32_t kAnyExecute = 0111;
  const std::string_view name = path.name();
  if ((found.stat.mode & kAnyExecute) != 0 && name.starts_with("python")) {
    return Guess{Kind::Interpreter, "an executable of that name"};
  }
  if (name.ends_with(".whl")) return Guess{Kind::Wheel, "its name"};
  if (ends_with_any(name, {".tar", ".tar.gz", ".tgz", ".tar.zst"})) {
    return Guess{Kind::Image, "its name"};
  }
  const bool is_lock = ends_with_any(name, {"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock",
                                            "pixi.lock", "conda-lock.yml", ".py.lock"}) ||
                       (name.starts_with("pdm.") && name.ends_with(".lock")) ||
                       (name.starts_with("pylock.") && name.ends_with(".toml"));
  if (is_lock) return Guess{Kind::Lock, "its name"};
  // `requirements/base.txt`, and rye's `requirements.lock`.
  const bool is_named =
      name.find("requirements") != std::string_view::npos || path.parent().name() == "requirements";
  const bool is_list = is_named && ends_with_any(name, {".txt", ".in", ".lock"});
  const bool is_conda = name.starts_with("environment") && ends_with_any(name, {".yml", ".yaml"});
  if (is_list || is_conda) return Guess{Kind::Requirements, "its name"};
  if (name == "pyproject.toml" || name == "setup.cfg") return Guess{Kind::Project, "its name"};
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Kind kind) { return row_of(kind).word; }
std::string_view described(Kind kind) { return row_of(kind).description; }
bool is_planned(Kind kind) {
  return kind == Kind::Lock || kind == Kind::Requirements || kind == Kind::Project ||
         holds_wheels(kind);
}
bool holds_wheels(Kind kind) { return kind == Kind::Wheel || kind == Kind::Wheelhouse; }
bool is_supported(Kind kind) { return row_of(kind).is_supported; }

Result<Kind> parse_kind(std::string_view word) {
  std::string words;
  for (const KindRow& row : kKinds) {
    if (row.word == word) return row.kind;
    words += words.empty() ? "" : ", ";
    words += row.word;
  }
  return fail(ErrorCode::InvalidArgument, format("no such kind of target; accepted: {}", words),
              std::string(word));
}

std::string accepted_kinds() {
  return "a virtual environment (a directory with `pyvenv.cfg`), a Python interpreter, a conda "
         "prefix (a directory with `conda-meta/`), a folder of `pip install --target` (with "
         "`.dist-info` directories), a root directory (with `usr/`, `etc/` or a "
         "loader in its `lib`), a wheel, a folder of wheels, a lock file (`uv.lock`, "
         "`pylock.toml`, "
         "`poetry.lock`, `pdm.lock`, `Pipfile.lock`), a requirements file, an `environment.yml`, a "
         "project folder "
         "(with `pyproject.toml`, a lock file or a list of requirements)";
}

std::optional<Guess> guess_kind(Walk& walk, const Path& path, const tree::Found& found,
                                bool is_inside_stated_root) {
  if (found.stat.kind == tree::Kind::Directory) {
    return guess_directory(walk, path, is_inside_stated_root);
  }
  if (found.stat.kind == tree::Kind::Regular) return guess_file(path, found);
  return std::nullopt;
}

}  // namespace loadable::target
