// SPDX-License-Identifier: Apache-2.0
#include "check/family_remedies.h"

#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"

namespace loadable::check {
namespace {

using Texts = std::vector<std::string>;

std::string joined(const Texts& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

std::string quoted_names(const Texts& names) {
  Texts words;
  for (const std::string& name : names) words.push_back(quoted(name));
  return joined(words, ", ");
}

/// `onnxruntime-gpu==1.31.1`, or the bare name where no version is known.
std::string pinned(const FamilyConflict& conflict) {
  return shell_word(conflict.wanted_version.empty()
                        ? conflict.wanted
                        : conflict.wanted + "==" + conflict.wanted_version);
}

/// The stand-in takes the version of what it stands for: of the wanted member.
std::string stand_in_version(const FamilyConflict& conflict) {
  return conflict.wanted_version.empty() ? "VERSION" : conflict.wanted_version;
}

std::string stand_in_wheel(const FamilyConflict& conflict, const std::string& name) {
  std::string file = name;
  for (char& c : file) c = c == '-' ? '_' : c;
  return format("wheels/{}-{}-py3-none-any.whl", file, stand_in_version(conflict));
}

void make_stand_ins(const FamilyConflict& conflict, Texts& commands) {
  for (const std::string& name : conflict.unwanted) {
    commands.push_back(format("loadable shim {} --version {} --output wheels", shell_word(name),
                              shell_word(stand_in_version(conflict))));
  }
}

std::string pip(const FamilyConflict& conflict) {
  return conflict.python.empty() ? "pip" : shell_word(conflict.python) + " -m pip";
}

/// `--python …` of `uv pip`.
std::string uv_python(const FamilyConflict& conflict) {
  return conflict.python.empty() ? "" : " --python " + shell_word(conflict.python);
}

std::string all_members(const FamilyConflict& conflict) {
  Texts names;
  for (const std::string& name : conflict.unwanted) names.push_back(shell_word(name));
  names.push_back(shell_word(conflict.wanted));
  return joined(names, " ");
}

/// What is installed beside the wanted member: the file that says it, else who required the other.
std::string everything(const FamilyConflict& conflict) {
  std::string text = pinned(conflict);
  if (!conflict.requirements.empty()) return text + " -r " + shell_word(conflict.requirements);
  for (const std::string& name : conflict.requirers) text += " " + shell_word(name);
  return text;
}

/// Between single quotes without a backslash: reports show a backslash doubled.
std::string single_quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\"'\"'";
    } else {
      word += c;
    }
  }
  return word + "'";
}

/// Adds lines to pyproject.toml: appended where the table is not there, else as comments to follow.
void edit_project(bool has_table, const std::string& table, const Texts& lines, Texts& commands) {
  if (has_table) {
    commands.push_back(format("# in pyproject.toml, to the table [{}], add:", table));
    for (const std::string& line : lines) commands.push_back("#   " + line);
    return;
  }
  std::string command = format("(echo; echo '[{}]'", table);
  for (const std::string& line : lines) command += "; echo " + single_quoted(line);
  commands.push_back(command + ") >> pyproject.toml");
}

std::string toml_list(const Texts& items) {
  Texts words;
  for (const std::string& item : items) words.push_back("\"" + item + "\"");
  return "[" + joined(words, ", ") + "]";
}

constexpr const char* kChecksComplain =
    "`pip check` and `uv pip check` then say that a requirement is not installed";
constexpr const char* kReinstallsLast =
    "an environment that holds both loses the shared files when the other member goes: the last "
    "command puts them back; a new environment does as well";

/// uv removes the unwanted member at the next sync, and the shared files with it.
void sync(const FamilyConflict& conflict, Texts& commands) {
  commands.push_back("uv lock");
  commands.push_back("uv sync --reinstall-package " + shell_word(conflict.wanted));
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
  edit_project(conflict.has_uv_table, "tool.uv",
               {"override-dependencies = " + toml_list(overrides)}, remedy.commands);
  sync(conflict, remedy.commands);
  return remedy;
}

Remedy uv_exclude(const FamilyConflict& conflict) {
  Remedy remedy{"uv-exclude",
                format("uv: exclude {} from the resolution", quoted_names(conflict.unwanted)),
                {},
                {kReinstallsLast, kChecksComplain},
                false};
  edit_project(conflict.has_uv_table, "tool.uv",
               {"exclude-dependencies = " + toml_list(conflict.unwanted)}, remedy.commands);
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
       "constraint is needed"},
      false};
  make_stand_ins(conflict, remedy.commands);
  Texts constraints;
  Texts sources;
  for (const std::string& name : conflict.unwanted) {
    constraints.push_back(name + "==" + stand_in_version(conflict));
    sources.push_back(format("{} = {{ path = \"{}\" }}", name, stand_in_wheel(conflict, name)));
  }
  edit_project(conflict.has_uv_table, "tool.uv",
               {"constraint-dependencies = " + toml_list(constraints)}, remedy.commands);
  edit_project(conflict.has_uv_table, "tool.uv.sources", sources, remedy.commands);
  sync(conflict, remedy.commands);
  return remedy;
}

Remedy uv_pip_reinstall(const FamilyConflict& conflict) {
  return {"uv-pip-reinstall",
          format("uv pip: remove both, then install {} alone", quoted(conflict.wanted)),
          {format("uv pip uninstall{} {}", uv_python(conflict), all_members(conflict)),
           format("uv pip install{} --no-deps {}", uv_python(conflict), pinned(conflict))},
          {"does not last: the next `uv pip install` that requires the other member brings it back",
           kChecksComplain},
          false};
}

