// SPDX-License-Identifier: Apache-2.0
#include "check/folder_remedies.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/format.h"
#include "check/family_remedies_parts.h"
#include "check/remedies.h"
#include "python/names.h"

namespace loadable::check {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kWholeDirectories =
    "pip keeps a directory that is in the folder already, and with --upgrade replaces it whole "
    "(`bin/`, `nvidia/`)";

/// Words of a command, as a POSIX shell divides them; each keeps its quotes, and so every blank.
Words words_of(const std::string& command) {
  Words words;
  std::string word;
  char quote = 0;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char c = command[at];
    if (c == ' ' && quote == 0) {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
      continue;
    }
    word += c;
    if (c == '\\' && quote != '\'' && at + 1 < command.size()) {
      word += command[++at];
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

/// `onnxruntime-gpu` of `'onnxruntime-gpu[cuda]==1.2'`.
std::string name_of(const std::string& word) {
  const std::size_t begin = word.starts_with('\'') ? 1 : 0;
  const std::size_t end = std::min(word.find_first_of("[=<>~!@;' ", begin), word.size());
  return python::normalize_name(word.substr(begin, end - begin));
}

/// The verb of a pip or uv command; `end`: not one.
Words::iterator verb_of(Words& words, std::string_view verb) {
  const auto found = std::find(words.begin(), words.end(), verb);
  const bool is_pips = found != words.begin() && found != words.end() && *std::prev(found) == "pip";
  return is_pips ? found : words.end();
}

class Turner {
 public:
  explicit Turner(const FolderFacts& facts) : facts_(facts) {}

  Remedy turned(const Remedy& remedy) {
    Remedy result = remedy;
    result.commands.clear();
    for (const std::string& command : remedy.commands) {
      Words words = words_of(command);
      if (const auto verb = verb_of(words, "uninstall"); verb != words.end()) {
        remove(Words(verb + 1, words.end()), result);
      } else if (const auto install = verb_of(words, "install"); install != words.end()) {
        this->install(words, install, result);
      } else {
        result.commands.push_back(command);
      }
    }
    return result;
  }

 private:
  void remove(const Words& names, Remedy& result) {
    Words paths;
    for (const std::string& name : names) {
      const auto found = facts_.content.find(name_of(name));
      if (found == facts_.content.end()) continue;
      for (const std::string& path : found->second.paths) {
        const std::string word = shell_word(path);
        if (std::find(paths.begin(), paths.end(), word) == paths.end()) paths.push_back(word);
      }
    }
    if (paths.empty()) return;
    const std::string command = "rm -r " + joined(paths, " ");
    auto& all = result.commands;
    if (std::find(all.begin(), all.end(), command) != all.end()) return;
    all.push_back(command);
    result.side_effects.emplace_back(kWholeDirectories);
  }

  [[nodiscard]] bool shares_directory(const Words& words) const {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      const auto found = facts_.content.find(name_of(word));
      if (found != facts_.content.end()) return found->second.shares_directory;
      return name_of(word).starts_with("nvidia-");
    });
  }

  void install(Words& words, Words::iterator verb, Remedy& result) {
    const bool is_uv = words.front() == "uv";
    const auto again = std::find(words.begin(), words.end(), "--force-reinstall");
    const bool is_again = again != words.end();
    const Words wanted(verb + 1, words.end());
    const std::string target = " --target " + shell_word(facts_.folder);
    if (!is_uv && shares_directory(wanted)) {
      Words rest = wanted;
      std::erase(rest, "--force-reinstall");
      result.commands.push_back("uv pip install" + target + (is_again ? " --reinstall " : " ") +
                                joined(rest, " "));
      result.side_effects.emplace_back(kWholeDirectories);
      return;
    }
    if (is_again) {
      remove(wanted, result);
      words.erase(again);
    }
    const auto place = std::find(words.begin(), words.end(), "install");
    *place += target;
    result.commands.push_back(joined(words, " "));
  }

  const FolderFacts& facts_;
};

}  // namespace

void turn_to_folder(const FolderFacts& facts, Finding& finding) {
  constexpr std::array<std::string_view, 3> kOfProjects = {"uv-override", "uv-exclude",
                                                           "uv-stand-in"};
  std::erase_if(finding.remedies, [&](const Remedy& remedy) {
    return std::find(kOfProjects.begin(), kOfProjects.end(), remedy.id) != kOfProjects.end();
  });
  if (finding.rule == "missing-file") {
    finding.notes.emplace_back(
        "or it was never installed: pip keeps a directory that is in the folder already, and "
        "leaves out what a second distribution has for it");
  }
  Turner turner(facts);
  for (Remedy& remedy : finding.remedies) remedy = turner.turned(remedy);
}

}  // namespace loadable::check
