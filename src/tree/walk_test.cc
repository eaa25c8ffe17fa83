// SPDX-License-Identifier: Apache-2.0
#include "tree/walk.h"

#include <gtest/gtest.h>

#include <map>

#include "tree/memory_tree.h"

namespace loadable::tree {
namespace {

std::string where(Walk& walk, std::string_view path) {
  const auto& found = walk.resolve(path);
  return found ? found->physical.text() : "error " + std::string(found.error().message);
}

/// Counts what a walk asks of the tree below it.
class CountingTree final : public Tree {
 public:
  explicit CountingTree(const Tree& tree) : tree_(tree) {}
  Result<Stat> stat(const Path& path) const override {
    ++stats;
    return tree_.stat(path);
  }
  Result<std::string> read_link(const Path& path) const override {
    ++links;
    return tree_.read_link(path);
  }
  Result<std::vector<Entry>> list(const Path& path) const override {
    ++lists;
    return tree_.list(path);
  }
  Result<std::unique_ptr<ByteSource>> open(const Path& path) const override {
    return tree_.open(path);
  }
  mutable int stats = 0, links = 0, lists = 0;

 private:
  const Tree& tree_;
};

TEST(TreeWalk, LinksAreFollowedInsideTheRoot) {
  MemoryTree tree;
  tree.add_file("/usr/lib/libz.so.1.2", "z")
      .add_link("/usr/lib/libz.so.1", "libz.so.1.2")
      .add_link("/lib", "usr/lib")
      .add_link("/lib64", "/lib")
      .add_link("/opt/up", "../../../../lib64/libz.so.1");
  Walk walk(tree);
  EXPECT_EQ(where(walk, "/lib/libz.so.1"), "/usr/lib/libz.so.1.2");
  EXPECT_EQ(where(walk, "/lib64/./libz.so.1"), "/usr/lib/libz.so.1.2");
  EXPECT_EQ(where(walk, "/opt/up"), "/usr/lib/libz.so.1.2");
  EXPECT_EQ(where(walk, "/../../usr//lib"), "/usr/lib");
  EXPECT_EQ(where(walk, "/"), "/");
  EXPECT_EQ(where(walk, "/.."), "/");
}

TEST(TreeWalk, DotDotIsTheParentOfWhereALinkLeads) {
  MemoryTree tree;
  tree.add_file("/a/deep/x", "").add_file("/a/here", "").add_link("/l", "a/deep");
  Walk walk(tree);
  EXPECT_EQ(where(walk, "/l/../here"), "/a/here");
}

TEST(TreeWalk, ATenDeepChainOutOfTheRootStaysInside) {
  MemoryTree tree;
  tree.add_file("/etc/passwd", "inside");
  for (int i = 0; i < 10; ++i) {
    tree.add_link("/c/" + std::to_string(i), "../../../../../../../c/" + std::to_string(i + 1));
  }
  tree.add_link("/c/10", "../../../../../etc/passwd");
  Walk walk(tree);
  EXPECT_EQ(where(walk, "/c/0"), "/etc/passwd");
}

TEST(TreeWalk, FortyLinksAreFollowedAndFortyOneAreNot) {
  MemoryTree tree;
  tree.add_file("/f", "").add_link("/l1", "f");
  for (int i = 2; i <= 41; ++i)
    tree.add_link("/l" + std::to_string(i), "l" + std::to_string(i - 1));
  tree.add_link("/loop", "loop");
  Walk walk(tree);
  EXPECT_EQ(where(walk, "/l40"), "/f");
  ASSERT_FALSE(walk.resolve("/l41"));
  EXPECT_EQ(walk.resolve("/l41").error().code, ErrorCode::TooManyLinks);
  EXPECT_EQ(walk.resolve("/loop").error().code, ErrorCode::TooManyLinks);
}

TEST(TreeWalk, LinksOfTheDirectoryCountToo) {
  MemoryTree tree;
  tree.add_file("/d/f", "").add_link("/d1", "d").add_link("/d/l1", "f");
  for (int i = 2; i <= 21; ++i) {
    tree.add_link("/d" + std::to_string(i), "d" + std::to_string(i - 1));
    tree.add_link("/d/l" + std::to_string(i), "l" + std::to_string(i - 1));
  }
  Walk walk(tree);
  EXPECT_EQ(where(walk, "/d20/l20"), "/d/f");
  EXPECT_EQ(walk.resolve("/d21/l20").error().code, ErrorCode::TooManyLinks);
  EXPECT_EQ(walk.resolve("/d20/l21").error().code, ErrorCode::TooManyLinks);
}

TEST(TreeWalk, ErrorsAreThoseOfTheKernel) {
  MemoryTree tree;
  tree.add_file("/f", "").add_link("/dangling", "nowhere").add_link("/empty", "");
  tree.add_directory("/closed/in").deny("/closed/in");
  Walk walk(tree);
  const std::map<std::string, ErrorCode> rows = {
      {"/none", ErrorCode::NotFound},
      {"/none/x/y", ErrorCode::NotFound},
      {"/f/x", ErrorCode::NotADirectory},
      {"/f/", ErrorCode::NotADirectory},
      {"/f/.", ErrorCode::NotADirectory},
      {"/f/..", ErrorCode::NotADirectory},
      {"/f/../f", ErrorCode::NotADirectory},
      {"/dangling", ErrorCode::NotFound},
      {"/dangling/x", ErrorCode::NotFound},
      {"/empty", ErrorCode::NotFound},
      {"/closed/in", ErrorCode::PermissionDenied},
      {"/closed/in/x", ErrorCode::PermissionDenied},
      {"/" + std::string(256, 'n'), ErrorCode::NameTooLong},
      {"/none/" + std::string(256, 'n'), ErrorCode::NotFound},
      {std::string(4096, '/'), ErrorCode::NameTooLong},
  };
  for (const auto& [path, code] : rows) {
    ASSERT_FALSE(walk.resolve(path)) << path.substr(0, 40);
    EXPECT_EQ(walk.resolve(path).error().code, code) << path.substr(0, 40);
  }
  EXPECT_TRUE(walk.resolve("/" + std::string(4094, '/')));
  EXPECT_EQ(walk.resolve("/" + std::string(255, 'n')).error().code, ErrorCode::NotFound);
}

TEST(TreeWalk, ResolveParentLeavesTheLastComponentUnlessASlashFollows) {
  MemoryTree tree;
  tree.add_directory("/real").add_link("/link", "real").add_file("/real/f", "");
  tree.add_link("/real/lf", "f");
  Walk walk(tree);
  EXPECT_EQ(walk.resolve_parent(Path("/link/lf"))->physical.text(), "/real/lf");
  EXPECT_EQ(walk.resolve_parent(Path("/link/lf"))->stat.kind, Kind::Symlink);
  EXPECT_EQ(walk.resolve_parent(Path("/link"))->stat.kind, Kind::Symlink);
  EXPECT_EQ(walk.resolve_parent(Path("/link/"))->physical.text(), "/real");
}

TEST(TreeWalk, TheSameTextIsAskedOnce) {
  MemoryTree memory;
  memory.add_file("/a/b/c/lib.so", "").add_link("/l", "a/b");
  CountingTree tree(memory);
  Walk walk(tree);
  (void)walk.resolve("/l/c/lib.so");
  (void)walk.resolve("/l/c/no.so");
  const int stats = tree.stats, links = tree.links;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(walk.resolve("/l/c/lib.so"));
    EXPECT_TRUE(walk.resolve("/a/./b/c/lib.so"));
    EXPECT_FALSE(walk.resolve("/a/b/c/no.so"));
  }
  EXPECT_EQ(tree.stats, stats);
  EXPECT_EQ(tree.links, links);
}

TEST(TreeWalk, NothingBelowAnAbsentDirectoryIsAsked) {
  MemoryTree memory;
  CountingTree tree(memory);
  Walk walk(tree);
  EXPECT_FALSE(walk.resolve("/opt/none/x.so"));
  const int stats = tree.stats;
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(walk.resolve("/opt/none/lib" + std::to_string(i) + ".so"));
    EXPECT_FALSE(walk.resolve("/opt/other" + std::to_string(i) + "/x.so"));
  }
  EXPECT_EQ(tree.stats, stats);
}

