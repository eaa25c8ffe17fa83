// SPDX-License-Identifier: Apache-2.0
#include "python/lock_freshness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "python/lock_for_test.h"
#include "tree/memory_tree.h"

namespace loadable::python {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tree::MemoryTree;
using tree::Path;

std::string outdated(const std::string& project, const std::string& lock, const char* name,
                     LockFormat format) {
  MemoryTree tree;
  tree.add_file("/p/pyproject.toml", project);
  tree.add_file(std::string("/p/") + name, lock);
  tree::Walk walk(tree);
  const auto read = read_lock(walk, Path(std::string("/p/") + name), format);
  EXPECT_TRUE(read) << (read ? "" : read.error().to_string());
  return read ? read->outdated : "";
}

std::string uv(const std::string& project, const std::string& lock) {
  return outdated(project, lock, "uv.lock", LockFormat::Uv);
}

// As uv 0.13.9 locked it: markers simplified, specifiers sorted, groups flattened.
constexpr const char* kProject = R"toml([project]
name = "demo"
version = "0.1.0"
requires-python = "~=3.11"
dependencies = ["idna>=3, <4.0 ; python_version < '3.13' and sys_platform == 'linux'", "six (>=1.16)", "certifi == 2024.*", "Sniffio", "h11 ; python_version < '3.8'", "sub"]
[project.optional-dependencies]
all = ["demo[gpu]", "demo[cpu]"]
cpu = ["packaging>=23.0"]
gpu = ["packaging[x]>=24", "attrs!=22.0.0,>=21"]
[dependency-groups]
dev = ["iniconfig~=2.0", {include-group = "docs"}]
docs = ["tomli ; python_version < '3.11'", "pluggy"]
[tool.uv]
override-dependencies = ["idna<4", "six @ https://x.org/six-1.17.0-py2.py3-none-any.whl"]
constraint-dependencies = ["attrs<99"]
exclude-dependencies = ["nothing"]
dev-dependencies = ["colorama"]
[tool.uv.sources]
sub = { workspace = true }
attrs = [{ index = "pp", marker = "sys_platform == 'linux'" }]
)toml";
constexpr const char* kLock = R"(version = 1
requires-python = ">=3.11, <4"
[manifest]
members = ["demo", "sub"]
constraints = [
    { name = "attrs", marker = "sys_platform != 'linux'", specifier = "<99" },
    { name = "attrs", marker = "sys_platform == 'linux'", specifier = "<99", index = "https://index.example/simple" },
]
overrides = [
    { name = "idna", specifier = "<4" },
    { name = "six", url = "https://x.org/six-1.17.0-py2.py3-none-any.whl" },
]
excludes = ["nothing"]
[[package]]
name = "demo"
version = "0.1.0"
source = { virtual = "." }
[package.metadata]
requires-dist = [
    { name = "attrs", marker = "sys_platform == 'linux' and extra == 'gpu'", specifier = ">=21,!=22.0.0", index = "https://index.example/simple" },
    { name = "attrs", marker = "sys_platform != 'linux' and extra == 'gpu'", specifier = ">=21,!=22.0.0" },
    { name = "certifi", specifier = "==2024.*" },
    { name = "demo", extras = ["cpu"], marker = "extra == 'all'" },
    { name = "demo", extras = ["gpu"], marker = "extra == 'all'" },
    { name = "h11", marker = "python_full_version < '3.8'" },
    { name = "idna", marker = "python_full_version < '3.13' and sys_platform == 'linux'", specifier = ">=3,<4.0" },
    { name = "packaging", marker = "extra == 'cpu'", specifier = ">=23.0" },
    { name = "packaging", extras = ["x"], marker = "extra == 'gpu'", specifier = ">=24" },
    { name = "six", specifier = ">=1.16" },
    { name = "sniffio" },
    { name = "sub", editable = "sub" },
]
provides-extras = ["all", "cpu", "gpu"]
[package.metadata.requires-dev]
dev = [
    { name = "colorama" },
    { name = "iniconfig", specifier = "~=2.0" },
    { name = "pluggy" },
    { name = "tomli", marker = "python_full_version < '3.11'" },
]
docs = [
    { name = "pluggy" },
    { name = "tomli", marker = "python_full_version < '3.11'" },
]
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(PythonFreshness, ALockThatUvWroteIsThatOfItsProject) { EXPECT_EQ(uv(kProject, kLock), ""); }

