// SPDX-License-Identifier: Apache-2.0
// Every command of every remedy can be pasted: no placeholder, paths quoted, the right installer,
// in the order that leaves a working state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/format.h"
#include "check/family_remedies.h"
#include "check/remedies.h"
#include "check/test_subject.h"

namespace loadable::check {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Texts = std::vector<std::string>;

constexpr const char* kPython = "/srv/my $ervice/.venv/bin/python";
constexpr const char* kQuotedPython = "'/srv/my $ervice/.venv/bin/python'";
constexpr std::string_view kOpen = "(open quote)";

/// The words of a command as a shell takes them; an open quote is a word of its own.
Texts words_of(const std::string& command) {
  Texts words;
  std::string word;
  char quote = 0;
  for (const char c : command) {
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
      if (quote != 0) word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ' ') {
      words.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  words.push_back(std::move(word));
  if (quote != 0) words.emplace_back(kOpen);
  return words;
}

void expect_pasteable(const std::vector<Remedy>& remedies) {
  for (const Remedy& remedy : remedies) {
    EXPECT_FALSE(remedy.is_proven) << remedy.id;
    for (const std::string& command : remedy.commands) {
      const Texts words = words_of(command);
      EXPECT_THAT(words, Not(Contains(std::string(kOpen)))) << command;
      for (const char* placeholder : {"VERSION", "NAME", "…", "...", "ENV", "<", "{}"}) {
        EXPECT_THAT(command, Not(HasSubstr(placeholder))) << remedy.id;
      }
    }
  }
}

Installation uvs() {
  Installation place;
  place.python = kPython;
  place.has_pip = false;
  place.is_uvs = true;
  return place;
}

Installation pips() {
  Installation place;
  place.python = kPython;
  return place;
}

FamilyConflict conflict() {
  FamilyConflict facts;
  facts.wanted = "onnxruntime-gpu";
  facts.wanted_version = "1.24.4";
  facts.unwanted = {"onnxruntime"};
  facts.requirers = {"fastembed"};
  return facts;
}

FamilyConflict locked() {
  FamilyConflict facts = conflict();
  facts.is_installed = false;
  return facts;
}

/// With hashes, compiled by uv.
FamilyConflict compiled() {
  FamilyConflict facts = locked();
  facts.file.requirements = "requirements.txt";
  facts.file.is_complete = true;
  facts.file.has_hashes = true;
  facts.file.listed = {"onnxruntime"};
  facts.file.command = "uv pip compile --generate-hashes requirements.in -o requirements.txt";
  return facts;
}

const std::vector<PackageTool>& all_tools() {
  static const std::vector<PackageTool> tools = {
      PackageTool::Uv,  PackageTool::UvPip, PackageTool::Pip,       PackageTool::Poetry,
      PackageTool::Pdm, PackageTool::Conda, PackageTool::Dockerfile};
  return tools;
}

const Remedy& of_id(const std::vector<Remedy>& remedies, std::string_view id) {
  static const Remedy none;
  const auto found = std::find_if(remedies.begin(), remedies.end(),
                                  [&](const Remedy& remedy) { return remedy.id == id; });
  EXPECT_NE(found, remedies.end()) << id;
  return found == remedies.end() ? none : *found;
}

std::string text_of(const Remedy& remedy) {
  std::string text;
  for (const std::string& effect : remedy.side_effects) text += effect + "\n";
  return text;
}

TEST(CheckFamilyRemedies, AreAllPasteableWhateverIsKnown) {
  for (const bool is_installed : {true, false}) {
    for (const char* version : {"", "1.24.4", "1.24.4+cu12"}) {
      for (const char* file :
           {"", "requirements.txt", "my list.txt", "pylock.toml", "environment.yml"}) {
        for (const Installation& place : {Installation{}, uvs(), pips()}) {
          FamilyConflict facts = conflict();
          facts.is_installed = is_installed;
          facts.wanted_version = version;
          facts.file.requirements = file;
          facts.file.folder = "/srv/my $ervice";
          facts.file.listed = {"onnxruntime"};
          facts.installation = place;
          for (const bool is_complete : {true, false}) {
            facts.file.is_complete = is_complete;
            facts.file.has_hashes = is_complete;
            const auto remedies = family_remedies(facts, all_tools());
            EXPECT_THAT(remedies, Not(IsEmpty()));
            expect_pasteable(remedies);
          }
        }
      }
    }
  }
}

TEST(CheckFamilyRemedies, AStandInIsNotOfferedWhereItsVersionIsNotKnown) {
  FamilyConflict facts = locked();
  facts.wanted_version.clear();
  for (const Remedy& remedy : family_remedies(facts, all_tools())) {
    for (const std::string& command : remedy.commands) {
      EXPECT_THAT(command, Not(HasSubstr("shim"))) << remedy.id;
    }
  }
}

TEST(CheckFamilyRemedies, AStandInForAnotherBuildIsLookedUpInTheEnvironment) {
  FamilyConflict facts = conflict();
  facts.wanted = "onnxruntime-openvino";
  facts.is_looked_up = true;
  facts.installation = pips();
  const auto remedies = family_remedies(facts, PackageTool::Pip);
  EXPECT_EQ(remedies.front().commands.front(),
            format("loadable shim onnxruntime --version 1.24.4 --target {} --output wheels",
                   kQuotedPython));
  facts.installation = {};
  EXPECT_THAT(family_remedies(facts, PackageTool::Pip), SizeIs(1));
}

TEST(CheckFamilyRemedies, NameTheInstallerAndTheEnvironment) {
  FamilyConflict facts = conflict();
  facts.installation = uvs();
  for (const Remedy& remedy : family_remedies(facts, PackageTool::UvPip)) {
    ASSERT_GE(remedy.commands.size(), 2U);
    const std::string& last = remedy.commands.back();
    EXPECT_TRUE(last.starts_with(format("uv pip install --python {} ", kQuotedPython))) << last;
    const bool is_alone = remedy.id == "uv-pip-reinstall";
    EXPECT_TRUE(last.ends_with(is_alone ? " --no-deps onnxruntime-gpu==1.24.4"
                                        : " onnxruntime-gpu==1.24.4 fastembed"))
        << last;
    EXPECT_EQ(remedy.commands[remedy.commands.size() - 2],
              format("uv pip uninstall --python {} onnxruntime onnxruntime-gpu", kQuotedPython));
  }
  facts.installation = pips();
  const auto pip = family_remedies(facts, PackageTool::Pip);
  EXPECT_EQ(
      pip.front().commands.back(),
      format("{} -m pip install -c stand-in.txt onnxruntime-gpu==1.24.4 fastembed", kQuotedPython));
}

TEST(CheckFamilyRemedies, WithHashesTheStandInHasOneAndNothingStandsBesideTheFile) {
  const auto remedies = family_remedies(compiled(), {PackageTool::Pip, PackageTool::UvPip});
  const Remedy& stand_in = of_id(remedies, "pip-stand-in");
  ASSERT_THAT(stand_in.commands, SizeIs(5));
  EXPECT_THAT(stand_in.commands[0], HasSubstr("loadable shim onnxruntime --version 1.24.4"));
  EXPECT_THAT(stand_in.commands[1], HasSubstr("awk"));
  EXPECT_THAT(stand_in.commands[2], HasSubstr("--hash=sha256:$(sha256sum wheels/onnxruntime-1.24"));
  EXPECT_EQ(stand_in.commands[3], "pip uninstall -y onnxruntime onnxruntime-gpu");
  EXPECT_EQ(stand_in.commands[4], "pip install -r requirements.txt");
  EXPECT_EQ(of_id(remedies, "pip-without").commands.back(),
            "pip install --no-deps -r requirements.txt");
  EXPECT_THAT(of_id(remedies, "uv-pip-exclude").commands,
              ElementsAre("echo onnxruntime > excludes.txt",
                          "uv pip compile --generate-hashes requirements.in -o requirements.txt "
                          "--excludes excludes.txt",
                          "uv pip uninstall onnxruntime onnxruntime-gpu",
                          "uv pip install --excludes excludes.txt -r requirements.txt"));
}

TEST(CheckFamilyRemedies, ExtrasOfTheProjectAreSaidToExcludeEachOther) {
  FamilyConflict facts = locked();
  EXPECT_EQ(family_remedies(facts, PackageTool::Uv).front().id, "uv-override");
  facts.choices = {"extra = \"cpu\"", "extra = \"gpu\""};
  const auto remedies = family_remedies(facts, PackageTool::Uv);
  EXPECT_THAT(of_id(remedies, "uv-conflicts").commands,
              ElementsAre("(echo; echo '[tool.uv]'; echo 'conflicts = [[{ extra = \"cpu\" }, "
                          "{ extra = \"gpu\" }]]') >> pyproject.toml",
                          "uv lock"));
}

TEST(CheckFamilyRemedies, TablesAndListsThatAreThereAreAddedTo) {
  FamilyConflict facts = locked();
  facts.file.tables = {"tool.uv", "tool.uv.exclude-dependencies"};
  const auto remedies = family_remedies(facts, PackageTool::Uv);
  expect_pasteable(remedies);
  EXPECT_THAT(of_id(remedies, "uv-override").commands.front(), HasSubstr("{print line}"));
  EXPECT_THAT(of_id(remedies, "uv-exclude").commands.front(), HasSubstr("sub(/[[]/"));
  for (const Remedy& remedy : remedies) {
    for (const std::string& command : remedy.commands) {
      EXPECT_THAT(command, Not(HasSubstr("echo '[tool.uv]'"))) << remedy.id;
    }
  }
}

TEST(CheckFamilyRemedies, TellTheTraps) {
  FamilyConflict facts = conflict();
  facts.installation = uvs();
  facts.file.folder = "/srv/service";
  const auto remedies = family_remedies(facts, all_tools());
  for (const char* id : {"uv-override", "uv-exclude", "uv-stand-in"}) {
    const Remedy& remedy = of_id(remedies, id);
    EXPECT_THAT(text_of(remedy), HasSubstr("loses the shared files")) << id;
    EXPECT_EQ(remedy.commands.front(), "cd /srv/service");
    EXPECT_EQ(remedy.commands.back(), "uv sync --reinstall-package onnxruntime-gpu") << id;
  }
  EXPECT_THAT(text_of(of_id(remedies, "uv-override")), HasSubstr("do not stick"));
  EXPECT_THAT(text_of(of_id(remedies, "uv-pip-exclude")), HasSubstr("do not stick"));
  for (const char* id : {"uv-pip-stand-in", "pip-stand-in", "uv-stand-in"}) {
    EXPECT_THAT(text_of(of_id(remedies, id)), HasSubstr("uv pip install -U")) << id;
  }
  EXPECT_EQ(of_id(remedies, "pdm-exclude").commands.back(), "pdm sync --reinstall");
  EXPECT_THAT(text_of(of_id(remedies, "conda-reinstall")), HasSubstr("not tried"));
}

/// Subjects of every rule whose remedy installs something.
std::vector<Subject> broken_subjects(const Installation& place) {
  std::vector<Subject> subjects;
  const auto add = [&](auto&& change) {
    Subject subject = cuda_subject();
    subject.installation = place;
    subject.target = "'/srv/my $ervice/.venv'";
    subject.wanted_distribution = "onnxruntime-gpu[cuda,cudnn]";
    change(subject);
    subjects.push_back(std::move(subject));
  };
  const Member member{"onnxruntime-gpu", "1.24.4", {"onnxruntime:cuda"}, true, {}, "CUDA"};
  add([](Subject& s) {
    s.gaps.push_back(gap("libcublas.so.12"));
    s.gaps.back().supplier = "nvidia-cublas-cu12";
  });
  add([](Subject& s) {
    s.gaps.push_back(gap("libcublas.so.12"));
    s.gaps.back().gone.push_back({"/site/nvidia/libcublas.so.12", "nvidia-cublas-cu12 12.9.2.10"});
  });
  add([&](Subject& s) {
    s.ownership.gutted.push_back({member, 326, 316, {"/site/onnxruntime"}, false, {}, true, {}});
  });
  add([&](Subject& s) {
    Member old = member;
    old.version = "1.23.0";
    s.ownership.stale.push_back(
        {"onnxruntime-gpu", "/site", {member, old}, {"/site/a", "/site/b"}, "1.24.4"});
  });
  add([](Subject& s) {
    s.instance.is_shipped = false;
    s.instance.is_cpu_build = true;
    s.instance.distribution = "onnxruntime";
  });
  add([](Subject& s) { s.instance.is_shipped = false; });
  add([](Subject& s) {
    s.ownership.unowned.push_back({"/site/onnxruntime/capi/libprovider.so",
                                   "onnxruntime",
                                   "the CUDA provider",
                                   true,
                                   {"onnxruntime"}});
  });
  add([](Subject& s) { s.ownership.lost.push_back({"onnxruntime-gpu 1.24.4", 1, {"/site/x"}}); });
  add([](Subject& s) {
    s.caller.variables = {{"LD_LIBRARY_PATH", "/opt/my cuda:/opt/$x"}};
    s.caller.decides = true;
    s.caller.without = "`loadable` would be no";
  });
  return subjects;
}

Texts commands_of(const Installation& place) {
  Texts commands;
  for (const Subject& subject : broken_subjects(place)) {
    const Rulings rulings = judge(subject);
    EXPECT_THAT(rulings, Not(IsEmpty()));
    for (const Ruling& ruling : rulings) {
      expect_pasteable(ruling.finding.remedies);
      for (const Remedy& remedy : ruling.finding.remedies) {
        commands.insert(commands.end(), remedy.commands.begin(), remedy.commands.end());
      }
    }
  }
  return commands;
}

TEST(CheckRemedies, OfEveryRuleAreUvsWhereUvMadeTheEnvironment) {
  const Texts commands = commands_of(uvs());
  EXPECT_THAT(commands, SizeIs(::testing::Ge(12U)));
  for (const std::string& command : commands) {
    if (command.find("pip ") == std::string::npos) continue;
    EXPECT_TRUE(command.starts_with("uv pip ")) << command;
    EXPECT_THAT(words_of(command), Contains(kPython)) << command;
  }
}

TEST(CheckRemedies, OfEveryRuleCallTheEnvironmentsOwnPip) {
  for (const std::string& command : commands_of(pips())) {
    if (command.find("pip ") == std::string::npos) continue;
    EXPECT_TRUE(command.starts_with(format("{} -m pip ", kQuotedPython))) << command;
  }
}

TEST(CheckRemedies, WithoutPipAndUvTheShellsPipIsToldTheInterpreter) {
  Installation place = pips();
  place.has_pip = false;
  for (const std::string& command : commands_of(place)) {
    if (command.find("pip ") == std::string::npos) continue;
    EXPECT_TRUE(command.starts_with(format("pip --python {} ", kQuotedPython))) << command;
  }
}

TEST(CheckRemedies, AReinstallationIsByWhoInstalledIt) {
  Installation place = pips();
  place.prefix = "/opt/my conda";
  place.made_by = {{"a 1", "conda"}, {"python3-b 2", "debian"}, {"c 3", "pip"}, {"d 4", "uv"}};
  EXPECT_THAT(
      reinstall_commands(place, {"a 1", "python3-b 2", "c 3", "d 4"}),
      ElementsAre("apt-get install --reinstall python3-b",
                  "conda install -y -p '/opt/my conda' --force-reinstall a=1",
                  format("{} -m pip install --force-reinstall --no-deps c==3", kQuotedPython),
                  format("uv pip install --python {} --reinstall --no-deps d==4", kQuotedPython)));
}

TEST(CheckRemedies, NamesOfATargetAreWordsThatTheShellDoesNotRead) {
  EXPECT_EQ(shell_words({"numpy", "a b", "$(rm x)", "it's"}), " numpy 'a b' '$(rm x)' 'it'\\''s'");
}

TEST(CheckRemedies, ACallersVariablesAreStatedWithTheirValues) {
  EXPECT_THAT(commands_of(uvs()),
              Contains("loadable check '/srv/my $ervice/.venv' --no-host-env --env "
                       "'LD_LIBRARY_PATH=/opt/my cuda:/opt/$x'"));
}

}  // namespace
}  // namespace loadable::check
