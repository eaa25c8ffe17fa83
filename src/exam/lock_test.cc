// SPDX-License-Identifier: Apache-2.0
#include "exam/lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tree/memory_tree.h"

namespace loadable::exam {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using tree::MemoryTree;

std::vector<std::string> rules_of(const check::Report& report) {
  std::vector<std::string> rules;
  for (const check::Finding& finding : report.findings) {
    rules.push_back(std::string(check::to_string(finding.severity)) + " " + finding.rule);
  }
  return rules;
}

Result<check::Report> examined(const std::vector<std::pair<std::string, std::string>>& files,
                               const std::string& path, const PlannedOptions& options = {},
                               std::vector<std::string> require = {}) {
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
  for (std::string& id : require) exam.require.push_back({std::move(id), {}});
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
source = { registry = "https://index.example/simple" }
[[package]]
name = "onnxruntime-gpu"
version = "1.31.1"
source = { registry = "https://index.example/simple" }
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
  const std::string application =
      "[project]\nname = \"demo\"\ndependencies = [\"onnxruntime>=1.17\"]\n";
  const std::string project = application + "[build-system]\nrequires = []\n";
  const auto report = examined({{"/p/pyproject.toml", project}, {"/p/uv.lock", kExtras}}, "/p");
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_THAT(rules_of(*report),
              ElementsAre("error conflicting-distributions", "note hard-family-dependency"));
  EXPECT_THAT(report->sources, ElementsAre("/p/uv.lock", "/p/pyproject.toml"));
  EXPECT_EQ(report->target_kind, "project");
  // Nobody installs an application beside something else.
  const auto of_application =
      examined({{"/p/pyproject.toml", application}, {"/p/uv.lock", kExtras}}, "/p");
  ASSERT_TRUE(of_application);
  EXPECT_THAT(rules_of(*of_application), ElementsAre("error conflicting-distributions"));
}

TEST(ExamLock, ALibraryOfPoetryIsToldOfPlainNamesToo) {
  const char* project =
      "[tool.poetry]\nname = \"lib\"\n[tool.poetry.dependencies]\nonnxruntime = \"^1.17\"\n"
      "[build-system]\nbuild-backend = \"poetry.core.masonry.api\"\n";
  const auto report = examined({{"/p/pyproject.toml", project}}, "/p");
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_THAT(rules_of(*report), ElementsAre("note hard-family-dependency"));
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

/// The only provider of a report on wishes of which the CUDA provider of onnxruntime is required.
check::ProviderReport cuda_of_wishes(const std::string& text, std::vector<std::string>* rules,
                                     bool* is_complete,
                                     const std::string& name = "requirements.txt") {
  const auto report = examined({{"/p/" + name, text}}, "/p/" + name, {}, {"onnxruntime:cuda"});
  EXPECT_TRUE(report) << report.error().to_string();
  if (!report || report->providers.size() != 1) return {};
  *rules = rules_of(*report);
  *is_complete = report->is_complete;
  return report->providers.front();
}

TEST(ExamLock, WhatAnUnknownWishMayBringIsNotCalledAbsent) {
  std::vector<std::string> rules;
  bool is_complete = true;
  const auto provider = cuda_of_wishes("My_App\nnumpy\na\nb\nc\nd\ne\n", &rules, &is_complete);
  EXPECT_EQ(provider.verdicts.shipped, check::Verdict::Unknown);
  EXPECT_EQ(
      provider.reasons.front().second,
      "nothing is locked, and what `My_App`, `a`, `b`, `c`, `d` and 1 more require in turn is "
      "not known: the CUDA provider of onnxruntime may come with it");
  EXPECT_THAT(rules, IsEmpty());
  EXPECT_FALSE(is_complete);
  const auto project = cuda_of_wishes("[project]\nname = \"demo\"\ndependencies = [\"my-app\"]\n",
                                      &rules, &is_complete, "pyproject.toml");
  EXPECT_EQ(project.verdicts.shipped, check::Verdict::Unknown);
  EXPECT_FALSE(is_complete);
}

TEST(ExamLock, WhatNoKnownWishBringsIsNotShipped) {
  std::vector<std::string> rules;
  bool is_complete = false;
  const std::pair<const char*, const char*> files[] = {
      {"requirements.txt", "numpy>=2\n"},
      {"requirements.txt", "my-app==1.0 --hash=sha256:00\n"},  // resolved: it holds all
      {"requirements.txt", "my-app ; sys_platform == 'win32'\n"},
      {"environment.yml", "dependencies: [python=3.11, pip, {pip: [numpy]}]\n"}};
  for (const auto& [name, text] : files) {
    const auto provider = cuda_of_wishes(text, &rules, &is_complete, name);
    EXPECT_EQ(provider.verdicts.shipped, check::Verdict::No) << text;
    EXPECT_THAT(rules, ElementsAre("error not-shipped")) << text;
    EXPECT_TRUE(is_complete) << text;
  }
  const auto cpu = cuda_of_wishes("onnxruntime\nmy-app\n", &rules, &is_complete);
  EXPECT_THAT(rules, ElementsAre("error cpu-build"));
}

TEST(ExamLock, APartThatCannotBeReadMayShipIt) {
  std::vector<std::string> rules;
  bool is_complete = true;
  const auto provider = cuda_of_wishes("numpy\n-r gone.txt\n", &rules, &is_complete);
  EXPECT_EQ(provider.verdicts.shipped, check::Verdict::Unknown);
  EXPECT_THAT(rules, IsEmpty());
  EXPECT_FALSE(is_complete);
}

TEST(ExamLock, AProjectThatOnlyConfiguresToolsIsJudgedByTheListBesideIt) {
  const char* tools = "[tool.ruff]\nline-length = 100\n";
  const char* both = "onnxruntime\nonnxruntime-gpu\n";
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"requirements.txt", both},
           {"environment.yaml", "dependencies: [pip: [onnxruntime, onnxruntime-gpu]]\n"}}) {
    const auto report = examined({{"/p/pyproject.toml", tools}, {"/p/" + name, text}}, "/p");
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_THAT(rules_of(*report), ElementsAre("error conflicting-distributions")) << name;
    EXPECT_THAT(report->sources, ElementsAre("/p/pyproject.toml", "/p/" + name));
  }
  // One that does require something is what counts.
  const char* own = "[project]\nname = \"demo\"\ndependencies = [\"numpy\"]\n";
  const auto report = examined({{"/p/pyproject.toml", own}, {"/p/requirements.txt", both}}, "/p");
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_THAT(report->findings, IsEmpty());
}

