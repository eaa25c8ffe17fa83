// SPDX-License-Identifier: Apache-2.0
#include "python/lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "python/lock_fields.h"
#include "python/lock_for_test.h"
#include "tree/memory_tree.h"

namespace loadable::python {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tree::MemoryTree;
using tree::Path;

constexpr std::string_view kUv = R"(version = 1
revision = 3
requires-python = ">=3.11"

[[package]]
name = "demo"
version = "0.1.0"
source = { virtual = "." }
dependencies = [
    { name = "fastembed" },
    { name = "onnxruntime-gpu", marker = "sys_platform == 'linux'" },
]

[package.optional-dependencies]
big = [{ name = "fastembed", extra = ["gpu"] }]

[package.dev-dependencies]
dev = [{ name = "pytest" }]
docs = [{ name = "sphinx" }]

[package.metadata]
requires-dist = [{ name = "fastembed", specifier = ">=0.7" }]

[[package]]
name = "fastembed"
version = "0.9.1"
source = { registry = "https://index.example/simple" }
dependencies = [{ name = "onnxruntime" }, { name = "numpy", version = "2.0", marker = "python_full_version < '3.12'" }, { name = "numpy", version = "2.5", marker = "python_full_version >= '3.12'" }]

[package.optional-dependencies]
gpu = [{ name = "extra-thing" }]

[[package]]
name = "numpy"
version = "2.0"
source = { registry = "https://index.example/simple" }

[[package]]
name = "numpy"
version = "2.5"
source = { registry = "https://index.example/simple" }

[[package]]
name = "onnxruntime"
version = "1.32.0"
source = { registry = "https://index.example/simple" }
wheels = [{ url = "https://x.org/a/onnxruntime-1.32.0-cp311-cp311-manylinux_2_28_x86_64.whl", hash = "sha256:00" }]

[[package]]
name = "onnxruntime-gpu"
version = "1.31.1"
source = { registry = "https://index.example/simple" }

[[package]]
name = "pytest"
version = "9.0"
source = { registry = "https://index.example/simple" }

[[package]]
name = "sphinx"
version = "9.1"
source = { registry = "https://index.example/simple" }

[[package]]
name = "extra-thing"
version = "1"
source = { registry = "https://index.example/simple" }
)";

TEST(PythonLockUv, InstallsWhatTheRootReachesUnderTheMarkers) {
  const Lock lock = lock_of(kUv, LockFormat::Uv);
  EXPECT_THAT(names_of(lock), ElementsAre("fastembed 0.9.1", "numpy 2.0", "onnxruntime 1.32.0",
                                          "onnxruntime-gpu 1.31.1", "pytest 9.0"));
  EXPECT_THAT(names_of(lock, on("3.12")),
              ElementsAre("fastembed 0.9.1", "numpy 2.5", "onnxruntime 1.32.0",
                          "onnxruntime-gpu 1.31.1", "pytest 9.0"));
}

TEST(PythonLockUv, SaysWhoPulledAPackageIn) {
  const Lock lock = lock_of(kUv, LockFormat::Uv);
  EXPECT_THAT(chain_to(lock, "onnxruntime"),
              ElementsAre("demo requires fastembed>=0.7", "fastembed 0.9.1 requires onnxruntime"));
  EXPECT_THAT(chain_to(lock, "pytest"), ElementsAre("demo requires pytest (group `dev`)"));
}

TEST(PythonLockUv, ExtrasAndGroupsCountWhenTheyAreChosen) {
  const Lock lock = lock_of(kUv, LockFormat::Uv);
  EXPECT_THAT(lock.extras, ElementsAre("big"));
  EXPECT_THAT(lock.groups, ElementsAre("dev", "docs"));
  Selection selection = on("3.11");
  selection.extras = {"big"};
  selection.groups = {"docs"};
  selection.no_default_groups = true;
  EXPECT_THAT(names_of(lock, selection),
              ElementsAre("fastembed 0.9.1", "numpy 2.0", "onnxruntime 1.32.0",
                          "onnxruntime-gpu 1.31.1", "sphinx 9.1", "extra-thing 1"));
}

