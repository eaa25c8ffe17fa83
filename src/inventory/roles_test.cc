// SPDX-License-Identifier: Apache-2.0
#include "inventory/roles.h"

#include <gtest/gtest.h>

#include <utility>

#include "inventory/pattern.h"

namespace loadable::inventory {
namespace {

TEST(InventoryRoles, NamesOfLibraries) {
  for (const char* name : {"libx.so", "libx.so.1", "libx.so.1.2.3", "x.cpython-311-x.so",
                           "ld-2.31.so", "libnvrtc.alt.so.12", "libpython3.11.so.1.0", "x.so"}) {
    EXPECT_TRUE(is_library_name(name)) << name;
  }
  for (const char* name :
       {".so", "libx.so.", "libx.so.txt", "x.sor", "libx.a", "", "so", ".so.1", "x.so.py"}) {
    EXPECT_FALSE(is_library_name(name)) << name;
  }
}

TEST(InventoryRoles, NamesThatMayBePrograms) {
  for (const char* name : {"protoc", "ptxas", "ffmpeg-linux64-v4.2.2", "python3.11", ".hidden"}) {
    EXPECT_TRUE(may_be_program(name)) << name;
  }
  for (const char* name : {"x.py", "x.h", "x.pyc", "x.txt", "a.zst", "z.a"}) {
    EXPECT_FALSE(may_be_program(name)) << name;
  }
}

class InventoryPlace : public ::testing::Test {
 protected:
  InventoryPlace() {
    environment_.major = 3;
    environment_.minor = 11;
  }
  RoleOfFile in_site(const std::string& relative) {
    return role_of_library("/v/site/" + relative, {"/v/site", &environment_});
  }
  python::Environment environment_;
};

TEST_F(InventoryPlace, ModulesAreWhatTheInterpreterImports) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"numpy/_core/x.cpython-311-x86_64-linux-gnu.so", "numpy._core.x"},
      {"cv2/cv2.abi3.so", "cv2.cv2"},
      {"_cffi_backend.cpython-311-x86_64-linux-gnu.so", "_cffi_backend"},
      {"foo/bar.so", "foo.bar"},
      {"triton/_C/libtriton.cpython-311-x86_64-linux-gnu.so", "triton._C.libtriton"},
  };
  for (const auto& [path, module] : rows) {
    EXPECT_EQ(in_site(path).role, Role::ExtensionModule) << path;
    EXPECT_EQ(in_site(path).module, module) << path;
  }
}

TEST_F(InventoryPlace, ModulesOfOtherInterpretersAreForeign) {
  for (const char* path : {"a/b.cpython-310-x86_64-linux-gnu.so", "a/b.cpython-38m-x.so",
                           "a/b.pypy310-pp73-x86_64-linux-gnu.so", "b.cpython-3-x.so"}) {
    EXPECT_EQ(in_site(path).role, Role::ForeignModule) << path;
  }
  environment_.minor = 13;
  EXPECT_EQ(in_site("a/b.cpython-313t-x86_64-linux-gnu.so").role, Role::ExtensionModule);
}

TEST_F(InventoryPlace, LibrariesOfWheelsArePrivate) {
  for (const char* path :
       {"numpy.libs/libgfortran-8f1e.so.5.0.0", "nvidia/cublas/lib/libcublas.so.12",
        "torch/lib/libtorch.so", "x.libs/y.so", "pyarrow/libarrow.so.2500",
        "onnxruntime/capi/libonnxruntime_providers_cuda.so"}) {
    EXPECT_EQ(in_site(path).role, Role::PrivateLibrary) << path;
    EXPECT_TRUE(in_site(path).module.empty()) << path;
  }
}

TEST_F(InventoryPlace, PluginsAreOpenedBySomebody) {
  EXPECT_EQ(in_site("PySide6/Qt/plugins/platforms/libqxcb.so").role, Role::Plugin);
  EXPECT_EQ(in_site("PySide6/Qt/qml/QtQuick/libx.so").role, Role::Plugin);
  EXPECT_EQ(in_site("foo/not-a-package/x.so").role, Role::Plugin);
}

TEST_F(InventoryPlace, TheSystemsLibrariesLieInItsDirectories) {
  const auto role = [](const char* path) { return role_of_library(path, {}).role; };
  EXPECT_EQ(role("/usr/lib/x86_64-linux-gnu/libz.so.1.2.13"), Role::Library);
  EXPECT_EQ(role("/usr/lib/x86_64-linux-gnu/libz.so"), Role::Library);
  EXPECT_EQ(role("/lib64/ld-linux-x86-64.so.2"), Role::Library);
  EXPECT_EQ(role("/usr/lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v3/libz.so.1"), Role::Library);
  EXPECT_EQ(role("/opt/x/lib/libfoo.so.2"), Role::Library);
  EXPECT_EQ(role("/opt/x/private/libfoo.so.2"), Role::Library);
  EXPECT_EQ(role("/usr/lib/x86_64-linux-gnu/gconv/UTF-16.so"), Role::Plugin);
  EXPECT_EQ(role("/usr/lib/x86_64-linux-gnu/perl/5.36/auto/POSIX/POSIX.so"), Role::Plugin);
  EXPECT_EQ(role("/x.so"), Role::Plugin);
}

TEST(InventoryPattern, StarsStayInAComponent) {
  EXPECT_TRUE(matches_path("*.so", "/a/b/x.so"));
  EXPECT_TRUE(matches_path("torch", "/a/torch"));
  EXPECT_FALSE(matches_path("torch", "/a/torch2"));
  EXPECT_TRUE(matches_path("/a/*/c", "/a/b/c"));
  EXPECT_FALSE(matches_path("/a/*/c", "/a/b/b/c"));
  EXPECT_TRUE(matches_path("/a/**/c", "/a/b/b/c"));
  EXPECT_TRUE(matches_path("/a/**/c", "/a/c"));
  EXPECT_FALSE(matches_path("/a/**/c", "/a/bc"));
  EXPECT_TRUE(matches_path("/a/**", "/a/b/c"));
  EXPECT_TRUE(matches_path("nvidia/*/lib", "/v/site/nvidia/cublas/lib"));
  EXPECT_FALSE(matches_path("nvidia/*/lib", "/v/site/xnvidia/cublas/lib"));
  EXPECT_TRUE(matches_path("lib?.so/", "/x/lib1.so"));
  EXPECT_FALSE(matches_path("", "/x"));
  EXPECT_FALSE(matches_path("a?b", "/a/b"));
}

TEST(InventoryPattern, HostilePatternsEnd) {
  std::string pattern, path = "/";
  for (int i = 0; i < 50; ++i) pattern += "*a**b";
  path += std::string(4000, 'a');
  EXPECT_FALSE(matches_path(pattern, path));
}

}  // namespace
}  // namespace loadable::inventory
