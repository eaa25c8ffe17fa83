// SPDX-License-Identifier: Apache-2.0
// The whole line on trees in memory: environments of small ELF files, as `check` sees them.
#include "exam/exam.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "check/filter.h"
#include "exam/venv_for_test.h"

namespace loadable::exam {
namespace {

using accel::kCapi;
using accel::kCuda;
using accel::kShared;
using accel::kSite;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> kNeeded12 = {"libcublasLt.so.12", "libcublas.so.12",
                                            "libcurand.so.10",   "libcufft.so.11",
                                            "libcudart.so.12",   "libcudnn.so.9"};

class Exam : public VenvPlan {
 protected:
  void SetUp() override {
    VenvPlan::SetUp();
    options_.shown_target = "/venv";
  }

  void add_distribution(const std::string& name, const std::string& version,
                        const std::vector<std::string>& files) {
    std::string folder = name;
    std::replace(folder.begin(), folder.end(), '-', '_');
    const std::string info = kSite + "/" + folder + "-" + version + ".dist-info/";
    tree_.add_file(info + "METADATA",
                   "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n");
    std::string record;
    for (const std::string& file : files) record += file + ",,\n";
    tree_.add_file(info + "RECORD", record);
  }

  /// onnxruntime-gpu 1.24.4 with all that its extras install.
  void add_gpu_environment() {
    add_release("1.24.4", kNeeded12);
    add_cuda12();
    add_distribution(
        "onnxruntime-gpu", "1.24.4",
        {"onnxruntime/capi/libonnxruntime_providers_cuda.so",
         "onnxruntime/capi/libonnxruntime_providers_shared.so",
         "onnxruntime/capi/onnxruntime_pybind11_state.cpython-311-x86_64-linux-gnu.so"});
    add_distribution("nvidia-cublas-cu12", "12.9",
                     {"nvidia/cublas/lib/libcublas.so.12", "nvidia/cublas/lib/libcublasLt.so.12"});
    add_distribution("nvidia-cufft-cu12", "11.4", {"nvidia/cufft/lib/libcufft.so.11"});
  }

  static std::string every_directory() {
    std::string path;
    for (const char* name :
         {"cublas", "cuda_nvrtc", "cuda_runtime", "cudnn", "cufft", "curand", "nvjitlink"}) {
      path += (path.empty() ? "" : ":") + kSite + "/nvidia/" + name + "/lib";
    }
    return path;
  }

  void put_all_on_the_path() { options_.stated = {{"LD_LIBRARY_PATH", every_directory()}}; }

