// SPDX-License-Identifier: Apache-2.0
#pragma once
// A machine of small ELF files that have the sonames, needs, search paths, symbols and constants of
// real ones: an interpreter, onnxruntime of one release and, on demand, NVIDIA's wheels.

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accel/run.h"
#include "testing/elf_builder.h"
#include "tree/memory_tree.h"

namespace loadable::accel {

using testing::build_elf;
using testing::defines;
using testing::ElfSpec;
using testing::wants;

inline const std::string kSite = "/venv/lib/python3.11/site-packages";
inline const std::string kCapi = kSite + "/onnxruntime/capi/";
inline const std::string kModule =
    kCapi + "onnxruntime_pybind11_state.cpython-311-x86_64-linux-gnu.so";
inline const std::string kShared = kCapi + "libonnxruntime_providers_shared.so";
inline const std::string kCuda = kCapi + "libonnxruntime_providers_cuda.so";
inline const std::string kTensorrt = kCapi + "libonnxruntime_providers_tensorrt.so";
inline const std::string kDynload = "/usr/lib/python3.11/lib-dynload/_ctypes.cpython-311.so";

inline ElfSpec library(std::string soname, std::vector<std::string> needed = {}) {
  ElfSpec spec;
  if (!soname.empty()) spec.soname = std::move(soname);
  spec.needed = std::move(needed);
  return spec;
}

inline ElfSpec with_constants(ElfSpec spec, std::initializer_list<std::string_view> strings) {
  std::string text(1, '\0');
  for (const std::string_view string : strings) (text += string) += '\0';
  spec.segments = {{elf::PF_R, text}};
  return spec;
}

inline ElfSpec with_runpath(ElfSpec spec, std::string runpath) {
  spec.runpath = std::move(runpath);
  return spec;
}

inline ElfSpec with_symbols(ElfSpec spec, std::vector<testing::ElfSymbol> symbols) {
  spec.symbols = std::move(symbols);
  return spec;
}

/// A machine with an interpreter, onnxruntime of one release and, on demand, NVIDIA's wheels.
class Plan : public ::testing::Test {
 protected:
  void SetUp() override {
    ElfSpec loader = library("ld-linux-x86-64.so.2");
    using namespace std::string_literals;
    loader.segments = {{elf::PF_R, "\0stable release version 2.36.\n\0/lib/\0/usr/lib/\0"s}};
    tree_.add_file("/lib64/ld-linux-x86-64.so.2", build_elf(loader));
    ElfSpec python = library("");
    python.interp = "/lib64/ld-linux-x86-64.so.2";
    tree_.add_file("/usr/bin/python3.11", build_elf(python), 0755);
    tree_.add_file(kDynload, build_elf(library("")));
    instance_.id = "onnxruntime:cuda";
    instance_.package_dir = kSite + "/onnxruntime";
    instance_.import_library = kModule;
    instance_.provider_library = kCuda;
    instance_.shared_library = kShared;
    instance_.is_shipped = true;
    context_.site_directories = {kSite};
    context_.ctypes_module = kDynload;
    add(kModule, with_runpath(library(""), "$ORIGIN"));
    add(kShared, with_symbols(library("libonnxruntime_providers_shared.so"),
                              {defines("Provider_GetHost"), defines("Provider_SetHost")}));
  }

  void add(const std::string& path, const ElfSpec& spec) { tree_.add_file(path, build_elf(spec)); }

  void add_release(const std::string& release, std::vector<std::string> needed,
                   std::vector<testing::ElfSymbol> more = {}) {
    instance_.version = instance_.plan_release = release;
    more.push_back(wants("Provider_GetHost"));
    more.push_back(defines("GetProvider"));
    add(kCuda, with_symbols(library("", std::move(needed)), std::move(more)));
  }

  void add_cuda12(const std::string& site = kSite) {
    const std::string nvidia = site + "/nvidia/";
    add(nvidia + "cuda_runtime/lib/libcudart.so.12", library("libcudart.so.12"));
    ElfSpec cublas = library("libcublas.so.12", {"libcublasLt.so.12"});
    cublas.rpath = "$ORIGIN";
    add(nvidia + "cublas/lib/libcublas.so.12", cublas);
    ElfSpec lt = with_constants(library("libcublasLt.so.12"), {"libnvrtc.so.12"});
    lt.rpath = "$ORIGIN";
    add(nvidia + "cublas/lib/libcublasLt.so.12", lt);
    add(nvidia + "curand/lib/libcurand.so.10", with_runpath(library("libcurand.so.10"), "$ORIGIN"));
    add(nvidia + "cufft/lib/libcufft.so.11",
        with_runpath(
            with_constants(library("libcufft.so.11"), {"libnvJitLink.so.12", "libnvrtc.so.12"}),
            "$ORIGIN/../../nvjitlink/lib:$ORIGIN"));
    add(nvidia + "nvjitlink/lib/libnvJitLink.so.12", library("libnvJitLink.so.12"));
    add(nvidia + "cuda_nvrtc/lib/libnvrtc.so.12",
        with_runpath(with_constants(library("libnvrtc.so.12"), {"libnvrtc-builtins.so.12.9"}),
                     "$ORIGIN"));
    add(nvidia + "cuda_nvrtc/lib/libnvrtc-builtins.so.12.9", library("libnvrtc-builtins.so.12.9"));
    add_cudnn(nvidia, "$ORIGIN:$ORIGIN/../../cublas/lib:$ORIGIN/../../cuda_nvrtc/lib", "12");
  }

