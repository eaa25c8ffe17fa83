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

TEST_F(InventoryOwnership, BytesOfNeitherListAreNobodys) {
  distribution("a", row("m/x.py", "of a"));
  distribution("b", row("m/x.py", "of b"));
  add("m/x.py", "patched");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(facts.overlaps[0].of_neither, 1U);
  EXPECT_EQ(facts.overlaps[0].of_first + facts.overlaps[0].of_second, 0U);
  EXPECT_THAT(facts.altered, IsEmpty());
}

TEST_F(InventoryOwnership, FilesOfEqualContentAreNoConflictAndAreNotRead) {
  distribution("a", row("m/x.py", "one"));
  distribution("b", row("m/x.py", "one"));
  add("m/x.py", "one");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(facts.overlaps[0].identical, 1U);
  EXPECT_THAT(facts.overlaps[0].differing, IsEmpty());
  EXPECT_EQ(facts.files_hashed, 0U);
  EXPECT_THAT(tree_.opened(), ::testing::Not(::testing::Contains(kSite + "m/x.py")));
}

TEST_F(InventoryOwnership, DistributionsThatShareNothingHaveNoOverlap) {
  distribution("a", row("a/__init__.py", "1"));
  distribution("b", row("b/__init__.py", "1"));
  add("a/__init__.py", "1");
  add("b/__init__.py", "1");
  const OwnershipFacts facts = find();
  EXPECT_THAT(facts.overlaps, IsEmpty());
  EXPECT_THAT(facts.losses, IsEmpty());
  EXPECT_THAT(facts.unowned, IsEmpty());
  EXPECT_THAT(facts.stale, IsEmpty());
  EXPECT_EQ(facts.files_hashed, 0U);
}

TEST_F(InventoryOwnership, CompiledFilesLaunchersRowsWithoutHashAndMetadataDoNotCount) {
  const std::string shared =
      "m/__pycache__/x.cpython-311.pyc,,\nm/plain.txt,,\n../../../bin/tool,sha256=";
  distribution("a", shared + "YQ,1\nb-1.dist-info/extra.txt,sha256=YQ,1\n");
  distribution("b", shared + "Yg,1\nb-1.dist-info/extra.txt,sha256=Yg,1\n");
  add("m/__pycache__/x.cpython-311.pyc", "");
  add("m/plain.txt", "");
  add("b-1.dist-info/extra.txt", "");
  tree_.add_file("/v/bin/tool", "#!/v/bin/python\n", 0755);
  const OwnershipFacts facts = find();
  EXPECT_THAT(facts.overlaps, IsEmpty());
  EXPECT_EQ(facts.files_hashed, 0U);
}

TEST_F(InventoryOwnership, AFolderNamedBinInsideAPackageIsNoPlaceOfLaunchers) {
  distribution("a", row("m/bin/tool", "of a"));
  distribution("b", row("m/bin/tool", "of b"));
  add("m/bin/tool", "of b");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(facts.overlaps[0].of_second, 1U);
}

TEST_F(InventoryOwnership, APathThroughALinkedDirectoryIsTheSamePath) {
  distribution("a", row("m/x.py", "of a"));
  distribution("b", row("../../../lib64/python3.11/site-packages/m/x.py", "of b"));
  add("m/x.py", "of a");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(facts.overlaps[0].differing[0].path, kSite + "m/x.py");
  EXPECT_EQ(facts.overlaps[0].of_first, 1U);
}

TEST_F(InventoryOwnership, ALinkedFileHasTheBytesThatItLeadsTo) {
  distribution("a", row("m/x.py", "of a"));
  distribution("b", row("m/x.py", "of b"));
  tree_.add_file("/cache/x", "of b");
  tree_.add_link(kSite + "m/x.py", "/cache/x");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(facts.overlaps[0].of_second, 1U);
}

