// SPDX-License-Identifier: Apache-2.0
// Requirements files, environment.yml and pyproject.toml: wishes rather than locks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "python/lock_encoding.h"
#include "python/lock_for_test.h"
#include "tree/memory_tree.h"

namespace loadable::python {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tree::MemoryTree;
using tree::Path;

TEST(PythonRequirements, ReadsWhatPipReads) {
  MemoryTree tree;
  tree.add_file("/p/requirements.txt",
                "\xef\xbb\xbf# comment\r\n"
                "--index-url https://x.org/simple\n"
                "-r more/base.txt\n"
                "-c constraints.txt\n"
                "Fastembed[gpu]==0.9.1 \\\n"
                "    --hash=sha256:00 \\\n"
                "    --hash=sha256:01\n"
                "onnxruntime-gpu # the GPU build\n"
                "numpy==2.0 ; python_version < '3.10'\n"
                "old (>=1)\n"
                "-e git+https://x.org/r.git@v1#egg=my_tool&subdirectory=x\n"
                "./wheels/shim-1.0-py3-none-any.whl\n"
                "thing @ https://${TOKEN}@x.org/thing-2.0-py3-none-any.whl\n"
                "-e .\n"
                "!!\n");
  tree.add_file("/p/more/base.txt", "-r ../requirements.txt\nscipy==1.11.*\n-r gone.txt\n");
  tree.add_file("/p/constraints.txt", "onnxruntime-gpu==1.31.1 --hash=sha256:00\n");
  tree::Walk walk(tree);
  const auto lock = read_lock(walk, Path("/p/requirements.txt"), LockFormat::Requirements);
  ASSERT_TRUE(lock) << lock.error().to_string();
  EXPECT_THAT(names_of(*lock), ElementsAre("scipy ", "fastembed 0.9.1", "onnxruntime-gpu 1.31.1",
                                           "old ", "my-tool ", "shim 1.0", "thing 2.0"));
  EXPECT_EQ(lock->packages[2].place, "/p/requirements.txt:8");
  EXPECT_EQ(lock->packages[6].local_wheel, "/p/./wheels/shim-1.0-py3-none-any.whl");
  EXPECT_FALSE(lock->is_resolved);
  EXPECT_THAT(lock->constraints, ElementsAre("onnxruntime-gpu==1.31.1"));
  EXPECT_THAT(lock->files,
              ElementsAre("/p/requirements.txt", "/p/more/base.txt", "/p/constraints.txt"));
  ASSERT_EQ(lock->problems.size(), 3U);
  EXPECT_EQ(lock->problems[0].file, "/p/more/base.txt");
  EXPECT_THAT(lock->problems[0].text, HasSubstr("line 3: `gone.txt` cannot be read"));
  EXPECT_THAT(lock->problems[1].text, HasSubstr("line 14: -e `.` is not looked into"));
  EXPECT_EQ(lock->problems[2].file, "/p/requirements.txt");
  EXPECT_THAT(lock->problems[2].text, HasSubstr("line 15: passed over: `!!` is no requirement"));
}

TEST(PythonRequirements, CommentsOfCompilersSayWhoRequiredWhat) {
  const Lock lock = lock_of(
      "fastembed==0.9.1\n    # via demo (pyproject.toml)\n"
      "numpy==2.0\n    # via\n    #   fastembed\n    #   onnxruntime\n"
      "onnxruntime==1.32.0 \\\n    --hash=sha256:00\n    # via fastembed\n"
      "onnxruntime-gpu==1.31.1  # via -r requirements.in, numpy\n",
      LockFormat::Requirements, "/p/requirements.txt");
  EXPECT_TRUE(lock.is_resolved);
  EXPECT_THAT(chain_to(lock, "onnxruntime"),
              ElementsAre("demo requires fastembed", "fastembed 0.9.1 requires onnxruntime"));
  EXPECT_THAT(chain_to(lock, "onnxruntime-gpu"),
              ElementsAre("requirements.in requires onnxruntime-gpu"));
}

TEST(PythonRequirements, IncludesHaveADepth) {
  MemoryTree tree;
  for (int i = 0; i < 40; ++i) {
    tree.add_file("/p/r" + std::to_string(i) + ".txt", "-r r" + std::to_string(i + 1) + ".txt\n");
  }
  tree::Walk walk(tree);
  const auto lock = read_lock(walk, Path("/p/r0.txt"), LockFormat::Requirements);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, ErrorCode::LimitReached);
}

