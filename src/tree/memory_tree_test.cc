// SPDX-License-Identifier: Apache-2.0
#include "tree/memory_tree.h"

#include <gtest/gtest.h>

namespace loadable::tree {
namespace {

TEST(TreeMemory, ListingIsSortedAndHasKinds) {
  MemoryTree tree;
  tree.add_file("/d/b", "").add_directory("/d/a").add_link("/d/c", "b");
  const auto entries = tree.list(Path("/d"));
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ((*entries)[0].name, "a");
  EXPECT_EQ((*entries)[0].kind, Kind::Directory);
  EXPECT_EQ((*entries)[2].kind, Kind::Symlink);
}

TEST(TreeMemory, HardLinksShareTheirInode) {
  MemoryTree tree;
  tree.add_file("/a", "x").add_hard_link("/b", "/a").add_file("/c", "x");
  EXPECT_EQ(tree.stat(Path("/a"))->id, tree.stat(Path("/b"))->id);
  EXPECT_EQ(tree.stat(Path("/a"))->links, 2U);
  EXPECT_NE(tree.stat(Path("/a"))->id, tree.stat(Path("/c"))->id);
}

TEST(TreeMemory, DenialReachesEverythingBelow) {
  MemoryTree tree;
  tree.add_file("/d/f", "x").deny("/d");
  EXPECT_EQ(tree.stat(Path("/d/f")).error().code, ErrorCode::PermissionDenied);
  EXPECT_EQ(tree.list(Path("/d")).error().code, ErrorCode::PermissionDenied);
  EXPECT_TRUE(tree.list(Path("/")));
}

TEST(TreeMemory, OpenedFilesAreRecordedInOrder) {
  MemoryTree tree;
  tree.add_file("/b", "x").add_file("/a", "y").add_special("/fifo", Kind::Fifo);
  (void)tree.open(Path("/b"));
  (void)tree.open(Path("/a"));
  EXPECT_FALSE(tree.open(Path("/fifo")));
  EXPECT_EQ(tree.opened(), (std::vector<std::string>{"/b", "/a"}));
}

TEST(TreeMemory, RemovedAndReplacedFilesAreGone) {
  MemoryTree tree;
  tree.add_file("/a/f", "x").add_file("/a/f", "longer").remove("/a/g");
  EXPECT_EQ(tree.stat(Path("/a/f"))->size, 6U);
  tree.remove("/a");
  EXPECT_EQ(tree.stat(Path("/a/f")).error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace loadable::tree