TEST_F(InventoryOwnership, SharedFilesThatWentWithAnUninstallAreGone) {
  distribution("gpu", row("ort/__init__.py", "gpu") + row("ort/same.py", "one") +
                          row("ort/libprovider.so", "so"));
  distribution("cpu", row("ort/__init__.py", "cpu") + row("ort/same.py", "one"));
  add("ort/libprovider.so", "so");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(facts.overlaps[0].shared, 2U);
  EXPECT_EQ(facts.overlaps[0].gone, 2U);
  EXPECT_EQ(facts.overlaps[0].identical, 1U);
  EXPECT_EQ(facts.overlaps[0].differing[0].claims[1].match, Match::Gone);
  ASSERT_EQ(facts.losses.size(), 2U);
  EXPECT_EQ(name(facts.losses[1].distribution), "gpu");
  EXPECT_EQ(facts.losses[1].listed, 3U);
  EXPECT_EQ(facts.losses[1].gone, 2U);
  EXPECT_THAT(facts.losses[1].gutted_packages, ElementsAre(kSite + "ort"));
}

TEST_F(InventoryOwnership, APackageWithoutItsDirectoryIsGuttedToo) {
  distribution("cpu", row("ort/__init__.py", "1") + row("ort/tools/__init__.py", "1"));
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.losses.size(), 1U);
  EXPECT_THAT(facts.losses[0].gutted_packages, ElementsAre(kSite + "ort"));
}

TEST_F(InventoryOwnership, APartOfAPackageThatIsThereIsLostAndNotGutted) {
  distribution("a", row("a/__init__.py", "1") + row("a/tools/__init__.py", "1"));
  add("a/__init__.py", "1");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.losses.size(), 1U);
  EXPECT_EQ(facts.losses[0].gone, 1U);
  EXPECT_THAT(facts.losses[0].gutted_packages, IsEmpty());
}

TEST_F(InventoryOwnership, APackageInANamespaceIsGuttedByItself) {
  distribution("proto", row("google/proto/__init__.py", "1"));
  add("google/other/__init__.py", "");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.losses.size(), 1U);
  EXPECT_THAT(facts.losses[0].gutted_packages, ElementsAre(kSite + "google/proto"));
}

TEST_F(InventoryOwnership, LostMetadataIsNoLostFile) {
  distribution("a", row("a-1.dist-info/LICENSE", "1"));
  EXPECT_THAT(find().losses, IsEmpty());
}

TEST_F(InventoryOwnership, OfTwoMetadataOfOneNameTheOneWhoseBytesLieThereComesFirst) {
  distribution("Foo.Bar", row("foo/x.py", "old"), "1");
  distribution("foo_bar", row("foo/x.py", "new"), "2");
  add("foo/x.py", "new");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.stale.size(), 1U);
  ASSERT_EQ(facts.stale[0].distributions.size(), 2U);
  EXPECT_EQ(name(facts.stale[0].distributions[0]), "foo_bar");
  EXPECT_EQ(name(facts.stale[0].distributions[1]), "Foo.Bar");
}

TEST_F(InventoryOwnership, WithoutSharedFilesTheMetadataThatLostLessComesFirst) {
  distribution("foo", row("foo/old.py", "old"), "1");
  distribution("foo", row("foo/new.py", "new"), "2");
  add("foo/new.py", "new");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.stale.size(), 1U);
  EXPECT_EQ(inventory_.distributions[facts.stale[0].distributions[0]].version, "2");
}

TEST_F(InventoryOwnership, APackageHidesTheModuleOfAnotherDistribution) {
  distribution("attr", row("attr.py", "module"));
  distribution("attrs", row("attr/__init__.py", "package"));
  add("attr.py", "module");
  add("attr/__init__.py", "package");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.hidden.size(), 1U);
  EXPECT_EQ(facts.hidden[0].package, kSite + "attr");
  EXPECT_EQ(facts.hidden[0].module, kSite + "attr.py");
  EXPECT_EQ(name(facts.hidden[0].package_of), "attrs");
  EXPECT_EQ(name(facts.hidden[0].module_of), "attr");
}