  check::Report examined(const std::string& prefix = "/venv", const std::string& root = "/other") {
    target::Target target;
    target.kind = target::Kind::Venv;
    target.root = root;
    target.path = prefix;
    target.tree = std::make_unique<Borrowed>(tree_);
    target.walk = std::make_unique<tree::Walk>(*target.tree);
    auto environment = python::read_venv(*target.walk, tree::Path(prefix));
    EXPECT_TRUE(environment) << environment.error().to_string();
    target.environments = {*environment};
    auto report = examine(target, accel::built_in_knowledge(), options_);
    EXPECT_TRUE(report) << report.error().to_string();
    return *report;
  }
};

const check::ProviderReport& cuda(const check::Report& report) {
  static const check::ProviderReport kNone;
  const auto found =
      std::find_if(report.providers.begin(), report.providers.end(),
                   [](const auto& provider) { return provider.id == "onnxruntime:cuda"; });
  EXPECT_NE(found, report.providers.end());
  return found == report.providers.end() ? kNone : *found;
}

std::vector<std::string> rules(const check::Report& report, check::Severity least) {
  std::vector<std::string> names;
  for (const check::Finding& finding : report.findings) {
    if (finding.severity >= least) names.push_back(finding.rule);
  }
  return names;
}

TEST_F(Exam, AsInstalledTheProviderReachesNothing) {
  add_gpu_environment();
  const check::Report report = examined();
  EXPECT_EQ(cuda(report).verdicts.shipped, check::Verdict::Yes);
  EXPECT_EQ(cuda(report).verdicts.intact, check::Verdict::Yes);
  EXPECT_EQ(cuda(report).verdicts.loadable, check::Verdict::No);
  EXPECT_EQ(cuda(report).cause, "unreachable-library");
  EXPECT_TRUE(cuda(report).is_required);
  EXPECT_EQ(rules(report, check::Severity::Error).size(), kNeeded12.size());
  EXPECT_THAT(report.findings.front().message, HasSubstr("`libcublasLt.so.12`"));
  EXPECT_EQ(report.findings.front().locations.front().path, kCuda);
  EXPECT_EQ(report.findings.front().locations.back().path,
            kSite + "/nvidia/cublas/lib/libcublasLt.so.12");
  EXPECT_EQ(report.findings.front().locations.back().distribution, "nvidia-cublas-cu12 12.9");
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(check::exit_status({report}, check::Severity::Error), 1);
}

TEST_F(Exam, WhatServesTwoCudaReleasesIsInstalledForThatOfTheProvider) {
  add_release("1.24.4", kNeeded12);
  add_distribution("onnxruntime-gpu", "1.24.4", {});
  const check::Report report = examined();
  const auto found = std::find_if(
      report.findings.begin(), report.findings.end(), [](const check::Finding& finding) {
        return finding.message.find("libcudnn.so.9") != std::string::npos;
      });
  ASSERT_NE(found, report.findings.end());
  EXPECT_THAT(found->remedies.front().title, HasSubstr("`nvidia-cudnn-cu12`"));
}

TEST_F(Exam, WithEveryDirectoryOnThePathItLoads) {
  add_gpu_environment();
  put_all_on_the_path();
  const check::Report report = examined();
  EXPECT_EQ(cuda(report).verdicts.loadable, check::Verdict::Yes);
  EXPECT_EQ(cuda(report).cause, "");
  EXPECT_THAT(rules(report, check::Severity::Warning), IsEmpty());
  EXPECT_EQ(check::exit_status({report}, check::Severity::Error), 0);
}

TEST_F(Exam, AListedLibraryThatIsGoneIsTheCause) {
  add_gpu_environment();
  put_all_on_the_path();
  tree_.remove(kSite + "/nvidia/cufft/lib/libcufft.so.11");
  const check::Report report = examined();
  EXPECT_EQ(cuda(report).verdicts.intact, check::Verdict::Partly);
  EXPECT_EQ(cuda(report).verdicts.loadable, check::Verdict::No);
  EXPECT_THAT(rules(report, check::Severity::Error), ElementsAre("missing-file"));
}

TEST_F(Exam, WithoutTheBridgeItsSymbolFollows) {
  add_gpu_environment();
  put_all_on_the_path();
  tree_.remove(kShared);
  const check::Report report = examined();
  EXPECT_EQ(cuda(report).verdicts.loadable, check::Verdict::No);
  EXPECT_EQ(cuda(report).cause, "missing-file");
  ASSERT_FALSE(report.findings.empty());
  bool is_named = false;
  for (const auto& [name, values] : report.findings.front().evidence.values) {
    for (const std::string& value : values) {
      is_named = is_named || value.find("Provider_GetHost") != std::string::npos;
    }
  }
  EXPECT_TRUE(is_named);
}

TEST_F(Exam, ACutProviderIsNotIntact) {
  add_gpu_environment();
  put_all_on_the_path();
  tree_.add_file(kCuda, "");
  const check::Report report = examined();
  EXPECT_EQ(cuda(report).verdicts.intact, check::Verdict::No);
  EXPECT_EQ(cuda(report).verdicts.loadable, check::Verdict::No);
  EXPECT_EQ(cuda(report).cause, "damaged-library");
}

TEST_F(Exam, AnEmptyEnvironmentIsHealthyUnlessSomethingIsRequired) {
  tree_.remove(kSite + "/onnxruntime");
  tree_.add_directory(kSite);
  check::Report report = examined();
  EXPECT_THAT(report.providers, IsEmpty());
  EXPECT_THAT(report.findings, IsEmpty());
  options_.require = {{"onnxruntime:cuda", {}}};
  report = examined();
  EXPECT_EQ(cuda(report).cause, "not-shipped");
  EXPECT_EQ(cuda(report).verdicts.shipped, check::Verdict::No);
  EXPECT_EQ(check::exit_status({report}, check::Severity::Error), 1);
}

TEST_F(Exam, ManyModulesThatMissOneLibraryAreOneFinding) {
  tree_.remove(kSite + "/onnxruntime");
  for (int i = 0; i < 14; ++i) {
    add(kSite + "/pkg/m" + std::to_string(i) + ".cpython-311-x86_64-linux-gnu.so",
        accel::library("", {"libnowhere.so.1"}));
  }
  const check::Report report = examined();
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings.front().rule, "absent-library");
  EXPECT_EQ(report.findings.front().severity, check::Severity::Warning);
  EXPECT_EQ(report.findings.front().locations.size(), 14U);
}

TEST_F(Exam, APartForSoftwareThatIsNotInstalledIsANote) {
  tree_.remove(kSite + "/onnxruntime");
  const std::string suffix = ".cpython-311-x86_64-linux-gnu.so";
  add(kSite + "/pkg/core" + suffix, accel::library(""));
  add(kSite + "/pkg/tbbpool" + suffix, accel::library("", {"libtbb.so.12"}));
  add(kSite + "/pkg/plugins/libodbc_plugin.so", accel::library("", {"libodbc.so.2"}));
  add_distribution("pkg", "1.0",
                   {"pkg/core" + suffix, "pkg/tbbpool" + suffix, "pkg/plugins/libodbc_plugin.so"});
  const check::Report report = examined();
  ASSERT_EQ(report.findings.size(), 1U) << "one note for the distribution";
  EXPECT_EQ(report.findings.front().severity, check::Severity::Note);
  EXPECT_THAT(report.findings.front().message, HasSubstr("`libtbb.so.12`"));
}

TEST_F(Exam, APrivateLibraryIsJudgedThroughTheModuleThatNeedsIt) {
  tree_.remove(kSite + "/onnxruntime");
  accel::ElfSpec module = accel::library("", {"libgdal.so.1"});
  module.rpath = "$ORIGIN/../pkg.libs";
  add(kSite + "/pkg/io.cpython-311-x86_64-linux-gnu.so", module);
  // Without a search path of its own: by itself it would miss its neighbour.
  add(kSite + "/pkg.libs/libgdal.so.1", accel::library("libgdal.so.1", {"libproj.so.1"}));
  add(kSite + "/pkg.libs/libproj.so.1", accel::library("libproj.so.1"));
  const check::Report report = examined();
  EXPECT_THAT(report.findings, IsEmpty());
}

TEST_F(Exam, AModuleThatNeedsAnEarlierImportOfItsPackageIsFine) {
  tree_.remove(kSite + "/onnxruntime");
  const std::string suffix = ".cpython-311-x86_64-linux-gnu.so";
  accel::ElfSpec first = accel::library("", {"libcore.so.1"});
  first.runpath = "$ORIGIN/lib";
  add(kSite + "/pkg/a" + suffix, first);
  add(kSite + "/pkg/lib/libcore.so.1", accel::library("libcore.so.1"));
  add(kSite + "/pkg/b" + suffix, accel::library("", {"libcore.so.1"}));
  EXPECT_THAT(examined().findings, IsEmpty());
}

TEST_F(Exam, WhatARequiredProviderRestsOnMakesTheExaminationIncomplete) {
  add_gpu_environment();
  put_all_on_the_path();
  tree_.deny(kSite + "/nvidia/cudnn");
  const check::Report report = examined();
  EXPECT_FALSE(report.incidents.empty());
  EXPECT_FALSE(report.is_complete);
  EXPECT_EQ(cuda(report).verdicts.loadable, check::Verdict::Unknown);
  EXPECT_EQ(check::exit_status({report}, check::Severity::Error), 3);
}

TEST_F(Exam, AFileThatCannotBeReadIsNotCalledDamaged) {
  add_gpu_environment();
  put_all_on_the_path();
  tree_.deny(kCuda);
  const check::Report report = examined();
  EXPECT_THAT(rules(report, check::Severity::Note), IsEmpty());
  EXPECT_EQ(cuda(report).verdicts.loadable, check::Verdict::Unknown);
  EXPECT_FALSE(report.is_complete);
}

TEST_F(Exam, AnIncidentThatNothingRestsOnLeavesItComplete) {
  add_gpu_environment();
  put_all_on_the_path();
  tree_.add_file("/venv/share/x", "");
  tree_.deny("/venv/share");
  const check::Report report = examined();
  EXPECT_FALSE(report.incidents.empty());
  EXPECT_TRUE(report.is_complete);
}

TEST_F(Exam, ADamagedLoaderIsOneFindingThatNamesIt) {
  add_gpu_environment();
  put_all_on_the_path();
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
  for (const std::string_view bytes : {"", "not a loader",
                                       "\x7f"
                                       "ELF"}) {
    tree_.add_file(loader, bytes, 0755);
    const check::Report report = examined();
    EXPECT_EQ(cuda(report).verdicts.loadable, check::Verdict::No);
    EXPECT_EQ(cuda(report).cause, "damaged-library");
    EXPECT_THAT(rules(report, check::Severity::Note), ElementsAre("damaged-library"));
    EXPECT_THAT(report.findings.front().message, HasSubstr(loader));
    EXPECT_EQ(report.findings.front().locations.front().path, "/usr/bin/python3.11");
    EXPECT_EQ(report.findings.front().locations.back().path, loader);
  }
  tree_.remove(loader);
  EXPECT_THAT(rules(examined(), check::Severity::Note), ElementsAre("absent-library"));
}

TEST_F(Exam, AnInterpreterThatCannotBeReadIsNoAnswerWhateverIsRequired) {
  tree_.remove(kSite + "/onnxruntime");
  EXPECT_EQ(check::exit_status({examined()}, check::Severity::Error), 0);
  for (const std::string_view bytes : {"", "#!/bin/sh\n",
                                       "\x7f"
                                       "ELF cut"}) {
    tree_.add_file("/usr/bin/python3.11", bytes, 0755);
    const check::Report report = examined();
    EXPECT_FALSE(report.is_complete) << bytes;
    EXPECT_EQ(check::exit_status({report}, check::Severity::Error), 3) << bytes;
    ASSERT_FALSE(report.incidents.empty());
    EXPECT_EQ(report.incidents.front().path, "/usr/bin/python3.11");
  }
  tree_.remove("/usr/bin/python3.11");
  EXPECT_FALSE(examined().is_complete);
}

TEST_F(Exam, APthFileThatCannotBeReadMayHideAProvider) {
  tree_.remove(kSite + "/onnxruntime");
  tree_.add_file(kSite + "/more.pth", "/opt/more\n").deny(kSite + "/more.pth");
  options_.require = {{"onnxruntime:cuda", {}}};
  const check::Report report = examined();
  EXPECT_FALSE(report.is_complete);
  ASSERT_FALSE(report.incidents.empty());
  EXPECT_EQ(report.incidents.front().path, kSite + "/more.pth");
  EXPECT_EQ(cuda(report).verdicts.shipped, check::Verdict::Unknown);
  EXPECT_EQ(check::exit_status({report}, check::Severity::Error), 3);
}

TEST_F(Exam, ADirectoryOnPythonpathIsImportedFrom) {
  tree_.remove(kSite + "/onnxruntime");
  add("/app/pkg/m.cpython-311-x86_64-linux-gnu.so", accel::library("", {"libnowhere.so.1"}));
  EXPECT_THAT(examined().findings, IsEmpty());
  options_.stated = {{"PYTHONPATH", "/app"}};
  const check::Report report = examined();
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings.front().rule, "absent-library");
  EXPECT_EQ(report.environments.front().variables.front().second, "/app");
}