TEST(ExamLock, EveryListBesideIsNamedAsNotChecked) {
  const auto report = examined({{"/p/requirements.txt", "numpy\n"},
                                {"/p/requirements-gpu.txt", "onnxruntime\nonnxruntime-gpu\n"},
                                {"/p/requirements-gpu.in", "onnxruntime\n"},
                                {"/p/constraints.txt", "onnxruntime==1\n"},
                                {"/p/pylock.dev.toml", ""},
                                {"/p/pixi.lock", ""}},
                               "/p");
  ASSERT_TRUE(report) << report.error().to_string();
  std::vector<std::string> beside;
  for (const std::string& sentence : report->not_checked) {
    if (sentence.find(" beside it") != std::string::npos) beside.push_back(sentence);
  }
  EXPECT_THAT(beside, ElementsAre(HasSubstr("`pixi.lock` beside it, which may install something "
                                            "else: this release cannot read it"),
                                  HasSubstr("`pylock.dev.toml`"),
                                  HasSubstr("`requirements-gpu.txt` beside it")));
}

TEST(ExamLock, AListThatNamesNoPythonIsJudgedForEachThatMarkersMayTellApart) {
  const auto report = examined(
      {{"/p/requirements.txt", "onnxruntime-gpu\nonnxruntime ; python_version == '3.12'\n"}},
      "/p/requirements.txt");
  ASSERT_TRUE(report) << report.error().to_string();
  ASSERT_THAT(rules_of(*report), ElementsAre("error conflicting-distributions"));
  EXPECT_THAT(report->findings.front().message, HasSubstr("on Python 3.12"));
  // Nobody says that it is for an old one.
  const auto modern =
      examined({{"/p/requirements.txt", "onnxruntime-gpu ; python_version >= '3.11'\n"}},
               "/p/requirements.txt", {}, {"onnxruntime:cuda"});
  ASSERT_TRUE(modern) << modern.error().to_string();
  EXPECT_THAT(modern->findings, IsEmpty());
  EXPECT_TRUE(modern->is_complete);
}

