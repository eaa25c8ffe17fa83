// SPDX-License-Identifier: Apache-2.0
#include "inventory/collect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/elf_builder.h"
#include "tree/memory_tree.h"

namespace loadable::inventory {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tree::MemoryTree;
using tree::Path;
using tree::Walk;

constexpr std::string_view kElf =
    "\x7f"
    "ELF rest";
const std::string kSite = "/v/lib/python3.11/site-packages/";

/// A virtual environment with a distribution as pip installs it.
class InventoryCollect : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.add_file("/usr/bin/python3.11", kElf, 0755).add_file("/usr/lib/python3.11/os.py", "");
    tree_.add_file("/usr/lib/python3.11/lib-dynload/_ctypes.cpython-311-x86_64-linux-gnu.so", kElf);
    tree_.add_file("/v/pyvenv.cfg",
                   "home = /usr/bin\nversion = 3.11.2\n"
                   "include-system-site-packages = false\n");
    tree_.add_link("/v/bin/python", "/usr/bin/python3.11").add_link("/v/lib64", "lib");
    tree_.add_file("/v/bin/tool", "#!/v/bin/python\n", 0755);
    add("onnxruntime/__init__.py", "");
    add("onnxruntime/capi/x.cpython-311-x86_64-linux-gnu.so", kElf);
    add("onnxruntime/capi/libonnxruntime_providers_shared.so", kElf);
    add("onnxruntime/__pycache__/__init__.cpython-311.pyc", "");
    add_distribution("onnxruntime_gpu-1.24.4",
                     "onnxruntime/__init__.py,sha256=a,0\r\n"
                     "onnxruntime/capi/x.cpython-311-x86_64-linux-gnu.so,sha256=b,8\r\n"
                     "onnxruntime/capi/libonnxruntime_providers_shared.so,sha256=c,8\r\n"
                     "onnxruntime/capi/libonnxruntime_providers_cuda.so,sha256=d,99\r\n"
                     "onnxruntime/__pycache__/gone.cpython-311.pyc,,\r\n"
                     "../../../bin/tool,sha256=e,16\r\n",
                     "Name: onnxruntime-gpu\nVersion: 1.24.4\nRequires-Dist: numpy\n"
                     "Provides-Extra: cuda\n\nbody");
  }

  void add(const std::string& relative, std::string_view content, std::uint32_t mode = 0644) {
    tree_.add_file(kSite + relative, content, mode);
  }
  void add_distribution(const std::string& stem, std::string_view record,
                        std::string_view metadata) {
    add(stem + ".dist-info/METADATA", metadata);
    add(stem + ".dist-info/INSTALLER", "pip\n");
    add(stem + ".dist-info/RECORD", record);
  }
  Inventory collect_venv() {
    Walk walk(tree_);
    Scope scope;
    scope.environments.push_back(*python::read_venv(walk, Path("/v")));
    return collect(walk, std::move(scope));
  }
  Inventory collect_below(const std::string& path) {
    Walk walk(tree_);
    Scope scope;
    scope.below = path;
    return collect(walk, std::move(scope));
  }

  MemoryTree tree_;
};

TEST_F(InventoryCollect, DistributionsAreReadWithTheirMetadata) {
  const Inventory inventory = collect_venv();
  ASSERT_EQ(inventory.distributions.size(), 1U);
  const Distribution& distribution = inventory.distributions[0];
  EXPECT_EQ(distribution.to_string(), "onnxruntime-gpu 1.24.4");
  EXPECT_EQ(distribution.normalized, "onnxruntime-gpu");
  EXPECT_EQ(distribution.installer, "pip");
  EXPECT_EQ(distribution.environment, 0U);
  EXPECT_TRUE(distribution.has_list);
  EXPECT_FALSE(distribution.is_editable);
  EXPECT_THAT(distribution.requires_dist, ElementsAre("numpy"));
  EXPECT_THAT(distribution.provides_extra, ElementsAre("cuda"));
  EXPECT_EQ(inventory.find_distribution("OnnxRuntime_GPU"), 0U);
  EXPECT_EQ(inventory.find_distribution("onnxruntime-gpu", 7U), std::nullopt);
  EXPECT_TRUE(inventory.is_complete);
  EXPECT_THAT(inventory.incidents, IsEmpty());
}