TEST_F(Exam, AProviderThatOnlyTheCallersPythonpathLeadsToDependsOnIt) {
  add_gpu_environment();
  put_all_on_the_path();
  // The whole environment stands for a folder of somebody's own.
  tree_.add_directory("/other/lib/python3.11/site-packages");
  tree_.add_file("/other/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  tree_.add_link("/other/bin/python", "/usr/bin/python3.11");
  options_.counts_host = true;
  options_.host_python = {{"HOME", "/root"}, {"PYTHONPATH", kSite}};
  const check::Report report = examined("/other", "/");
  EXPECT_EQ(cuda(report).verdicts.loadable, check::Verdict::Yes);
  EXPECT_THAT(rules(report, check::Severity::Warning),
              ElementsAre("depends-on-caller-environment"));
  EXPECT_THAT(report.findings.front().message, HasSubstr("`shipped` would be no"));
  EXPECT_THAT(report.environments.front().variables,
              ElementsAre(::testing::Pair("LD_LIBRARY_PATH", every_directory()),
                          ::testing::Pair("PYTHONPATH", kSite)));
  options_.counts_host = false;
  EXPECT_THAT(examined("/other", "/").providers, IsEmpty());
}

/// A root with one file, or with none.
Result<check::Report> examined_root(tree::MemoryTree& tree) {
  target::Target target;
  target.kind = target::Kind::Rootfs;
  target.root = "/other";
  target.path = target.shown = "/";
  target.tree = std::make_unique<Borrowed>(tree);
  target.walk = std::make_unique<tree::Walk>(*target.tree);
  Options options;
  options.counts_host = false;
  return examine(target, accel::built_in_knowledge(), options);
}

TEST(ExamOfARoot, WithoutAProgramOrALibraryThereIsNothingToExamine) {
  tree::MemoryTree tree;
  tree.add_file("/etc/passwd", "").add_file("/usr/bin/run", "#!/bin/sh\n", 0755);
  const auto report = examined_root(tree);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().to_string(),
            "/: nothing to examine: no interpreter, no program and no library is there");
}

TEST(ExamOfARoot, OneStaticProgramIsFine) {
  tree::MemoryTree tree;
  accel::ElfSpec program;
  program.type = elf::ET_EXEC;
  tree.add_file("/app", accel::build_elf(program), 0755);
  const auto report = examined_root(tree);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_THAT(report->findings, IsEmpty());
  EXPECT_EQ(check::exit_status({*report}, check::Severity::Error), 0);
}

TEST(ExamOfARoot, WhatCannotBeReadIsNotNothing) {
  tree::MemoryTree tree;
  tree.add_directory("/usr/bin").deny("/usr/bin");
  const auto report = examined_root(tree);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_FALSE(report->incidents.empty());
}

TEST_F(Exam, TheSameTreeGivesTheSameReport) {
  add_gpu_environment();
  const check::Report a = examined();
  const check::Report b = examined();
  ASSERT_EQ(a.findings.size(), b.findings.size());
  for (std::size_t i = 0; i < a.findings.size(); ++i) {
    EXPECT_EQ(a.findings[i].message, b.findings[i].message);
  }
}

}  // namespace
}  // namespace loadable::exam
