// SPDX-License-Identifier: Apache-2.0
// Pipfile.lock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "python/lock_for_test.h"
#include "tree/memory_tree.h"

namespace loadable::python {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tree::MemoryTree;
using tree::Path;

constexpr const char* kLock = R"({
  "_meta": {"hash": {"sha256": "00"}, "pipfile-spec": 6, "requires": {"python_version": "3.11"}},
  "default": {
    "onnxruntime": {"version": "==1.24.4", "markers": "python_version >= '3.10'"},
    "old": {"version": "==1", "markers": "python_version < '3.9'"},
    "tool": {"git": "https://x.org/x.git", "ref": "00"}
  },
  "develop": {"pytest": {"version": "==9.0"}}
})";

TEST(PythonPipfileLock, DefaultIsInstalledAndOthersWhereAskedFor) {
  const Lock lock = lock_of(kLock, LockFormat::Pipfile);
  EXPECT_TRUE(lock.is_resolved);
  EXPECT_EQ(lock.requires_python, "==3.11.*");
  EXPECT_THAT(lock.groups, ElementsAre("develop"));
  EXPECT_THAT(names_of(lock), ElementsAre("onnxruntime 1.24.4", "tool "));
  Selection selection = on("3.11");
  selection.groups = {"develop"};
  EXPECT_THAT(names_of(lock, selection), ElementsAre("onnxruntime 1.24.4", "tool ", "pytest 9.0"));
}

TEST(PythonPipfileLock, WhatIsNoneIsAnErrorThatSaysWhatWasWanted) {
  struct Row {
    const char *text, *message;
  };
  constexpr Row kRows[] = {
      {"[]", "`the document` is a list, wanted an object"},
      {"{}", "`_meta` is absent, wanted an object"},
      {R"({"_meta": {}, "default": []})", "`default` is a list, wanted an object"},
      {R"({"_meta": {}, "default": {"x": 1}})", "`x` is a number, wanted an object"},
      {R"({"_meta": {}, "default": {"x": {"version": null}}})",
       "`x.version` is null, wanted a string"},
      {R"({"_meta": {}, "default": {"x": {"markers": "a ="}}})", "`x`: "}};
  for (const Row& row : kRows) {
    const auto lock = parse_lock(row.text, "/p/Pipfile.lock", LockFormat::Pipfile);
    ASSERT_FALSE(lock) << row.text;
    EXPECT_THAT(lock.error().message, HasSubstr(row.message));
    EXPECT_EQ(lock.error().subject, "/p/Pipfile.lock");
  }
}

TEST(PythonPipfileLock, APipfileThatNamesMoreMakesItOutOfDate) {
  MemoryTree tree;
  tree.add_file("/p/Pipfile.lock", kLock);
  tree.add_file("/p/Pipfile",
                "[packages]\nOnnxRuntime = \"*\"\nfastembed = \"*\"\n[requires]\nx = \"1\"\n");
  tree::Walk walk(tree);
  const auto lock = read_lock(walk, Path("/p/Pipfile.lock"), LockFormat::Pipfile);
  ASSERT_TRUE(lock) << lock.error().to_string();
  EXPECT_EQ(lock->outdated, "`Pipfile` requires `fastembed`, which is not locked");
}

}  // namespace
}  // namespace loadable::python
