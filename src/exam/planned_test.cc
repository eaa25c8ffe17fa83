// SPDX-License-Identifier: Apache-2.0
#include "exam/planned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadable::exam {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

PlannedDistribution planned(std::string name, std::string version) {
  PlannedDistribution distribution;
  distribution.name = std::move(name);
  distribution.version = std::move(version);
  distribution.place = "/p/uv.lock:12";
  return distribution;
}

PlannedDistribution with_files(PlannedDistribution distribution, std::vector<PlannedFile> files) {
  distribution.files = std::move(files);
  return distribution;
}

check::Report judged(const std::vector<Plan>& plans, std::vector<std::string> require = {}) {
  Options options;
  for (std::string& id : require) options.require.push_back({std::move(id), {}});
  check::Report report;
  judge_plans(accel::built_in_knowledge(), options, plans, report);
  return report;
}

std::vector<std::string> rules_of(const check::Report& report) {
  std::vector<std::string> rules;
  for (const check::Finding& finding : report.findings) {
    rules.push_back(std::string(check::to_string(finding.severity)) + " " + finding.rule);
  }
  return rules;
}

const check::ProviderReport& cuda(const check::Report& report) {
  static const check::ProviderReport kNone;
  for (const check::ProviderReport& provider : report.providers) {
    if (provider.id == "onnxruntime:cuda") return provider;
  }
  return kNone;
}

Plan plan_of(std::vector<PlannedDistribution> distributions, std::string selection = {}) {
  Plan plan;
  plan.distributions = std::move(distributions);
  plan.selection = std::move(selection);
  plan.tools = {check::PackageTool::Uv};
  return plan;
}

TEST(ExamPlanned, TwoMembersOfWhichOneCarriesARequiredProviderAreAnError) {
  const check::Report report =
      judged({plan_of({planned("onnxruntime", "1.32.0"), planned("onnxruntime_gpu", "1.31.1"),
                       planned("numpy", "2.0")})});
  ASSERT_THAT(rules_of(report), ElementsAre("error conflicting-distributions"));
  const check::Finding& finding = report.findings.front();
  EXPECT_EQ(finding.provider, "onnxruntime:cuda");
  EXPECT_THAT(finding.message, HasSubstr("`onnxruntime` 1.32.0 and `onnxruntime_gpu` 1.31.1 are "
                                         "both locked, and both install into `onnxruntime/`"));
  ASSERT_THAT(finding.locations, SizeIs(2));
  EXPECT_EQ(finding.locations[0].path, "/p/uv.lock");
  EXPECT_EQ(finding.locations[0].line, 12);
  EXPECT_THAT(finding.remedies, SizeIs(3));
  const check::ProviderReport& provider = cuda(report);
  EXPECT_TRUE(provider.is_required);
  EXPECT_EQ(provider.verdicts.shipped, check::Verdict::Yes);
  EXPECT_EQ(provider.verdicts.intact, check::Verdict::No);
  EXPECT_EQ(provider.verdicts.loadable, check::Verdict::Unknown);
  EXPECT_EQ(provider.cause, "conflicting-distributions");
  EXPECT_TRUE(report.is_complete);
}

TEST(ExamPlanned, OneMemberAndUnrelatedOnesAreHealthy) {
  const check::Report report = judged({plan_of(
      {planned("onnxruntime-gpu", "1.31.1"), planned("numpy", "2.0"), planned("torch", "2.9")})});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(cuda(report).verdicts.shipped, check::Verdict::Yes);
  EXPECT_EQ(cuda(report).cause, "");
}

TEST(ExamPlanned, WithoutAnyIntentAConflictIsAWarning) {
  const check::Report report = judged({plan_of(
      {planned("opencv-python", "5.0.0.93"), planned("opencv-python-headless", "5.0.0.93")})});
  EXPECT_THAT(rules_of(report), ElementsAre("warning conflicting-distributions"));
}

TEST(ExamPlanned, CondasOwnNamesConflictOnlyWithPips) {
  auto conda = planned("onnxruntime", "1.20");
  conda.is_conda = true;
  auto other = planned("onnxruntime-gpu", "1.20");
  other.is_conda = true;
  EXPECT_THAT(judged({plan_of({conda, other})}).findings, IsEmpty());
  EXPECT_THAT(rules_of(judged({plan_of({conda, planned("onnxruntime-gpu", "1.31.1")})})),
              ElementsAre("error conflicting-distributions"));
}

