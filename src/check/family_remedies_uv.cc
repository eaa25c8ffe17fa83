// SPDX-License-Identifier: Apache-2.0
// uv: a project's tables, and `uv pip`.
#include "base/format.h"
#include "base/quote.h"
#include "check/family_remedies_parts.h"
#include "check/remedies.h"

namespace loadable::check {
namespace {

constexpr const char* kNoStick =
    "excludes and overrides given on a command line do not stick: the next `uv pip install` "
    "without "
    "them brings the other member back";

bool is_pylock(const FamilyConflict& conflict) {
  return conflict.file.requirements.ends_with(".toml");
}

/// uv removes the unwanted member at the next sync, and the shared files with it. What uv made of
/// the lock is made again.
void sync(const FamilyConflict& conflict, Texts& commands) {
  commands.emplace_back("uv lock");
  if (!conflict.file.command.empty()) commands.push_back(conflict.file.command);
  if (conflict.file.requirements.empty()) {
    commands.push_back("uv sync --reinstall-package " + shell_word(conflict.wanted));
    return;
  }
  commands.push_back("uv pip uninstall" + shell_words(all_members(conflict)));
  commands.push_back("uv pip sync " + shell_word(conflict.file.requirements));
}

Remedy uv_conflicts(const FamilyConflict& conflict) {
  Remedy remedy{"uv-conflicts",
                "uv: say that these extras or groups exclude each other",
                {},
                {"uv then refuses to install both at once: `--all-extras` and `--all-groups` fail",
                 kReinstallsLast},
                false};
  Texts items;
  for (const std::string& choice : conflict.choices) items.push_back("{ " + choice + " }");
  enter_folder(conflict, remedy.commands);
  add_to_table(conflict.file, "tool.uv", {format("conflicts = [[{}]]", joined(items, ", "))},
               remedy.commands);
  remedy.commands.emplace_back("uv lock");
  return remedy;
}

Remedy uv_override(const FamilyConflict& conflict) {
  Texts overrides;
  for (const std::string& name : conflict.unwanted) {
    overrides.push_back(name + " ; sys_platform == 'never'");
  }
  Remedy remedy{
      "uv-override",
      format("uv: override {} so that it is never installed", quoted_names(conflict.unwanted)),
      {},
      {kReinstallsLast, kChecksComplain,
       "overrides given on a command line (`uv pip install --overrides`) do not stick"},
      false};
  enter_folder(conflict, remedy.commands);
  add_to_list(conflict.file, "tool.uv", "override-dependencies", overrides, remedy.commands);
  sync(conflict, remedy.commands);
  return remedy;
}

Remedy uv_exclude(const FamilyConflict& conflict) {
  Remedy remedy{"uv-exclude",
                format("uv: exclude {} from the resolution", quoted_names(conflict.unwanted)),
                {},
                {kReinstallsLast, kChecksComplain},
                false};
  enter_folder(conflict, remedy.commands);
  add_to_list(conflict.file, "tool.uv", "exclude-dependencies", conflict.unwanted, remedy.commands);
  sync(conflict, remedy.commands);
  return remedy;
}

Remedy uv_stand_in(const FamilyConflict& conflict) {
  Remedy remedy{
      "uv-stand-in",
      format("uv: a stand-in for {}, as source and constraint", quoted_names(conflict.unwanted)),
      {},
      {kReinstallsLast,
       "the source alone is silently ignored for what only another package requires: the "
       "constraint is needed",
       "`uv pip install -U` outside of the project's folder does not know the constraint, and "
       "pulls the real package over the stand-in"},
      false};
  enter_folder(conflict, remedy.commands);
  make_stand_ins(conflict, remedy.commands);
  Texts constraints;
  Texts sources;
  for (const std::string& name : conflict.unwanted) {
    constraints.push_back(name + "==" + stand_in_version(conflict));
    sources.push_back(format("{} = {{ path = \"{}\" }}", name, stand_in_wheel(conflict, name)));
  }
  add_to_list(conflict.file, "tool.uv", "constraint-dependencies", constraints, remedy.commands);
  add_to_table(conflict.file, "tool.uv.sources", sources, remedy.commands);
  sync(conflict, remedy.commands);
  return remedy;
}

/// What `uv pip` removes first: an environment that holds both loses the shared files with it.
std::string uv_remove(const FamilyConflict& conflict) {
  return remove_command(conflict.installation, Installer::Uv, all_members(conflict));
}

Remedy uv_pip_stand_in(const FamilyConflict& conflict) {
  Remedy remedy{"uv-pip-stand-in",
                format("uv pip: a stand-in for {}, by constraint", quoted_names(conflict.unwanted)),
                {},
                {kUpgradeTrap},
                false};
  enter_folder(conflict, remedy.commands);
  make_stand_ins(conflict, remedy.commands);
  write_constraints(conflict, remedy.commands);
  remedy.commands.push_back(uv_remove(conflict));
  remedy.commands.push_back(format("uv pip install{} -c stand-in.txt {}",
                                   uv_place(conflict.installation), everything(conflict)));
  return remedy;
}

Remedy uv_pip_listed_stand_in(const FamilyConflict& conflict) {
  Remedy remedy{
      "uv-pip-stand-in",
      format("uv pip: a stand-in for {}, in the file itself", quoted_names(conflict.unwanted)),
      {},
      {"who compiles the file again must do so again"},
      false};
  enter_folder(conflict, remedy.commands);
  make_stand_ins(conflict, remedy.commands);
  unlist(conflict, remedy.commands);
  list_stand_ins(conflict, remedy.commands);
  remedy.commands.push_back(uv_remove(conflict));
  remedy.commands.push_back(
      format("uv pip install{} {}", uv_place(conflict.installation), everything(conflict)));
  return remedy;
}

/// With the file compiled again, where it says how that is done.
Remedy uv_pip_exclude(const FamilyConflict& conflict) {
  Remedy remedy{"uv-pip-exclude",
                format("uv pip: exclude {}", quoted_names(conflict.unwanted)),
                {},
                {kNoStick, kChecksComplain},
                false};
  enter_folder(conflict, remedy.commands);
  write_excludes(conflict, remedy.commands);
  const std::string& command = conflict.file.command;
  if (command.starts_with("uv pip compile ")) {
    remedy.commands.push_back(command + " --excludes excludes.txt");
  }
  remedy.commands.push_back(uv_remove(conflict));
  remedy.commands.push_back(format("uv pip install{} --excludes excludes.txt {}",
                                   uv_place(conflict.installation), everything(conflict)));
  return remedy;
}

/// The rest of an environment is there already; what is missing then is only the wanted member.
Remedy uv_pip_reinstall(const FamilyConflict& conflict) {
  return {"uv-pip-reinstall",
          format("uv pip: remove both, then install {} alone", quoted(conflict.wanted)),
          {uv_remove(conflict), format("uv pip install{} --no-deps {}",
                                       uv_place(conflict.installation), pinned_member(conflict))},
          {"does not last: the next `uv pip install` that requires the other member brings it back",
           kChecksComplain},
          false};
}

/// A pylock.toml is installed as it is, and nothing is resolved: without the entry it is whole.
Remedy pylock_unlist(const FamilyConflict& conflict) {
  const std::string& file = conflict.file.requirements;
  Remedy remedy{"pylock-without",
                format("take {} out of {}", quoted_names(conflict.unwanted), quoted(file)),
                {},
                {"who locks again must do so again", kChecksComplain},
                false};
  enter_folder(conflict, remedy.commands);
  unlist(conflict, remedy.commands);
  remedy.commands.push_back(uv_remove(conflict));
  remedy.commands.push_back(
      format("uv pip install{} -r {}", uv_place(conflict.installation), shell_word(file)));
  return remedy;
}

}  // namespace

std::vector<Remedy> uv_remedies(const FamilyConflict& conflict) {
  std::vector<Remedy> remedies;
  if (conflict.choices.size() > 1) remedies.push_back(uv_conflicts(conflict));
  remedies.push_back(uv_override(conflict));
  remedies.push_back(uv_exclude(conflict));
  if (can_stand_in(conflict)) remedies.push_back(uv_stand_in(conflict));
  return remedies;
}

std::vector<Remedy> uv_pip_remedies(const FamilyConflict& conflict) {
  if (is_pylock(conflict)) return {pylock_unlist(conflict)};
  std::vector<Remedy> remedies;
  if (can_stand_in(conflict)) {
    remedies.push_back(conflict.file.listed.empty() ? uv_pip_stand_in(conflict)
                                                    : uv_pip_listed_stand_in(conflict));
  }
  remedies.push_back(uv_pip_exclude(conflict));
  if (conflict.is_installed) remedies.push_back(uv_pip_reinstall(conflict));
  return remedies;
}

}  // namespace loadable::check
