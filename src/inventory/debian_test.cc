// SPDX-License-Identifier: Apache-2.0
#include "inventory/debian.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/digest.h"
#include "inventory/collect.h"
#include "inventory/ownership.h"
#include "tree/memory_tree.h"

namespace loadable::inventory {
namespace {

using ::testing::IsEmpty;
using tree::MemoryTree;
using tree::Path;
using tree::Walk;

const std::string kSite = "/usr/lib/python3/dist-packages/";

std::string md5(std::string_view text) { return to_hex(digest_of(text, DigestKind::Md5)); }

/// The system's Python with one package that Debian brought, as a distutils egg-info without a
/// list.
class InventoryDebian : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_
        .add_file("/usr/bin/python3.11",
                  "\x7f"
                  "ELF",
                  0755)
        .add_file("/usr/lib/python3.11/os.py", "");
    tree_.add_file(kSite + "ort/__init__.py", "of Debian").add_file(kSite + "ort/x.py", "same");
    tree_.add_file(kSite + "ort-1.egg-info", "Name: ort\nVersion: 1\n");
    tree_.add_file(kInfo + ".list", "/.\n/usr\n" + kSite + "ort-1.egg-info\n" + kSite +
                                        "ort/__init__.py\n/usr/share/doc/python3-ort/copyright\n");
    tree_.add_file(kInfo + ".md5sums", md5("of Debian") + "  " + kSite.substr(1) +
                                           "ort/__init__.py\n" + md5("same") + "  " +
                                           kSite.substr(1) + "ort/x.py\n" + md5("x") +
                                           "  usr/share/doc/python3-ort/copyright\n");
  }
  OwnershipFacts find(const OwnershipOptions& options = {}) {
    Walk walk(tree_);
    Scope scope;
    auto environment = python::read_interpreter(walk, Path("/usr/bin/python3.11"));
    if (!environment) throw std::runtime_error(environment.error().to_string());
    scope.environments.push_back(std::move(*environment));
    inventory_ = collect(walk, std::move(scope));
    return find_ownership(walk, inventory_, options);
  }

  static constexpr const char* kPackage = "/var/lib/dpkg/info/python3-ort";
  const std::string kInfo = kPackage;
  MemoryTree tree_;
  Inventory inventory_;
};

TEST_F(InventoryDebian, ADistributionWithoutRecordHasTheListOfItsPackage) {
  OwnershipOptions options;
  options.hashes_all = true;
  const OwnershipFacts facts = find(options);
  ASSERT_EQ(inventory_.distributions.size(), 1U);
  EXPECT_TRUE(inventory_.distributions[0].has_list);
  EXPECT_EQ(inventory_.distributions[0].list_path, kInfo + ".md5sums");
  EXPECT_EQ(inventory_.distributions[0].listed, 2U);
  EXPECT_EQ(facts.files_hashed, 2U);
  EXPECT_THAT(facts.altered, IsEmpty());
  EXPECT_THAT(facts.losses, IsEmpty());  // documentation is left out of images
  EXPECT_THAT(inventory_.incidents, IsEmpty());
}

TEST_F(InventoryDebian, WhatPipPutOverAFileOfDebianIsTold) {
  const auto row = [](const std::string& path, std::string_view text) {
    return path + ",sha256=" + to_base64_url(digest_of(text, DigestKind::Sha256)) + ",\n";
  };
  tree_.add_file(kSite + "ort_gpu-2.dist-info/METADATA", "Name: ort-gpu\nVersion: 2\n");
  tree_.add_file(kSite + "ort_gpu-2.dist-info/INSTALLER", "pip\n");
  tree_.add_file(kSite + "ort_gpu-2.dist-info/RECORD",
                 row("ort/__init__.py", "of pip") + row("ort/x.py", "same"));
  tree_.add_file(kSite + "ort/__init__.py", "of pip");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  const Overlap& overlap = facts.overlaps[0];
  EXPECT_EQ(inventory_.distributions[overlap.first].name, "ort");
  EXPECT_EQ(overlap.of_second, 1U);
  EXPECT_EQ(overlap.identical, 1U);  // by the bytes: MD5 and SHA-256 of one file
  EXPECT_EQ(overlap.shared, 2U);
}

TEST_F(InventoryDebian, ARecordOfAPackageOfDebianIsOlderThanItsFiles) {
  tree_.add_file(kSite + "yaml-6.dist-info/METADATA", "Name: yaml\nVersion: 6\n");
  tree_.add_file(kSite + "yaml-6.dist-info/RECORD", "yaml/c.so,sha256=YWJj,3\n");
  tree_.add_file(kSite + "yaml/c.so", "stripped");
  const std::string info = "/var/lib/dpkg/info/python3-yaml";
  tree_.add_file(info + ".list", kSite + "yaml-6.dist-info\n");
  tree_.add_file(info + ".md5sums", md5("stripped") + "  " + kSite.substr(1) + "yaml/c.so\n");
  OwnershipOptions options;
  options.hashes_all = true;
  EXPECT_THAT(find(options).altered, IsEmpty());
}

TEST(InventoryTargetFolder, WhatPipInstalledIntoAPlainFolderHasOwnersAndItsScriptsAreFound) {
  MemoryTree tree;
  const auto row = [](const std::string& path, std::string_view text) {
    return path + ",sha256=" + to_base64_url(digest_of(text, DigestKind::Sha256)) + ",\n";
  };
  // pip 23: RECORD counts scripts from the scheme that it moved the files out of.
  for (const std::string name : {"a", "b"}) {
    tree.add_file("/t/" + name + "-1.dist-info/METADATA", "Name: " + name + "\nVersion: 1\n");
    tree.add_file("/t/" + name + "-1.dist-info/RECORD",
                  row("m/x.py", "of " + name) + row("../../bin/tool", name));
  }
  tree.add_file("/t/m/x.py", "of a").add_file("/t/bin/tool", "b", 0755);
  Walk walk(tree);
  Scope scope;
  scope.below = "/t";
  const Inventory inventory = collect(walk, std::move(scope));
  ASSERT_EQ(inventory.distributions.size(), 2U);
  EXPECT_EQ(inventory.distributions[0].environment, std::nullopt);
  const OwnershipFacts facts = find_ownership(walk, inventory, {});
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(facts.overlaps[0].shared, 1U);  // the launcher is not counted
  EXPECT_EQ(facts.overlaps[0].of_first, 1U);
  EXPECT_THAT(facts.losses, IsEmpty());
  EXPECT_THAT(inventory.incidents, IsEmpty());
}

}  // namespace
}  // namespace loadable::inventory