TEST(PythonLockUv, AnEntryThatAnOverrideCutOffIsNotInstalled) {
  std::string text(kUv);
  const std::string edge = "{ name = \"onnxruntime\" }";
  text.replace(text.find(edge), edge.size(),
               "{ name = \"onnxruntime\", marker = \"sys_platform == 'never'\" }");
  text.insert(text.find("[[package]]"),
              "[manifest]\noverrides = [{ name = \"onnxruntime\", marker = \"sys_platform == "
              "'never'\" }]\nexcludes = [\"x\"]\n\n");
  const Lock lock = lock_of(text, LockFormat::Uv);
  EXPECT_THAT(names_of(lock),
              ElementsAre("fastembed 0.9.1", "numpy 2.0", "onnxruntime-gpu 1.31.1", "pytest 9.0"));
  EXPECT_THAT(lock.overrides, ElementsAre("onnxruntime ; sys_platform == 'never'"));
  EXPECT_THAT(lock.excludes, ElementsAre("x"));
}

TEST(PythonLockUv, MarkersOfConflictsAskForSetsOfExtras) {
  const Lock lock = lock_of(R"toml(version = 1
conflicts = [[{ package = "demo", extra = "cpu" }, { package = "demo", extra = "gpu" }]]
[[package]]
name = "demo"
source = { virtual = "." }
[package.optional-dependencies]
cpu = [{ name = "a" }]
gpu = [{ name = "b", marker = "extra == 'extra-4-demo-gpu' and extra != 'extra-4-demo-cpu'" }]
[[package]]
name = "a"
version = "1"
dependencies = [{ name = "numpy", version = "1", marker = "(python_full_version < '3.12' and extra == 'extra-4-demo-cpu') or (extra == 'extra-4-demo-cpu' and extra == 'extra-4-demo-gpu')" }]
[[package]]
name = "b"
version = "1"
[[package]]
name = "numpy"
version = "1"
)toml",
                            LockFormat::Uv);
  EXPECT_THAT(lock.conflicts, ElementsAre(ElementsAre("extra:cpu", "extra:gpu")));
  Selection selection = on("3.11");
  EXPECT_THAT(names_of(lock, selection), IsEmpty());
  selection.extras = {"cpu"};
  EXPECT_THAT(names_of(lock, selection), ElementsAre("a 1", "numpy 1"));
  selection.extras = {"gpu"};
  EXPECT_THAT(names_of(lock, selection), ElementsAre("b 1"));
  selection.extras = {"cpu", "gpu"};
  EXPECT_THAT(names_of(lock, selection), ElementsAre("a 1", "numpy 1"));
}

TEST(PythonLockUv, OfAWorkspaceTheProjectHereIsTheRoot) {
  const Lock lock = lock_of(R"(version = 1
[manifest]
members = ["top", "side"]
[[package]]
name = "side"
version = "1"
source = { editable = "packages/side" }
dependencies = [{ name = "b" }]
[[package]]
name = "top"
version = "1"
source = { editable = "." }
dependencies = [{ name = "a" }]
[[package]]
name = "a"
version = "1"
[[package]]
name = "b"
version = "1"
)",
                            LockFormat::Uv);
  EXPECT_THAT(names_of(lock), ElementsAre("a 1"));
  Selection selection = on("3.11");
  selection.all_packages = true;
  EXPECT_THAT(names_of(lock, selection), ElementsAre("side 1", "a 1", "b 1"));
}

TEST(PythonLockUv, CyclesEnd) {
  const Lock lock = lock_of(R"(version = 1
[[package]]
name = "demo"
source = { virtual = "." }
dependencies = [{ name = "a" }, { name = "demo", extra = ["x"] }]
[package.optional-dependencies]
x = [{ name = "b" }]
[[package]]
name = "a"
version = "1"
dependencies = [{ name = "b" }]
[[package]]
name = "b"
version = "1"
dependencies = [{ name = "a" }, { name = "b" }]
)",
                            LockFormat::Uv);
  EXPECT_THAT(names_of(lock), ElementsAre("a 1", "b 1"));
  EXPECT_EQ(chain_to(lock, "b").size(), 2U);
}

