// SPDX-License-Identifier: Apache-2.0
// What is loaded before the provider: by --after, and by the package itself.

#include <gmock/gmock.h>

#include "accel/plan_test.h"

namespace loadable::accel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(Plan, ThePreloadCuresWhatThePathDoesNotReach) {
  add_cuda12();
  add_1_24_4();
  tree_.add_file(
      kCapi + "build_and_package_info.py",
      "package_name = 'onnxruntime-gpu'\n__version__ = '1.24.4'\ncuda_version = '12.8'\n");
  context_.after = {"onnxruntime.preload_dlls"};
  const auto result = run();
  EXPECT_THAT(losses(result), IsEmpty());
  std::vector<std::string> order;
  for (const StepRun& found : result.steps) {
    if (found.id == "preload") order.emplace_back(tree::Path(found.request).name());
  }
  EXPECT_THAT(order,
              ElementsAre("libcublasLt.so.12", "libcublas.so.12", "libnvrtc.so.12",
                          "libcurand.so.10", "libcufft.so.11", "libcudart.so.12", "libcudnn.so.9"));
  EXPECT_EQ(step(result, "preload")->caller, kDynload);
  EXPECT_EQ(step(result, "preload")->request, kSite + "/nvidia/cublas/lib/libcublasLt.so.12");
}

TEST_F(Plan, ThePreloadTriesBareNamesAfterPaths) {
  add_cuda12();
  add_1_24_4();
  tree_.add_file(kCapi + "build_and_package_info.py", "cuda_version = '12.8'\n");
  tree_.remove(kSite + "/nvidia/curand/lib/libcurand.so.10");
  add("/usr/lib/libcurand.so.10", library("libcurand.so.10"));
  context_.after = {"onnxruntime.preload_dlls"};
  const auto result = run();
  EXPECT_THAT(losses(result), IsEmpty());
  EXPECT_EQ(result.process->objects()[*result.process->find("libcurand.so.10")].path,
            "/usr/lib/libcurand.so.10");
}

TEST_F(Plan, ThePreloadDoesNothingWithoutACudaVersion) {
  add_cuda12();
  add_1_24_4();
  context_.after = {"onnxruntime.preload_dlls"};
  EXPECT_EQ(step(run(), "preload"), nullptr);
  tree_.add_file(kCapi + "build_and_package_info.py", "cuda_version = '11.8'\n");
  EXPECT_EQ(step(run(), "preload"), nullptr);
  tree_.add_file(kCapi + "build_and_package_info.py", "cuda_version = '12.8'\n");
  EXPECT_NE(step(run(), "preload"), nullptr);
  add_release("1.20.2", {"libcudart.so.12"});  // has no such function
  EXPECT_EQ(step(run(), "preload"), nullptr);
}

TEST_F(Plan, ThePreloadOfOneTwentySevenKnowsOnlyTheDirectoriesOfCuda12) {
  add_cuda13();
  add_release("1.27.0", {"libcublasLt.so.13", "libcudart.so.13"});
  tree_.add_file(kCapi + "build_and_package_info.py", "cuda_version = '13.0'\n");
  context_.after = {"onnxruntime.preload_dlls"};
  EXPECT_FALSE(loads(run(), "provider"));
  add_release("1.28.0", {"libcublasLt.so.13", "libcudart.so.13"});
  EXPECT_TRUE(loads(run(), "provider"));
}

TEST_F(Plan, TorchFirstLoadsItsStubTheNvidiaPackagesAndItsModule) {
  add_cuda12();
  add_1_24_4();
  add(kSite + "/torch/lib/libtorch_global_deps.so", [] {
    ElfSpec spec = library("libtorch_global_deps.so",
                           {"libcublasLt.so.12", "libcublas.so.12", "libcurand.so.10",
                            "libcufft.so.11", "libcudart.so.12", "libcudnn.so.9"});
    spec.rpath =
        "$ORIGIN/../../nvidia/cublas/lib:$ORIGIN/../../nvidia/curand/lib:"
        "$ORIGIN/../../nvidia/cufft/lib:$ORIGIN/../../nvidia/cuda_runtime/lib:"
        "$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN/../../nvidia/cuda_nvrtc/lib";
    return spec;
  }());
  add(kSite + "/torch/_C.cpython-311-x86_64-linux-gnu.so", library(""));
  context_.after = {"torch"};
  const auto result = run();
  EXPECT_TRUE(loads(result, "provider"));
  EXPECT_TRUE(step(result, "preload")->is_verified);
  EXPECT_TRUE(step(result, "preload")->options.is_global);
  std::vector<std::string> order;
  for (const StepRun& found : result.steps) {
    if (found.is_preload) order.emplace_back(tree::Path(found.request).name());
  }
  EXPECT_THAT(order,
              ElementsAre(tree::Path(kDynload).name(), "libtorch_global_deps.so",
                          "libcublasLt.so.12", "libcublas.so.12", "libcudnn.so.9", "libnvrtc.so.12",
                          "libnvrtc-builtins.so.12.9", "libcudart.so.12", "libcufft.so.11",
                          "libnvJitLink.so.12", "_C.cpython-311-x86_64-linux-gnu.so"));
  EXPECT_EQ(result.steps.front().id, "ctypes");
  // Before 2.14 it opened only what compiles code.
  tree_.add_file(kSite + "/torch/version.py", "__all__ = []\n__version__ = '2.13.0+cu128'\n");
  order.clear();
  for (const StepRun& found : run().steps) {
    if (found.is_preload) order.emplace_back(tree::Path(found.request).name());
  }
  EXPECT_THAT(order, ElementsAre(tree::Path(kDynload).name(), "libtorch_global_deps.so",
                                 "libnvrtc.so.12", "libnvrtc-builtins.so.12.9",
                                 "libnvJitLink.so.12", "_C.cpython-311-x86_64-linux-gnu.so"));
}

TEST_F(Plan, OfOneFifteenPreloadsGloballyAndStopsAtTheFirstThatFails) {
  add_release("1.15.1", {}, {wants("cublasCreate_v2")});
  const std::string lib = "/usr/lib/";
  add(lib + "libcublasLt.so.11", library("libcublasLt.so.11"));
  add(lib + "libcublas.so.11",
      with_symbols(library("libcublas.so.11"), {defines("cublasCreate_v2")}));
  add(lib + "libcudnn.so.8", library("libcudnn.so.8"));
  add(lib + "libcurand.so.10", library("libcurand.so.10"));
  add(lib + "libcufft.so.10", library("libcufft.so.10"));
  add(lib + "libcudart.so.11.0", library("libcudart.so.11.0"));
  EXPECT_THAT(losses(run()), IsEmpty());
  tree_.remove(lib + "libcudnn.so.8");
  const auto result = run();
  EXPECT_THAT(losses(result), ElementsAre("libcudnn.so.8: provider"));
  EXPECT_TRUE(step(result, "ld-preload-curand")->was_skipped);
  EXPECT_TRUE(step(result, "provider")->was_skipped);
  EXPECT_TRUE(loads(result, "import"));
}

}  // namespace
}  // namespace loadable::accel
