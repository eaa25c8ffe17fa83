// SPDX-License-Identifier: Apache-2.0
// pyvenv.cfg, .pth, conda-meta, dpkg.
#include <gtest/gtest.h>

#include "python/conda_meta.h"
#include "python/dpkg.h"
#include "python/pth.h"
#include "python/pyvenv_cfg.h"
#include "tree/memory_tree.h"

namespace loadable::python {
namespace {

TEST(PythonPyvenvCfg, VenvVirtualenvAndUvAreRead) {
  const auto venv = parse_pyvenv_cfg(
      "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n"
      "executable = /usr/bin/python3.11\ncommand = /usr/bin/python3 -m venv /x = y\n");
  EXPECT_EQ(venv.home, "/usr/bin");
  EXPECT_EQ(venv.version, "3.11.2");
  EXPECT_EQ(venv.executable, "/usr/bin/python3.11");
  EXPECT_FALSE(venv.includes_system_site_packages);
  const auto virtualenv = parse_pyvenv_cfg(
      "home = /opt/bin\nimplementation = CPython\nversion_info = 3.11.7.final.0\n"
      "include-system-site-packages = TRUE\nbase-prefix = /opt\nbase-executable = "
      "/opt/bin/python\n");
  EXPECT_EQ(virtualenv.version, "3.11.7");
  EXPECT_EQ(virtualenv.base_prefix, "/opt");
  EXPECT_EQ(virtualenv.base_executable, "/opt/bin/python");
  EXPECT_TRUE(virtualenv.includes_system_site_packages);
  const auto uv = parse_pyvenv_cfg(
      "home = /u/bin\r\nimplementation = CPython\r\nuv = 0.13.9\r\nversion_info = 3.12.1\r\n");
  EXPECT_EQ(uv.home, "/u/bin");
  EXPECT_EQ(uv.version, "3.12.1");
}

TEST(PythonPyvenvCfg, KeysAreReadInAnyCaseAndBlanksDoNotCount) {
  const auto cfg = parse_pyvenv_cfg("  HOME=/a b/bin  \nInclude-System-Site-Packages=True");
  EXPECT_EQ(cfg.home, "/a b/bin");
  EXPECT_TRUE(cfg.includes_system_site_packages);
}

TEST(PythonPyvenvCfg, TheFirstHomeCounts) {
  EXPECT_EQ(parse_pyvenv_cfg("home = /a\nhome = /b\n").home, "/a");
}

TEST(PythonPyvenvCfg, OddFilesSayNothing) {
  for (const char* text : {"", "=", "home", "home =", " = x\n\n", "\xff\xfe=\n"}) {
    EXPECT_EQ(parse_pyvenv_cfg(text).home, "") << text;
  }
  EXPECT_EQ(parse_pyvenv_cfg("version = x\n").version, "");
  EXPECT_EQ(parse_pyvenv_cfg("version = 3.13.0rc1\n").version, "3.13.0");
  EXPECT_TRUE(parse_pyvenv_cfg("").includes_system_site_packages);
}

TEST(PythonPth, DirectoriesAreJoinedAndCodeIsNotRun) {
  const tree::Path site("/v/site-packages");
  EXPECT_EQ(
      parse_pth("# comment\nimport os; os.system('x')\nimport\tx\n\n../src \r\n/abs\nrel", site),
      (std::vector<std::string>{"/v/site-packages/../src", "/abs", "/v/site-packages/rel"}));
}

TEST(PythonPth, FilesAreReadInTheOrderOfTheirNames) {
  tree::MemoryTree tree;
  tree.add_file("/s/b.pth", "/b\n").add_file("/s/a.pth", "/a\n").add_file("/s/.c.pth", "/c\n");
  tree.add_special("/s/d.pth", tree::Kind::Fifo);
  tree::Walk walk(tree);
  std::vector<Unread> unread;
  EXPECT_EQ(pth_directories(walk, tree::Path("/s"), &unread),
            (std::vector<std::string>{"/a", "/b"}));
  EXPECT_TRUE(unread.empty());
}

TEST(PythonCondaMeta, TheHashOfTheInstalledFileCounts) {
  const auto package = parse_conda_meta(R"({"name": "libcublas", "version": "12.9", "build": "h1",
      "channel": "conda-forge", "depends": ["python >=3.11"], "files": ["x"],
      "paths_data": {"paths": [
        {"_path": "lib/a.so", "path_type": "hardlink", "sha256": "aa", "sha256_in_prefix": "aa",
         "size_in_bytes": 5},
        {"_path": "bin/r", "path_type": "hardlink", "sha256": "aa", "sha256_in_prefix": "bb",
         "prefix_placeholder": "/p", "size_in_bytes": 5},
        {"_path": "lib/l.so", "path_type": "softlink"}, 7, {"no": "path"}]}})");
  ASSERT_TRUE(package);
  EXPECT_EQ(package->name, "libcublas");
  EXPECT_EQ(package->depends, std::vector<std::string>{"python >=3.11"});
  ASSERT_EQ(package->files.size(), 3U);
  EXPECT_EQ(package->files[0].sha256, "aa");
  EXPECT_EQ(package->files[0].size, 5U);
  EXPECT_EQ(package->files[1].sha256, "bb");
  EXPECT_FALSE(package->files[1].size);
  EXPECT_TRUE(package->files[2].is_link);
}

TEST(PythonCondaMeta, OlderFilesListPathsAlone) {
  const auto package = parse_conda_meta(R"({"name": "x", "files": ["lib/a.so", 1]})");
  ASSERT_TRUE(package);
  ASSERT_EQ(package->files.size(), 1U);
  EXPECT_EQ(package->files[0].path, "lib/a.so");
}

TEST(PythonCondaMeta, WhatIsNoPackageIsAnError) {
  for (const char* text : {"", "[]", "{}", "{\"name\": 1}", "{\"name\": \"x\"", "null"}) {
    EXPECT_FALSE(parse_conda_meta(text)) << text;
  }
  EXPECT_TRUE(parse_conda_meta(R"({"name": "x", "paths_data": 3, "files": {}, "depends": 1})"));
  EXPECT_EQ(parse_conda_meta(std::string(1000, '[')).error().code, ErrorCode::LimitReached);
}

TEST(PythonDpkg, OnlyInstalledPackagesCount) {
  const auto packages = parse_dpkg_status(
      "Package: a\nStatus: install ok installed\nVersion: 1-2\nArchitecture: amd64\n"
      "Description: x\n Package: not this\n\n\nPackage: b\nStatus: deinstall ok config-files\n"
      "Version: 2\n\nPackage: c\nVersion: 3\n");
  ASSERT_EQ(packages.size(), 2U);
  EXPECT_EQ(packages[0].name, "a");
  EXPECT_EQ(packages[0].version, "1-2");
  EXPECT_EQ(packages[0].architecture, "amd64");
  EXPECT_EQ(packages[1].name, "c");
}

TEST(PythonDpkg, ListsArePathsWithoutTheRoot) {
  std::vector<std::string> paths;
  for_each_dpkg_path("/.\n/usr\n/usr/lib/x.so\njunk\n",
                     [&](std::string_view path) { paths.emplace_back(path); });
  EXPECT_EQ(paths, (std::vector<std::string>{"/usr", "/usr/lib/x.so"}));
}

}  // namespace
}  // namespace loadable::python