TEST(PythonLockPylock, EveryEntryCountsWhoseMarkerHolds) {
  const Lock lock = lock_of(R"(lock-version = "1.0"
created-by = "pip"
extras = ["gpu"]
dependency-groups = ["dev"]
default-groups = ["dev"]
[[packages]]
name = "fastembed"
version = "0.9.1"
dependencies = [{ name = "onnxruntime" }]
[[packages]]
name = "onnxruntime"
version = "1.32.0"
[[packages.wheels]]
name = "onnxruntime-1.32.0-cp311-cp311-manylinux_2_28_x86_64.whl"
url = "https://x.org/onnxruntime-1.32.0-cp311-cp311-manylinux_2_28_x86_64.whl"
[[packages]]
name = "onnxruntime-gpu"
version = "1.31.1"
marker = "'gpu' in extras"
[[packages]]
name = "pytest"
version = "9"
marker = "'dev' in dependency_groups"
)",
                            LockFormat::Pylock);
  EXPECT_THAT(names_of(lock), ElementsAre("fastembed 0.9.1", "onnxruntime 1.32.0", "pytest 9"));
  EXPECT_THAT(chain_to(lock, "onnxruntime"), ElementsAre("fastembed 0.9.1 requires onnxruntime"));
  Selection selection = on("3.11");
  selection.extras = {"gpu"};
  selection.no_default_groups = true;
  EXPECT_THAT(names_of(lock, selection),
              ElementsAre("fastembed 0.9.1", "onnxruntime 1.32.0", "onnxruntime-gpu 1.31.1"));
}

constexpr std::string_view kPoetry = R"([[package]]
name = "fastembed"
version = "0.9.1"
optional = false
python-versions = ">=3.9"
groups = ["main"]
files = []

[package.dependencies]
onnxruntime = {version = ">=1.17.0", markers = "python_version >= \"3.10\""}

[[package]]
name = "onnxruntime"
version = "1.32.0"
optional = false
python-versions = "*"
groups = ["main", "dev"]
markers = {main = "python_version < \"3.11\""}
files = []

[[package]]
name = "onnxruntime-gpu"
version = "1.31.1"
optional = true
python-versions = "*"
groups = ["main"]
markers = "extra == \"gpu\""
files = []

[extras]
gpu = ["onnxruntime-gpu"]

[metadata]
lock-version = "2.1"
python-versions = ">=3.9"
content-hash = "00"
)";

TEST(PythonLockPoetry, GroupsMarkersAndExtrasDecide) {
  const Lock lock = lock_of(kPoetry, LockFormat::Poetry);
  EXPECT_THAT(names_of(lock), ElementsAre("fastembed 0.9.1", "onnxruntime 1.32.0"));
  Selection selection = on("3.11");
  selection.no_default_groups = true;
  EXPECT_THAT(names_of(lock, selection), ElementsAre("fastembed 0.9.1"));
  selection.extras = {"gpu"};
  EXPECT_THAT(names_of(lock, selection), ElementsAre("fastembed 0.9.1", "onnxruntime-gpu 1.31.1"));
  EXPECT_THAT(chain_to(lock, "onnxruntime-gpu", selection),
              ElementsAre("the project requires onnxruntime-gpu (extra `gpu`)"));
}

TEST(PythonLockPoetry, TheProjectBesideItSaysWhatWasAskedFor) {
  MemoryTree tree;
  tree.add_file("/p/poetry.lock", kPoetry);
  tree.add_file("/p/pyproject.toml", R"([tool.poetry]
name = "demo"
[tool.poetry.dependencies]
python = ">=3.9"
fastembed = "^0.9"
onnxruntime-gpu = { version = "*", optional = true }
[tool.poetry.extras]
gpu = ["onnxruntime-gpu"]
[tool.poetry.group.dev]
optional = true
[tool.poetry.group.dev.dependencies]
onnxruntime = "*"
)");
  tree::Walk walk(tree);
  const auto lock = read_lock(walk, Path("/p/poetry.lock"), LockFormat::Poetry);
  ASSERT_TRUE(lock) << lock.error().to_string();
  EXPECT_THAT(lock->files, ElementsAre("/p/poetry.lock", "/p/pyproject.toml"));
  EXPECT_THAT(names_of(*lock), ElementsAre("fastembed 0.9.1"));
  EXPECT_THAT(chain_to(*lock, "fastembed"), ElementsAre("demo requires fastembed ^0.9"));
  EXPECT_THAT(names_of(*lock, on("3.10")), ElementsAre("fastembed 0.9.1", "onnxruntime 1.32.0"));
}

