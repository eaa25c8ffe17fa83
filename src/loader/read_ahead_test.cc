// SPDX-License-Identifier: Apache-2.0
#include "loader/read_ahead.h"

#include <gtest/gtest.h>

#include <future>

#include "loader/machine_for_test.h"
#include "loader/store.h"

namespace loadable::loader {
namespace {

/// A tree whose file can be opened from any thread, but not before it is let.
class SlowTree final : public tree::Tree {
 public:
  explicit SlowTree(std::vector<std::byte> content) : content_(std::move(content)) {}
  [[nodiscard]] Result<tree::Stat> stat(const tree::Path& /*physical*/) const override {
    return tree::Stat{};
  }
  [[nodiscard]] Result<std::string> read_link(const tree::Path& path) const override {
    return fail(ErrorCode::NotFound, "no link", path.text());
  }
  [[nodiscard]] Result<std::vector<tree::Entry>> list(const tree::Path& path) const override {
    return fail(ErrorCode::NotFound, "no directory", path.text());
  }
  [[nodiscard]] Result<std::unique_ptr<ByteSource>> open(const tree::Path& path) const override {
    opened_.set_value(path.text());
    let_.get_future().wait();
    if (path.text() == "/denied") return fail(ErrorCode::PermissionDenied, "denied", path.text());
    return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(content_));
  }

  std::string wait_until_opened() { return opened_.get_future().get(); }
  void let() { let_.set_value(); }

 private:
  std::vector<std::byte> content_;
  mutable std::promise<std::string> opened_;
  mutable std::promise<void> let_;
};

TEST(ReadAhead, WhatIsAtHandIsWaitedForAndGivenOnce) {
  SlowTree tree(loader_file("2.36"));
  ReadAhead ahead(tree, 1);
  ahead.add("/a.so");
  EXPECT_EQ(tree.wait_until_opened(), "/a.so");
  auto taken = std::async(std::launch::async, [&] { return ahead.take("/a.so"); });
  tree.let();
  const auto reading = taken.get();
  ASSERT_TRUE(reading);
  ASSERT_TRUE(reading->object);
  EXPECT_EQ(reading->object->dynamic.soname, "ld-linux-x86-64.so.2");
  EXPECT_EQ(reading->size, loader_file("2.36").size());
  EXPECT_FALSE(ahead.take("/a.so"));
}

TEST(ReadAhead, WhatWaitsForItsTurnIsLeftToTheCaller) {
  SlowTree tree(loader_file("2.36"));
  ReadAhead ahead(tree, 1);
  ahead.add("/a.so");
  EXPECT_EQ(tree.wait_until_opened(), "/a.so");
  ahead.add("/b.so");  // the one thread is busy
  EXPECT_FALSE(ahead.take("/b.so"));
  EXPECT_FALSE(ahead.take("/b.so"));  // asked for again while it is still queued
  EXPECT_FALSE(ahead.take("/never-added.so"));
  tree.let();
  EXPECT_TRUE(ahead.take("/a.so"));
}

TEST(ReadAhead, WhatCannotBeOpenedIsLeftToTheCaller) {
  SlowTree tree({});
  ReadAhead ahead(tree, 1);
  ahead.add("/denied");
  EXPECT_EQ(tree.wait_until_opened(), "/denied");
  tree.let();
  EXPECT_FALSE(ahead.take("/denied"));
}

TEST(ReadAhead, WithoutThreadsNothingIsRead) {
  SlowTree tree({});
  ReadAhead ahead(tree, 0);
  ahead.add("/a.so");
  EXPECT_FALSE(ahead.take("/a.so"));
}

TEST(ReadAhead, TheStoreTakesWhatWasRead) {
  Machine machine;
  tree::Walk walk(machine.tree);
  SlowTree other(loader_file("2.41"));
  auto ahead = std::make_shared<ReadAhead>(other, 1);
  ahead->add(kInterpreter);
  other.wait_until_opened();
  other.let();
  Store store(walk);
  store.read_ahead_with(ahead);
  const auto file = store.open(kInterpreter);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->object);
  EXPECT_TRUE(machine.tree.opened().empty()) << "read a second time";
}

}  // namespace
}  // namespace loadable::loader
