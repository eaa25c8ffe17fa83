// SPDX-License-Identifier: Apache-2.0
#include "target/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tree/memory_tree.h"

namespace loadable::target {
namespace {

using ::testing::HasSubstr;
using tree::MemoryTree;

constexpr std::string_view kElf =
    "\x7f"
    "ELF rest";

/// A host of directories in memory, each of which can be opened as a root.
class TargetResolve : public ::testing::Test {
 protected:
  void SetUp() override {
    fill_ = [](MemoryTree* tree) {
      tree->add_file("/usr/bin/python3.11", kElf, 0755).add_file("/usr/lib/python3.11/os.py", "");
      tree->add_directory("/usr/lib/python3.11/lib-dynload").add_directory("/etc");
      for (const char* venv : {"/work/.venv", "/other"}) {
        const std::string at = venv;
        tree->add_file(at + "/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
        tree->add_link(at + "/bin/python", "/usr/bin/python3.11");
        tree->add_directory(at + "/lib/python3.11/site-packages");
      }
      tree->add_directory("/empty").add_file("/readme", "text");
      tree->add_file("/conda/conda-meta/history", "").add_file("/conda/etc/x", "");
      tree->add_file("/image/usr/bin/sh", kElf, 0755);
      tree->add_file("/project/pyproject.toml", "");
      tree->add_file("/project/.venv/pyvenv.cfg", "");
    };
  }

  Result<Target> resolve(Spec spec) {
    if (spec.cwd.empty()) spec.cwd = "/work";
    return resolve_target(spec, [&](const std::string& directory) {
      opened_.push_back(directory);
      auto tree = std::make_unique<MemoryTree>();
      if (directory == "/") fill_(tree.get());
      if (directory == "/image") tree->add_file("/usr/bin/sh", kElf, 0755);
      return Result<std::unique_ptr<tree::Tree>>(std::move(tree));
    });
  }
  Result<Target> resolve_path(const std::string& path) {
    Spec spec;
    spec.path = path;
    return resolve(spec);
  }

  std::function<void(MemoryTree*)> fill_;
  std::vector<std::string> opened_;
};

TEST_F(TargetResolve, TheDefaultIsTheVenvOfTheDirectory) {
  const auto target = resolve({});
  ASSERT_TRUE(target);
  EXPECT_EQ(target->kind, Kind::Venv);
  EXPECT_EQ(target->shown, ".venv");
  EXPECT_EQ(target->path, "/work/.venv");
  ASSERT_EQ(target->environments.size(), 1U);
  EXPECT_EQ(target->environments[0].program, "/usr/bin/python3.11");
}

TEST_F(TargetResolve, ThenTheVariablesInTheirOrder) {
  Spec spec;
  spec.cwd = "/";
  spec.virtual_env = "/other";
  spec.conda_prefix = "/conda";
  EXPECT_EQ(resolve(spec)->path, "/other");
  spec.virtual_env.clear();
  EXPECT_EQ(resolve(spec)->kind, Kind::Conda);
  spec.conda_prefix.clear();
  const auto none = resolve(spec);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
  EXPECT_THAT(none.error().message, HasSubstr("no `.venv` in `/`"));
  EXPECT_THAT(none.error().message, HasSubstr("accepted: a virtual environment"));
}

TEST_F(TargetResolve, EachKindIsToldByWhatLiesThere) {
  EXPECT_EQ(resolve_path("/other")->kind, Kind::Venv);
  EXPECT_EQ(resolve_path("../other/")->kind, Kind::Venv);
  EXPECT_EQ(resolve_path("/conda")->kind, Kind::Conda);
  EXPECT_EQ(resolve_path("/usr/bin/python3.11")->kind, Kind::Interpreter);
  EXPECT_EQ(resolve_path(".venv/bin/python")->kind, Kind::Interpreter);
  EXPECT_EQ(resolve_path(".venv/bin/python")->environments[0].prefix, "/work/.venv");
  EXPECT_EQ(resolve_path("/")->kind, Kind::Rootfs);
}

TEST_F(TargetResolve, ARootDirectoryIsOpenedAsTheRoot) {
  const auto target = resolve_path("../image");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->kind, Kind::Rootfs);
  EXPECT_EQ(target->root, "/image");
  EXPECT_EQ(target->path, "/");
  EXPECT_TRUE(target->walk->resolve("/usr/bin/sh"));
  EXPECT_TRUE(target->environments.empty());
  EXPECT_EQ(opened_.back(), "/image");
}

TEST_F(TargetResolve, APathInsideAStatedRootMayBeAnyDirectory) {
  Spec spec;
  spec.root = "/";
  spec.path = "/empty";
  const auto folder = resolve(spec);
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->kind, Kind::Rootfs);
  EXPECT_EQ(folder->root, "/");
  EXPECT_EQ(folder->path, "/empty");
  spec.path = "usr";
  EXPECT_EQ(resolve(spec)->path, "/usr");
  spec.path = "work/.venv";
  EXPECT_EQ(resolve(spec)->kind, Kind::Venv);
  spec.path.clear();
  EXPECT_EQ(resolve(spec)->path, "/");
}

TEST_F(TargetResolve, ADirectoryOfNoKindSaysWhatWasTried) {
  const auto target = resolve_path("/empty");
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(target.error().subject, "/empty");
  EXPECT_THAT(target.error().message, HasSubstr("no `pyvenv.cfg`"));
  EXPECT_THAT(target.error().message, HasSubstr("accepted: a virtual environment"));
}

TEST_F(TargetResolve, WhatIsAbsentIsSaidToBe) {
  const auto target = resolve_path("none");
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().code, ErrorCode::NotFound);
  EXPECT_THAT(target.error().to_string(), HasSubstr("none: no such file or directory; accepted"));
  Spec spec;
  spec.root = "/image";
  spec.path = "/other";
  EXPECT_THAT(resolve(spec).error().message, HasSubstr("inside the root `/image`"));
}