/// A file of one line for each stand-in: a constraint with a URL is really installed.
void write_constraints(const FamilyConflict& conflict, Texts& commands) {
  const char* sign = ">";
  for (const std::string& name : conflict.unwanted) {
    commands.push_back(format("echo \"{} @ file://$PWD/{}\" {} constraints.txt", name,
                              stand_in_wheel(conflict, name), sign));
    sign = ">>";
  }
}

Remedy pip_stand_in(const FamilyConflict& conflict) {
  Remedy remedy{"pip-stand-in",
                format("pip: a stand-in for {}, by constraint", quoted_names(conflict.unwanted)),
                {},
                {"every later installation needs `-c constraints.txt` too: `uv pip install -U` "
                 "without it pulls the real package over the stand-in"},
                false};
  make_stand_ins(conflict, remedy.commands);
  write_constraints(conflict, remedy.commands);
  if (conflict.is_installed) {
    remedy.commands.push_back(format("{} uninstall -y {}", pip(conflict), all_members(conflict)));
  }
  remedy.commands.push_back(
      format("{} install -c constraints.txt {}", pip(conflict), everything(conflict)));
  return remedy;
}

Remedy pip_reinstall(const FamilyConflict& conflict) {
  Remedy remedy{"pip-reinstall",
                format("pip: remove both, then install {} alone", quoted(conflict.wanted)),
                {},
                {"does not last: the next `pip install` that requires the other member brings it "
                 "back",
                 kChecksComplain},
                false};
  if (!conflict.is_installed) {
    remedy.commands.push_back(format("{} install {}", pip(conflict), everything(conflict)));
  }
  remedy.commands.push_back(format("{} uninstall -y {}", pip(conflict), all_members(conflict)));
  remedy.commands.push_back(format("{} install --no-deps {}", pip(conflict), pinned(conflict)));
  return remedy;
}

Remedy poetry_stand_in(const FamilyConflict& conflict) {
  Remedy remedy{
      "poetry-stand-in",
      format("poetry: a stand-in for {}, as a dependency of the project",
             quoted_names(conflict.unwanted)),
      {},
      {"poetry has no overrides; a dependency of the project itself decides which file "
       "serves all requirements of that name",
       "an environment that holds both is made anew: poetry does not put the shared files "
       "back"},
      false};
  make_stand_ins(conflict, remedy.commands);
  for (const std::string& name : conflict.unwanted) {
    remedy.commands.push_back(
        format("poetry add --lock ./{}", shell_word(stand_in_wheel(conflict, name))));
  }
  remedy.commands.emplace_back("poetry env remove --all");
  remedy.commands.emplace_back("poetry install");
  return remedy;
}

Remedy pdm_exclude(const FamilyConflict& conflict) {
  Remedy remedy{"pdm-exclude",
                format("pdm: exclude {} from the resolution", quoted_names(conflict.unwanted)),
                {},
                {kReinstallsLast, kChecksComplain},
                false};
  edit_project(false, "tool.pdm.resolution", {"excludes = " + toml_list(conflict.unwanted)},
               remedy.commands);
  remedy.commands.emplace_back("pdm lock");
  remedy.commands.emplace_back("pdm sync --clean");
  remedy.commands.emplace_back("pdm sync --reinstall");
  return remedy;
}

Remedy conda_reinstall(const FamilyConflict& conflict) {
  Remedy remedy{"conda-reinstall",
                format("conda: remove both from the prefix, then install {} with its pip",
                       quoted(conflict.wanted)),
                {},
                {"a name that is not in the prefix makes `conda remove` fail: leave it out",
                 "the next `conda install` of what requires the other member brings it back"},
                false};
  Texts names;
  for (const std::string& name : conflict.unwanted) names.push_back(shell_word(name));
  remedy.commands.push_back("conda remove --force -y " + joined(names, " "));
  remedy.commands.push_back(format("{} uninstall -y {}", pip(conflict), all_members(conflict)));
  remedy.commands.push_back(format("{} install --no-deps {}", pip(conflict), pinned(conflict)));
  return remedy;
}

Remedy dockerfile_order(const FamilyConflict& conflict) {
  const std::string everything_else = conflict.requirements.empty()
                                          ? everything(conflict)
                                          : "-r " + shell_word(conflict.requirements);
  return {
      "dockerfile-order",
      format("Dockerfile: one layer that installs everything, removes both and installs {} last",
             quoted(conflict.wanted)),
      {format("RUN pip install {} && pip uninstall -y {} && pip install --no-deps {}",
              everything_else, all_members(conflict), pinned(conflict))},
      {"a later RUN that installs what requires the other member brings it back"},
      false};
}

}  // namespace

std::vector<Remedy> family_remedies(const FamilyConflict& conflict, PackageTool tool) {
  if (conflict.wanted.empty() || conflict.unwanted.empty()) return {};
  switch (tool) {
    case PackageTool::Uv:
      return {uv_override(conflict), uv_exclude(conflict), uv_stand_in(conflict)};
    case PackageTool::UvPip:
      return {uv_pip_reinstall(conflict)};
    case PackageTool::Pip:
      return {pip_stand_in(conflict), pip_reinstall(conflict)};
    case PackageTool::Poetry:
      return {poetry_stand_in(conflict)};
    case PackageTool::Pdm:
      return {pdm_exclude(conflict)};
    case PackageTool::Conda:
      return {conda_reinstall(conflict)};
    case PackageTool::Dockerfile:
      return {dockerfile_order(conflict)};
  }
  return {};
}

std::vector<Remedy> family_remedies(const FamilyConflict& conflict,
                                    const std::vector<PackageTool>& tools) {
  std::vector<Remedy> all;
  for (const PackageTool tool : tools) {
    for (Remedy& remedy : family_remedies(conflict, tool)) all.push_back(std::move(remedy));
  }
  return all;
}

}  // namespace loadable::check