TEST(ExamLock, DistributionsAreCountedByNameOverAllInstallations) {
  const auto extras = examined({{"/p/uv.lock", kExtras}}, "/p/uv.lock");
  EXPECT_EQ(extras->counts.distributions, 2U);
  const auto list = examined({{"/p/requirements.txt", "onnxruntime-gpu\nOnnxRuntime.GPU\n"}},
                             "/p/requirements.txt");
  EXPECT_EQ(list->counts.distributions, 1U);
}

TEST(ExamLock, PipIsNeverGivenAFileOfConda) {
  const auto report =
      examined({{"/p/environment.yml",
                 "dependencies:\n- python\n- pip:\n  - fastembed\n  - onnxruntime-gpu\n"}},
               "/p/environment.yml");
  ASSERT_THAT(rules_of(*report), ElementsAre("error conflicting-distributions"));
  std::vector<std::string> ids;
  for (const check::Remedy& remedy : report->findings.front().remedies) {
    ids.push_back(remedy.id);
    for (const std::string& command : remedy.commands) {
      EXPECT_THAT(command, Not(HasSubstr("-r environment.yml")));
    }
  }
  EXPECT_THAT(ids, ElementsAre("conda-build", "pip-reinstall"));
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
  const auto unread = examined({{"/p/pixi.lock", "{}"}}, "/p/pixi.lock");
  ASSERT_FALSE(unread);
  EXPECT_EQ(unread.error().code, ErrorCode::Unsupported);
}

// ---- locks that are out of date ----

constexpr const char* kOldLock =
    "version = 1\nrequires-python = \">=3.11\"\n[[package]]\nname = \"demo\"\nversion = \"1\"\n"
    "source = { virtual = \".\" }\ndependencies = [{ name = \"numpy\" }]\n[package.metadata]\n"
    "requires-dist = [{ name = \"numpy\" }]\n[[package]]\nname = \"numpy\"\nversion = "
    "\"2.0\"\nsource = { registry = \"x\" }\n";

std::string project(const std::string& dependencies, const std::string& more = "") {
  return "[project]\nname = \"demo\"\nversion = \"1\"\nrequires-python = \">=3.11\"\n"
         "dependencies = [" +
         dependencies + "]\n" + more;
}

TEST(ExamLock, ALockThatIsOutOfDateIsNeverFine) {
  const auto fine =
      examined({{"/p/uv.lock", kOldLock}, {"/p/pyproject.toml", project("\"numpy\"")}}, "/p");
  ASSERT_TRUE(fine) << fine.error().to_string();
  EXPECT_TRUE(fine->is_complete);
  EXPECT_THAT(fine->incidents, IsEmpty());
  const auto old = examined(
      {{"/p/uv.lock", kOldLock}, {"/p/pyproject.toml", project("\"numpy\", \"scipy\"")}}, "/p");
  ASSERT_TRUE(old);
  EXPECT_FALSE(old->is_complete);
  ASSERT_THAT(old->incidents, SizeIs(1));
  EXPECT_EQ(old->incidents[0].path, "/p/uv.lock");
  EXPECT_EQ(old->incidents[0].message,
            "this lock is out of date with `pyproject.toml`: `demo` requires `scipy`, which it was "
            "not locked for; `uv lock` renews it");
}

TEST(ExamLock, WhatTheProjectRequiresNowIsJudgedToo) {
  const auto report =
      examined({{"/p/uv.lock", kOldLock},
                {"/p/pyproject.toml", project("\"numpy\", \"fastembed\", \"onnxruntime-gpu\"")}},
               "/p");
  ASSERT_TRUE(report);
  EXPECT_THAT(rules_of(*report), Contains("error conflicting-distributions"));
  EXPECT_THAT(report->findings.front().message, HasSubstr("are both required by `pyproject.toml`"));
  EXPECT_FALSE(report->is_complete);
}

// ---- selections ----