TEST_F(TargetResolve, KindsOfLaterReleasesAreKnown) {
  const auto fill = fill_;
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"/f/image.tar.gz", "a container image"},
  };
  fill_ = [&](MemoryTree* tree) {
    fill(tree);
    for (const auto& row : rows) tree->add_file(row.first, "");
    tree->add_file("/oci/oci-layout", "{}");
  };
  for (const auto& [path, words] : rows) {
    const auto unsupported = resolve_path(path);
    ASSERT_FALSE(unsupported) << path;
    EXPECT_EQ(unsupported.error().code, ErrorCode::Unsupported) << path;
    EXPECT_THAT(unsupported.error().message, HasSubstr(words)) << path;
  }
  EXPECT_THAT(resolve_path("/oci").error().message, HasSubstr("a container image"));
}

TEST_F(TargetResolve, WheelsAreTakenAsTheyLie) {
  fill_ = [](MemoryTree* tree) {
    tree->add_file("/wheels/x-1-py3-none-any.whl", "").add_link("/link", "wheels");
    tree->add_directory("/none");
  };
  const auto wheel = resolve_path("/link/x-1-py3-none-any.whl");
  ASSERT_TRUE(wheel) << wheel.error().to_string();
  EXPECT_EQ(wheel->kind, Kind::Wheel);
  EXPECT_EQ(wheel->path, "/wheels/x-1-py3-none-any.whl");
  EXPECT_TRUE(wheel->environments.empty());
  const auto folder = resolve_path("/link");
  ASSERT_TRUE(folder) << folder.error().to_string();
  EXPECT_EQ(folder->kind, Kind::Wheelhouse);
  EXPECT_EQ(folder->path, "/wheels");
  Spec spec;
  spec.path = "/none";
  spec.kind = Kind::Wheelhouse;
  EXPECT_EQ(resolve(spec)->path, "/none") << "as stated, though no wheel is in it";
  spec.kind = Kind::Wheel;
  EXPECT_EQ(resolve(spec).error().code, ErrorCode::IsADirectory);
  spec.path = "/wheels/x-1-py3-none-any.whl";
  spec.kind = Kind::Wheelhouse;
  EXPECT_EQ(resolve(spec).error().code, ErrorCode::NotADirectory);
}

