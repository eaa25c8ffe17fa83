// SPDX-License-Identifier: Apache-2.0
// Load plans, run in emulated processes.
#include "accel/run.h"

#include <gmock/gmock.h>

#include "accel/plan_test.h"

namespace loadable::accel {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(Plan, AsInstalledTheProviderLacksAllItNeeds) {
  add_cuda12();
  add_1_24_4();
  const auto result = run();
  EXPECT_TRUE(loads(result, "import"));
  EXPECT_FALSE(loads(result, "provider"));
  EXPECT_THAT(step(result, "provider")->result.error, HasSubstr("libcublasLt.so.12"));
  EXPECT_THAT(missing_of(result, "provider"),
              ElementsAre("libcublasLt.so.12", "libcublas.so.12", "libcurand.so.10",
                          "libcufft.so.11", "libcudart.so.12", "libcudnn.so.9"));
}

TEST_F(Plan, WithEveryDirectoryOnThePathAllIsLoadable) {
  add_cuda12();
  add_1_24_4();
  const auto result = run(all_directories());
  EXPECT_THAT(losses(result), IsEmpty());
  EXPECT_THAT(result.expected_at_run_time, ElementsAre("libcuda.so.1"));
  EXPECT_TRUE(result.process->find("libcudnn_heuristic.so.9"));
  EXPECT_TRUE(result.process->find("libnvrtc-builtins.so.12.9"));
  EXPECT_THAT(result.process->missing(), IsEmpty());
}

TEST_F(Plan, OfCuda13OpensCudnnAndCufftByName) {
  add_cuda13();
  add_1_31_1();
  EXPECT_THAT(losses(run(all_directories())), IsEmpty());
  // cuDNN alone is out of reach: the provider loads, and its functions are lost.
  const auto result = run(kSite + "/nvidia/cu13/lib");
  EXPECT_TRUE(loads(result, "provider"));
  EXPECT_TRUE(loads(result, "cufft"));
  EXPECT_THAT(losses(result), ElementsAre("libcudnn.so.9: function"));
  EXPECT_EQ(step(result, "cudnn")->loss, "cudnn");
  EXPECT_THAT(step(result, "cudnn")->alternatives, ElementsAre("libcudnn.so.9", "libcudnn.so"));
}

TEST_F(Plan, WithoutTheDriverItsSymbolsMayLackToo) {
  add_cuda13();
  add_1_31_1();
  const auto result = run(all_directories());
  EXPECT_TRUE(loads(result, "provider"));
  EXPECT_THAT(result.expected_at_run_time, ElementsAre("libcuda.so.1"));
  EXPECT_THAT(result.process->failures(), IsEmpty());
}

TEST_F(Plan, NeedsAreReadFromTheFile) {
  add_cuda12();
  add_release("1.24.4", {"libcublasLt.so.12", "libloadable_nowhere.so.1"});
  const auto result = run(all_directories());
  EXPECT_THAT(missing_of(result, "provider"), ElementsAre("libloadable_nowhere.so.1"));
  add_release("1.24.4", {"libcublasLt.so.12"});
  EXPECT_THAT(losses(run(all_directories())), IsEmpty());
  EXPECT_FALSE(run(all_directories()).process->find("libcufft.so.11"));
}

TEST_F(Plan, EachLostPieceIsNamedWithItsLoss) {
  const std::string nvidia = kSite + "/nvidia/";
  const std::vector<std::pair<std::string, std::string>> pieces = {
      {"cudnn/lib/libcudnn_graph.so.9", "libcudnn_graph.so.9: abort"},
      {"cudnn/lib/libcudnn_ops.so.9", "libcudnn_ops.so.9: function"},
      {"cudnn/lib/libcudnn_cnn.so.9", "libcudnn_cnn.so.9: function"},
      {"cudnn/lib/libcudnn_adv.so.9", "libcudnn_adv.so.9: function"},
      {"cudnn/lib/libcudnn_heuristic.so.9", "libcudnn_heuristic.so.9: function"},
      {"cudnn/lib/libcudnn_engines_precompiled.so.9",
       "libcudnn_engines_precompiled.so.9: function"},
      {"cuda_nvrtc/lib/libnvrtc.so.12", "libnvrtc.so.12: function"},
      {"cuda_nvrtc/lib/libnvrtc-builtins.so.12.9", "libnvrtc-builtins.so.12.9: function"},
      {"nvjitlink/lib/libnvJitLink.so.12", "libnvJitLink.so.12: function"},
      {"cufft/lib/libcufft.so.11", "libonnxruntime_providers_cuda.so: provider"},
      {"cudnn/lib/libcudnn.so.9", "libonnxruntime_providers_cuda.so: provider"},
  };
  add_1_24_4();
  for (const auto& [path, loss] : pieces) {
    add_cuda12();
    tree_.remove(nvidia + path);
    EXPECT_THAT(losses(run(all_directories())), ElementsAre(loss)) << path;
  }
}

TEST_F(Plan, EachLostPieceOfCuda13IsNamedWithItsLoss) {
  const std::string nvidia = kSite + "/nvidia/";
  const std::vector<std::pair<std::string, std::string>> pieces = {
      {"cudnn/lib/libcudnn.so.9", "libcudnn.so.9: function"},
      {"cudnn/lib/libcudnn_engines_runtime_compiled.so.9",
       "libcudnn_engines_runtime_compiled.so.9: function"},
      {"cu13/lib/libcufft.so.12", "libcufft.so.12: function"},
      {"cu13/lib/libnvrtc.so.13", "libnvrtc.so.13: function"},
      {"cu13/lib/libnvrtc-builtins.so.13.5", "libnvrtc-builtins.so.13.5: function"},
      {"cu13/lib/libnvJitLink.so.13", "libnvJitLink.so.13: function"},
      {"cu13/lib/libcublasLt.so.13", "libonnxruntime_providers_cuda.so: provider"},
  };
  add_1_31_1();
  for (const auto& [path, loss] : pieces) {
    add_cuda13();
    tree_.remove(nvidia + path);
    EXPECT_THAT(losses(run(all_directories())), ElementsAre(loss)) << path;
  }
}

TEST_F(Plan, ThePiecesOfCudnnAreThoseThatItsFrontLibraryNames) {
  add_cuda12();
  add_1_24_4();
  const std::string lib = kSite + "/nvidia/cudnn/lib/";
  add(lib + "libcudnn.so.9",
      with_constants(library("libcudnn.so.9"), {"libcudnn_graph.so", "libcudnn_new.so"}));
  EXPECT_THAT(losses(run(all_directories())), ElementsAre("libcudnn_new.so.9: function"));
}

TEST_F(Plan, PiecesAreTriedUnderTheReleaseOfTheFrontLibraryFirst) {
  add_cuda12();
  add_1_24_4();
  context_.release_of = [](const std::string& path) {
    return path.find("cudnn") == std::string::npos ? "" : "9.28.0.42";
  };
  EXPECT_THAT(losses(run(all_directories())), IsEmpty());
  const std::string lib = kSite + "/nvidia/cudnn/lib/";
  tree_.add_link(lib + "libcudnn_adv.so.9.28.0", "libcudnn_adv.so.9");
  const auto result = run(all_directories());
  std::vector<std::string> requests;
  for (const StepRun& found : result.steps) {
    if (found.id == "cudnn" && found.alternatives.size() > 1) requests.push_back(found.request);
  }
  EXPECT_THAT(requests, Contains("libcudnn_adv.so.9.28.0"));
  EXPECT_THAT(requests, Contains("libcudnn_ops.so.9"));
  for (const StepRun& found : result.steps) {
    if (found.request != "libcudnn_ops.so.9") continue;
    EXPECT_THAT(found.alternatives, ElementsAre("libcudnn_ops.so.9.28.0", "libcudnn_ops.so.9.28",
                                                "libcudnn_ops.so.9", "libcudnn_ops.so"));
  }
}

TEST_F(Plan, UntilOneTwentyThreeABareNameFindsTheProviderBesideTheModule) {
  add_cuda12();
  add_release("1.23.2", {"libcudart.so.12"});
  const auto result = run(all_directories());
  EXPECT_TRUE(loads(result, "provider"));
  EXPECT_EQ(step(result, "provider")->request, "libonnxruntime_providers_cuda.so");
  // Without the module's $ORIGIN the name leads nowhere; an absolute path does not care.
  add(kModule, library(""));
  EXPECT_FALSE(loads(run(all_directories()), "providers-shared"));
  add_release("1.24.4", {"libcudart.so.12"});
  EXPECT_TRUE(loads(run(all_directories()), "provider"));
}

TEST_F(Plan, ABareNameCanMeetAnotherCopyFirst) {
  add_cuda12();
  add_release("1.23.2", {"libcudart.so.12"});
  tree_.add_file(
      "/opt/ort/libonnxruntime_providers_cuda.so",
      build_elf(with_symbols(library("", {"libcudart.so.11.0"}), {wants("Provider_GetHost")})));
  const auto result = run("/opt/ort:" + all_directories());
  EXPECT_THAT(missing_of(result, "provider"), ElementsAre("libcudart.so.11.0"));
}

TEST_F(Plan, AFailedImportMakesTheRestPointless) {
  add_cuda13();
  add_release("1.27.0", {"libcudart.so.13"});
  add(kModule, with_runpath(library("", {"libcudart.so.13"}), "$ORIGIN"));
  const auto result = run();
  EXPECT_THAT(losses(result),
              ElementsAre("onnxruntime_pybind11_state.cpython-311-x86_64-linux-gnu.so: import"));
  EXPECT_THAT(missing_of(result, "import"), ElementsAre("libcudart.so.13"));
  EXPECT_TRUE(step(result, "provider")->was_skipped);
}

TEST_F(Plan, WhatTheHostProvidesIsListedApart) {
  add_cuda12();
  add_1_24_4();
  tree_.remove(kSite + "/nvidia/cufft/lib/libcufft.so.11");
  provided_ = {"libcufft.so.*"};
  const auto result = run(all_directories());
  EXPECT_TRUE(loads(result, "provider"));
  EXPECT_THAT(result.provided_elsewhere, ElementsAre("libcufft.so.11"));
  EXPECT_THAT(result.expected_at_run_time, ElementsAre("libcuda.so.1"));
}

TEST_F(Plan, OfAnUnknownReleaseListsTheNamesThatItDoesNotExplain) {
  add_cuda13();
  add_1_31_1();
  ElfSpec provider = library("", {"libcublasLt.so.13", "libcudart.so.13", "libcuda.so.1"});
  provider.symbols = {wants("Provider_GetHost")};
  add(kCuda, with_constants(provider, {"libcudnn.so.9", "libcufft.so.12", "libnvrtc.so.13",
                                       "libcudart.so.12", "libcudnn.so", "libnvidia-ml.so.1"}));
  instance_.version = "1.40.0";
  instance_.is_plan_exact = false;
  EXPECT_THAT(run(all_directories()).instance.unexplained, IsEmpty());
  add(kCuda, with_constants(provider, {"libcudnn.so.9", "libcusparse.so.12", "libbrandnew.so.1"}));
  EXPECT_THAT(run(all_directories()).instance.unexplained,
              ElementsAre("libcusparse.so.12", "libbrandnew.so.1"));
}

TEST_F(Plan, TheTensorrtProviderIsAPlanOfItsOwn) {
  add_cuda12();
  add_1_24_4();
  instance_.id = "onnxruntime:tensorrt";
  instance_.provider_library = kTensorrt;
  add(kTensorrt, with_symbols(library("", {"libnvinfer.so.10", "libcudart.so.12"}),
                              {wants("Provider_GetHost")}));
  const auto result = run(all_directories());
  EXPECT_THAT(missing_of(result, "provider"), ElementsAre("libnvinfer.so.10"));
}

TEST_F(Plan, ANameThatAnotherLibraryOpensIsNotLost) {
  add_cuda12();
  add_1_24_4();
  // cuBLASLt does not reach nvrtc; cuDNN does, and then its name answers.
  std::string path;
  for (const char* name : {"cublas", "cuda_runtime", "cudnn", "cufft", "curand", "nvjitlink"}) {
    path += (path.empty() ? "" : ":") + kSite + "/nvidia/" + name + "/lib";
  }
  EXPECT_THAT(losses(run(path)), IsEmpty());
  tree_.remove(kSite + "/nvidia/cudnn/lib/libcudnn_engines_precompiled.so.9");
  EXPECT_THAT(losses(run(path)), ElementsAre("libcudnn_engines_precompiled.so.9: function"));
}

TEST_F(Plan, IsTheSameWhenItRunsTwice) {
  add_cuda12();
  add_1_24_4();
  const auto first = run(all_directories());
  const auto second = run(all_directories());
  ASSERT_EQ(first.steps.size(), second.steps.size());
  for (std::size_t i = 0; i < first.steps.size(); ++i) {
    EXPECT_EQ(first.steps[i].request, second.steps[i].request);
  }
}

TEST_F(Plan, EveryMissOfTheProcessBelongsToAStep) {
  add_cuda12();
  add_1_24_4();
  tree_.remove(kSite + "/nvidia/cudnn/lib/libcudnn_adv.so.9");
  tree_.remove(kSite + "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  const auto result = run(all_directories());
  EXPECT_THAT(result.process->missing(), Not(IsEmpty()));
  for (const loader::Missing& missing : result.process->missing()) {
    const bool has_step = std::any_of(result.steps.begin(), result.steps.end(), [&](const auto& s) {
      return s.result.step == missing.step && !s.result.succeeded;
    });
    EXPECT_TRUE(has_step) << missing.name;
  }
}

}  // namespace
}  // namespace loadable::accel