  void add_cuda13() {
    const std::string nvidia = kSite + "/nvidia/";
    const auto put = [&](ElfSpec spec) {
      spec.rpath = "$ORIGIN";
      add(nvidia + "cu13/lib/" + *spec.soname, spec);
    };
    put(library("libcudart.so.13"));
    put(library("libcublas.so.13", {"libcublasLt.so.13"}));
    put(with_constants(library("libcublasLt.so.13"), {"libnvrtc.so.13"}));
    put(library("libcurand.so.10", {"libcudart.so.13"}));
    put(with_constants(library("libcufft.so.12"), {"libnvJitLink.so.13", "libnvrtc.so.13"}));
    put(library("libnvJitLink.so.13"));
    put(with_constants(library("libnvrtc.so.13"), {"libnvrtc-builtins.so.13.5"}));
    put(library("libnvrtc-builtins.so.13.5"));
    add_cudnn(nvidia, "$ORIGIN:$ORIGIN/../../cu13/lib", "13");
  }

  void add_cudnn(const std::string& nvidia, const std::string& runpath, const std::string& cuda) {
    const std::string lib = nvidia + "cudnn/lib/";
    ElfSpec front = with_constants(
        library("libcudnn.so.9"),
        {"libcudnn_ops.so", "libcudnn_graph.so", "libcudnn_cnn.so", "libcudnn_adv.so"});
    front.rpath = "$ORIGIN";
    add(lib + "libcudnn.so.9", front);
    const auto put = [&](const std::string& name, std::vector<std::string> needed,
                         std::initializer_list<std::string_view> strings = {}) {
      add(lib + name,
          with_runpath(with_constants(library(name, std::move(needed)), strings), runpath));
    };
    put("libcudnn_graph.so.9", {},
        {"libcudnn_engines_precompiled.so", "libcudnn_engines_runtime_compiled.so",
         "libcudnn_heuristic.so", "libnvrtc.so.%d"});
    put("libcudnn_ops.so.9", {"libcudnn_graph.so.9"});
    put("libcudnn_cnn.so.9", {"libcudnn_ops.so.9", "libcudnn_graph.so.9"});
    put("libcudnn_adv.so.9", {"libcudnn_ops.so.9"}, {"libcublasLt.so." + cuda});
    put("libcudnn_engines_precompiled.so.9", {"libcudnn_graph.so.9"},
        {"libcublasLt.so." + cuda, "libnvrtc.so." + cuda});
    put("libcudnn_engines_runtime_compiled.so.9", {"libcudnn_graph.so.9", "libcuda.so.1"});
    put("libcudnn_heuristic.so.9", {"libcudnn_graph.so.9"});
  }

  // 1.24.4 with CUDA 12 and 1.31.1 with CUDA 13, as their wheels need them.
  void add_1_24_4() {
    add_release("1.24.4", {"libcublasLt.so.12", "libcublas.so.12", "libcurand.so.10",
                           "libcufft.so.11", "libcudart.so.12", "libcudnn.so.9"});
  }
  void add_1_31_1() {
    add_release("1.31.1",
                {"libcublasLt.so.13", "libcublas.so.13", "libcurand.so.10", "libcudart.so.13",
                 "libcuda.so.1"},
                {wants("cuTensorMapEncodeTiled")});
  }

  std::string all_directories() {
    std::string all;
    for (const char* name : {"cublas", "cuda_nvrtc", "cuda_runtime", "cudnn", "cufft", "curand",
                             "nvjitlink", "cu13"}) {
      all += (all.empty() ? "" : ":") + kSite + "/nvidia/" + name + "/lib";
    }
    return all;
  }

  ProviderRun run(const std::string& loader_path = {}) {
    walk_ = std::make_unique<tree::Walk>(tree_);
    store_ = std::make_unique<loader::Store>(*walk_);
    loader::Environment environment;
    if (!loader_path.empty()) environment.variables = {{"LD_LIBRARY_PATH", loader_path}};
    environment.binds_symbols = true;
    environment.provided = knowledge_.provided(provided_);
    auto started = loader::Process::start(*store_, "/usr/bin/python3.11", environment);
    EXPECT_TRUE(started) << started.error().to_string();
    return run_plan(knowledge_, instance_, *started, *store_, context_);
  }

  static const StepRun* step(const ProviderRun& run, const std::string& id) {
    for (const StepRun& step : run.steps) {
      if (step.id == id) return &step;
    }
    return nullptr;
  }
  static bool loads(const ProviderRun& run, const std::string& id) {
    const StepRun* found = step(run, id);
    return found != nullptr && found->result.succeeded;
  }
  // `request: necessity` of every step that fails for itself and is not expected.
  static std::vector<std::string> losses(const ProviderRun& run) {
    static constexpr std::array<const char*, 5> kWords = {"import", "provider", "abort", "function",
                                                          "optional"};
    std::vector<std::string> found;
    for (const StepRun& step : run.steps) {
      if (step.result.succeeded || step.was_skipped || step.is_expected_absence ||
          step.is_consequence || step.necessity == Necessity::Optional) {
        continue;
      }
      const std::string name(tree::Path("/" + step.request).name());
      found.push_back(name + ": " + kWords.at(static_cast<std::size_t>(step.necessity)));
    }
    return found;
  }
  static std::vector<std::string> missing_of(const ProviderRun& run, const std::string& id) {
    std::vector<std::string> names;
    for (const loader::Missing& missing : run.process->missing()) {
      if (missing.step == step(run, id)->result.step) names.push_back(missing.name);
    }
    return names;
  }

  Knowledge knowledge_ = built_in_knowledge();
  tree::MemoryTree tree_;
  std::unique_ptr<tree::Walk> walk_;
  std::unique_ptr<loader::Store> store_;
  ProviderInstance instance_;
  RunContext context_;
  std::vector<std::string> provided_;
};

}  // namespace loadable::accel
