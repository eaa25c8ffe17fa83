// SPDX-License-Identifier: Apache-2.0
#include "python/environment.h"

#include <gtest/gtest.h>

#include "tree/memory_tree.h"

namespace loadable::python {
namespace {

using tree::MemoryTree;
using tree::Path;
using tree::Walk;

constexpr std::string_view kElf =
    "\x7f"
    "ELF rest";

/// Debian 12: merged /usr, python3 -> python3.11, dist-packages.
void add_debian(MemoryTree* tree) {
  tree->add_link("/bin", "usr/bin").add_link("/lib", "usr/lib");
  tree->add_file("/usr/bin/python3.11", kElf, 0755).add_link("/usr/bin/python3", "python3.11");
  tree->add_file("/usr/lib/python3.11/os.py", "").add_directory("/usr/lib/python3.11/lib-dynload");
  tree->add_directory("/usr/lib/python3/dist-packages");
  tree->add_directory("/usr/local/lib/python3.11/dist-packages");
}

void add_venv(MemoryTree* tree, const std::string& cfg) {
  tree->add_file("/v/pyvenv.cfg", cfg).add_link("/v/bin/python", "/usr/bin/python3");
  tree->add_link("/v/bin/python3", "python").add_directory("/v/lib/python3.11/site-packages");
  tree->add_link("/v/lib64", "lib");
}

TEST(PythonEnvironment, AVenvLeadsToItsBaseInterpreter) {
  MemoryTree tree;
  add_debian(&tree);
  add_venv(&tree, "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n");
  Walk walk(tree);
  const auto environment = read_venv(walk, Path("/v"));
  ASSERT_TRUE(environment);
  EXPECT_EQ(environment->kind, EnvironmentKind::Venv);
  EXPECT_EQ(environment->executable, "/v/bin/python");
  EXPECT_EQ(environment->program, "/usr/bin/python3.11");
  EXPECT_EQ(environment->version, "3.11.2");
  EXPECT_EQ(environment->directory_name(), "python3.11");
  EXPECT_EQ(environment->base_prefix, "/usr");
  EXPECT_EQ(environment->lib_dynload, "/usr/lib/python3.11/lib-dynload");
  EXPECT_EQ(environment->site_directories,
            std::vector<std::string>{"/v/lib/python3.11/site-packages"});
  EXPECT_TRUE(environment->problems.empty());
}

TEST(PythonEnvironment, LibrariesOfPyPyAreSaidNotToBeExamined) {
  MemoryTree tree;
  tree.add_file("/v/pyvenv.cfg",
                "home = /opt/pypy/bin\nimplementation = PyPy\nversion = 3.10.14\n");
  tree.add_directory("/v/lib/pypy3.10/site-packages");
  Walk walk(tree);
  const auto environment = read_venv(walk, Path("/v"));
  ASSERT_TRUE(environment);
  ASSERT_EQ(environment->unread.size(), 1U);
  EXPECT_EQ(environment->unread.front().path, "/v/lib/pypy3.10");
}

TEST(PythonEnvironment, SystemSitePackagesComeLast) {
  MemoryTree tree;
  add_debian(&tree);
  add_venv(&tree, "home = /usr/bin\ninclude-system-site-packages = true\nversion = 3.11.2\n");
  Walk walk(tree);
  EXPECT_EQ(read_venv(walk, Path("/v"))->site_directories,
            (std::vector<std::string>{"/v/lib/python3.11/site-packages",
                                      "/usr/local/lib/python3.11/dist-packages",
                                      "/usr/lib/python3/dist-packages"}));
}

TEST(PythonEnvironment, PurelibAndPlatlibMayBeTwoDirectories) {
  MemoryTree tree;
  tree.add_file("/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  tree.add_file("/usr/bin/python3.11", kElf, 0755).add_link("/v/bin/python", "/usr/bin/python3.11");
  tree.add_directory("/v/lib/python3.11/site-packages");
  tree.add_directory("/v/lib64/python3.11/site-packages");
  tree.add_file("/usr/lib64/python3.11/os.py", "");
  tree.add_directory("/usr/lib64/python3.11/lib-dynload");
  Walk walk(tree);
  const auto environment = read_venv(walk, Path("/v"));
  EXPECT_EQ(environment->site_directories,
            (std::vector<std::string>{"/v/lib/python3.11/site-packages",
                                      "/v/lib64/python3.11/site-packages"}));
  EXPECT_EQ(environment->lib_dynload, "/usr/lib64/python3.11/lib-dynload");
}

TEST(PythonEnvironment, PthFilesAddDirectoriesOnce) {
  MemoryTree tree;
  add_debian(&tree);
  add_venv(&tree, "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n");
  tree.add_file("/v/lib/python3.11/site-packages/e.pth", "/src\n/none\n/src\n.\n");
  tree.add_file("/src/more.pth", "/too-deep\n").add_directory("/too-deep");
  Walk walk(tree);
  EXPECT_EQ(read_venv(walk, Path("/v"))->site_directories,
            (std::vector<std::string>{"/v/lib/python3.11/site-packages", "/src"}));
}

TEST(PythonEnvironment, WithoutAVersionTheDirectoriesTell) {
  MemoryTree tree;
  add_debian(&tree);
  add_venv(&tree, "home = /usr/bin\n");
  Walk walk(tree);
  const auto environment = read_venv(walk, Path("/v"));
  EXPECT_EQ(environment->version, "3.11");
  EXPECT_EQ(environment->minor, 11);
}

TEST(PythonEnvironment, ABrokenLinkIsAProblemAndHomeServes) {
  MemoryTree tree;
  add_debian(&tree);
  add_venv(&tree, "home = /usr/bin\nversion = 3.11.2\n");
  tree.add_link("/v/bin/python", "/gone/python3");
  Walk walk(tree);
  const auto environment = read_venv(walk, Path("/v"));
  ASSERT_TRUE(environment);
  EXPECT_EQ(environment->program, "/usr/bin/python3.11");
  ASSERT_FALSE(environment->problems.empty());
  EXPECT_EQ(environment->problems[0],
            "`/v/bin/python`, a link to `/gone/python3`, is no file inside this root");
}

TEST(PythonEnvironment, AVenvWithoutItsBaseStillHasItsSiteDirectory) {
  MemoryTree tree;
  add_venv(&tree, "home = /usr/bin\nversion = 3.11.2\n");
  Walk walk(tree);
  const auto environment = read_venv(walk, Path("/v"));
  ASSERT_TRUE(environment);
  EXPECT_EQ(environment->program, "");
  EXPECT_EQ(environment->base_prefix, "");
  EXPECT_EQ(environment->site_directories.size(), 1U);
  EXPECT_EQ(environment->problems.size(), 2U);
}

TEST(PythonEnvironment, AnInterpreterOfTheSystemHasItsPrefix) {
  MemoryTree tree;
  add_debian(&tree);
  Walk walk(tree);
  const auto environment = read_interpreter(walk, Path("/bin/python3"));
  ASSERT_TRUE(environment);
  EXPECT_EQ(environment->kind, EnvironmentKind::System);
  EXPECT_EQ(environment->prefix, "/usr");
  EXPECT_EQ(environment->program, "/usr/bin/python3.11");
  EXPECT_EQ(environment->version, "3.11");
  EXPECT_EQ(environment->site_directories,
            (std::vector<std::string>{"/usr/local/lib/python3.11/dist-packages",
                                      "/usr/lib/python3/dist-packages"}));
}

TEST(PythonEnvironment, AnInterpreterBelowUsrLocalHasSitePackages) {
  MemoryTree tree;
  tree.add_file("/usr/local/bin/python3.12", kElf, 0755);
  tree.add_file("/usr/local/lib/python3.12/os.py", "");
  tree.add_directory("/usr/local/lib/python3.12/site-packages");
  tree.add_directory("/usr/local/lib/python3.12/lib-dynload");
  Walk walk(tree);
  const auto environment = read_interpreter(walk, Path("/usr/local/bin/python3.12"));
  ASSERT_TRUE(environment);
  EXPECT_EQ(environment->prefix, "/usr/local");
  EXPECT_EQ(environment->site_directories,
            std::vector<std::string>{"/usr/local/lib/python3.12/site-packages"});
}

TEST(PythonEnvironment, TheInterpreterOfAVenvIsTheVenv) {
  MemoryTree tree;
  add_debian(&tree);
  add_venv(&tree, "home = /usr/bin\nversion = 3.11.2\n");
  Walk walk(tree);
  const auto environment = read_interpreter(walk, Path("/v/bin/python3"));
  ASSERT_TRUE(environment);
  EXPECT_EQ(environment->kind, EnvironmentKind::Venv);
  EXPECT_EQ(environment->executable, "/v/bin/python3");
  EXPECT_EQ(environment->prefix, "/v");
}

TEST(PythonEnvironment, ACondaPrefixTellsItsPythonByItsPackages) {
  MemoryTree tree;
  tree.add_file("/c/conda-meta/python-3.11.7-h955ad1f_0.json", "{}");
  tree.add_file("/c/conda-meta/python-dateutil-2.9.0-py311_0.json", "{}");
  tree.add_file("/c/bin/python3.11", kElf, 0755).add_link("/c/bin/python", "python3.11");
  tree.add_file("/c/lib/python3.11/os.py", "");
  tree.add_directory("/c/lib/python3.11/site-packages");
  Walk walk(tree);
  const auto environment = read_conda_prefix(walk, Path("/c"));
  ASSERT_TRUE(environment);
  EXPECT_EQ(environment->kind, EnvironmentKind::Conda);
  EXPECT_EQ(environment->version, "3.11.7");
  EXPECT_EQ(environment->executable, "/c/bin/python");
  EXPECT_EQ(environment->program, "/c/bin/python3.11");
  EXPECT_EQ(environment->base_prefix, "/c");
  EXPECT_EQ(read_interpreter(walk, Path("/c/bin/python"))->kind, EnvironmentKind::Conda);
}

TEST(PythonEnvironment, ACondaPrefixWithoutPythonIsBare) {
  MemoryTree tree;
  tree.add_file("/c/conda-meta/libcublas-12.json", "{}");
  Walk walk(tree);
  const auto environment = read_conda_prefix(walk, Path("/c"));
  ASSERT_TRUE(environment);
  EXPECT_EQ(environment->kind, EnvironmentKind::Bare);
  EXPECT_TRUE(environment->executable.empty());
  EXPECT_TRUE(environment->problems.empty());
}

TEST(PythonEnvironment, WhatIsNoInterpreterIsAnError) {
  MemoryTree tree;
  tree.add_file("/shims/python3", "#!/bin/sh\n", 0755).add_directory("/d").add_file("/e", "");
  tree.add_special("/fifo", tree::Kind::Fifo).add_link("/loop", "loop");
  Walk walk(tree);
  EXPECT_EQ(read_interpreter(walk, Path("/shims/python3")).error().code,
            ErrorCode::InvalidArgument);
  EXPECT_EQ(read_interpreter(walk, Path("/shims/python3")).error().message,
            "is a script that starts an interpreter (as pyenv's are): give what "
            "`/shims/python3 -c 'import sys; print(sys.executable)'` prints");
  EXPECT_EQ(read_interpreter(walk, Path("/d")).error().code, ErrorCode::IsADirectory);
  EXPECT_EQ(read_interpreter(walk, Path("/e")).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(read_interpreter(walk, Path("/fifo")).error().code, ErrorCode::Unsupported);
  EXPECT_EQ(read_interpreter(walk, Path("/loop")).error().code, ErrorCode::TooManyLinks);
  EXPECT_EQ(read_interpreter(walk, Path("/none")).error().code, ErrorCode::NotFound);
  EXPECT_EQ(read_venv(walk, Path("/d")).error().code, ErrorCode::NotFound);
  EXPECT_EQ(read_conda_prefix(walk, Path("/d")).error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace loadable::python
