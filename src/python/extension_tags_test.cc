// SPDX-License-Identifier: Apache-2.0
#include "python/extension_tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tree/memory_tree.h"

namespace loadable::python {
namespace {

using ::testing::ElementsAre;
using tree::MemoryTree;
using tree::Path;
using tree::Walk;

const std::string kLibrary = "/usr/lib/python3.13";

Environment interpreter(const std::string& soabi) {
  Environment environment;
  environment.version = "3.13.0";
  environment.major = 3;
  environment.minor = 13;
  environment.standard_library = kLibrary;
  environment.lib_dynload = kLibrary + "/lib-dynload";
  environment.soabi = soabi;
  return environment;
}

std::string found_in(const MemoryTree& tree) {
  Walk walk(tree);
  return find_soabi(walk, interpreter(""));
}

TEST(ExtensionTag, StandsBetweenTheNameAndSo) {
  EXPECT_EQ(extension_tag("x.cpython-311-x86_64-linux-gnu.so"), "cpython-311-x86_64-linux-gnu");
  EXPECT_EQ(extension_tag("x.abi3.so"), "abi3");
  EXPECT_EQ(extension_tag("x.so"), "");
  EXPECT_EQ(extension_tag("/a.b/x.abi3.so"), "abi3");
  EXPECT_EQ(extension_tag("/a.b/x.so"), "");
  EXPECT_EQ(extension_tag("libx.so.1"), "");
}

TEST(Soabi, IsReadFromTheNamesOfTheStandardLibrary) {
  MemoryTree tree;
  tree.add_file(kLibrary + "/lib-dynload/_json.cpython-313t-x86_64-linux-musl.so", "");
  tree.add_file(kLibrary + "/lib-dynload/_old.cpython-312-x86_64-linux-gnu.so", "");
  tree.add_file(kLibrary + "/_sysconfigdata__linux_x86_64-linux-gnu.py", "");
  EXPECT_EQ(found_in(tree), "cpython-313t-x86_64-linux-musl");
}

TEST(Soabi, IsReadFromTheNameOfTheConfigurationWhereModulesAreBuiltIn) {
  MemoryTree tree;
  tree.add_file(kLibrary + "/_sysconfigdata_x86_64_conda_cos6_linux_gnu.py", "");
  tree.add_file(kLibrary + "/_sysconfigdata__x86_64-linux-gnu.py", "");
  EXPECT_EQ(found_in(tree), "");
  tree.add_file(kLibrary + "/_sysconfigdata_t_linux_aarch64-linux-gnu.py", "");
  EXPECT_EQ(found_in(tree), "cpython-313t-aarch64-linux-gnu");
}

TEST(Soabi, IsNotKnownWhereModulesOfTwoBuildsLie) {
  MemoryTree tree;
  tree.add_file(kLibrary + "/lib-dynload/_a.cpython-313t-x86_64-linux-gnu.so", "");
  tree.add_file(kLibrary + "/lib-dynload/_b.cpython-313-x86_64-linux-gnu.so", "");
  EXPECT_EQ(found_in(tree), "");
}

TEST(ImportsTag, OfItsOwnBuildAbi3AndNone) {
  const Environment plain = interpreter("cpython-313-x86_64-linux-gnu");
  for (const char* tag : {"", "abi3", "cpython-313-x86_64-linux-gnu", "cpython-313"}) {
    EXPECT_TRUE(imports_tag(plain, tag)) << tag;
  }
  for (const char* tag : {"cpython-312-x86_64-linux-gnu", "cpython-313t-x86_64-linux-gnu",
                          "cpython-313-x86_64-linux-musl", "cpython-313-aarch64-linux-gnu",
                          "cpython-3-x86_64", "pypy310-pp73-x86_64-linux-gnu"}) {
    EXPECT_FALSE(imports_tag(plain, tag)) << tag;
  }
}

TEST(ImportsTag, OfAFreeThreadedBuildWithoutAbi3) {
  const Environment free = interpreter("cpython-313t-x86_64-linux-gnu");
  EXPECT_TRUE(imports_tag(free, "cpython-313t-x86_64-linux-gnu"));
  EXPECT_FALSE(imports_tag(free, "cpython-313-x86_64-linux-gnu"));
  EXPECT_FALSE(imports_tag(free, "abi3"));
  EXPECT_THAT(extension_suffixes(free), ElementsAre(".cpython-313t-x86_64-linux-gnu.so", ".so"));
}

TEST(ImportsTag, OfADebugBuildTakesReleaseBuildsToo) {
  const Environment debug = interpreter("cpython-313d-x86_64-linux-gnu");
  EXPECT_TRUE(imports_tag(debug, "cpython-313-x86_64-linux-gnu"));
  EXPECT_FALSE(imports_tag(debug, "cpython-313t-x86_64-linux-gnu"));
}

TEST(ImportsTag, OfAnInterpreterThatIsNotKnownIsDecidedByTheRelease) {
  EXPECT_TRUE(imports_tag(interpreter(""), "cpython-313t-aarch64-linux-gnu"));
  EXPECT_FALSE(imports_tag(interpreter(""), "cpython-312-x86_64-linux-gnu"));
  EXPECT_TRUE(imports_tag(Environment{}, "cpython-312-x86_64-linux-gnu"));
}

TEST(UnsearchedSite, IsThatOfAVenvWhoseInterpreterIsOfAnotherRelease) {
  MemoryTree tree;
  tree.add_file("/usr/bin/python3.13",
                "\x7f"
                "ELF",
                0755);
  tree.add_file(kLibrary + "/os.py", "");
  tree.add_file("/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  tree.add_link("/v/bin/python", "/usr/bin/python3.13");
  tree.add_directory("/v/lib/python3.11/site-packages");
  Walk walk(tree);
  const auto upgraded = read_venv(walk, Path("/v"));
  ASSERT_TRUE(upgraded);
  EXPECT_EQ(upgraded->directory_name(), "python3.13");
  EXPECT_EQ(upgraded->unsearched_site, "/v/lib/python3.11/site-packages");
  EXPECT_EQ(upgraded->site_directories, std::vector<std::string>{upgraded->unsearched_site});
  tree.add_directory("/v/lib/python3.13/site-packages");  // filled again since
  Walk again(tree);
  const auto filled = read_venv(again, Path("/v"));
  EXPECT_EQ(filled->unsearched_site, "");
  EXPECT_EQ(filled->site_directories, std::vector<std::string>{"/v/lib/python3.13/site-packages"});
}

}  // namespace
}  // namespace loadable::python
