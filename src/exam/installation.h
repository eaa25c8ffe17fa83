// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a target's distributions came there, and the file that names them: for commands in remedies.

#include <string>
#include <string_view>
#include <vector>

#include "check/family_remedies.h"
#include "check/remedies_install.h"
#include "exam/scene.h"
#include "python/lock.h"

namespace loadable::exam {

/// The environment of that index: who installs into it, and whose project it is (the folder above,
/// with a pyproject.toml). Paths stay empty in another root: nobody calls them from here.
[[nodiscard]] check::Installation installation_of(Scene& scene, std::size_t environment);

/// What remedies need to know of a lock, of the file that is installed from, and of the project
/// beside it.
[[nodiscard]] check::ProjectFile project_file(target::Target& target, const python::Lock& lock);

/// The one extra or group of a selection, as uv's `conflicts` writes it; empty: none or several.
[[nodiscard]] std::string choice_of(const python::Selection& selection);

/// Tables (`tool.uv`) and keys (`tool.uv.override-dependencies`) of a pyproject.toml, by its lines.
[[nodiscard]] std::vector<std::string> tables_of(std::string_view pyproject);

/// The command in the head of a file that uv or pip-tools wrote. Empty: none, or one of other words
/// than names, paths and options: anybody may have written the file, and users paste it.
[[nodiscard]] std::string command_in(std::string_view text);

/// Has a requirement of that file a hash? Then pip is in hash mode.
[[nodiscard]] bool has_hashes(std::string_view requirements);

}  // namespace loadable::exam
