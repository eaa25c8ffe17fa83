// SPDX-License-Identifier: Apache-2.0
#include "target/target_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tree/memory_tree.h"

namespace loadable::target {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tree::MemoryTree;

constexpr std::string_view kElf =
    "\x7f"
    "ELF rest";

/// A host with two interpreters and a folder that `pip install --target` filled.
class TargetFolder : public ::testing::Test {
 protected:
  TargetFolder() {
    spec_.cwd = "/app";
    spec_.path = "deps";
  }

  void fill(MemoryTree& tree) const {
    tree.add_file("/app/deps/x-1.dist-info/METADATA", "Name: x\n").add_file("/app/deps/x.py", "");
    if (has_pythons_) {
      tree.add_file("/usr/bin/python3", kElf, 0755).add_file("/usr/lib/python3.11/os.py", "");
      tree.add_file("/opt/py/bin/python3", kElf, 0755);
      tree.add_file("/opt/py/lib/python3.12/os.py", "");
      tree.add_directory("/usr/lib/python3/dist-packages/apt-1.dist-info");
    }
    if (more_) more_(tree);
  }
  Result<Target> resolve() {
    return resolve_target(spec_, [&](const std::string&) {
      auto tree = std::make_unique<MemoryTree>();
      fill(*tree);
      return Result<std::unique_ptr<tree::Tree>>(std::move(tree));
    });
  }
  std::string interpreter() {
    const auto target = resolve();
    return target ? target->environments.at(0).executable : target.error().to_string();
  }