TEST(PythonFreshness, EachChangeThatMakesUvLockAgainIsSeen) {
  struct Row {
    const char *from, *to, *said;
  };
  constexpr Row kRows[] = {
      {"\"Sniffio\"", "\"Sniffio\", \"onnxruntime-gpu>=1.20\"",
       "`demo` requires `onnxruntime-gpu>=1.20`, which it was not locked for"},
      {"\"Sniffio\", ", "", "`demo` no longer requires `sniffio`"},
      {"certifi == 2024.*", "certifi == 2025.*",
       "`demo` requires `certifi==2025.*`, and was locked for `certifi==2024.*`"},
      {"sys_platform == 'linux'\", \"six", "sys_platform == 'win32'\", \"six", "`idna<4,>=3`"},
      {"gpu = [", "gpu = [\"onnxruntime-gpu\", ", "`onnxruntime-gpu` (extra `gpu`)"},
      {"\"pluggy\"]", "\"pluggy\", \"fastembed\"]", "`fastembed` (group `dev`)"},
      {"\"idna<4\"", "\"idna<5\"", "its overrides name `idna<5`"},
      {"\"attrs<99\"", "", "its constraints no longer name `attrs<99`"},
      {"\"nothing\"", "\"onnxruntime\"", "excludes other names"},
      {"\"nothing\"", "\"nothing\", \"demo\"", "excludes other names"}};
  for (const Row& row : kRows) {
    EXPECT_THAT(uv(with(kProject, row.from, row.to), kLock), HasSubstr(row.said)) << row.to;
  }
}

TEST(PythonFreshness, OtherSpellingsAreNoChange) {
  EXPECT_EQ(uv(with(kProject, "six (>=1.16)", "Six>=1.16"), kLock), "");
  EXPECT_EQ(uv(with(kProject, "<4.0 ; python_version < '3.13' and sys_platform == 'linux'",
                    "<4 ; sys_platform == 'linux' and python_version <= '3.12'"),
               kLock),
            "");
}

TEST(PythonFreshness, AnOverrideOrExclusionThatTouchesNothingIsNoChange) {
  EXPECT_EQ(uv(with(kProject, "\"idna<4\"", "\"idna<4\", \"x<2\""), kLock), "");
  EXPECT_EQ(uv(with(kProject, "\"nothing\"", "\"nothing\", \"x\""), kLock), "");
}

TEST(PythonFreshness, TheReleasesOfPythonCount) {
  const std::string lock = with(kLock, "members = [\"demo\", \"sub\"]", "");
  EXPECT_EQ(uv(kProject, lock), "");
  EXPECT_THAT(uv(with(kProject, "~=3.11", ">=3.9"), lock), HasSubstr("it is for Python `>=3.9`"));
}

TEST(PythonFreshness, ADynamicProjectIsNotCompared) {
  const std::string project =
      with(with(kProject, "dependencies = [", "dynamic = [\"dependencies\"]\nx = ["), "Sniffio",
           "other");
  EXPECT_EQ(uv(project, kLock), "");
}

TEST(PythonFreshness, AWorkspaceThatIsNoProjectIsComparedByItsGroups) {
  const std::string project = "[dependency-groups]\ndev = [\"six\"]\n[tool.uv.workspace]\n";
  const std::string lock =
      "version = 1\n[manifest]\nmembers = [\"sub\"]\n[manifest.dependency-groups]\n"
      "dev = [{ name = \"six\" }]\n";
  EXPECT_EQ(uv(project, lock), "");
  EXPECT_THAT(uv(with(project, "six", "fastembed"), lock),
              HasSubstr("requires `fastembed` (group `dev`), and was locked for `six`"));
}

TEST(PythonFreshness, MembersOfAWorkspaceAreComparedToo) {
  MemoryTree tree;
  tree.add_file("/p/pyproject.toml", kProject);
  tree.add_file("/p/uv.lock", std::string(kLock) +
                                  "[[package]]\nname = \"sub\"\nversion = \"1\"\n"
                                  "source = { editable = \"sub\" }\n[package.metadata]\n"
                                  "requires-dist = [{ name = \"idna\" }]\n");
  tree.add_file("/p/sub/pyproject.toml",
                "[project]\nname = \"sub\"\ndependencies = [\"fastembed\"]\n");
  tree::Walk walk(tree);
  const auto lock = read_lock(walk, Path("/p/uv.lock"), LockFormat::Uv);
  ASSERT_TRUE(lock);
  EXPECT_EQ(lock->outdated, "`sub` requires `fastembed`, and was locked for `idna`");
}