TEST_F(InventoryCollect, ObjectsHaveRoleModuleOwnerAndEnvironment) {
  const Inventory inventory = collect_venv();
  std::vector<std::string> paths;
  for (const Object& object : inventory.objects) paths.push_back(object.path);
  EXPECT_THAT(
      paths,
      ElementsAre("/usr/lib/python3.11/lib-dynload/_ctypes.cpython-311-x86_64-linux-gnu.so",
                  "/v/bin/tool", kSite + "onnxruntime/capi/libonnxruntime_providers_shared.so",
                  kSite + "onnxruntime/capi/x.cpython-311-x86_64-linux-gnu.so"));
  const Object* module = inventory.find_object(paths[3]);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->role, Role::ExtensionModule);
  EXPECT_EQ(module->module, "onnxruntime.capi.x");
  EXPECT_EQ(module->environment, 0U);
  ASSERT_EQ(module->owners.size(), 1U);
  EXPECT_EQ(module->owners[0].hash, "sha256=b");
  EXPECT_EQ(module->owners[0].size, 8U);
  EXPECT_EQ(inventory.objects[0].module, "_ctypes");
  EXPECT_EQ(inventory.objects[1].role, Role::Executable);
  EXPECT_EQ(inventory.objects[1].owners.size(), 1U);  // through `../../../bin/tool`
}

TEST_F(InventoryCollect, NothingButMetadataIsOpened) {
  tree_.add_file(kSite + "big/module.py", "x");
  Walk walk(tree_);
  Scope scope;
  scope.environments.push_back(*python::read_venv(walk, Path("/v")));
  const std::size_t before = tree_.opened().size();
  (void)collect(walk, std::move(scope));
  const auto& all = tree_.opened();
  const std::string info = kSite + "onnxruntime_gpu-1.24.4.dist-info/";
  EXPECT_THAT(
      std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(before), all.end()),
      ElementsAre(info + "METADATA", info + "INSTALLER", info + "RECORD"));
}

TEST_F(InventoryCollect, FilesThatAListNamesAndThatAreGoneAreMissing) {
  const Inventory inventory = collect_venv();
  ASSERT_EQ(inventory.missing.size(), 1U);  // the .pyc is not
  EXPECT_EQ(inventory.missing[0].path, kSite + "onnxruntime/capi/libonnxruntime_providers_cuda.so");
  EXPECT_EQ(inventory.missing[0].size, 99U);
  EXPECT_EQ(inventory.missing[0].hash, "sha256=d");
}

TEST_F(InventoryCollect, AFileOfTwoListsHasTwoOwners) {
  add_distribution("onnxruntime-1.24.4",
                   "onnxruntime/capi/x.cpython-311-x86_64-linux-gnu.so,sha256=z,9\n"
                   "onnxruntime/capi/x.cpython-311-x86_64-linux-gnu.so,sha256=z,9\n",
                   "Name: onnxruntime\nVersion: 1.24.4\n");
  const Inventory inventory = collect_venv();
  const Object* module =
      inventory.find_object(kSite + "onnxruntime/capi/x.cpython-311-x86_64-linux-gnu.so");
  ASSERT_EQ(module->owners.size(), 2U);
  EXPECT_EQ(module->owners[0].distribution, *inventory.find_distribution("onnxruntime"));
  EXPECT_EQ(module->owners[1].distribution, *inventory.find_distribution("onnxruntime-gpu"));
}

TEST_F(InventoryCollect, LibrariesAreFoundByNameAndByStem) {
  add("nvidia/cublas/lib/libcublas.so.12", kElf);
  add("nvidia/cu13/lib/libcublas.so.13", kElf);
  tree_.add_link(kSite + "nvidia/cublas/lib/libcublas.so", "libcublas.so.12");
  const Inventory inventory = collect_venv();
  ASSERT_EQ(inventory.find_library("libcublas.so.12").size(), 1U);
  EXPECT_EQ(inventory.find_library("libcublas.so.12")[0]->path,
            kSite + "nvidia/cublas/lib/libcublas.so.12");
  EXPECT_TRUE(inventory.find_library("libcublas.so")[0]->is_link);
  EXPECT_EQ(inventory.libraries_beginning("libcublas.so.").size(), 2U);
  EXPECT_THAT(inventory.find_library("libcublas.so.1"), IsEmpty());
}

TEST_F(InventoryCollect, TheOwnerOfAPathIsTheNearestList) {
  const Inventory inventory = collect_venv();
  EXPECT_EQ(inventory.owner_of(kSite + "onnxruntime/capi/new.so")->name, "onnxruntime-gpu");
  EXPECT_EQ(inventory.owner_of(kSite + "onnxruntime/deep/er/new.so")->name, "onnxruntime-gpu");
  EXPECT_EQ(inventory.owner_of(kSite + "numpy/new.so"), nullptr);
  EXPECT_EQ(inventory.owner_of("/"), nullptr);
}