constexpr const char* kHidden = R"(version = 1
requires-python = ">=3.11,<3.13"
[[package]]
name = "demo"
version = "1"
source = { virtual = "." }
dependencies = [{ name = "numpy" }]
[package.optional-dependencies]
docs = [{ name = "numpy" }]
gpu = [{ name = "onnxruntime-gpu" }]
[[package]]
name = "numpy"
version = "2.0"
source = { registry = "x" }
[[package]]
name = "onnxruntime-gpu"
version = "1.24.4"
source = { registry = "x" }
)";

TEST(ExamLock, TheExtraThatHoldsARequiredProviderIsNamed) {
  PlannedOptions docs;
  docs.extras = {"docs"};
  for (const PlannedOptions& options : {PlannedOptions{}, docs}) {
    const auto report =
        examined({{"/p/uv.lock", kHidden}}, "/p/uv.lock", options, {"onnxruntime:cuda"});
    ASSERT_TRUE(report) << report.error().to_string();
    ASSERT_THAT(rules_of(*report), ElementsAre("error not-shipped"));
    const check::Finding& finding = report->findings.front();
    EXPECT_THAT(finding.message,
                HasSubstr("nothing of its family is locked; it is with extra `gpu`"));
    ASSERT_THAT(finding.remedies, SizeIs(1));
    EXPECT_THAT(finding.remedies[0].commands, ElementsAre("uv sync --extra gpu"));
  }
  PlannedOptions gpu;
  gpu.extras = {"gpu"};
  const auto report = examined({{"/p/uv.lock", kHidden}}, "/p/uv.lock", gpu, {"onnxruntime:cuda"});
  ASSERT_TRUE(report);
  EXPECT_THAT(report->findings, IsEmpty());
}

TEST(ExamLock, ALineOfAListForOneSystemAloneIsHealthy) {
  const auto report = examined(
      {{"/p/pyproject.toml",
        project("\"onnxruntime-gpu; sys_platform == 'linux'\", \"onnxruntime; sys_platform != "
                "'linux'\"")}},
      "/p/pyproject.toml", {}, {"onnxruntime:cuda"});
  ASSERT_TRUE(report);
  EXPECT_THAT(rules_of(*report), Not(Contains("error cpu-build")));
  PlannedOptions mac;
  mac.platform = "macos";
  const auto other = examined(
      {{"/p/pyproject.toml",
        project("\"onnxruntime-gpu; sys_platform == 'linux'\", \"onnxruntime; sys_platform != "
                "'linux'\"")}},
      "/p/pyproject.toml", mac, {"onnxruntime:cuda"});
  ASSERT_TRUE(other);
  EXPECT_THAT(rules_of(*other), Contains("error cpu-build"));
}

TEST(ExamLock, RemediesAreThoseOfTheToolThatTheProjectUses) {
  const auto ids = [](const std::string& more) {
    const auto report = examined(
        {{"/p/pyproject.toml", project("\"onnxruntime\", \"onnxruntime-gpu\"", more)}}, "/p");
    std::string all;
    for (const check::Finding& finding : report->findings) {
      if (finding.rule != "conflicting-distributions") continue;
      for (const check::Remedy& remedy : finding.remedies) all += remedy.id + " ";
    }
    return all;
  };
  EXPECT_THAT(ids("[tool.poetry]\n"), HasSubstr("poetry-"));
  EXPECT_THAT(ids("[tool.poetry]\n"), Not(HasSubstr("uv-")));
  EXPECT_THAT(ids("[tool.pdm]\n"), HasSubstr("pdm-"));
  EXPECT_THAT(ids("[tool.pdm]\n"), Not(HasSubstr("pip-")));
  EXPECT_THAT(ids(""), HasSubstr("uv-"));
}

TEST(ExamLock, AnIncidentNamesItsFileOnce) {
  const auto report = examined({{"/p/requirements.txt", "fastembed^0.7\n"}}, "/p/requirements.txt");
  ASSERT_TRUE(report);
  ASSERT_THAT(report->incidents, SizeIs(1));
  EXPECT_EQ(report->incidents[0].path, "/p/requirements.txt");
  EXPECT_THAT(report->incidents[0].message, HasSubstr("line 1: passed over: `fastembed^0.7`"));
  EXPECT_THAT(report->incidents[0].message, Not(HasSubstr("/p/")));
}

}  // namespace
}  // namespace loadable::exam
