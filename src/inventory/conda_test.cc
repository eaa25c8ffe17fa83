// SPDX-License-Identifier: Apache-2.0
// A conda prefix: whose files its packages, the dist-info that they bring, and pip's are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "inventory/collect.h"
#include "inventory/ownership.h"
#include "tree/memory_tree.h"

namespace loadable::inventory {
namespace {

using ::testing::IsEmpty;

const std::string kInSite = "lib/python3.11/site-packages/";
const std::string kSite = "/c/" + kInSite;

std::string row(const std::string& path, std::string_view content) {
  return path + ",sha256=" + to_base64_url(digest_of(content, DigestKind::Sha256)) + ",\n";
}

class InventoryConda : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.add_file("/c/bin/python3.11", "", 0755).add_link("/c/bin/python", "python3.11");
    tree_.add_file("/c/lib/python3.11/os.py", "");
  }
  /// conda's `ort` 1, whose module conda rewrote for its prefix, and the dist-info that it brought.
  void add_package(const std::string& module, const std::string& record) {
    const auto in_prefix = [](std::string_view text) {
      return R"("sha256": "00", "sha256_in_prefix": ")" +
             to_hex(digest_of(text, DigestKind::Sha256)) + R"("},)";
    };
    tree_.add_file("/c/conda-meta/ort-1-0.json",
                   R"({"name": "ort", "version": "1", "paths_data": {"paths": [
          {"_path": ")" +
                       kInSite + R"(ort/__init__.py", )" + in_prefix(module) + R"({"_path": ")" +
                       kInSite + R"(ort-1.dist-info/RECORD", )" + in_prefix(record) +
                       R"({"_path": ")" + kInSite + R"(ort-1.dist-info/METADATA"}]}})");
    tree_.add_file(kSite + "ort/__init__.py", module);
    add_info("ort", record);
  }
  void add_info(const std::string& name, const std::string& record) {
    tree_.add_file(kSite + name + "-1.dist-info/METADATA", "Name: " + name + "\nVersion: 1\n");
    tree_.add_file(kSite + name + "-1.dist-info/RECORD", record);
  }
  OwnershipFacts find(bool hashes_all = false) {
    tree::Walk walk(tree_);
    Scope scope;
    scope.environments.push_back(*python::read_conda_prefix(walk, tree::Path("/c")));
    inventory_ = collect(walk, std::move(scope));
    OwnershipOptions options;
    options.hashes_all = hashes_all;
    return find_ownership(walk, inventory_, options);
  }

  tree::MemoryTree tree_;
  Inventory inventory_;
};

TEST_F(InventoryConda, APackageAndItsDistInfoAreOneOwnerWithCondasHash) {
  add_package("rewritten", row("ort/__init__.py", "as in the package"));
  const OwnershipFacts healthy = find(true);
  EXPECT_THAT(healthy.overlaps, IsEmpty());
  EXPECT_THAT(healthy.altered, IsEmpty());
  add_info("ort_gpu", row("ort/__init__.py", "gpu"));
  const OwnershipFacts facts = find();
  ASSERT_EQ(inventory_.distributions.size(), 3U);
  EXPECT_EQ(inventory_.distributions[0].supplied_by, 2U);
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(inventory_.distributions[facts.overlaps[0].first].name, "ort");
  EXPECT_EQ(inventory_.distributions[facts.overlaps[0].second].name, "ort_gpu");
  EXPECT_EQ(facts.overlaps[0].of_first, 1U);
}

TEST_F(InventoryConda, WhatPipPutInThePlaceOfAPackageIsPips) {
  add_package("conda's", row("ort/__init__.py", "conda's"));
  EXPECT_THAT(find().overlaps, IsEmpty());
  // pip install --force-reinstall ort==1
  add_info("ort", row("ort/__init__.py", "pip's"));
  tree_.add_file(kSite + "ort/__init__.py", "pip's");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(inventory_.distributions[facts.overlaps[0].first].kind, DistributionKind::DistInfo);
  EXPECT_EQ(facts.overlaps[0].of_first, 1U);
  EXPECT_EQ(facts.overlaps[0].of_second, 0U);
}

}  // namespace
}  // namespace loadable::inventory