TEST_F(InventoryCollect, ALinkedLibraryFromOutsideIsAnObjectUnderItsLink) {
  tree_.add_file("/cache/libfoo.so.1.0", kElf).add_file("/cache/m.so", kElf);
  tree_.add_link(kSite + "foo/libfoo.so.1", "/cache/libfoo.so.1.0");
  tree_.add_link(kSite + "foo/m.cpython-311-x86_64-linux-gnu.so", "/cache/m.so");
  add("bar/libbar.so.1.0", kElf);
  tree_.add_link(kSite + "bar/libbar.so.1", "libbar.so.1.0");
  add_distribution("foo-1", "foo/m.cpython-311-x86_64-linux-gnu.so,sha256=m,8\n", "Name: foo\n");
  const Inventory inventory = collect_venv();
  const Object* module = inventory.find_object(kSite + "foo/m.cpython-311-x86_64-linux-gnu.so");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->role, Role::ExtensionModule);
  EXPECT_EQ(module->owners.size(), 1U);
  EXPECT_NE(inventory.find_object(kSite + "foo/libfoo.so.1"), nullptr);
  EXPECT_EQ(inventory.find_object(kSite + "bar/libbar.so.1"), nullptr);
  EXPECT_NE(inventory.find_object(kSite + "bar/libbar.so.1.0"), nullptr);
}

TEST_F(InventoryCollect, ListsAreReadThroughLinkedDirectoriesAndAbsolutePaths) {
  add_distribution("abs-1",
                   kSite +
                       "abs/libabs.so,sha256=q,8\n../../../lib64/python3.11/"
                       "site-packages/abs/libtwo.so,sha256=r,8\n/v/none/x,,\n/none/x,,\n",
                   "Name: abs\n");
  add("abs/libabs.so", kElf);
  add("abs/libtwo.so", kElf);
  const Inventory inventory = collect_venv();
  EXPECT_EQ(inventory.find_object(kSite + "abs/libabs.so")->owners.size(), 1U);
  EXPECT_EQ(inventory.find_object(kSite + "abs/libtwo.so")->owners.size(), 1U);
  EXPECT_EQ(inventory.missing.back().path, "/v/none/x");
  ASSERT_EQ(inventory.incidents.size(), 1U);
  EXPECT_EQ(inventory.incidents[0].path, kSite + "abs-1.dist-info/RECORD");
  EXPECT_EQ(inventory.incidents[0].message,
            "line 4: `/none/x` points out of the environment, and is not looked at");
}

TEST_F(InventoryCollect, DamagedMetadataIsAnIncidentOrFallsBackToTheName) {
  add("nothing-2.0.dist-info/METADATA", "");
  tree_.add_special(kSite + "fifo-1.dist-info/RECORD", tree::Kind::Fifo);
  tree_.add_directory(kSite + "dir-1.dist-info/RECORD");
  tree_.add_file(kSite + "six-1.16.0.egg-info", "Name: six\nVersion: 1.16.0\n");
  add("egg.egg-info/PKG-INFO", "Name: egg\nVersion: 3\n");
  add("egg.egg-info/installed-files.txt", "../egg/libegg.so\n");
  add("egg/libegg.so", kElf);
  add("locked-1.dist-info/RECORD", "");
  tree_.deny(kSite + "locked-1.dist-info/RECORD")
      .deny(kSite + "private")
      .add_directory(kSite + "p");
  tree_.add_directory(kSite + "private");
  const Inventory inventory = collect_venv();
  EXPECT_EQ(inventory.distributions[*inventory.find_distribution("nothing")].version, "2.0");
  EXPECT_FALSE(inventory.distributions[*inventory.find_distribution("fifo")].has_list);
  EXPECT_FALSE(inventory.distributions[*inventory.find_distribution("dir")].has_list);
  EXPECT_EQ(inventory.distributions[*inventory.find_distribution("six")].version, "1.16.0");
  EXPECT_EQ(inventory.find_object(kSite + "egg/libegg.so")->owners.size(), 1U);
  ASSERT_EQ(inventory.incidents.size(), 2U);
  EXPECT_EQ(inventory.incidents[0].path, kSite + "locked-1.dist-info/RECORD");
  EXPECT_EQ(inventory.incidents[1].path, kSite + "private");
  EXPECT_EQ(inventory.incidents[1].message, "permission denied");
}