TEST(ExamPlanned, AStandInIsNeverAConflict) {
  const auto stand_in = with_files(planned("onnxruntime", "1.31.1"),
                                   {{"onnxruntime-1.31.1.dist-info/METADATA", "sha256=a"},
                                    {"onnxruntime-1.31.1.dist-info/RECORD", ""}});
  EXPECT_THAT(judged({plan_of({stand_in, planned("onnxruntime-gpu", "1.31.1")})}).findings,
              IsEmpty());
  auto unseen = planned("onnxruntime", "1.31.1");
  unseen.is_local = true;
  const check::Report report = judged({plan_of({unseen, planned("onnxruntime-gpu", "1.31.1")})});
  ASSERT_THAT(rules_of(report), ElementsAre("error conflicting-distributions"));
  EXPECT_THAT(report.findings.front().notes, Contains(HasSubstr("stand-in")));
}

TEST(ExamPlanned, ListsAtHandSayWhichFilesDiffer) {
  const check::Report report = judged({plan_of(
      {with_files(planned("onnxruntime", "1.24.4"),
                  {{"onnxruntime/__init__.py", "sha256=a"}, {"onnxruntime/capi/x.so", "sha256=b"}}),
       with_files(
           planned("onnxruntime-gpu", "1.24.4"),
           {{"onnxruntime/__init__.py", "sha256=a"}, {"onnxruntime/capi/x.so", "sha256=c"}})})});
  ASSERT_THAT(rules_of(report), ElementsAre("error conflicting-distributions"));
  EXPECT_THAT(report.findings.front().message, HasSubstr("1 of 2 common files differ"));
}

TEST(ExamPlanned, PairsOfNoFamilyAreFoundByTheirLists) {
  const check::Report report = judged({plan_of(
      {with_files(planned("one", "1"), {{"shared/a.py", "sha256=a"}, {"shared/b.py", "sha256=b"}}),
       with_files(planned("two", "1"), {{"shared/a.py", "sha256=x"}, {"shared/b.py", "sha256=b"}}),
       with_files(planned("three", "1"), {{"shared/b.py", "sha256=b"}})})});
  ASSERT_THAT(rules_of(report), ElementsAre("warning conflicting-distributions"));
  EXPECT_THAT(report.findings.front().message, HasSubstr("1 of the 2 files that both hold differ"));
}

TEST(ExamPlanned, ARequiredProviderThatIsNotThereIsNamed) {
  EXPECT_THAT(rules_of(judged({plan_of({planned("onnxruntime", "1.32.0")})}, {"onnxruntime:cuda"})),
              ElementsAre("error cpu-build"));
  EXPECT_THAT(rules_of(judged({plan_of({planned("numpy", "2.0")})}, {"onnxruntime:cuda"})),
              ElementsAre("error not-shipped"));
  EXPECT_THAT(judged({plan_of({planned("onnxruntime", "1.32.0")})}).findings, IsEmpty());
}

Plan on(std::string release, std::vector<PlannedDistribution> distributions) {
  const bool is_first = release == "3.10";
  Plan plan = plan_of(std::move(distributions), is_first ? "" : "on Python " + release);
  plan.release = std::move(release);
  return plan;
}

TEST(ExamPlanned, ARequiredProviderIsWantedOnEveryPython) {
  const auto gpu = planned("onnxruntime-gpu", "1.31.1");
  const auto cpu = planned("onnxruntime", "1.32.0");
  const check::Report report =
      judged({on("3.10", {cpu}), on("3.11", {cpu}), on("3.12", {gpu}), on("3.13", {})},
             {"onnxruntime:cuda"});
  ASSERT_THAT(rules_of(report), ElementsAre("error cpu-build", "error not-shipped"));
  EXPECT_THAT(report.findings[0].message,
              HasSubstr("`onnxruntime` 1.32.0, which is locked on Python 3.10 and 3.11, is a "
                        "build without it"));
  EXPECT_THAT(report.findings[1].message,
              HasSubstr("nothing of its family is locked on Python 3.13"));
  EXPECT_EQ(cuda(report).verdicts.shipped, check::Verdict::No);
  EXPECT_THAT(
      judged({on("3.10", {cpu}), on("3.11", {cpu})}, {"onnxruntime:cuda"}).findings.front().message,
      HasSubstr("which is locked, is a build"));
}