TEST(PythonCondaYaml, HoldsCondasPackagesAndPips) {
  const Lock lock = lock_of(R"(name: demo
channels: [conda-forge]
dependencies:
  - python=3.11
  - conda-forge::onnxruntime=1.20=*cuda*
  - numpy >=1.26
  - pip
  - pip:
      - onnxruntime-gpu==1.31.1
      - fastembed ; python_version >= "3.10"
)",
                            LockFormat::CondaYaml, "/p/environment.yml");
  EXPECT_EQ(lock.requires_python, "==3.11.*");
  EXPECT_THAT(names_of(lock), ElementsAre("python 3.11", "onnxruntime 1.20", "numpy ", "pip ",
                                          "onnxruntime-gpu 1.31.1", "fastembed "));
  EXPECT_TRUE(lock.packages[1].is_conda);
  EXPECT_FALSE(lock.packages[4].is_conda);
  EXPECT_EQ(lock.packages[4].place, "/p/environment.yml:9");
}

TEST(PythonCondaYaml, EntriesOfOneLineAreEntriesEach) {
  const Lock lock =
      lock_of("dependencies: [python, pip: [onnxruntime, 'onnxruntime-gpu==1.24.4']]\n",
              LockFormat::CondaYaml);
  EXPECT_THAT(names_of(lock), ElementsAre("python ", "onnxruntime ", "onnxruntime-gpu 1.24.4"));
}

TEST(PythonRequirements, PowerShellsUtf16IsReadAsPipReadsIt) {
  const std::string_view text = "onnxruntime-gpu==1.24.4\r\nnumpy # \xf0\x9f\x98\x80\r\n";
  for (const bool is_big : {false, true}) {
    std::string wide = is_big ? "\xfe\xff" : "\xff\xfe";
    const auto add = [&](int unit) {
      const auto high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xff);
      wide += is_big ? high : low;
      wide += is_big ? low : high;
    };
    for (const char c : text.substr(0, text.find('\xf0'))) add(c);
    for (const int unit : {0xD83D, 0xDE00, 0xDE00, 0x0D, 0x0A}) add(unit);
    const Lock lock = lock_of(wide, LockFormat::Requirements);
    EXPECT_THAT(names_of(lock), ElementsAre("onnxruntime-gpu 1.24.4", "numpy ")) << is_big;
    EXPECT_TRUE(lock.problems.empty());
    EXPECT_EQ(decoded(wide), std::string(text.substr(0, text.size() - 2)) + "\xef\xbf\xbd\r\n");
  }
  EXPECT_EQ(decoded("\xff\xfe\x61"), "") << "half a character";
}

TEST(PythonProject, PoetrysOwnConstraintsAreShownApartFromTheName) {
  const Lock lock = lock_of(
      "[tool.poetry.dependencies]\nonnxruntime = \"^1.17\"\nnumpy = \"2.0.1\"\nscipy = "
      "\">=1\"\n",
      LockFormat::Pyproject);
  EXPECT_THAT(names_of(lock), ElementsAre("numpy 2.0.1", "onnxruntime ", "scipy "));
  EXPECT_THAT(chain_to(lock, "onnxruntime"), ElementsAre("the project requires onnxruntime ^1.17"));
  EXPECT_THAT(chain_to(lock, "numpy"), ElementsAre("the project requires numpy 2.0.1"));
  EXPECT_THAT(chain_to(lock, "scipy"), ElementsAre("the project requires scipy>=1"));
}

