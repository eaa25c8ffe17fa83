// SPDX-License-Identifier: Apache-2.0
#include "check/remedies.h"

#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "check/remedies_install.h"

namespace loadable::check {
namespace {

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

std::vector<std::string> split_path(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(":;", begin), text.size());
    add_once(parts, text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::string file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string directory_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

std::string directory_of(const std::vector<Copy>& copies) {
  const auto usable = std::find_if(copies.begin(), copies.end(),
                                   [](const Copy& copy) { return copy.defect.empty(); });
  return usable == copies.end() ? std::string{} : directory_name(usable->path);
}

std::string first_names(const std::vector<std::string>& names, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < limit; ++i) {
    text += (i == 0 ? "" : ", ") + quoted(names[i]);
  }
  return text;
}

std::string shell_word(std::string_view text) {
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=+,@%").find(c) != std::string_view::npos;
  });
  if (is_plain) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + shell_word(word);
  return text;
}

void add_elsewhere(Finding& finding, const Subject& subject) {
  if (subject.elsewhere_commands.empty()) return;
  finding.remedies.push_back({"choose-selection",
                              format("install {}", subject.elsewhere),
                              subject.elsewhere_commands,
                              {},
                              false});
}

void add_install(Finding& finding, const Subject& subject, const Gap& gap) {
  if (gap.supplier.empty()) return;
  finding.remedies.push_back(
      {"install",
       format("install {}, which ships {}", quoted(gap.supplier), quoted(gap.request)),
       install_commands(subject.installation, {gap.supplier}),
       {},
       false});
}

void add_wanted(Finding& finding, const Subject& subject) {
  if (subject.wanted_distribution.empty()) return;
  finding.remedies.push_back({"install",
                              format("install {}", quoted(subject.wanted_distribution)),
                              install_commands(subject.installation, {subject.wanted_distribution}),
                              {},
                              false});
}

void add_replacement(Finding& finding, const Subject& subject, const std::string& name,
                     const std::string& version) {
  if (subject.wanted_distribution.empty()) return;
  const Installation& place = subject.installation;
  Remedy remedy{"install-gpu-build",
                format("replace {} by {}", quoted(name), quoted(subject.wanted_distribution)),
                {},
                {"both builds share one directory: remove the CPU build first",
                 "what requires the CPU build by its plain name brings it back at the next "
                 "installation, and it overwrites"},
                false};
  remedy.commands.push_back(
      remove_command(place, installer_of(place, name + " " + version), {name}));
  for (std::string& command : install_commands(place, {subject.wanted_distribution})) {
    remedy.commands.push_back(std::move(command));
  }
  finding.remedies.push_back(std::move(remedy));
}

void add_provided(Finding& finding, const Subject& subject, const Gap& gap) {
  finding.remedies.push_back(
      {"provided",
       "if the host supplies it (a system CUDA), say so; the verdict is then `unknown`",
       {format("loadable check {} --provided {}", subject.target, shell_word(gap.request))},
       {},
       false});
}

void add_loader_path(Finding& finding, const Subject& subject, const std::vector<Copy>& copies) {
  std::vector<std::string> directories;
  for (const Copy& copy : copies) {
    if (copy.defect.empty()) add_once(directories, directory_name(copy.path));
  }
  if (directories.empty()) return;
  for (const Gap& gap : subject.gaps) {
    if (classify(gap) == GapCause::Unreachable) add_once(directories, directory_of(gap.copies));
  }
  for (const std::string& directory : subject.library_dirs) add_once(directories, directory);
  for (const std::string& directory : split_path(subject.loader_path)) {
    add_once(directories, directory);
  }
  std::string value;
  for (const std::string& directory : directories) {
    value += (value.empty() ? "" : ":") + directory;
  }
  finding.remedies.push_back({"loader-path",
                              "put every directory on the loader's path, before the process starts",
                              {format("export LD_LIBRARY_PATH={}", shell_word(value))},
                              {"counts for every program that inherits the variable"},
                              false});
}

void add_preloads(Finding& finding, const Subject& subject, const Gap& gap) {
  for (const std::string& preload : gap.preloads) {
    const bool is_module = preload.find('.') == std::string::npos;
    const std::string module = preload.substr(0, preload.find('.'));
    finding.remedies.push_back(
        {"preload",
         is_module ? format("import {} before the first session", module)
                   : format("{}() before the first session", preload),
         {format("import {}{}", module, is_module ? "" : format("; {}()", preload)),
          format("loadable check {} --after {}", subject.target, preload)},
         {"must come first in every entry point, worker processes too"},
         false});
  }
}

void add_reinstall(Finding& finding, const Subject& subject, const std::vector<Gone>& files) {
  std::vector<std::string> names;
  for (const Gone& file : files) add_once(names, file.distribution);
  if (names.empty()) return;
  finding.remedies.push_back(
      {"reinstall",
       names.size() == 1 ? "install the distribution again" : "install the distributions again",
       reinstall_commands(subject.installation, names),
       {},
       false});
}

}  // namespace loadable::check
