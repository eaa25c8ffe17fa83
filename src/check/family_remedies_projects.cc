// SPDX-License-Identifier: Apache-2.0
// poetry and pdm.
#include "base/format.h"
#include "base/quote.h"
#include "check/family_remedies_parts.h"
#include "check/remedies.h"

namespace loadable::check {
namespace {

Remedy poetry_stand_in(const FamilyConflict& conflict) {
  Remedy remedy{
      "poetry-stand-in",
      format("poetry: a stand-in for {}, as a dependency of the project",
             quoted_names(conflict.unwanted)),
      {},
      {"poetry has no overrides; a dependency of the project itself decides which file "
       "serves all requirements of that name",
       "an environment that holds both is made anew: poetry does not put the shared files "
       "back",
       "in a project with a [project] table `poetry add` writes the path of the wheel in full: for "
       "other machines write it as `NAME = {path = …}` into [tool.poetry.dependencies]"},
      false};
  enter_folder(conflict, remedy.commands);
  make_stand_ins(conflict, remedy.commands);
  for (const std::string& name : conflict.unwanted) {
    remedy.commands.push_back(
        format("poetry add --lock ./{}", shell_word(stand_in_wheel(conflict, name))));
  }
  remedy.commands.emplace_back("poetry env remove --all");
  remedy.commands.emplace_back("poetry install");
  return remedy;
}

/// Without a stand-in nothing in poetry's files says it; pip's order in poetry's environment does.
Remedy poetry_reinstall(const FamilyConflict& conflict) {
  Remedy remedy{
      "poetry-reinstall",
      format("poetry: install, remove both, then install {} alone", quoted(conflict.wanted)),
      {},
      {"does not last: the next `poetry install` brings the other member back", kChecksComplain},
      false};
  enter_folder(conflict, remedy.commands);
  remedy.commands.emplace_back("poetry install");
  remedy.commands.push_back("poetry run python -m pip uninstall -y" +
                            shell_words(all_members(conflict)));
  remedy.commands.push_back("poetry run python -m pip install --no-deps " +
                            pinned_member(conflict));
  return remedy;
}

Remedy pdm_exclude(const FamilyConflict& conflict) {
  Remedy remedy{"pdm-exclude",
                format("pdm: exclude {} from the resolution", quoted_names(conflict.unwanted)),
                {},
                {kReinstallsLast, kChecksComplain},
                false};
  enter_folder(conflict, remedy.commands);
  add_to_list(conflict.file, "tool.pdm.resolution", "excludes", conflict.unwanted, remedy.commands);
  remedy.commands.emplace_back("pdm lock");
  remedy.commands.emplace_back("pdm sync --clean");
  remedy.commands.emplace_back("pdm sync --reinstall");
  return remedy;
}

}  // namespace

std::vector<Remedy> poetry_remedies(const FamilyConflict& conflict) {
  if (can_stand_in(conflict)) return {poetry_stand_in(conflict)};
  return {poetry_reinstall(conflict)};
}

std::vector<Remedy> pdm_remedies(const FamilyConflict& conflict) { return {pdm_exclude(conflict)}; }

}  // namespace loadable::check
