// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>

#include "tree/tree.h"
#include "tree/walk.h"

namespace loadable::tree {
namespace {

namespace fs = std::filesystem;

class TreeHost : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "loadable-tree-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    fs::permissions(root_, fs::perms(0755));
  }
  void TearDown() override {
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      if (entry.is_directory() && !entry.is_symlink()) fs::permissions(entry, fs::perms(0755));
    }
    fs::remove_all(root_);
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  [[nodiscard]] std::unique_ptr<Tree> open_root() const {
    auto tree = open_host_tree(root_.string());
    EXPECT_TRUE(tree);
    return std::move(*tree);
  }

  fs::path root_;
};

/// Runs `body` without the rights of root; returns its exit status.
int as_nobody(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(2);
    ::_exit(body() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(TreeHost, FilesAreReadInPart) {
  write("usr/lib/a", "0123456789");
  const auto tree = open_root();
  const auto source = tree->open(Path("/usr/lib/a"));
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->size(), 10U);
  EXPECT_EQ(as_text(*read_exactly(**source, 3, 4, 100)), "3456");
  EXPECT_EQ(tree->stat(Path("/usr/lib/a"))->size, 10U);
  EXPECT_EQ(tree->stat(Path("/"))->kind, Kind::Directory);
}

TEST_F(TreeHost, AFileThatShrinksEndsEarly) {
  write("f", std::string(8192, 'x'));
  const auto tree = open_root();
  const auto source = tree->open(Path("/f"));
  ASSERT_TRUE(source);
  fs::resize_file(root_ / "f", 100);
  const auto bytes = read_exactly(**source, 0, 8192, 1 << 20);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, ErrorCode::Truncated);
}

TEST_F(TreeHost, NamesAreBytes) {
  const std::string newline = "a\nb", invalid = "\xff\xfe";
  write(newline, "1");
  write(invalid, "2");
  const auto tree = open_root();
  const auto entries = tree->list(Path("/"));
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ((*entries)[0].name, newline);
  EXPECT_EQ((*entries)[1].name, invalid);
  Walk walk(*tree);
  EXPECT_EQ(*walk.read_text(Path("/" + invalid), 10), "2");
}

TEST_F(TreeHost, NothingThatBlocksIsOpened) {
  ASSERT_EQ(::mkfifo((root_ / "fifo").c_str(), 0644), 0);
  const auto tree = open_root();
  ::alarm(10);  // a read of the FIFO would never end
  EXPECT_EQ(tree->stat(Path("/fifo"))->kind, Kind::Fifo);
  EXPECT_EQ(tree->open(Path("/fifo")).error().code, ErrorCode::Unsupported);
  EXPECT_EQ(tree->list(Path("/fifo")).error().code, ErrorCode::NotADirectory);
  EXPECT_EQ((*tree->list(Path("/")))[0].kind, Kind::Fifo);
  const auto host = open_host_tree("/");
  EXPECT_EQ((*host)->open(Path("/dev/null")).error().code, ErrorCode::Unsupported);
  ::alarm(0);
}

TEST_F(TreeHost, LinksAreNotFollowedByTheTreeItself) {
  write("real/f", "x");
  fs::create_symlink("/etc", root_ / "out");
  fs::create_symlink("real", root_ / "in");
  const auto tree = open_root();
  EXPECT_EQ(tree->stat(Path("/out"))->kind, Kind::Symlink);
  EXPECT_EQ(*tree->read_link(Path("/out")), "/etc");
  EXPECT_FALSE(tree->list(Path("/out")));
  EXPECT_FALSE(tree->open(Path("/in")));
  Walk walk(*tree);
  EXPECT_EQ(walk.resolve("/out/passwd").error().code, ErrorCode::NotFound);
  EXPECT_EQ(*walk.read_text(Path("/in/f"), 10), "x");
}

TEST_F(TreeHost, ErrorsCarryTheClassOfTheErrno) {
  write("f", "x");
  const auto tree = open_root();
  EXPECT_EQ(tree->stat(Path("/none")).error().code, ErrorCode::NotFound);
  EXPECT_EQ(tree->stat(Path("/f/x")).error().code, ErrorCode::NotADirectory);
  EXPECT_EQ(tree->stat(Path("/" + std::string(300, 'n'))).error().code, ErrorCode::NameTooLong);
  EXPECT_EQ(tree->open(Path("/")).error().code, ErrorCode::IsADirectory);
  EXPECT_EQ(open_host_tree((root_ / "none").string()).error().code, ErrorCode::NotFound);
  EXPECT_EQ(open_host_tree((root_ / "f").string()).error().code, ErrorCode::NotADirectory);
}

TEST_F(TreeHost, UnreadableDirectoriesAreErrorsForOthersThanRoot) {
  write("closed/f", "x");
  write("searchable/f", "x");
  write("secret", "x");
  fs::permissions(root_ / "closed", fs::perms(0));
  fs::permissions(root_ / "searchable", fs::perms(0111));
  fs::permissions(root_ / "secret", fs::perms(0));
  const auto tree = open_root();
  const int status = as_nobody([&] {
    return tree->list(Path("/closed")).error().code == ErrorCode::PermissionDenied &&
           tree->stat(Path("/closed/f")).error().code == ErrorCode::PermissionDenied &&
           tree->open(Path("/secret")).error().code == ErrorCode::PermissionDenied &&
           tree->list(Path("/searchable")).error().code == ErrorCode::PermissionDenied &&
           tree->open(Path("/searchable/f")).has_value();
  });
  EXPECT_EQ(status, 0);
}

TEST_F(TreeHost, AHundredThousandFilesAreListedInOrder) {
  fs::create_directories(root_ / "many");
  const int directory = ::open((root_ / "many").c_str(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 100'000; ++i) {
    ::close(::openat(directory, std::to_string(i).c_str(), O_CREAT | O_WRONLY, 0644));
  }
  ::close(directory);
  const auto tree = open_root();
  const auto entries = tree->list(Path("/many"));
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->size(), 100'000U);
  EXPECT_TRUE(std::is_sorted(entries->begin(), entries->end(),
                             [](const Entry& a, const Entry& b) { return a.name < b.name; }));
}

}  // namespace
}  // namespace loadable::tree