TEST_F(InventoryOwnership, AnExtensionModuleHidesOneWhoseSuffixIsTriedLater) {
  distribution("cpu", row("f/_f.abi3.so", "cpu") + row("f/own.so", "1"));
  distribution("gpu", row("f/_f.so", "gpu") + row("f/_f.cpython-39-x86_64-linux-gnu.so", "old"));
  add("f/_f.abi3.so", "cpu");
  add("f/_f.so", "gpu");
  add("f/own.so", "1");
  // Of another Python: no import tries it.
  add("f/_f.cpython-39-x86_64-linux-gnu.so", "old");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.hidden.size(), 1U);
  EXPECT_EQ(facts.hidden[0].package, kSite + "f/_f.abi3.so");
  EXPECT_EQ(facts.hidden[0].module, kSite + "f/_f.so");
  EXPECT_EQ(name(facts.hidden[0].package_of) + " " + name(facts.hidden[0].module_of), "cpu gpu");
}

TEST_F(InventoryOwnership, AFolderWithoutInitHidesNoModuleAndNeitherDoesAPackageItsOwn) {
  distribution("one", row("six.py", "module") + row("two.py", "m") + row("two/__init__.py", "p"));
  distribution("data", row("six/data.txt", "x"));
  add("six.py", "module");
  add("six/data.txt", "x");
  add("two.py", "m");
  add("two/__init__.py", "p");
  EXPECT_THAT(find().hidden, IsEmpty());
}

TEST_F(InventoryOwnership, ALeftOverLibraryInAPackageIsNobodys) {
  distribution("cpu", row("ort/__init__.py", "1"));
  add("ort/__init__.py", "1");
  add("ort/capi/libonnxruntime_providers_cuda.so", "left over");
  add("elsewhere/libmine.so", "not of a package");
  EXPECT_THAT(find().unowned, ElementsAre(kSite + "ort/capi/libonnxruntime_providers_cuda.so"));
}

TEST_F(InventoryOwnership, AFileThatDecidesIsHashedAndAnAlteredOneIsSaid) {
  distribution("a", row("a/libprovider.so", "as built") + row("a/other.so", "as built"));
  add("a/libprovider.so", "stripped");
  add("a/other.so", "stripped");
  EXPECT_THAT(find().altered, IsEmpty());
  OwnershipOptions options;
  options.also = {kSite + "a/libprovider.so"};
  const OwnershipFacts facts = find(options);
  ASSERT_EQ(facts.altered.size(), 1U);
  EXPECT_EQ(facts.altered[0].path, kSite + "a/libprovider.so");
  EXPECT_EQ(facts.altered[0].recorded,
            "sha256=" + to_base64_url(digest_of("as built", DigestKind::Sha256)));
  EXPECT_EQ(facts.altered[0].found,
            "sha256=" + to_base64_url(digest_of("stripped", DigestKind::Sha256)));
  EXPECT_EQ(facts.altered[0].recorded_size, 8U);
  EXPECT_EQ(facts.altered[0].found_size, 8U);
  EXPECT_EQ(facts.files_hashed, 1U);
}

TEST_F(InventoryOwnership, AFileThatDecidesNeedNotBeAnObject) {
  distribution("a", row("a/build_info.py", "as built"));
  add("a/build_info.py", "edited");
  OwnershipOptions options;
  options.also = {"/v/lib64/python3.11/site-packages/a/build_info.py"};
  const OwnershipFacts facts = find(options);
  ASSERT_EQ(facts.altered.size(), 1U);
  EXPECT_EQ(facts.altered[0].path, kSite + "a/build_info.py");
}

