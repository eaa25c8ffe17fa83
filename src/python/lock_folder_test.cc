// SPDX-License-Identifier: Apache-2.0
// Folders with a project in them, named by a list of requirements or by the user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "python/lock_for_test.h"
#include "tree/memory_tree.h"

namespace loadable::python {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using tree::MemoryTree;
using tree::Path;

Lock read(const MemoryTree& tree, const char* path, LockFormat format) {
  tree::Walk walk(tree);
  auto lock = read_lock(walk, Path(path), format);
  EXPECT_TRUE(lock) << (lock ? "" : lock.error().to_string());
  return lock ? std::move(*lock) : Lock{};
}

constexpr const char* kProject =
    "[project]\nname = \"my-app\"\nversion = \"1.0\"\n"
    "dependencies = [\"fastembed>=0.7\", \"old ; python_version < '3.9'\"]\n"
    "[project.optional-dependencies]\ngpu = [\"onnxruntime-gpu\"]\n";

TEST(PythonFolder, WhatAFolderInAListRequiresIsPartOfTheList) {
  MemoryTree tree;
  tree.add_file("/p/requirements.txt", "numpy==2.0\n-e .\n");
  tree.add_file("/p/pyproject.toml", kProject);
  const Lock lock = read(tree, "/p/requirements.txt", LockFormat::Requirements);
  EXPECT_THAT(lock.problems, IsEmpty());
  EXPECT_THAT(names_of(lock), ElementsAre("numpy 2.0", "my-app 1.0", "fastembed "));
  EXPECT_THAT(chain_to(lock, "fastembed"), ElementsAre("my-app 1.0 requires fastembed>=0.7"));
  EXPECT_THAT(lock.files, ElementsAre("/p/requirements.txt", "/p/pyproject.toml"));
  EXPECT_FALSE(lock.is_resolved);
}

TEST(PythonFolder, ExtrasAreThoseThatTheListAsksFor) {
  MemoryTree tree;
  tree.add_file("/p/requirements.txt", "./app[gpu]\n");
  tree.add_file("/p/app/pyproject.toml", kProject);
  EXPECT_THAT(names_of(read(tree, "/p/requirements.txt", LockFormat::Requirements)),
              ElementsAre("my-app 1.0", "fastembed ", "onnxruntime-gpu "));
}

TEST(PythonFolder, AnAbsolutePathIsOneOfTheRoot) {
  MemoryTree tree;
  tree.add_file("/p/requirements.txt", "-e file:///srv/app/\n-r /srv/more.txt\n");
  tree.add_file("/srv/app/pyproject.toml", kProject);
  tree.add_file("/srv/more.txt", "six\n");
  EXPECT_THAT(names_of(read(tree, "/p/requirements.txt", LockFormat::Requirements)),
              ElementsAre("my-app 1.0", "six ", "fastembed "));
}

TEST(PythonFolder, WhatTheListPinsIsNotAddedAgain) {
  MemoryTree tree;
  tree.add_file("/p/requirements.txt", "-e .\nfastembed==0.9.1\n");
  tree.add_file("/p/pyproject.toml", kProject);
  EXPECT_THAT(names_of(read(tree, "/p/requirements.txt", LockFormat::Requirements)),
              ElementsAre("my-app 1.0", "fastembed 0.9.1"));
}

constexpr const char* kSetup =
    "[metadata]\nname = old-app\nversion = 2.0\n\n[options]\npython_requires = >=3.10\n"
    "install_requires =\n    fastembed>=0.7\n    # a comment\n    old; python_version < '3.9'\n"
    "    !!\n[options.extras_require]\ngpu = onnxruntime-gpu\n";

TEST(PythonFolder, SetupCfgIsReadWherePyprojectTomlSaysNothing) {
  MemoryTree tree;
  tree.add_file("/p/requirements.txt", "-e ./a\n-e ./b[gpu]\n");
  tree.add_file("/p/a/pyproject.toml", "[build-system]\nrequires = [\"setuptools\"]\n");
  tree.add_file("/p/a/setup.cfg", kSetup);
  tree.add_file("/p/b/setup.cfg", kSetup);
  const Lock list = read(tree, "/p/requirements.txt", LockFormat::Requirements);
  EXPECT_THAT(names_of(list),
              ElementsAre("old-app 2.0", "old-app 2.0", "fastembed ", "onnxruntime-gpu "));
  ASSERT_THAT(list.problems, SizeIs(2));
  EXPECT_EQ(list.problems[0].file, "/p/a/setup.cfg");
  EXPECT_THAT(list.problems[0].text, HasSubstr("line 11: passed over: `!!`"));
  const Lock project = read(tree, "/p/a/pyproject.toml", LockFormat::Pyproject);
  EXPECT_THAT(names_of(project), ElementsAre("fastembed "));
  EXPECT_THAT(project.extras, ElementsAre("gpu"));
  EXPECT_EQ(project.requires_python, ">=3.10");
}

TEST(PythonFolder, WhatSetupPyRequiresIsNotKnown) {
  MemoryTree tree;
  tree.add_file("/p/requirements.txt", "-e ./a\n");
  tree.add_file("/p/a/setup.py", "from setuptools import setup\nsetup()\n");
  const Lock lock = read(tree, "/p/requirements.txt", LockFormat::Requirements);
  ASSERT_THAT(lock.problems, SizeIs(1));
  EXPECT_EQ(lock.problems[0].file, "/p/a/setup.py");
  EXPECT_THAT(lock.problems[0].text, HasSubstr("only a run would tell"));
}

TEST(PythonFolder, AFolderWithoutAProjectIsNamed) {
  MemoryTree tree;
  tree.add_file("/p/requirements.txt", "./gone\n");
  const Lock lock = read(tree, "/p/requirements.txt", LockFormat::Requirements);
  ASSERT_THAT(lock.problems, SizeIs(1));
  EXPECT_THAT(lock.problems[0].text, HasSubstr("line 1: `./gone` is not looked into"));
}

}  // namespace
}  // namespace loadable::python