// The hash is the one that poetry 2.5.1 wrote into the lock of this project.
constexpr const char* kPoetry = R"([project]
name = "demo"
version = "0.1.0"
requires-python = ">=3.11,<3.13"
dependencies = ["fastembed==0.7.4", "onnxruntime-gpu==1.24.4"]
)";
constexpr const char* kPoetryLock =
    "# This file is automatically @generated by Poetry 2.5.1 and should not be changed by hand.\n"
    "[[package]]\nname = \"fastembed\"\nversion = \"0.7.4\"\n"
    "[metadata]\ncontent-hash = "
    "\"de2c38f51966325b8f51b775766770ef3b2b39ca853564a2aca01a462bf79e2b\"\n";

TEST(PythonFreshness, PoetrysHashIsThatOfItsProject) {
  const auto poetry = [](const std::string& project, const std::string& lock) {
    return outdated(project, lock, "poetry.lock", LockFormat::Poetry);
  };
  EXPECT_EQ(poetry(kPoetry, kPoetryLock), "");
  EXPECT_EQ(poetry(with(kPoetry, "demo", "other"), kPoetryLock), "");
  EXPECT_THAT(poetry(with(kPoetry, "==1.24.4", ""), kPoetryLock),
              HasSubstr("its `content-hash` is not the hash of what is required, and does not hold "
                        "`onnxruntime-gpu`"));
  // Groups of the standard count from 2.3 on.
  const std::string grouped = std::string(kPoetry) + "[dependency-groups]\ngpu = [\"x\"]\n";
  EXPECT_THAT(poetry(grouped, kPoetryLock), HasSubstr("content-hash"));
  EXPECT_EQ(poetry(grouped, with(kPoetryLock, "2.5.1", "2.2.0")), "");
  EXPECT_EQ(poetry(with(kPoetry, "==1.24.4", ""), with(kPoetryLock, "2.5.1", "3.0.0")), "");
}

// Likewise, by pdm 2.22.3.
TEST(PythonFreshness, PdmsHashIsThatOfItsProject) {
  const auto pdm = [](const std::string& project) {
    return outdated(project,
                    "[metadata]\ncontent_hash = "
                    "\"sha256:a414c8c032827a94430d1355c4f709c382b405a1c2d7cca4f080537e506795d9\"\n",
                    "pdm.lock", LockFormat::Pdm);
  };
  EXPECT_EQ(pdm(kPoetry), "");
  EXPECT_THAT(pdm(with(kPoetry, "0.7.4", "0.7.5")), HasSubstr("`content_hash`"));
  EXPECT_THAT(pdm(std::string(kPoetry) + "[tool.pdm.resolution]\nexcludes = [\"x\"]\n"),
              HasSubstr("`content_hash`"));
}

TEST(PythonFreshness, EachRequirementIsLockedInAVersionThatItAllows) {
  const auto pylock = [](const std::string& project) {
    return outdated(project,
                    "lock-version = \"1.0\"\n[[packages]]\nname = \"fastembed\"\n"
                    "version = \"0.7.4\"\n[[packages]]\nname = \"onnxruntime-gpu\"\n"
                    "version = \"1.24.4\"\n",
                    "pylock.toml", LockFormat::Pylock);
  };
  EXPECT_EQ(pylock(kPoetry), "");
  EXPECT_EQ(pylock(with(kPoetry, "==0.7.4", ">=0.7; python_version < '3.14'")), "");
  EXPECT_EQ(pylock(with(kPoetry, "fastembed==0.7.4", "x; sys_platform == 'win32'")), "");
  EXPECT_EQ(pylock(with(kPoetry, "fastembed==0.7.4", "fastembed>=0.8")),
            "`demo` requires `fastembed>=0.8`, which is not locked");
}

TEST(PythonFreshness, JsonIsWrittenAsPythonWritesIt) {
  const auto table =
      parse_toml("b = [1, true, \"\\u00e4\\U0001F600\\t\\\"\\u007f/\"]\na = {}\n", "x");
  ASSERT_TRUE(table);
  EXPECT_EQ(python_json(*table),
            "{\"a\": {}, \"b\": [1, true, \"\\u00e4\\ud83d\\ude00\\t\\\"\\u007f/\"]}");
  const auto date = parse_toml("a = 2026-01-01\n", "x");
  ASSERT_TRUE(date);
  EXPECT_THAT(python_json(*date), IsEmpty());
}

}  // namespace
}  // namespace loadable::python
