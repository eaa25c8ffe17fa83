// SPDX-License-Identifier: Apache-2.0
#pragma once
// A specifier of the command line -> what is to be judged, in which root.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "python/environment.h"
#include "tree/tree.h"
#include "tree/walk.h"

namespace loadable::target {

enum class Kind : std::uint8_t {
  Venv,
  Interpreter,
  Conda,
  Rootfs,
  Image,
  Wheel,
  Wheelhouse,
  Lock,
  Requirements,
  Project
};

/// The word of the JSON and of `--kind`: `venv`, `interpreter` …
[[nodiscard]] std::string_view to_string(Kind kind);
/// A lock, a list of requirements, a project or wheels: nothing of it is installed.
[[nodiscard]] bool is_planned(Kind kind);
[[nodiscard]] bool holds_wheels(Kind kind);
/// Errors: InvalidArgument, with the accepted words.
Result<Kind> parse_kind(std::string_view word);

/// What the user asked for. Nothing here is read from this process: `cli` fills it.
struct Spec {
  std::string path;  ///< TARGET as given; empty: the default (.venv, then the variables)
  std::optional<std::string> root;  ///< --root DIR; then `path` is a path inside DIR
  std::optional<Kind> kind;         ///< stated; nothing: guessed
  std::string cwd;                  ///< absolute host path that relative host paths start from
  std::string virtual_env, conda_prefix;  ///< the variables' values; empty: not set
  /// --python: the interpreter that imports from a folder without one, as typed; empty: not stated
  std::string python;
  std::string search_path;  ///< the caller's PATH; empty: not set, or it does not count
};

/// What is judged. Movable; `walk` refers to `tree`.
struct Target {
  Kind kind = Kind::Venv;
  std::string shown;  ///< as the user wrote it, or which default was taken
  std::string root;   ///< host directory that is `/` of the tree
  std::unique_ptr<tree::Tree> tree;
  std::unique_ptr<tree::Walk> walk;
  /// Inside the root, physical: the environment's prefix, the interpreter, or for a root directory
  /// the part of it that is judged (`/` for all). Of a folder that `pip install --target` filled
  /// (kind Interpreter, its environment of kind Folder): the folder.
  std::string path;
  /// Of a venv, a conda prefix or an interpreter: exactly one. Of a root directory: none; the
  /// inventory finds them.
  std::vector<python::Environment> environments;
};

/// Errors, each with what was tried and what is accepted: NotFound (no such path, or no default),
/// InvalidArgument (none of the kinds, or not of the stated kind), Unsupported (a kind that this
/// release knows and cannot examine yet), PermissionDenied. `open` opens a host directory as a
/// root; tests give another one.
using OpenRoot = std::function<Result<std::unique_ptr<tree::Tree>>(const std::string& directory)>;
Result<Target> resolve_target(const Spec& spec, const OpenRoot& open = tree::open_host_tree);

}  // namespace loadable::target