TEST_F(InventoryOwnership, EveryFileIsHashedWhenAskedFor) {
  distribution("a", row("a/x.py", "x") + row("a/y.py", "y") + row("a/z.py", "z") + "a/w.py,,\n");
  add("a/x.py", "x");
  add("a/y.py", "why");
  add("a/w.py", "w");
  OwnershipOptions options;
  options.hashes_all = true;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> calls;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    calls.emplace_back(done, total);
  };
  const OwnershipFacts facts = find(options);
  ASSERT_EQ(facts.altered.size(), 1U);
  EXPECT_EQ(facts.altered[0].path, kSite + "a/y.py");
  EXPECT_EQ(facts.files_hashed, 2U);
  EXPECT_EQ(facts.bytes_hashed, 4U);
  ASSERT_EQ(facts.losses.size(), 1U);
  EXPECT_EQ(facts.losses[0].gone, 1U);
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls.back(), std::pair(std::uint64_t{4}, std::uint64_t{4}));
}

TEST_F(InventoryOwnership, HashesOfOtherAlgorithmsAreComparedByTheBytes) {
  distribution("a",
               "m/x.py,sha512=" + to_base64_url(digest_of("one", DigestKind::Sha512)) + ",3\n");
  distribution("b", row("m/x.py", "one"));
  add("m/x.py", "one");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(facts.overlaps[0].identical, 1U);
  EXPECT_THAT(facts.overlaps[0].differing, IsEmpty());
}

TEST_F(InventoryOwnership, AnAlgorithmThatIsNotKnownIsSaid) {
  distribution("a", "m/x.py,blake2b=YWJj,3\n");
  distribution("b", row("m/x.py", "one"));
  add("m/x.py", "one");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(facts.overlaps[0].differing[0].claims[0].match, Match::NotAsked);
  EXPECT_EQ(facts.overlaps[0].of_second, 1U);
  ASSERT_EQ(facts.incidents.size(), 1U);
  EXPECT_EQ(facts.incidents[0].path, kSite + "a-1.dist-info");
  EXPECT_EQ(facts.incidents[0].message,
            "files not compared: 1, with hashes that are not understood, such as `blake2b=YWJj`");
}

TEST_F(InventoryOwnership, AFileThatCannotBeReadIsAnIncident) {
  distribution("a", row("m/x.py", "a"));
  distribution("b", row("m/x.py", "b"));
  add("m/x.py", "a");
  tree_.deny(kSite + "m/x.py");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.incidents.size(), 1U);
  EXPECT_EQ(facts.incidents[0].path, kSite + "m/x.py");
  EXPECT_EQ(facts.overlaps[0].differing[0].claims[0].match, Match::Unreadable);
}

TEST_F(InventoryOwnership, ThreeOwnersOfOneFileMakeThreePairs) {
  for (const std::string owner : {"a", "b", "c"}) distribution(owner, row("m/x.py", "of " + owner));
  add("m/x.py", "of b");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 3U);
  EXPECT_EQ(facts.overlaps[0].of_second, 1U);   // a, b
  EXPECT_EQ(facts.overlaps[1].of_neither, 1U);  // a, c
  EXPECT_EQ(facts.overlaps[2].of_first, 1U);    // b, c
  EXPECT_EQ(facts.overlaps[0].differing[0].claims.size(), 3U);
}

TEST_F(InventoryOwnership, ARowThatPointsOutOfTheEnvironmentIsNeitherReadNorMissing) {
  distribution("evil",
               "../../../../etc/shadow,sha256=YQ,1\n/etc/passwd,sha256=YQ,1\n"
               "/etc/none,sha256=YQ,1\n/etc/none2,sha256=YQ,1\n" +
                   row("evil/__init__.py", ""));
  distribution("evil2", "/etc/passwd,sha256=Yg,1\n/etc/none,sha256=Yg,1\n");
  add("evil/__init__.py", "");
  tree_.add_file("/etc/passwd", "secret").add_file("/etc/shadow", "secret");
  OwnershipOptions options;
  options.hashes_all = true;
  const OwnershipFacts facts = find(options);
  EXPECT_THAT(facts.overlaps, IsEmpty());
  EXPECT_THAT(facts.losses, IsEmpty());
  EXPECT_THAT(inventory_.missing, IsEmpty());
  for (const std::string& path : tree_.opened()) EXPECT_FALSE(path.starts_with("/etc/")) << path;
  std::vector<std::string> said;
  for (const Incident& incident : inventory_.incidents) said.push_back(incident.message);
  ASSERT_EQ(said.size(), 6U);
  EXPECT_THAT(said, ::testing::Contains("line 1: `../../../../etc/shadow` points out of the "
                                        "environment, and is not looked at"));
  EXPECT_THAT(said, ::testing::Contains("1 further rows point out of the environment"));
}