TEST(PythonLockPoetry, APinIsComparedAsAVersion) {
  for (const char* pin : {"==0.9.1", "0.9.1", "==0.9.1.0", "v0.9.1", "==0.9.1+x", "==0.9"}) {
    MemoryTree tree;
    tree.add_file("/p/poetry.lock", kPoetry);
    tree.add_file("/p/pyproject.toml",
                  std::string("[tool.poetry.dependencies]\nfastembed = \"") + pin + "\"\n");
    tree::Walk walk(tree);
    const auto lock = read_lock(walk, Path("/p/poetry.lock"), LockFormat::Poetry);
    ASSERT_TRUE(lock) << lock.error().to_string();
    const bool is_it = std::string_view(pin) != "==0.9.1+x" && std::string_view(pin) != "==0.9";
    const auto chain = chain_to(*lock, "fastembed");
    EXPECT_EQ(!chain.empty() && chain.front().starts_with("the project requires"), is_it) << pin;
  }
}

TEST(PythonLockPdm, GroupsAndMarkersDecide) {
  const Lock lock = lock_of(R"([metadata]
groups = ["default", "dev", "gpu"]
strategy = ["inherit_metadata"]
lock_version = "4.5.0"
content_hash = "sha256:00"

[[metadata.targets]]
requires_python = ">=3.11"

[[package]]
name = "fastembed"
version = "0.9.1"
groups = ["default"]
dependencies = ["onnxruntime>=1.17.0; python_version >= \"3.10\""]

[[package]]
name = "onnxruntime"
version = "1.32.0"
groups = ["default"]
marker = "python_version >= \"3.10\""

[[package]]
name = "onnxruntime-gpu"
version = "1.31.1"
groups = ["gpu"]

[[package]]
name = "pytest"
version = "9"
groups = ["dev"]
)",
                            LockFormat::Pdm);
  EXPECT_THAT(names_of(lock), ElementsAre("fastembed 0.9.1", "onnxruntime 1.32.0", "pytest 9"));
  EXPECT_THAT(chain_to(lock, "onnxruntime"),
              ElementsAre("fastembed 0.9.1 requires onnxruntime>=1.17.0"));
  Selection selection = on("3.11");
  selection.groups = {"gpu"};
  selection.no_default_groups = true;
  EXPECT_THAT(names_of(lock, selection),
              ElementsAre("fastembed 0.9.1", "onnxruntime 1.32.0", "onnxruntime-gpu 1.31.1"));
}

struct Damaged {
  const char* name;
  LockFormat kind;
  const char* text;
  const char* message;
};

class PythonLockDamaged : public ::testing::TestWithParam<Damaged> {};

