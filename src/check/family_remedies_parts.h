// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts that the remedies of all tools share.

#include <string>
#include <string_view>
#include <vector>

#include "check/family_remedies.h"

namespace loadable::check {

using Texts = std::vector<std::string>;

inline constexpr const char* kChecksComplain =
    "`pip check` and `uv pip check` then say that a requirement is not installed";
inline constexpr const char* kReinstallsLast =
    "an environment that holds both loses the shared files when the other member goes, at the next "
    "sync: the last command puts them back; a new environment does as well";
inline constexpr const char* kUpgradeTrap =
    "every later installation needs `-c stand-in.txt` too: `uv pip install -U` of what requires "
    "the other member, without it, pulls the real package over the stand-in";

[[nodiscard]] std::string joined(const Texts& words, std::string_view between);
[[nodiscard]] std::string quoted_names(const Texts& names);
/// `onnxruntime-gpu==1.31.1` for a shell, or the bare name where no version is known.
[[nodiscard]] std::string pinned_member(const FamilyConflict& conflict);
/// All members, the wanted one last.
[[nodiscard]] Texts all_members(const FamilyConflict& conflict);
/// What is installed beside the wanted member: the file that says it, else who required the other.
[[nodiscard]] std::string everything(const FamilyConflict& conflict);

/// The wanted member's version without its local part (`+cu12`): a stand-in is of no such build.
[[nodiscard]] std::string stand_in_version(const FamilyConflict& conflict);
/// `wheels/onnxruntime-1.24.4-py3-none-any.whl`.
[[nodiscard]] std::string stand_in_wheel(const FamilyConflict& conflict, const std::string& name);
/// Has a stand-in a version that can be written? Without one nothing that names it can.
[[nodiscard]] bool can_stand_in(const FamilyConflict& conflict);
/// `cd FOLDER`, where the commands do not run in the working directory.
void enter_folder(const FamilyConflict& conflict, Texts& commands);
void make_stand_ins(const FamilyConflict& conflict, Texts& commands);
/// A file of one line for each stand-in: a constraint with a URL is really installed.
void write_constraints(const FamilyConflict& conflict, Texts& commands);
/// `excludes.txt`, as `uv pip --excludes` reads it.
void write_excludes(const FamilyConflict& conflict, Texts& commands);
/// Takes the unwanted members out of the file of requirements, with their hashes.
void unlist(const FamilyConflict& conflict, Texts& commands);
/// The stand-ins' own lines in the file of requirements, with their hashes.
void list_stand_ins(const FamilyConflict& conflict, Texts& commands);

/// Adds items to a list of pyproject.toml: to the list, to the table, or with the table.
void add_to_list(const ProjectFile& file, const std::string& table, const std::string& key,
                 const Texts& items, Texts& commands);
/// Adds whole lines to a table of pyproject.toml, or the table with them.
void add_to_table(const ProjectFile& file, const std::string& table, const Texts& lines,
                  Texts& commands);

[[nodiscard]] std::vector<Remedy> uv_remedies(const FamilyConflict& conflict);
[[nodiscard]] std::vector<Remedy> uv_pip_remedies(const FamilyConflict& conflict);
[[nodiscard]] std::vector<Remedy> pip_remedies(const FamilyConflict& conflict);
[[nodiscard]] std::vector<Remedy> poetry_remedies(const FamilyConflict& conflict);
[[nodiscard]] std::vector<Remedy> pdm_remedies(const FamilyConflict& conflict);
[[nodiscard]] std::vector<Remedy> conda_remedies(const FamilyConflict& conflict);
[[nodiscard]] std::vector<Remedy> dockerfile_remedies(const FamilyConflict& conflict);

}  // namespace loadable::check