TEST_F(InventoryCollect, RequirementsOfAnEggLieInAFileOfTheirOwn) {
  using Texts = std::vector<std::string>;
  add("old.egg-info/PKG-INFO", "Name: old\nVersion: 1\nRequires: module\n");
  add("old.egg-info/requires.txt", "numpy>=1\n\n[gpu]\nonnxruntime-gpu\n");
  add("new.egg-info/PKG-INFO", "Name: new\nVersion: 1\nRequires-Dist: six\n");
  add("new.egg-info/requires.txt", "six\n");
  add("none.egg-info/PKG-INFO", "Name: none\nVersion: 1\n");
  add("wheel-1.dist-info/METADATA", "Name: wheel\nVersion: 1\n");
  add("wheel-1.dist-info/requires.txt", "not-read\n");
  const Inventory inventory = collect_venv();
  const auto requires_of = [&](const char* name) {
    return inventory.distributions[*inventory.find_distribution(name)].requires_dist;
  };
  EXPECT_EQ(requires_of("old"), (Texts{"numpy>=1", "onnxruntime-gpu; extra == \"gpu\""}));
  EXPECT_EQ(requires_of("new"), Texts{"six"});
  EXPECT_EQ(requires_of("none"), Texts{});
  EXPECT_EQ(requires_of("wheel"), Texts{});
  EXPECT_TRUE(inventory.incidents.empty());
}

TEST_F(InventoryCollect, ALinkedDistInfoIsReadWhereItLies) {
  tree_.add_file("/store/linked-2.dist-info/METADATA", "Name: linked\nVersion: 2\n");
  tree_.add_file("/store/linked-2.dist-info/INSTALLER", "uv\n");
  tree_.add_file("/store/linked-2.dist-info/RECORD", "linked/gone.py,,\n");
  tree_.add_link(kSite + "linked-2.dist-info", "/store/linked-2.dist-info");
  tree_.add_link(kSite + "nowhere-1.dist-info", "/nowhere");
  const Inventory inventory = collect_venv();
  const auto found = std::find_if(inventory.distributions.begin(), inventory.distributions.end(),
                                  [](const Distribution& one) { return one.name == "linked"; });
  ASSERT_NE(found, inventory.distributions.end());
  EXPECT_EQ(found->version + " " + found->installer, "2 uv");
  EXPECT_TRUE(found->has_list);
}

TEST_F(InventoryCollect, VendoredMetadataIsNoDistribution) {
  add("setuptools/_vendor/wheel-0.43.dist-info/METADATA", "Name: wheel\n");
  EXPECT_EQ(collect_venv().find_distribution("wheel"), std::nullopt);
}

TEST_F(InventoryCollect, AnEditableInstallIsToldByItsUrl) {
  add_distribution("dev-1", "", "Name: dev\n");
  add("dev-1.dist-info/direct_url.json", R"({"url": "file:///x", "dir_info": {"editable": true}})");
  const Inventory inventory = collect_venv();
  EXPECT_TRUE(inventory.distributions[*inventory.find_distribution("dev")].is_editable);
}

TEST_F(InventoryCollect, CondaPackagesOwnTheirFiles) {
  tree_.add_file("/c/conda-meta/libcublas-12.9-h1.json",
                 R"({"name": "libcublas", "version": "12.9", "paths_data": {"paths": [
                     {"_path": "lib/libcublas.so.12", "sha256": "aa", "size_in_bytes": 8},
                     {"_path": "lib/libgone.so.12"}]}})");
  tree_.add_file("/c/lib/libcublas.so.12", kElf).add_file("/c/conda-meta/history", "");
  tree_.add_file("/c/conda-meta/broken.json", "{");
  Walk walk(tree_);
  Scope scope;
  scope.environments.push_back(*python::read_conda_prefix(walk, Path("/c")));
  const Inventory inventory = collect(walk, std::move(scope));
  ASSERT_EQ(inventory.distributions.size(), 1U);
  EXPECT_EQ(inventory.distributions[0].kind, DistributionKind::Conda);
  const Object* library = inventory.find_object("/c/lib/libcublas.so.12");
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(library->owners[0].hash, "aa");
  EXPECT_EQ(library->role, Role::Library);
  ASSERT_EQ(inventory.missing.size(), 1U);
  EXPECT_EQ(inventory.missing[0].path, "/c/lib/libgone.so.12");
  ASSERT_EQ(inventory.incidents.size(), 1U);
  EXPECT_EQ(inventory.incidents[0].path, "/c/conda-meta/broken.json");
}