TEST_P(PythonLockDamaged, IsAnErrorThatSaysWhere) {
  const Damaged& row = GetParam();
  const auto lock = parse_lock(row.text, "/p/x", row.kind);
  ASSERT_FALSE(lock);
  EXPECT_THAT(lock.error().to_string(), HasSubstr(row.message));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PythonLockDamaged,
    ::testing::Values(
        Damaged{"Toml", LockFormat::Uv, "version = 1\n[[package]\n", "no valid TOML in line 2"},
        Damaged{"Name", LockFormat::Uv, "[[package]]\nname = 1\n",
                "line 2: `name` is an integer, wanted a string"},
        Damaged{"NoName", LockFormat::Uv, "\n[[package]]\nversion = \"1\"\n",
                "line 2: a table without `name`, wanted a string"},
        Damaged{"Packages", LockFormat::Uv, "package = 3\n",
                "line 1: `package` is an integer, wanted a list"},
        Damaged{"Edges", LockFormat::Uv, "[[package]]\nname = \"a\"\ndependencies = [\"b\"]\n",
                "line 3: `dependencies` is a string, wanted a list of tables"},
        Damaged{"Marker", LockFormat::Uv,
                "[[package]]\nname = \"a\"\ndependencies = [{name = \"b\", marker = \"x ==\"}]\n",
                "line 3: `marker`: "},
        Damaged{"LockVersion", LockFormat::Pylock, "lock-version = \"7.0\"\n",
                "`lock-version` is `7.0`, wanted 1.0"},
        Damaged{"EmptyUv", LockFormat::Uv, "", "`version` is absent, wanted an integer"},
        Damaged{"LaterUv", LockFormat::Uv, "version = 99\n", "`version` is 99, wanted 1"},
        Damaged{"NoPackages", LockFormat::Pylock, "lock-version = \"1.0\"\n",
                "`packages` is absent, wanted a list"},
        Damaged{"EmptyPoetry", LockFormat::Poetry, "", "`metadata` is absent, wanted a table"},
        Damaged{"EmptyPdm", LockFormat::Pdm, "", "`metadata` is absent, wanted a table"},
        Damaged{"NoLockVersion", LockFormat::Pylock, "x = 1\n", "a table without `lock-version`"},
        Damaged{"PoetryMarkers", LockFormat::Poetry, "[[package]]\nname = \"a\"\nmarkers = 3\n",
                "line 3: `markers` is an integer, wanted a string or a table of strings"},
        Damaged{"PdmDependency", LockFormat::Pdm,
                "[[package]]\nname = \"a\"\ndependencies = [\"!\"]\n", "line 3: `dependencies`: "},
        Damaged{"Yaml", LockFormat::CondaYaml, "dependencies: {a: [\n", "no valid YAML in line"},
        Damaged{"YamlKind", LockFormat::CondaYaml, "name: x\ndependencies: 3\n",
                "line 2: `dependencies` is a scalar, wanted a list"},
        Damaged{"YamlDocument", LockFormat::CondaYaml, "- a\n",
                "line 1: `the document` is a list, wanted a table"},
        Damaged{"Project", LockFormat::Pyproject, "[project]\ndependencies = [3]\n",
                "line 2: `dependencies` is an integer, wanted a list of strings"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(PythonLockYaml, ABombOfAliasesEnds) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string one = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + one;
    for (int j = 0; j < 8; ++j) text += ", " + one;
    text += "]\n";
  }
  const auto lock = parse_lock(text + "dependencies: *a11\n", "/p/e.yml", LockFormat::CondaYaml);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, ErrorCode::LimitReached);
}

TEST(PythonLockLarge, AHundredThousandPackagesAreTheLimit) {
  std::string text = "version = 1\n";
  for (int i = 0; i < 100'001; ++i) {
    text += "[[package]]\nname = \"p" + std::to_string(i) + "\"\n";
  }
  const auto lock = parse_lock(text, "/p/uv.lock", LockFormat::Uv);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, ErrorCode::LimitReached);
}

TEST(PythonLockNames, TellTheFormat) {
  EXPECT_EQ(lock_format_of("uv.lock"), LockFormat::Uv);
  EXPECT_EQ(lock_format_of("pylock.dev.toml"), LockFormat::Pylock);
  EXPECT_EQ(local_path("file:///w/a%20b%zz.whl"), "/w/a b%zz.whl");
  EXPECT_EQ(local_path("w/a%20b.whl"), "w/a%20b.whl");
  EXPECT_EQ(local_path("https://example.org/a.whl"), "");
  const Lock lock = lock_of(
      "lock-version = \"1.0\"\n[[packages]]\nname = \"x\"\n[packages.archive]\n"
      "url = \"file:///w%20x/x-1.5-py3-none-any.whl\"\n",
      LockFormat::Pylock);
  ASSERT_EQ(lock.packages.size(), 1U);
  EXPECT_EQ(lock.packages[0].version, "1.5");
  EXPECT_EQ(lock.packages[0].local_wheel, "/w x/x-1.5-py3-none-any.whl");
  EXPECT_EQ(lock_format_of("requirements-gpu.txt"), LockFormat::Requirements);
  EXPECT_EQ(lock_format_of("environment.yaml"), LockFormat::CondaYaml);
  EXPECT_EQ(lock_format_of("pixi.lock"), std::nullopt);
}

}  // namespace
}  // namespace loadable::python
