// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lock and requirements files, all formats in one model; which of their packages an installation
// would hold.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "python/marker.h"
#include "tree/walk.h"

namespace loadable::python {

enum class LockFormat : std::uint8_t {
  Uv,            ///< uv.lock
  Pylock,        ///< pylock.toml, pylock.NAME.toml (PEP 751)
  Poetry,        ///< poetry.lock
  Pdm,           ///< pdm.lock
  Requirements,  ///< requirements.txt, with the files that it includes
  CondaYaml,     ///< environment.yml
  Pyproject,     ///< pyproject.toml or setup.cfg: what a project requires, not resolved
  Pipfile        ///< Pipfile.lock
};
[[nodiscard]] std::string_view to_string(LockFormat format);

/// An edge of the graph.
struct LockedDependency {
  std::string name;                 ///< normalised
  std::string requirement;          ///< as written or rebuilt, for messages, without the marker
  std::vector<std::string> extras;  ///< of the dependency
  std::string version;              ///< when the edge pins one of several entries; empty: any
  std::string source;               ///< likewise, as LockedPackage::source writes it
  Marker marker;
  std::string extra, group;  ///< behind which extra or group of the requirer; empty: always
};

struct LockedPackage {
  std::string name;          ///< as written
  std::string normalized;    ///< PEP 503
  std::string version;       ///< empty: not pinned
  std::string source;        ///< `registry`, `git+…`, `path ../x`, `virtual`, `editable` …
  bool is_root = false;      ///< the project itself, or a file of wishes (`requirements.in`)
  bool is_member = false;    ///< a member of the workspace that `--all-packages` installs too
  bool is_optional = false;  ///< poetry: only behind an extra of the project
  bool is_conda = false;     ///< a conda package rather than one of pip's
  std::string build;         ///< conda: the build string or a pattern of it; empty: any
  Marker marker;             ///< of the entry itself (pylock, requirements, poetry)
  std::vector<std::string> groups;  ///< poetry, pdm: groups that hold it; empty: not said
  std::vector<std::pair<std::string, Marker>> group_markers;  ///< poetry: of single groups
  std::vector<LockedDependency> dependencies;
  std::vector<std::string> wheels;  ///< file names of wheels, as written
  std::string local_wheel;          ///< the wheel file that it is installed from, inside the root
  std::string place;                ///< `uv.lock:123`, `requirements.txt:4`
};

/// What could not be read of a lock; the rest was.
struct LockProblem {
  std::string file;  ///< inside the root
  std::string text;  ///< a sentence; it begins with `line 3: ` where a line is meant
};

/// The tool whose table, or whose build backend, a pyproject.toml has.
enum class ProjectTool : std::uint8_t { None, Uv, Poetry, Pdm };

/// Extras or groups that exclude each other (uv `conflicts`): `extra:cpu`, `group:gpu`.
using Conflict = std::vector<std::string>;

struct Lock {
  LockFormat format = LockFormat::Uv;
  std::string path;  ///< inside the root
  std::string requires_python;
  std::vector<LockedPackage> packages;  ///< in file order; roots are among them
  std::vector<Conflict> conflicts;
  std::vector<std::string> extras, groups, default_groups;  ///< of the roots, normalised
  /// Requirements replaced (`onnxruntime; sys_platform == 'never'`) and names excluded by the
  /// manifest, as written.
  std::vector<std::string> overrides, excludes, constraints;
  /// Every entry is installed whose groups and marker hold; false: what the roots reach.
  bool is_flat = false;
  bool has_uv_table = false;             ///< the pyproject.toml of the project has [tool.uv]
  ProjectTool tool = ProjectTool::None;  ///< of the pyproject.toml
  std::vector<std::string> files;        ///< that were read, inside the root
  bool is_resolved = true;  ///< false: a list of wishes (requirements without pins, pyproject)
  std::vector<LockProblem> problems;  ///< lines passed over, files not found
  /// How it differs from the pyproject.toml that it should have been made from, as a sentence;
  /// empty: not at all, or there is none to compare with.
  std::string outdated;
  /// pyproject.toml: nobody installs it as a library (no [build-system], or a table says so).
  bool is_application = false;
};

/// Which installation is asked about.
struct Selection {
  std::vector<std::string> extras, groups;  ///< normalised, beyond the defaults
  bool all_extras = false, all_groups = false, no_default_groups = false;
  bool all_packages = false;  ///< members of the workspace too
  /// For which packages installed_of() says who pulled them in; empty: for all.
  std::function<bool(const LockedPackage&)> explains;
  MarkerEnvironment environment;
};

/// A package that the installation would hold, and who pulled it in.
struct Installed {
  std::size_t package = 0;  ///< index into Lock::packages
  std::vector<std::string>
      chain;  ///< `project requires fastembed>=0.8`, `fastembed 0.9.1 requires …`
};

/// The installation of one selection. Cycles end; linear in the number of edges.
[[nodiscard]] std::vector<Installed> installed_of(const Lock& lock, const Selection& selection);

/// A pyproject.toml that says nothing of requirements has them in the setup.cfg beside it.
/// Errors: those of Walk, Malformed (line, field, value found, value wanted), LimitReached (over
/// 16 MiB, over 100,000 packages, includes over 20 deep). Files that it names (-r, -c) are read
/// through `walk`, never from outside of the root.
Result<Lock> read_lock(tree::Walk& walk, const tree::Path& path, LockFormat kind);

/// The text of a lock of one file, for tests and fuzzers: nothing beside it is read.
Result<Lock> parse_lock(std::string_view text, const std::string& name, LockFormat kind);

/// The releases of CPython, `3.8` to `3.15`, that `requires-python` allows, oldest first; none if
/// it says nothing. Poetry's `^3.9` and `~3.9` are read too.
[[nodiscard]] std::vector<std::string> releases_for(std::string requires_python);

/// The format by the name of the file; nothing: none of them.
[[nodiscard]] std::optional<LockFormat> lock_format_of(std::string_view file_name);

}  // namespace loadable::python