TEST(TreeWalk, ManyMissesInOneDirectoryEndInOneListing) {
  MemoryTree memory;
  memory.add_file("/d/here.so", "").add_file("/d/later.so", "");
  CountingTree tree(memory);
  Walk walk(tree);
  EXPECT_TRUE(walk.resolve("/d/here.so"));
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(walk.resolve("/d/no" + std::to_string(i)));
  EXPECT_TRUE(walk.resolve("/d/later.so"));
  EXPECT_EQ(tree.lists, 1);
  EXPECT_LT(tree.stats, 60);
}

TEST(TreeWalk, AReferenceStaysValid) {
  MemoryTree tree;
  tree.add_file("/first", "");
  Walk walk(tree);
  const auto& first = walk.resolve("/first");
  for (int i = 0; i < 10000; ++i) (void)walk.resolve("/d" + std::to_string(i) + "/x");
  EXPECT_EQ(first->physical.text(), "/first");
}

TEST(TreeWalk, AnErrorOfOpenNamesThePathAsAsked) {
  MemoryTree tree;
  tree.add_link("/l", "none").add_special("/fifo", Kind::Fifo).add_file("/big", "12345");
  Walk walk(tree);
  EXPECT_EQ(walk.open(Path("/l")).error().to_string(), "/l: no such file or directory");
  EXPECT_EQ(walk.open(Path("/fifo")).error().to_string(),
            "/fifo: is a FIFO, a regular file is wanted");
  EXPECT_EQ(walk.list(Path("/big")).error().code, ErrorCode::NotADirectory);
  EXPECT_EQ(walk.open(Path("/")).error().code, ErrorCode::IsADirectory);
  EXPECT_EQ(walk.read_text(Path("/big"), 4).error().code, ErrorCode::LimitReached);
  EXPECT_EQ(*walk.read_text(Path("/big"), 5), "12345");
}

}  // namespace
}  // namespace loadable::tree