TEST_F(InventoryCollect, ARootIsSearchedForEnvironments) {
  tree_.add_file("/opt/conda/conda-meta/python-3.12.1-h_0.json", R"({"name": "python"})");
  tree_.add_file("/opt/conda/bin/python3.12", kElf, 0755);
  tree_.add_file("/opt/conda/lib/python3.12/os.py", "");
  tree_.add_file("/usr/bin/python3.11-config", "#!/bin/sh", 0755);
  tree_.add_file("/proc/1/bin/python3.9", kElf, 0755).add_file("/sys/x.so", kElf);
  tree_.add_file("/etc/ld.so.cache", "").add_file("/etc/ld-musl-x86_64.path", "");
  tree_.add_file("/var/lib/dpkg/status",
                 "Package: libc6\nStatus: install ok installed\nVersion: 2.36-9\n");
  const Inventory inventory = collect_below("/");
  std::vector<std::string> prefixes;
  for (const auto& environment : inventory.environments) prefixes.push_back(environment.prefix);
  EXPECT_THAT(prefixes, ElementsAre("/opt/conda", "/usr", "/v"));
  EXPECT_EQ(inventory.environments[0].kind, python::EnvironmentKind::Conda);
  EXPECT_EQ(inventory.environments[1].program, "/usr/bin/python3.11");
  EXPECT_EQ(inventory.find_object("/sys/x.so"), nullptr);
  EXPECT_EQ(inventory.loader.cache, "/etc/ld.so.cache");
  EXPECT_EQ(inventory.loader.conf, "");
  EXPECT_THAT(inventory.loader.musl_paths, ElementsAre("/etc/ld-musl-x86_64.path"));
  EXPECT_EQ(inventory.distributions.back().to_string(), "libc6 2.36-9");
  const Object* module =
      inventory.find_object(kSite + "onnxruntime/capi/x.cpython-311-x86_64-linux-gnu.so");
  EXPECT_EQ(module->environment, 2U);
  EXPECT_EQ(module->role, Role::ExtensionModule);
  EXPECT_EQ(inventory.find_object("/usr/bin/python3.11")->role, Role::Executable);
}

TEST_F(InventoryCollect, SystemPackagesAreTheSystemsAndOfThoseThatIncludeThem) {
  tree_.add_file("/opt/v/pyvenv.cfg",
                 "home = /usr/bin\nversion = 3.11.2\n"
                 "include-system-site-packages = true\n");
  tree_.add_link("/opt/v/bin/python", "/usr/bin/python3.11");
  tree_.add_directory("/opt/v/lib/python3.11/site-packages");
  tree_.add_file("/usr/lib/python3/dist-packages/six-1.dist-info/METADATA", "Name: six\n");
  tree_.add_file("/usr/lib/python3/dist-packages/q.cpython-311-x86_64-linux-gnu.so", kElf);
  const Inventory inventory = collect_below("/");
  ASSERT_EQ(inventory.environments.size(), 3U);
  EXPECT_EQ(inventory.environments[0].prefix, "/opt/v");
  EXPECT_EQ(inventory.environments[1].prefix, "/usr");
  const auto six = inventory.find_distribution("six", 0U);
  ASSERT_TRUE(six);
  EXPECT_EQ(inventory.distributions[*six].environment, 1U);
  EXPECT_EQ(inventory.find_distribution("six", 1U), six);
  EXPECT_EQ(inventory.find_distribution("six", 2U), std::nullopt);
  EXPECT_EQ(
      inventory.find_object("/usr/lib/python3/dist-packages/q.cpython-311-x86_64-linux-gnu.so")
          ->environment,
      1U);
}

TEST_F(InventoryCollect, DebiansOwnerIsFoundWithAndWithoutUsr) {
  tree_.add_file("/var/lib/dpkg/info/zlib1g:amd64.list",
                 "/.\n/lib\n/lib/x86_64-linux-gnu/libz.so.1.2.13\n");
  tree_.add_file("/var/lib/dpkg/info/libq.list", "/usr/lib/libq.so.1\n");
  Walk walk(tree_);
  EXPECT_EQ(find_debian_owner(walk, "/usr/lib/x86_64-linux-gnu/libz.so.1.2.13"), "zlib1g");
  EXPECT_EQ(find_debian_owner(walk, "/lib/x86_64-linux-gnu/libz.so.1.2.13"), "zlib1g");
  EXPECT_EQ(find_debian_owner(walk, "/lib/libq.so.1"), "libq");
  EXPECT_EQ(find_debian_owner(walk, "/lib/libq.so"), std::nullopt);
}