TEST_F(InventoryOwnership, ARowThatClimbsInsideThePrefixIsFine) {
  distribution("tool", "../../../bin/tool,,\n../../../share/man/tool.1,,\n/v/etc/tool.conf,,\n");
  tree_.add_file("/v/bin/tool", "x", 0755).add_file("/v/share/man/tool.1", "");
  tree_.add_file("/v/etc/tool.conf", "");
  const OwnershipFacts facts = find();
  EXPECT_THAT(inventory_.incidents, IsEmpty());
  EXPECT_THAT(facts.losses, IsEmpty());
}

TEST_F(InventoryOwnership, AnEggInfoOwnsWhatItsListNames) {
  add("egg.egg-info/PKG-INFO", "Name: egg\nVersion: 3\n");
  add("egg.egg-info/installed-files.txt", "../egg/__init__.py\n../egg/gone.py\nPKG-INFO\n");
  add("egg/__init__.py", "");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.losses.size(), 1U);
  EXPECT_EQ(facts.losses[0].listed, 2U);
  EXPECT_EQ(facts.losses[0].gone, 1U);
}

TEST_F(InventoryOwnership, AnEditableInstallOwnsOnlyItsPthFile) {
  tree_.add_file("/src/mine/__init__.py", "");
  add("mine.pth", "/src\n");
  distribution("mine", row("mine.pth", "/src\n"));
  add("mine-1.dist-info/direct_url.json",
      R"({"url": "file:///src", "dir_info": {"editable": true}})");
  const OwnershipFacts facts = find();
  EXPECT_TRUE(inventory_.distributions[0].is_editable);
  EXPECT_THAT(facts.losses, IsEmpty());
  EXPECT_THAT(facts.overlaps, IsEmpty());
}

TEST_F(InventoryOwnership, ANameWithCommasQuotesAndCrlfIsOnePath) {
  const std::string hash = to_base64_url(digest_of("x", DigestKind::Sha256));
  distribution("a", "\"m/a,\"\"b\"\".py\",sha256=" + hash + ",1\r\nm/c.py,sha256=YQ,1\r\n");
  distribution("b", "\"m/a,\"\"b\"\".py\",sha256=YQ,1\nm/c.py,sha256=Yg,1\n");
  add("m/a,\"b\".py", "x");
  add("m/c.py", "c");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(facts.overlaps[0].shared, 2U);
  EXPECT_EQ(facts.overlaps[0].of_first, 1U);
  EXPECT_EQ(facts.overlaps[0].differing[0].path, kSite + "m/a,\"b\".py");
}

TEST_F(InventoryOwnership, ARowThatIsThereTwiceIsCountedOnce) {
  distribution("a", row("m/x.py", "a") + row("m/y.py", "a") + row("m/x.py", "a"));
  distribution("b", row("m/x.py", "b") + row("m/x.py", "b"));
  add("m/x.py", "a");
  add("m/y.py", "a");
  const OwnershipFacts facts = find();
  ASSERT_EQ(facts.overlaps.size(), 1U);
  EXPECT_EQ(facts.overlaps[0].shared, 1U);
}

}  // namespace
}  // namespace loadable::inventory