TEST_F(TargetResolve, WhatIsNotInstalledHasNoEnvironment) {
  const std::vector<std::pair<std::string, Kind>> rows = {
      {"/f/uv.lock", Kind::Lock},
      {"/f/pylock.toml", Kind::Lock},
      {"/f/requirements-dev.txt", Kind::Requirements},
      {"/f/environment.yml", Kind::Requirements},
      {"/f/pyproject.toml", Kind::Project},
      {"/f/setup.cfg", Kind::Project},
      {"/project", Kind::Project},
  };
  const auto fill = fill_;
  fill_ = [&](MemoryTree* tree) {
    fill(tree);
    for (const auto& row : rows) {
      if (row.first.starts_with("/f/")) tree->add_file(row.first, "");
    }
  };
  for (const auto& [path, kind] : rows) {
    const auto target = resolve_path(path);
    ASSERT_TRUE(target) << path << ": " << target.error().to_string();
    EXPECT_EQ(target->kind, kind) << path;
    EXPECT_EQ(target->path, path);
    EXPECT_TRUE(target->environments.empty());
  }
}

TEST_F(TargetResolve, WhatToNameInsteadIsSaid) {
  const auto fill = fill_;
  fill_ = [&](MemoryTree* tree) {
    fill(tree);
    tree->add_file("/f/Pipfile", "");
    tree->add_file("/f/setup.py", "");
    tree->add_file("/list/environment.yaml", "");
  };
  EXPECT_THAT(resolve_path("/f/Pipfile").error().message, HasSubstr("`pipenv lock` makes"));
  EXPECT_THAT(resolve_path("/f/setup.py").error().message, HasSubstr("only a run would tell"));
  EXPECT_EQ(resolve_path("/list")->kind, Kind::Project);
}

TEST_F(TargetResolve, AStatedKindMustFit) {
  Spec spec;
  spec.path = "/empty";
  spec.kind = Kind::Rootfs;
  EXPECT_EQ(resolve(spec)->root, "/empty");
  spec.kind = Kind::Venv;
  const auto venv = resolve(spec);
  ASSERT_FALSE(venv);
  EXPECT_EQ(venv.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(venv.error().to_string(), HasSubstr("/empty: no venv can be read there"));
  spec.path = "/readme";
  spec.kind = Kind::Interpreter;
  EXPECT_THAT(resolve(spec).error().to_string(), HasSubstr("is no ELF program"));
  spec.kind = Kind::Image;
  EXPECT_EQ(resolve(spec).error().code, ErrorCode::Unsupported);
}

TEST_F(TargetResolve, OddFilesAreNoTarget) {
  fill_ = [](MemoryTree* tree) {
    tree->add_special("/fifo", tree::Kind::Fifo).add_special("/null", tree::Kind::CharDevice);
    tree->add_link("/loop", "loop").add_directory("/closed").deny("/closed");
    tree->add_file("/python", "not executable");
  };
  EXPECT_EQ(resolve_path("/fifo").error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(resolve_path("/null").error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(resolve_path("/loop").error().code, ErrorCode::TooManyLinks);
  EXPECT_EQ(resolve_path("/closed").error().code, ErrorCode::PermissionDenied);
  EXPECT_EQ(resolve_path("/python").error().code, ErrorCode::InvalidArgument);
}

TEST(TargetKind, WordsAreReadBack) {
  for (const Kind kind :
       {Kind::Venv, Kind::Interpreter, Kind::Conda, Kind::Rootfs, Kind::Image, Kind::Wheel,
        Kind::Wheelhouse, Kind::Lock, Kind::Requirements, Kind::Project}) {
    EXPECT_EQ(*parse_kind(to_string(kind)), kind);
  }
  const auto unknown = parse_kind("docker");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("venv, interpreter, conda, rootfs"));
}

}  // namespace
}  // namespace loadable::target
