// SPDX-License-Identifier: Apache-2.0
#include "python/site_directories.h"

#include <gtest/gtest.h>

#include "python/pth.h"
#include "tree/memory_tree.h"

namespace loadable::python {
namespace {

using tree::MemoryTree;
using tree::Path;
using tree::Walk;

constexpr std::string_view kElf =
    "\x7f"
    "ELF rest";
constexpr const char* kUserSite = "/home/u/.local/lib/python3.11/site-packages";
constexpr const char* kVenvSite = "/v/lib/python3.11/site-packages";
constexpr const char* kSystemSite = "/usr/local/lib/python3.11/dist-packages";

/// Debian 12 with a virtual environment at /v and a user with a site of their own.
class SiteDirectories : public ::testing::Test {
 protected:
  SiteDirectories() {
    tree_.add_file("/usr/bin/python3.11", kElf, 0755);
    tree_.add_file("/usr/lib/python3.11/os.py", "");
    tree_.add_directory(kSystemSite);
    tree_.add_link("/v/bin/python", "/usr/bin/python3.11");
    tree_.add_directory(kVenvSite);
    tree_.add_directory(kUserSite);
    tree_.add_directory("/app/lib").add_directory("/more");
    variables_.home = "/home/u";
  }

  using List = std::vector<std::string>;

  Environment venv(bool includes_system) {
    tree_.add_file("/v/pyvenv.cfg", std::string("home = /usr/bin\nversion = 3.11.2\n") +
                                        "include-system-site-packages = " +
                                        (includes_system ? "true\n" : "false\n"));
    Walk walk(tree_);
    auto environment = read_venv(walk, Path("/v"));
    EXPECT_TRUE(environment);
    add_process_directories(walk, variables_, &*environment);
    return *environment;
  }

  Environment of_system() {
    Walk walk(tree_);
    auto environment = read_interpreter(walk, Path("/usr/bin/python3.11"));
    EXPECT_TRUE(environment);
    add_process_directories(walk, variables_, &*environment);
    return *environment;
  }

  MemoryTree tree_;
  ProcessVariables variables_;
};

TEST_F(SiteDirectories, PythonpathStandsBeforeAllOthers) {
  tree_.add_file("/app/lib/x.pth", "/more\n");  // not read there
  variables_.path = "/app/lib:/none:/app/lib";
  EXPECT_EQ(venv(false).site_directories, (List{"/app/lib", kVenvSite}));
  EXPECT_EQ(venv(false).python_path, List{"/app/lib"});
  EXPECT_EQ(of_system().site_directories, (List{"/app/lib", kUserSite, kSystemSite}));
}

TEST_F(SiteDirectories, ADirectoryThatPythonpathNamesTooIsMovedToItsPlace) {
  variables_.path = std::string("/more:") + kVenvSite;
  tree_.add_file(std::string(kVenvSite) + "/x.pth", "/app/lib\n");
  EXPECT_EQ(venv(false).site_directories, (List{"/more", kVenvSite, "/app/lib"}));
}

TEST_F(SiteDirectories, RelativeElementsCountFromAKnownWorkingDirectoryOnly) {
  variables_.path = "lib::/more";
  EXPECT_EQ(venv(false).site_directories, (List{"/more", kVenvSite}));
  variables_.cwd = "/app";
  EXPECT_EQ(venv(false).site_directories, (List{"/app/lib", "/app", "/more", kVenvSite}));
}

TEST_F(SiteDirectories, TheUsersSiteStandsBeforeTheSystems) {
  tree_.add_file(std::string(kUserSite) + "/x.pth", "/more\n");
  EXPECT_EQ(of_system().site_directories, (List{kUserSite, "/more", kSystemSite}));
  EXPECT_TRUE(of_system().has_user_site);
  EXPECT_EQ(venv(true).site_directories, (List{kVenvSite, kUserSite, "/more", kSystemSite}));
}

TEST_F(SiteDirectories, AVirtualEnvironmentHasNoUsersSite) {
  EXPECT_EQ(venv(false).site_directories, List{kVenvSite});
  EXPECT_FALSE(venv(false).has_user_site);
}

TEST_F(SiteDirectories, TheUsersSiteLiesBelowPythonuserbase) {
  variables_.user_base = "/base";
  tree_.add_directory("/base/lib/python3.11/site-packages");
  EXPECT_EQ(of_system().site_directories,
            (List{"/base/lib/python3.11/site-packages", kSystemSite}));
  variables_.has_no_user_site = true;
  EXPECT_EQ(of_system().site_directories, List{kSystemSite});
}

TEST_F(SiteDirectories, WithoutAHomeThereIsNoUsersSite) {
  variables_.home.clear();
  EXPECT_EQ(of_system().site_directories, List{kSystemSite});
}

TEST_F(SiteDirectories, WhatMayNotBeReadIsSaid) {
  const std::string site = kVenvSite;
  tree_.add_file(site + "/a.pth", "/secret/lib\n").add_directory("/secret/lib").deny("/secret");
  tree_.add_file(site + "/b.pth", "/more\n").deny(site + "/b.pth");
  tree_.add_link(site + "/c.pth", "gone");
  variables_.path = "/secret/lib2";
  const Environment environment = venv(false);
  EXPECT_EQ(environment.site_directories, List{site});
  ASSERT_EQ(environment.unread.size(), 3U);
  EXPECT_EQ(environment.unread[0].path, site + "/b.pth");
  EXPECT_EQ(environment.unread[1].path, "/secret/lib");
  EXPECT_EQ(environment.unread[2].path, "/secret/lib2");
}

TEST_F(SiteDirectories, APthFileWithoutEndIsSaid) {
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += "/none/" + std::to_string(i) + "\n";
  tree_.add_file(std::string(kVenvSite) + "/many.pth", text);
  tree_.add_file(std::string(kVenvSite) + "/large.pth", std::string((1U << 20U) + 1, '#'));
  const Environment environment = venv(false);
  ASSERT_EQ(environment.unread.size(), 2U);
  EXPECT_EQ(environment.unread[1].message, "1000 directories: what follows is not looked at");
}

}  // namespace
}  // namespace loadable::python
