// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tree/tree.h"

namespace loadable::tree {
namespace {

TEST(TreePath, ATextWithoutALeadingSlashGetsOne) {
  EXPECT_EQ(Path("usr/lib").text(), "/usr/lib");
  EXPECT_EQ(Path("").text(), "/");
  EXPECT_EQ(Path().text(), "/");
}

TEST(TreePath, JoinKeepsWhatItIsGiven) {
  EXPECT_EQ(Path("/a").join("b/../c").text(), "/a/b/../c");
  EXPECT_EQ(Path("/").join("b").text(), "/b");
  EXPECT_EQ(Path("/a/").join("b").text(), "/a/b");
}

TEST(TreePath, ParentAndNameAreTextAlone) {
  EXPECT_EQ(Path("/a/b").parent().text(), "/a");
  EXPECT_EQ(Path("/a").parent().text(), "/");
  EXPECT_EQ(Path("/").parent().text(), "/");
  EXPECT_EQ(Path("/a/b.so").name(), "b.so");
  EXPECT_EQ(Path("/a/").name(), "");
}

TEST(TreePath, NormalFormNeverLeavesTheRoot) {
  EXPECT_EQ(Path("/a/./b//c/../d/").lexically_normal().text(), "/a/b/d");
  EXPECT_EQ(Path("/../../etc").lexically_normal().text(), "/etc");
  EXPECT_EQ(Path("/a/..").lexically_normal().text(), "/");
  EXPECT_EQ(Path("/...").lexically_normal().text(), "/...");
}

TEST(TreePath, WithinComparesWholeComponents) {
  EXPECT_TRUE(Path("/usr/lib/x").is_within(Path("/usr/lib")));
  EXPECT_TRUE(Path("/usr/lib").is_within(Path("/usr/lib/")));
  EXPECT_TRUE(Path("/usr").is_within(Path("/")));
  EXPECT_FALSE(Path("/usr/lib64").is_within(Path("/usr/lib")));
  EXPECT_FALSE(Path("/usr").is_within(Path("/usr/lib")));
}

}  // namespace
}  // namespace loadable::tree