TEST(PythonCondaYaml, ABuildStringIsReadInEachOfItsForms) {
  struct Row {
    const char *spec, *version, *build;
  };
  constexpr Row kRows[] = {{"onnxruntime", "", ""},
                           {"onnxruntime=1.20.1=*cuda*", "1.20.1", "*cuda*"},
                           {"onnxruntime=*=*cuda*", "", "*cuda*"},
                           {"onnxruntime==1.20.1=py311h0_0_cpu", "1.20.1", "py311h0_0_cpu"},
                           {"onnxruntime 1.20.* *cuda", "1.20", "*cuda"},
                           {"onnxruntime >=1.20,<2 *cuda*", "", "*cuda*"},
                           {"onnxruntime>=1.20", "", ""},
                           {"onnxruntime[build=*cuda*]", "", "*cuda*"},
                           {"onnxruntime[version='1.20.1', build='*_cuda']", "1.20.1", "*_cuda"},
                           {"onnxruntime=1.19[build=\"*cuda*\"]", "1.19", "*cuda*"},
                           {"conda-forge::onnxruntime=1.20=*cuda*", "1.20", "*cuda*"},
                           {"onnxruntime[build=", "", ""}};
  for (const Row& row : kRows) {
    const Lock lock = lock_of(
        std::string("dependencies:\n  - '") +
            [&] {
              std::string text = row.spec;
              for (std::size_t at = text.find('\''); at != std::string::npos;
                   at = text.find('\'', at + 2)) {
                text.insert(at, 1, '\'');
              }
              return text;
            }() +
            "'\n",
        LockFormat::CondaYaml);
    ASSERT_EQ(lock.packages.size(), 1U) << row.spec;
    EXPECT_EQ(lock.packages[0].name, "onnxruntime") << row.spec;
    EXPECT_EQ(lock.packages[0].version, row.version) << row.spec;
    EXPECT_EQ(lock.packages[0].build, row.build) << row.spec;
  }
}

TEST(PythonProject, TheToolIsThatOfItsTablesOrBackend) {
  const auto tool = [](const char* text) { return lock_of(text, LockFormat::Pyproject).tool; };
  EXPECT_EQ(tool("[tool.poetry]\nname = \"x\"\n"), ProjectTool::Poetry);
  EXPECT_EQ(tool("[tool.pdm]\n"), ProjectTool::Pdm);
  EXPECT_EQ(tool("[tool.uv]\n"), ProjectTool::Uv);
  EXPECT_EQ(tool("[build-system]\nbuild-backend = \"poetry.core.masonry.api\"\n"),
            ProjectTool::Poetry);
  EXPECT_EQ(tool("[project]\nname = \"x\"\n"), ProjectTool::None);
}

TEST(PythonProject, ReadsTheTablesOfTheStandardAndOfTools) {
  const Lock lock = lock_of(R"([project]
name = "demo"
requires-python = ">=3.10"
dependencies = ["onnxruntime>=1.17", "numpy==2.0; python_version < '3.9'"]
[project.optional-dependencies]
GPU = ["onnxruntime-gpu==1.31.1"]
[dependency-groups]
dev = ["pytest", {include-group = "lint"}]
lint = ["ruff", {include-group = "dev"}]
[tool.uv]
override-dependencies = ["ruff ; sys_platform == 'never'"]
conflicts = [[{ extra = "gpu" }, { group = "dev" }]]
)",
                            LockFormat::Pyproject, "/p/pyproject.toml");
  EXPECT_THAT(lock.extras, ElementsAre("gpu"));
  EXPECT_THAT(lock.default_groups, ElementsAre("dev"));
  EXPECT_THAT(lock.conflicts, ElementsAre(ElementsAre("extra:gpu", "group:dev")));
  EXPECT_THAT(names_of(lock), ElementsAre("onnxruntime ", "pytest "));
  Selection selection = on("3.11");
  selection.extras = {"gpu"};
  EXPECT_THAT(names_of(lock, selection),
              ElementsAre("onnxruntime ", "onnxruntime-gpu 1.31.1", "pytest "));
  EXPECT_THAT(chain_to(lock, "onnxruntime", selection),
              ElementsAre("demo requires onnxruntime>=1.17"));
}

TEST(PythonProject, IsAnApplicationWhereATableSaysSoOrNothingBuildsIt) {
  const auto is_application = [](const std::string& text) {
    return lock_of(text, LockFormat::Pyproject, "/p/pyproject.toml").is_application;
  };
  const std::string built = "[project]\nname = \"demo\"\n[build-system]\nrequires = []\n";
  EXPECT_FALSE(is_application(built));
  EXPECT_TRUE(is_application("[project]\nname = \"demo\"\n"));
  EXPECT_TRUE(is_application(built + "[tool.uv]\npackage = false\n"));
  EXPECT_FALSE(is_application("[project]\nname = \"demo\"\n[tool.uv]\npackage = true\n"));
  EXPECT_TRUE(is_application(built + "[tool.poetry]\npackage-mode = false\n"));
  EXPECT_FALSE(is_application(built + "[tool.poetry]\nname = \"demo\"\n"));
}

}  // namespace
}  // namespace loadable::python