  bool has_pythons_ = true;
  std::function<void(MemoryTree&)> more_;
  Spec spec_;
};

TEST_F(TargetFolder, IsTheOnlySiteDirectoryOfAnInterpreter) {
  const auto target = resolve();
  ASSERT_TRUE(target) << target.error().to_string();
  EXPECT_EQ(target->kind, Kind::Interpreter);
  EXPECT_EQ(target->path, "/app/deps");
  ASSERT_EQ(target->environments.size(), 1U);
  const python::Environment& environment = target->environments.front();
  EXPECT_EQ(environment.kind, python::EnvironmentKind::Folder);
  EXPECT_EQ(environment.program, "/usr/bin/python3");
  EXPECT_EQ(environment.version, "3.11");
  EXPECT_EQ(environment.prefix, "/app/deps");
  EXPECT_THAT(environment.site_directories, ElementsAre("/app/deps"));
  EXPECT_THAT(environment.python_path, ElementsAre("/app/deps"));
}

TEST_F(TargetFolder, TakesThePythonThatTheCallersPathLeadsTo) {
  spec_.search_path = "/none:/opt/py/bin:/usr/bin";
  EXPECT_EQ(interpreter(), "/opt/py/bin/python3");
  spec_.search_path = "../opt/py/bin";
  EXPECT_EQ(interpreter(), "/opt/py/bin/python3") << "counts from the working directory";
  spec_.search_path = "/none";
  EXPECT_THAT(interpreter(), HasSubstr("`PATH` leads to no `python3`"));
  EXPECT_THAT(interpreter(), HasSubstr("name the interpreter with --python"));
  EXPECT_EQ(resolve().error().code, ErrorCode::NotFound);
}

TEST_F(TargetFolder, TakesThePythonThatIsNamed) {
  for (const char* text :
       {"/opt/py/bin/python3", "../opt/py/bin/python3", "/opt/py", "../opt/py/"}) {
    spec_.python = text;
    EXPECT_EQ(interpreter(), "/opt/py/bin/python3") << text;
  }
  spec_.python = "python3";
  EXPECT_EQ(interpreter(), "/usr/bin/python3") << "a name is looked for as a shell does";
  spec_.python = "/app/deps/x.py";
  EXPECT_THAT(interpreter(), HasSubstr("cannot be read as the interpreter"));
  spec_.python = "/nowhere";
  EXPECT_THAT(interpreter(), HasSubstr("no such file"));
}

TEST_F(TargetFolder, TakesThePythonThatItsModulesAreBuiltFor) {
  const auto built_for = [this](const std::string& tags) {
    more_ = [tags](MemoryTree& tree) {
      tree.add_file("/usr/bin/python3.12", kElf, 0755).add_file("/usr/lib/python3.12/os.py", "");
      tree.add_file("/usr/bin/python3", kElf, 0755).add_file("/usr/bin/python3.11", kElf, 0755);
      tree.remove("/usr/bin/python3").add_link("/usr/bin/python3", "python3.11");
      tree.add_file("/app/deps/x-1.dist-info/WHEEL", "Wheel-Version: 1.0\n" + tags);
    };
  };
  built_for("Tag: cp312-cp312-linux_x86_64\n");
  EXPECT_EQ(interpreter(), "/usr/bin/python3.12");
  built_for("Tag: cp310-cp310-linux_x86_64\nTag: cp311-cp311-linux_x86_64\n");
  EXPECT_EQ(interpreter(), "/usr/bin/python3") << "this one is 3.11";
  for (const char* tags :
       {"Tag: cp39-abi3-any\n", "Tag: py3-none-any\n", "Tag: foo\n", "Tag: cp-cp\n",
        "Tag: cp312-cp312-any\nTag: py3-none-any\n", "Tag: \n", ""}) {
    built_for(tags);
    EXPECT_EQ(interpreter(), "/usr/bin/python3") << tags;
  }
  built_for("Tag: cp39-cp39-linux_x86_64\n");
  EXPECT_THAT(interpreter(),
              HasSubstr("built for CPython 3.9, and `/usr/bin/python3` is Python 3.11"));
  EXPECT_THAT(interpreter(), HasSubstr("--python"));
  spec_.python = "/usr/bin/python3";
  EXPECT_THAT(resolve()->environments.front().problems,
              Contains(HasSubstr("built for CPython 3.9")))
      << "as stated, and never called fine";
}

TEST_F(TargetFolder, OfAVirtualEnvironmentIsJudgedWithItsOwnPython) {
  more_ = [](MemoryTree& tree) {
    tree.add_file("/venv/pyvenv.cfg", "home = /opt/py/bin\nversion = 3.12.1\n");
    tree.add_link("/venv/bin/python", "/opt/py/bin/python3");
    tree.add_directory("/venv/lib/python3.12/site-packages/x-1.dist-info");
  };
  spec_.path = "/venv/lib/python3.12/site-packages";
  const auto target = resolve();
  ASSERT_TRUE(target);
  EXPECT_EQ(target->environments.front().program, "/opt/py/bin/python3");
  EXPECT_THAT(target->environments.front().site_directories, ElementsAre(spec_.path));
}

TEST_F(TargetFolder, OfAnotherRootIsJudgedWithThePythonOfThatRoot) {
  spec_.root = "/";
  spec_.path = "/app/deps";
  spec_.search_path = "/opt/py/bin";
  EXPECT_EQ(interpreter(), "/usr/bin/python3") << "the caller's PATH is not that root's";
  spec_.python = "/opt/py/bin/python3";
  EXPECT_EQ(interpreter(), "/opt/py/bin/python3");
}

TEST_F(TargetFolder, OfARootWithoutPythonIsAPartOfIt) {
  has_pythons_ = false;
  spec_.root = "/";
  spec_.path = "/app/deps";
  const auto target = resolve();
  ASSERT_TRUE(target) << target.error().to_string();
  EXPECT_EQ(target->kind, Kind::Rootfs);
  EXPECT_EQ(target->path, "/app/deps");
}

TEST_F(TargetFolder, IsToldByADirectoryOfMetadataAlone) {
  more_ = [](MemoryTree& tree) {
    tree.add_file("/f/x-1.dist-info", "a file").add_file("/g/.dist-info/METADATA", "");
    tree.add_link("/h/x-1.dist-info", "x-1.dist-info").add_link("/i/x-1.dist-info", "/app/deps");
    tree.add_directory("/j/sub/x-1.dist-info");
  };
  MemoryTree tree;
  fill(tree);
  tree::Walk walk(tree);
  for (const char* path : {"/f", "/g", "/h", "/j"}) {
    EXPECT_FALSE(is_target_folder(walk, tree::Path(path))) << path;
    spec_.path = path;
    EXPECT_EQ(resolve().error().code, ErrorCode::InvalidArgument) << path;
  }
  EXPECT_TRUE(is_target_folder(walk, tree::Path("/i"))) << "a link that leads to a directory";
}

TEST_F(TargetFolder, OneLevelDeeperIsPointedTo) {
  more_ = [](MemoryTree& tree) {
    tree.add_directory("/layer/empty").add_directory("/layer/python/x-1.dist-info");
    tree.add_directory("/install/lib/python3.11/site-packages/x-1.dist-info");
  };
  spec_.path = "/layer";
  EXPECT_THAT(resolve().error().message, HasSubstr("distributions lie in `/layer/python`"));
  spec_.path = "/install";
  EXPECT_THAT(resolve().error().message,
              HasSubstr("distributions lie in `/install/lib/python3.11/site-packages`"));
  spec_.path = "/layer/empty";
  EXPECT_THAT(resolve().error().message, ::testing::Not(HasSubstr("distributions lie in")));
}

TEST_F(TargetFolder, ComesBeforeWhatWheelsAndProjectsBring) {
  more_ = [](MemoryTree& tree) {
    tree.add_directory("/app/deps/etc/jupyter").add_file("/app/deps/requirements.txt", "x\n");
  };
  EXPECT_EQ(resolve()->path, "/app/deps");
  more_ = [](MemoryTree& tree) { tree.add_directory("/app/deps/usr/bin"); };
  EXPECT_EQ(resolve()->kind, Kind::Rootfs) << "a whole root, with something of pip's at its top";
}

}  // namespace
}  // namespace loadable::target
