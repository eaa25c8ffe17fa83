// SPDX-License-Identifier: Apache-2.0
#include "exam/planned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exam/lock.h"
#include "tree/memory_tree.h"

namespace loadable::exam {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using tree::MemoryTree;

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

// ---- locks
// ---------------------------------------------------------------------------------------

Result<check::Report> examined(const std::vector<std::pair<std::string, std::string>>& files,
                               const std::string& path, const PlannedOptions& options = {}) {
  target::Spec spec;
  spec.path = path;
  spec.cwd = "/";
  auto target = target::resolve_target(spec, [&](const std::string&) {
    auto tree = std::make_unique<MemoryTree>();
    for (const auto& [name, text] : files) tree->add_file(name, text);
    return Result<std::unique_ptr<tree::Tree>>(std::move(tree));
  });
  if (!target) return fail(target.error());
  Options exam;
  exam.planned = options;
  return examine(*target, accel::built_in_knowledge(), exam);
}

constexpr const char* kExtras = R"(version = 1
requires-python = ">=3.11"
[[package]]
name = "demo"
version = "1"
source = { virtual = "." }
[package.optional-dependencies]
cpu = [{ name = "onnxruntime" }]
gpu = [{ name = "onnxruntime-gpu" }]
[[package]]
name = "onnxruntime"
version = "1.32.0"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "onnxruntime-gpu"
version = "1.31.1"
source = { registry = "https://pypi.org/simple" }
)";

TEST(ExamLock, ExtrasConflictWhereASelectionHoldsBoth) {
  const auto report = examined({{"/p/uv.lock", kExtras}}, "/p/uv.lock");
  ASSERT_TRUE(report) << report.error().to_string();
  ASSERT_THAT(rules_of(*report), ElementsAre("error conflicting-distributions"));
  EXPECT_THAT(report->findings.front().message, HasSubstr("with extra `cpu`, extra `gpu`"));
  EXPECT_EQ(report->target_kind, "lock");
}

TEST(ExamLock, ExtrasThatExcludeEachOtherDoNotConflict) {
  const std::string text =
      std::string(
          "conflicts = [[{ package = \"demo\", extra = \"cpu\" }, { package = \"demo\", extra = "
          "\"gpu\" }]]\n") +
      kExtras;
  const auto report = examined({{"/p/uv.lock", text}}, "/p/uv.lock");
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_THAT(report->findings, IsEmpty());
  PlannedOptions both;
  both.extras = {"cpu", "gpu"};
  EXPECT_THAT(examined({{"/p/uv.lock", text}}, "/p/uv.lock", both).error().message,
              HasSubstr("exclude each other"));
  PlannedOptions unknown;
  unknown.extras = {"npu"};
  EXPECT_THAT(examined({{"/p/uv.lock", text}}, "/p/uv.lock", unknown).error().message,
              HasSubstr("--extra `npu` is not in it; it has: `cpu`, `gpu`"));
}

TEST(ExamLock, AProjectIsJudgedByItsLockAndItsOwnRequirements) {
  const char* project = "[project]\nname = \"demo\"\ndependencies = [\"onnxruntime>=1.17\"]\n";
  const auto report = examined({{"/p/pyproject.toml", project}, {"/p/uv.lock", kExtras}}, "/p");
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_THAT(rules_of(*report),
              ElementsAre("error conflicting-distributions", "note hard-family-dependency"));
  EXPECT_THAT(report->sources, ElementsAre("/p/uv.lock", "/p/pyproject.toml"));
  EXPECT_EQ(report->target_kind, "project");
}

TEST(ExamLock, RequirementsNeedNotBePinned) {
  const auto report =
      examined({{"/p/requirements.txt", "onnxruntime\nonnxruntime-gpu==1.31.1\n-r gone.txt\n"}},
               "/p/requirements.txt");
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_THAT(rules_of(*report), ElementsAre("error conflicting-distributions"));
  EXPECT_EQ(report->findings.front().locations.front().line, 1);
  EXPECT_THAT(report->incidents, SizeIs(1));
  EXPECT_FALSE(report->is_complete);
}

TEST(ExamLock, WhatAWishPullsInIsKnownFromTheTables) {
  const auto report = examined({{"/p/requirements.txt", "fastembed==0.7.4\nonnxruntime-gpu\n"}},
                               "/p/requirements.txt");
  ASSERT_TRUE(report) << report.error().to_string();
  ASSERT_THAT(rules_of(*report), ElementsAre("error conflicting-distributions"));
  EXPECT_THAT(report->findings.front().notes,
              Contains(HasSubstr("fastembed requires onnxruntime")));
  const auto kept_out =
      examined({{"/p/requirements.txt", "-c c.txt\nfastembed\nonnxruntime-gpu\n"},
                {"/p/c.txt", "onnxruntime @ file:///w/onnxruntime-1.31.1-py3-none-any.whl\n"}},
               "/p/requirements.txt");
  ASSERT_TRUE(kept_out) << kept_out.error().to_string();
  EXPECT_THAT(kept_out->findings, IsEmpty());
  const auto compiled = examined({{"/p/requirements.txt",
                                   "fastembed==0.7.4\n    # via demo (pyproject.toml)\n"
                                   "onnxruntime-gpu==1.31.1\n    # via demo (pyproject.toml)\n"}},
                                 "/p/requirements.txt");
  ASSERT_TRUE(compiled) << compiled.error().to_string();
  EXPECT_THAT(compiled->findings, IsEmpty());
}

TEST(ExamLock, AMarkerOfAnotherReleaseIsFoundAndNamed) {
  const auto report =
      examined({{"/p/pyproject.toml",
                 "[project]\nname = \"demo\"\nrequires-python = \">=3.11,<3.13\"\ndependencies = "
                 "[\"onnxruntime-gpu\", \"onnxruntime; python_version >= '3.12'\"]\n"}},
               "/p/pyproject.toml");
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_THAT(rules_of(*report), Contains("error conflicting-distributions"));
  EXPECT_THAT(report->findings.front().message, HasSubstr("on Python 3.12"));
  PlannedOptions older;
  older.python_version = "3.11";
  const auto other =
      examined({{"/p/pyproject.toml",
                 "[project]\nname = \"demo\"\nrequires-python = \">=3.11,<3.13\"\ndependencies = "
                 "[\"onnxruntime-gpu\", \"onnxruntime; python_version >= '3.12'\"]\n"}},
               "/p/pyproject.toml", older);
  ASSERT_TRUE(other);
  EXPECT_THAT(rules_of(*other), ::testing::Not(Contains("error conflicting-distributions")));
}

TEST(ExamLock, AFolderWithoutAnyListIsAnError) {
  const auto report = examined({{"/p/setup.py", ""}}, "/p");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::NotFound);
  const auto unread = examined({{"/p/Pipfile.lock", "{}"}}, "/p/Pipfile.lock");
  ASSERT_FALSE(unread);
  EXPECT_EQ(unread.error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace loadable::exam
