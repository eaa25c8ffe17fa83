// SPDX-License-Identifier: Apache-2.0
// pip, Dockerfiles and conda.
#include "base/format.h"
#include "base/quote.h"
#include "check/family_remedies_parts.h"
#include "check/remedies.h"

namespace loadable::check {
namespace {

std::string install(const FamilyConflict& conflict, const std::string& words) {
  return format("{} install {}", pip_command(conflict.installation), words);
}

void remove(const FamilyConflict& conflict, Texts& commands) {
  commands.push_back(remove_command(conflict.installation, Installer::Pip, all_members(conflict)));
}

/// An index of nothing that pip's hash mode would refuse: with hashes a list is complete.
Remedy pip_listed_stand_in(const FamilyConflict& conflict) {
  Remedy remedy{
      "pip-stand-in",
      format("pip: a stand-in for {}, in the file itself", quoted_names(conflict.unwanted)),
      {},
      {"who compiles the file again must do so again",
       "with hashes pip refuses whatever has none: a constraint cannot say it"},
      false};
  enter_folder(conflict, remedy.commands);
  make_stand_ins(conflict, remedy.commands);
  unlist(conflict, remedy.commands);
  list_stand_ins(conflict, remedy.commands);
  remove(conflict, remedy.commands);
  remedy.commands.push_back(install(conflict, everything(conflict)));
  return remedy;
}

Remedy pip_stand_in(const FamilyConflict& conflict) {
  Remedy remedy{"pip-stand-in",
                format("pip: a stand-in for {}, by constraint", quoted_names(conflict.unwanted)),
                {},
                {kUpgradeTrap},
                false};
  enter_folder(conflict, remedy.commands);
  make_stand_ins(conflict, remedy.commands);
  write_constraints(conflict, remedy.commands);
  remove(conflict, remedy.commands);
  remedy.commands.push_back(install(conflict, "-c stand-in.txt " + everything(conflict)));
  return remedy;
}

/// A complete list needs no resolution: what is not in it is not installed.
Remedy pip_without(const FamilyConflict& conflict) {
  Remedy remedy{"pip-without",
                format("pip: take {} out of {}, and resolve nothing",
                       quoted_names(conflict.unwanted), quoted(conflict.file.requirements)),
                {},
                {"who compiles the file again must do so again", kChecksComplain},
                false};
  enter_folder(conflict, remedy.commands);
  unlist(conflict, remedy.commands);
  remove(conflict, remedy.commands);
  remedy.commands.push_back(install(conflict, "--no-deps " + everything(conflict)));
  return remedy;
}

bool is_file(const FamilyConflict& conflict, std::string_view ending) {
  return conflict.file.requirements.ends_with(ending);
}
bool is_conda_file(const FamilyConflict& conflict) {
  return is_file(conflict, ".yml") || is_file(conflict, ".yaml");
}

Remedy pip_reinstall(const FamilyConflict& conflict) {
  Remedy remedy{"pip-reinstall",
                format("pip: remove both, then install {} alone", quoted(conflict.wanted)),
                {},
                {"does not last: the next `pip install` that requires the other member brings it "
                 "back",
                 kChecksComplain},
                false};
  enter_folder(conflict, remedy.commands);
  if (is_conda_file(conflict)) {
    remedy.commands.push_back("conda env update -f " + shell_word(conflict.file.requirements));
  } else if (!conflict.is_installed) {
    remedy.commands.push_back(install(conflict, everything(conflict)));
  }
  remove(conflict, remedy.commands);
  remedy.commands.push_back(install(conflict, "--no-deps " + pinned_member(conflict)));
  return remedy;
}

Remedy conda_reinstall(const FamilyConflict& conflict) {
  Remedy remedy{"conda-reinstall",
                format("conda: remove both from the prefix, then install {} with its pip",
                       quoted(conflict.wanted)),
                {},
                {"not tried: no conda channel was at hand",
                 "a name that is not in the prefix makes `conda remove` fail: leave it out",
                 "the next `conda install` of what requires the other member brings it back"},
                false};
  remedy.commands.push_back(
      remove_command(conflict.installation, Installer::Conda, conflict.unwanted));
  remove(conflict, remedy.commands);
  remedy.commands.push_back(install(conflict, "--no-deps " + pinned_member(conflict)));
  return remedy;
}

/// conda-forge builds one package several times, and the build string tells them apart.
Remedy conda_build(const FamilyConflict& conflict) {
  const std::string& file = conflict.file.requirements;
  const std::string plain = conflict.unwanted.front();
  Remedy remedy{"conda-build",
                format("conda: the CUDA build of conda's own {}, instead of pip's {}",
                       quoted(plain), quoted(conflict.wanted)),
                {},
                {"not tried: no conda channel was at hand",
                 "conda's package meets what pip's packages require by that name"},
                false};
  enter_folder(conflict, remedy.commands);
  const std::string fresh = shell_word(file + ".new");
  remedy.commands.push_back(
      format("awk '/^ *- *({}|{})([^A-Za-z0-9._-]|$)/ {{next}} at {{match($0, /^ */); print "
             "substr($0, 1, RLENGTH) \"- {}=*=*cuda*\"; at = 0}} {{print}} /^dependencies:/ "
             "{{at = 1}}' {} > {} && mv {} {}",
             conflict.wanted, plain, plain, shell_word(file), fresh, fresh, shell_word(file)));
  remedy.commands.push_back("conda env update --prune -f " + shell_word(file));
  return remedy;
}

/// One layer, so that no image holds what was overwritten.
Remedy dockerfile_order(const FamilyConflict& conflict) {
  const ProjectFile& file = conflict.file;
  const bool drops_entry = file.is_complete && !file.listed.empty();
  Remedy remedy{
      "dockerfile-order",
      drops_entry
          ? format("Dockerfile: install the list without {}, and resolve nothing",
                   quoted_names(conflict.unwanted))
          : format(
                "Dockerfile: one layer that installs everything, removes both and installs {} last",
                quoted(conflict.wanted)),
      {},
      {"a later RUN that installs what requires the other member brings it back"},
      false};
  if (drops_entry) {
    Texts edits;
    unlist(conflict, edits);
    remedy.commands.push_back(format("RUN {} && pip install --no-deps -r {}", joined(edits, " && "),
                                     shell_word(file.requirements)));
    return remedy;
  }
  const std::string list =
      file.requirements.empty() ? everything(conflict) : "-r " + shell_word(file.requirements);
  remedy.commands.push_back(
      format("RUN pip install {} && pip uninstall -y{} && pip install --no-deps {}", list,
             shell_words(all_members(conflict)), pinned_member(conflict)));
  return remedy;
}

}  // namespace

std::vector<Remedy> pip_remedies(const FamilyConflict& conflict) {
  // `uv pip` tells of pylock.toml.
  if (is_file(conflict, ".toml")) return {};
  // Conda hands the list to pip, which cannot read the file itself.
  if (is_conda_file(conflict)) return {pip_reinstall(conflict)};
  std::vector<Remedy> remedies;
  const bool is_listed = conflict.file.is_complete && !conflict.file.listed.empty();
  if (can_stand_in(conflict)) {
    remedies.push_back(conflict.file.listed.empty() ? pip_stand_in(conflict)
                                                    : pip_listed_stand_in(conflict));
  }
  remedies.push_back(is_listed ? pip_without(conflict) : pip_reinstall(conflict));
  return remedies;
}

std::vector<Remedy> conda_remedies(const FamilyConflict& conflict) {
  if (conflict.is_installed) return {conda_reinstall(conflict)};
  if (conflict.file.requirements.empty() || !conflict.has_stand_in || conflict.is_looked_up) {
    return {};
  }
  return {conda_build(conflict)};
}

std::vector<Remedy> dockerfile_remedies(const FamilyConflict& conflict) {
  if (is_file(conflict, ".toml")) return {};
  return {dockerfile_order(conflict)};
}

}  // namespace loadable::check