TEST(ExamPlanned, WhatOnlySomePythonsGetIsHealthyUntilItIsRequired) {
  const auto gpu = planned("onnxruntime-gpu", "1.31.1");
  EXPECT_THAT(judged({on("3.10", {planned("onnxruntime", "1.32.0")}), on("3.11", {gpu})}).findings,
              IsEmpty());
  // fastembed-gpu wants it wherever it is installed.
  const check::Report report =
      judged({on("3.10", {gpu}),
              on("3.11", {planned("fastembed-gpu", "0.9.1"), planned("onnxruntime", "1.32.0")})});
  ASSERT_THAT(rules_of(report), Contains("error cpu-build"));
  EXPECT_THAT(report.findings.front().message, HasSubstr("locked on Python 3.11"));
}

TEST(ExamPlanned, TheBuildOfACondaPackageDecidesWhatItCarries) {
  const auto conda = [](std::string build) {
    auto package = planned("onnxruntime", "1.20.1");
    package.is_conda = true;
    package.build = std::move(build);
    return std::vector<Plan>{plan_of({package})};
  };
  const check::Report gpu = judged(conda("*cuda*"), {"onnxruntime:cuda"});
  EXPECT_THAT(gpu.findings, IsEmpty());
  EXPECT_EQ(cuda(gpu).verdicts.shipped, check::Verdict::Yes);
  EXPECT_TRUE(cuda(judged(conda("py311h0_0_cuda"))).is_required);
  EXPECT_THAT(rules_of(judged(conda("*cpu*"), {"onnxruntime:cuda"})),
              ElementsAre("error cpu-build"));
  const check::Report open = judged(conda(""), {"onnxruntime:cuda"});
  EXPECT_THAT(open.findings, IsEmpty());
  EXPECT_EQ(cuda(open).verdicts.shipped, check::Verdict::Unknown);
  EXPECT_FALSE(open.is_complete);
  ASSERT_THAT(open.incidents, SizeIs(1));
  EXPECT_THAT(open.incidents[0].message, HasSubstr("`onnxruntime=*=*cuda*` states it"));
  const check::Report nobody = judged(conda(""));
  EXPECT_TRUE(nobody.is_complete);
  EXPECT_THAT(nobody.providers, IsEmpty());
}

TEST(ExamPlanned, AConflictOfALaterSelectionSaysWithWhich) {
  const check::Report report =
      judged({plan_of({planned("onnxruntime-gpu", "1.31.1")}),
              plan_of({planned("onnxruntime", "1.32.0"), planned("onnxruntime-gpu", "1.31.1")},
                      "with extra `cpu`"),
              plan_of({planned("onnxruntime", "1.32.0"), planned("onnxruntime-gpu", "1.31.1")},
                      "with extra `all`")});
  ASSERT_THAT(rules_of(report), ElementsAre("error conflicting-distributions"));
  EXPECT_THAT(report.findings.front().message, HasSubstr("locked with extra `cpu`"));
  EXPECT_EQ(cuda(report).verdicts.intact, check::Verdict::Unknown);
}

TEST(ExamPlanned, APlainRequirementOfOneMemberIsHard) {
  const auto& knowledge = accel::built_in_knowledge();
  const auto hard = find_hard_dependencies(
      knowledge, "fastembed", {"onnxruntime>=1.17 ; python_version < \"3.13\"", "numpy", "!!"},
      "/p/pyproject.toml");
  ASSERT_THAT(hard, SizeIs(1));
  EXPECT_EQ(hard[0].requirement, "onnxruntime>=1.17");
  EXPECT_THAT(hard[0].alternatives, Contains("onnxruntime-gpu"));
  EXPECT_THAT(find_hard_dependencies(knowledge, "x", {"onnxruntime ; extra == \"cpu\""}, "p"),
              IsEmpty());
  EXPECT_THAT(find_hard_dependencies(knowledge, "onnxruntime-gpu", {"onnxruntime"}, "p"),
              IsEmpty());
}

TEST(ExamPlanned, AFamilyWithoutAcceleratorLeavesNothingToChoose) {
  const auto& knowledge = accel::built_in_knowledge();
  for (const char* name : {"pillow", "psycopg2-binary", "pycryptodome", "opencv-python"}) {
    EXPECT_THAT(find_hard_dependencies(knowledge, "x", {name}, "p"), IsEmpty()) << name;
  }
  for (const char* name : {"faiss-cpu", "fastembed", "tensorflow", "cupy-cuda12x"}) {
    EXPECT_THAT(find_hard_dependencies(knowledge, "x", {name}, "p"), SizeIs(1)) << name;
  }
}

}  // namespace
}  // namespace loadable::exam
