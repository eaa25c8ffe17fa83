// SPDX-License-Identifier: Apache-2.0
#include "check/family_remedies_parts.h"

#include "base/format.h"
#include "base/holds.h"
#include "base/quote.h"
#include "check/remedies.h"

namespace loadable::check {
namespace {

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

std::string toml_items(const Texts& items) {
  Texts words;
  for (const std::string& item : items) words.push_back("\"" + item + "\"");
  return joined(words, ", ");
}

/// A text as a regular expression of awk that matches it alone.
std::string pattern(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '-' || c == '_';
    result += is_word ? std::string(1, c) : std::string("[") + c + "]";
  }
  return result;
}

/// A file through a program of awk: `awk … FILE > FILE.new && mv FILE.new FILE`.
std::string rewritten(const std::string& program, const std::string& file) {
  const std::string fresh = shell_word(file + ".new");
  return format("awk {} {} > {} && mv {} {}", program, shell_word(file), fresh, fresh,
                shell_word(file));
}

}  // namespace

std::string joined(const Texts& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

std::string quoted_names(const Texts& names) { return first_names(names, names.size()); }

std::string pinned_member(const FamilyConflict& conflict) {
  return shell_word(conflict.wanted_version.empty()
                        ? conflict.wanted
                        : conflict.wanted + "==" + conflict.wanted_version);
}

Texts all_members(const FamilyConflict& conflict) {
  Texts names = conflict.unwanted;
  names.push_back(conflict.wanted);
  return names;
}

std::string everything(const FamilyConflict& conflict) {
  const std::string& file = conflict.file.requirements;
  // A complete file has its own pin, and with hashes nothing without one may stand beside it.
  if (!file.empty() && conflict.file.is_complete) return "-r " + shell_word(file);
  std::string text = pinned_member(conflict);
  if (!file.empty()) return text + " -r " + shell_word(file);
  return text + shell_words(conflict.requirers);
}

std::string stand_in_version(const FamilyConflict& conflict) {
  return conflict.wanted_version.substr(0, conflict.wanted_version.find('+'));
}

std::string stand_in_wheel(const FamilyConflict& conflict, const std::string& name) {
  std::string file = name;
  for (char& c : file) c = c == '-' ? '_' : c;
  return format("wheels/{}-{}-py3-none-any.whl", file, stand_in_version(conflict));
}

bool can_stand_in(const FamilyConflict& conflict) {
  const bool is_found = !conflict.is_looked_up || !conflict.installation.python.empty();
  return conflict.has_stand_in && !conflict.wanted_version.empty() && is_found;
}

void enter_folder(const FamilyConflict& conflict, Texts& commands) {
  if (!conflict.file.folder.empty()) commands.push_back("cd " + shell_word(conflict.file.folder));
}

void make_stand_ins(const FamilyConflict& conflict, Texts& commands) {
  for (const std::string& name : conflict.unwanted) {
    commands.push_back(format(
        "loadable shim {} --version {}{} --output wheels", shell_word(name),
        shell_word(stand_in_version(conflict)),
        conflict.is_looked_up ? " --target " + shell_word(conflict.installation.python) : ""));
  }
}

void write_constraints(const FamilyConflict& conflict, Texts& commands) {
  const char* sign = ">";
  for (const std::string& name : conflict.unwanted) {
    commands.push_back(format("echo \"{} @ file://$(pwd | sed 's/ /%20/g')/{}\" {} stand-in.txt",
                              name, stand_in_wheel(conflict, name), sign));
    sign = ">>";
  }
}

void write_excludes(const FamilyConflict& conflict, Texts& commands) {
  const char* sign = ">";
  for (const std::string& name : conflict.unwanted) {
    commands.push_back(format("echo {} {} excludes.txt", shell_word(name), sign));
    sign = ">>";
  }
}

void unlist(const FamilyConflict& conflict, Texts& commands) {
  for (const std::string& name : conflict.file.listed) {
    const std::string& file = conflict.file.requirements;
    const std::string program =
        file.ends_with(".toml")
            ? format(
                  "'/^[[][[]packages[]][]]/ {{head = $0; next}} "
                  "/^[[]tool/ {{out = 0}} "
                  "head != \"\" {{out = ($0 == \"name = \\\"{}\\\"\"); if (!out) print head; "
                  "head = \"\"}} !out {{print}}'",
                  name)
            // Hashes and comments of an entry are indented, by pip-tools and by uv.
            : format("'/^[^ ]/ {{out = /^{}([^A-Za-z0-9._-]|$)/}} !out {{print}}'", pattern(name));
    commands.push_back(rewritten(program, file));
  }
}

void list_stand_ins(const FamilyConflict& conflict, Texts& commands) {
  for (const std::string& name : conflict.unwanted) {
    const std::string wheel = stand_in_wheel(conflict, name);
    std::string line = "./" + wheel;
    if (conflict.file.has_hashes) {
      line += format(" --hash=sha256:$(sha256sum {} | cut -d ' ' -f 1)", shell_word(wheel));
    }
    commands.push_back(format("echo \"{}\" >> {}", line, shell_word(conflict.file.requirements)));
  }
}

void add_to_list(const ProjectFile& file, const std::string& table, const std::string& key,
                 const Texts& items, Texts& commands) {
  if (!holds(file.tables, table + "." + key)) {
    add_to_table(file, table, {format("{} = [{}]", key, toml_items(items))}, commands);
    return;
  }
  const std::string program = format(
      "-v items={} '/^ *[[]/ {{inside = /^ *[[] *{} *[]]/}} inside && /^ *{} *=/ "
      "{{sub(/[[]/, \"[\" items \", \")}} {{print}}'",
      single_quoted(toml_items(items)), pattern(table), pattern(key));
  commands.push_back(rewritten(program, "pyproject.toml"));
}

void add_to_table(const ProjectFile& file, const std::string& table, const Texts& lines,
                  Texts& commands) {
  if (holds(file.tables, table)) {
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      const std::string program = format("-v line={} '{{print}} /^ *[[] *{} *[]]/ {{print line}}'",
                                         single_quoted(*line), pattern(table));
      commands.push_back(rewritten(program, "pyproject.toml"));
    }
    return;
  }
  std::string command = format("(echo; echo '[{}]'", table);
  for (const std::string& line : lines) command += "; echo " + single_quoted(line);
  commands.push_back(command + ") >> pyproject.toml");
}

}  // namespace loadable::check