TEST_F(InventoryCollect, APthFileCannotMakeTheWholeSystemBeWalked) {
  add("all.pth", "/\n/opt\n/opt/src\n");
  tree_.add_file("/opt/src/ext.cpython-311-x86_64-linux-gnu.so", kElf);
  tree_.add_file("/opt/other/libother.so", kElf);
  const Inventory inventory = collect_venv();
  ASSERT_NE(inventory.find_object("/opt/src/ext.cpython-311-x86_64-linux-gnu.so"), nullptr);
  EXPECT_EQ(inventory.find_object("/opt/src/ext.cpython-311-x86_64-linux-gnu.so")->module, "ext");
  EXPECT_EQ(inventory.find_object("/opt/other/libother.so"), nullptr);
}

TEST_F(InventoryCollect, OnlyThePartBelowIsWalked) {
  tree_.add_file("/usr/lib/libz.so.1", kElf).add_file("/opt/lib/libq.so.1", kElf);
  const Inventory inventory = collect_below("/usr");
  EXPECT_NE(inventory.find_object("/usr/lib/libz.so.1"), nullptr);
  EXPECT_EQ(inventory.find_object("/opt/lib/libq.so.1"), nullptr);
  EXPECT_EQ(inventory.environments.size(), 1U);
}

TEST_F(InventoryCollect, ALimitEndsTheWalkAndIsTold) {
  for (int i = 0; i < 100; ++i) add("many/" + std::to_string(i) + ".so", kElf);
  Walk walk(tree_);
  Scope scope;
  scope.environments.push_back(*python::read_venv(walk, Path("/v")));
  scope.max_entries = 50;
  const Inventory inventory = collect(walk, std::move(scope));
  EXPECT_FALSE(inventory.is_complete);
  ASSERT_EQ(inventory.incidents.size(), 1U);
  EXPECT_EQ(inventory.incidents[0].message, "over 50 entries: the rest is not looked at");
}

TEST_F(InventoryCollect, ExcludedPathsAreNotWalked) {
  add("secret/libx.so", kElf);
  Walk walk(tree_);
  Scope scope;
  scope.environments.push_back(*python::read_venv(walk, Path("/v")));
  scope.exclude = {"secret"};
  const Inventory inventory = collect(walk, std::move(scope));
  EXPECT_EQ(inventory.find_object(kSite + "secret/libx.so"), nullptr);
}

TEST_F(InventoryCollect, SpecialFilesAndLoopsAreIgnored) {
  tree_.add_special(kSite + "x/fifo.so", tree::Kind::Fifo);
  tree_.add_special(kSite + "x/device.so", tree::Kind::CharDevice);
  tree_.add_link(kSite + "x/loop.so", "loop.so").add_link(kSite + "x/up", "..");
  tree_.add_link(kSite + "x/dir.so", "/usr");
  add("x/a\nb\xff.so", kElf);
  const Inventory inventory = collect_venv();
  EXPECT_EQ(inventory.find_object(kSite + "x/fifo.so"), nullptr);
  EXPECT_EQ(inventory.find_object(kSite + "x/loop.so"), nullptr);
  EXPECT_EQ(inventory.find_object(kSite + "x/dir.so"), nullptr);
  EXPECT_NE(inventory.find_object(kSite + "x/a\nb\xff.so"), nullptr);
}

TEST_F(InventoryCollect, ManyIncidentsAreCounted) {
  for (int i = 0; i < 1200; ++i) {
    tree_.add_directory(kSite + "d" + std::to_string(i)).deny(kSite + "d" + std::to_string(i));
  }
  const Inventory inventory = collect_venv();
  ASSERT_EQ(inventory.incidents.size(), 1001U);
  EXPECT_EQ(inventory.incidents.back().message, "200 further incidents are not listed");
}

TEST_F(InventoryCollect, LibrariesAreFoundBySonameAtLast) {
  tree_.add_file(kSite + "x/libother.so", loadable::testing::simple_library("libreal.so.3"));
  Walk walk(tree_);
  const Inventory inventory = collect_venv();
  EXPECT_THAT(find_by_soname(inventory, walk, "libreal.so.3"),
              ElementsAre(kSite + "x/libother.so"));
  EXPECT_THAT(find_by_soname(inventory, walk, "libnone.so"), IsEmpty());
}

}  // namespace
}  // namespace loadable::inventory
