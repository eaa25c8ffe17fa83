// SPDX-License-Identifier: Apache-2.0
#include "inventory/ownership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "inventory/collect.h"
#include "tree/memory_tree.h"

namespace loadable::inventory {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tree::MemoryTree;
using tree::Path;
using tree::Walk;

const std::string kSite = "/v/lib/python3.11/site-packages/";

std::string row(const std::string& path, std::string_view content) {
  return path + ",sha256=" + to_base64_url(digest_of(content, DigestKind::Sha256)) + "," +
         std::to_string(content.size()) + "\n";
}

/// Distributions of a virtual environment, and what lies on the disk.
class InventoryOwnership : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.add_file("/usr/bin/python3.11", "", 0755).add_file("/usr/lib/python3.11/os.py", "");
    tree_.add_file("/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
    tree_.add_link("/v/bin/python", "/usr/bin/python3.11").add_link("/v/lib64", "lib");
    tree_.add_directory(kSite);
  }

  void add(const std::string& relative, std::string_view content) {
    tree_.add_file(kSite + relative, content);
  }
  void distribution(const std::string& name, std::string_view record,
                    const std::string& version = "1") {
    const std::string info = name + "-" + version + ".dist-info/";
    add(info + "METADATA", "Name: " + name + "\nVersion: " + version + "\n");
    add(info + "RECORD", record);
  }
  OwnershipFacts find(const OwnershipOptions& options = {}) {
    Walk walk(tree_);
    Scope scope;
    scope.environments.push_back(*python::read_venv(walk, Path("/v")));
    inventory_ = collect(walk, std::move(scope));
    return find_ownership(walk, inventory_, options);
  }
  [[nodiscard]] std::string name(std::uint32_t distribution) const {
    return inventory_.distributions[distribution].name;
  }

  MemoryTree tree_;
  Inventory inventory_;
};

TEST_F(InventoryOwnership, OfAContestedFileTheBytesSayTheOwner) {
  distribution("cpu", row("ort/a.py", "cpu a") + row("ort/b.py", "cpu b") + row("ort/c.py", "one"));
  distribution("gpu", row("ort/a.py", "gpu a") + row("ort/b.py", "gpu b") + row("ort/c.py", "one"));
  add("ort/a.py", "cpu a");
  add("ort/b.py", "gpu b");
  add("ort/c.py", "one");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  const Overlap& overlap = facts.overlaps[0];
  EXPECT_EQ(name(overlap.first) + " " + name(overlap.second), "cpu gpu");
  EXPECT_EQ(overlap.shared, 3U);
  EXPECT_EQ(overlap.identical, 1U);
  EXPECT_EQ(overlap.gone, 0U);
  EXPECT_EQ(overlap.of_first, 1U);
  EXPECT_EQ(overlap.of_second, 1U);
  EXPECT_EQ(overlap.of_neither, 0U);
  ASSERT_EQ(overlap.differing.size(), 2U);
  EXPECT_EQ(overlap.differing[0].path, kSite + "ort/a.py");
  EXPECT_EQ(overlap.differing[0].claims[0].match, Match::Same);
  EXPECT_EQ(overlap.differing[0].claims[1].match, Match::Different);
  EXPECT_EQ(facts.files_hashed, 2U);  // files of one content are not
  EXPECT_THAT(facts.altered, IsEmpty());
  EXPECT_THAT(facts.losses, IsEmpty());
  EXPECT_THAT(facts.incidents, IsEmpty());
}

}  // namespace
}  // namespace loadable::inventory
