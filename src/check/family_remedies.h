// SPDX-License-Identifier: Apache-2.0
#pragma once
// What ends a conflict inside a family of distributions for good, as commands for each tool. All
// texts are here: rules of locks and rules of installed environments say the same.

#include <cstdint>
#include <string>
#include <vector>

#include "check/model.h"
#include "check/remedies_install.h"

namespace loadable::check {

/// Whose commands a remedy consists of.
enum class PackageTool : std::uint8_t {
  Uv,     ///< a project: `uv lock`, `uv sync`
  UvPip,  ///< `uv pip`
  Pip,
  Poetry,
  Pdm,
  Conda,
  Dockerfile
};

/// The file that names what is installed, and what is in it already: commands add to it.
struct ProjectFile {
  /// As the user would type it, where the commands are to run; empty: the working directory.
  std::string folder;
  /// Tables (`tool.uv`) and keys (`tool.uv.override-dependencies`) of its pyproject.toml.
  std::vector<std::string> tables;
  /// File that is installed from: `requirements.txt`, `pylock.toml`, `environment.yml`; or empty.
  std::string requirements;
  bool is_complete = false;  ///< it names all that is installed, pinned
  bool has_hashes = false;   ///< pip is in hash mode: whatever has no hash is refused
  /// Unwanted members that have a line or entry of their own in it, as it writes them.
  std::vector<std::string> listed;
  std::string command;  ///< by which uv or pip-tools made it, of plain words; empty: not known
};

/// The member to keep, the members to keep out, and what is known of their surroundings.
struct FamilyConflict {
  std::string wanted, wanted_version;  ///< `onnxruntime-gpu`, `1.31.1`; version empty: not known
  std::vector<std::string> unwanted;   ///< `onnxruntime`
  std::vector<std::string> requirers;  ///< what requires an unwanted one: `fastembed`
  bool is_installed = true;            ///< an environment; false: a lock, nothing is installed yet
  Installation installation;
  ProjectFile file;
  /// Extras and groups of the project that bring one member each: `extra = "cpu"`.
  std::vector<std::string> choices;
  /// A stand-in can be made (`loadable shim`): the unwanted are plain builds, the wanted one can
  /// more, and its version is known or listed by the tables.
  bool has_stand_in = true;
  /// The wanted member is not the one that the tables take for a stand-in: it must be looked up in
  /// the environment.
  bool is_looked_up = false;
};

/// The remedies of one tool, the best first, each in the order that leaves a working state: an
/// environment that is overwritten already loses the shared files when the unwanted member goes, so
/// the wanted one is installed again last (measured with pip 23.0.1 and 26.3, uv 0.13.9, poetry
/// 2.5.1, pdm 2.22.3; carried out by tests/real). None is proven.
[[nodiscard]] std::vector<Remedy> family_remedies(const FamilyConflict& conflict, PackageTool tool);

/// Those of several tools, in that order.
[[nodiscard]] std::vector<Remedy> family_remedies(const FamilyConflict& conflict,
                                                  const std::vector<PackageTool>& tools);

}  // namespace loadable::check
