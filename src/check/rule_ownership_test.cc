// SPDX-License-Identifier: Apache-2.0
// Rules of ownership: who owns the contested files, what is lost with them, what only looks alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/test_subject.h"

namespace loadable::check {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Member kCpu = {"onnxruntime", "1.24.4", {}, false, "pip", ""};
const Member kGpu = {
    "onnxruntime-gpu", "1.24.4", {"onnxruntime:cuda", "onnxruntime:tensorrt"}, true, "pip", "CUDA"};
const std::string kModule = "/site/onnxruntime/capi/state.so";
const std::string kCore = "/site/onnxruntime/capi/libonnxruntime.so.1.24.4";
const std::string kInfo = "/site/onnxruntime/capi/build_and_package_info.py";

ContestedPath file(const std::string& path, const std::string& owner) {
  ContestedPath result;
  result.path = path;
  result.owner = owner;
  result.carries_provider = path == kModule;
  result.first_hash = "sha256=a";
  result.second_hash = "sha256=b";
  return result;
}

/// The three files in which the two builds of one release differ, and whose they are.
OverlapFacts overlap(const std::string& module, const std::string& core, const std::string& info) {
  OverlapFacts facts;
  facts.first = kCpu;
  facts.second = kGpu;
  facts.family = "onnxruntime";
  facts.what = "ONNX Runtime";
  facts.package = "onnxruntime";
  facts.shared = 316;
  facts.identical = 313;
  facts.differing = {file(kInfo, info), file(kCore, core), file(kModule, module)};
  for (const ContestedPath& one : facts.differing) {
    facts.of_first += one.owner == kCpu.to_string() ? 1 : 0;
    facts.of_second += one.owner == kGpu.to_string() ? 1 : 0;
    facts.of_neither += one.owner.empty() ? 1 : 0;
  }
  facts.state =
      facts.of_first > 0 && facts.of_second > 0 ? OverlapState::Mixed : OverlapState::Overwritten;
  facts.first_chain = {"fastembed 0.9.1 requires onnxruntime>=1.17.0"};
  facts.first_requirer = "fastembed";
  return facts;
}

Subject with(OverlapFacts facts) {
  Subject subject = cuda_subject();
  subject.effect = "InferenceSession falls back to the CPU without an error";
  subject.ownership.overlaps.push_back(std::move(facts));
  return subject;
}

const std::string kC = kCpu.to_string();
const std::string kG = kGpu.to_string();

TEST(OverwrittenFile, TheCpuBuildOverTheModuleTakesTheProvider) {
  const Subject subject = with(overlap(kC, kC, kC));
  ASSERT_THAT(rules_of(subject), ElementsAre("overwritten-file"));
  const Finding finding = judge(subject).front().finding;
  EXPECT_EQ(finding.severity, Severity::Error);
  EXPECT_EQ(finding.message,
            "`onnxruntime` 1.24.4 owns 3 of the 316 files it shares with `onnxruntime-gpu` 1.24.4 "
            "(the other 313 are identical): `state.so` is the CPU build; the CUDA provider of "
            "onnxruntime is gone");
  EXPECT_EQ(finding.locations.front().path, kModule);
  EXPECT_EQ(finding.locations.front().distribution, kC);
  EXPECT_THAT(finding.notes, Contains("`onnxruntime` is here because fastembed 0.9.1 requires "
                                      "onnxruntime>=1.17.0"));
  EXPECT_THAT(finding.remedies, Not(IsEmpty()));
  const ProviderReport report = report_of(subject);
  EXPECT_EQ(report.verdicts.shipped, Verdict::Yes);
  EXPECT_EQ(report.verdicts.intact, Verdict::No);
  EXPECT_EQ(report.verdicts.loadable, Verdict::No);
  EXPECT_EQ(report.cause, "overwritten-file");
  EXPECT_EQ(report.effect, subject.effect);
}

TEST(OverwrittenFile, EveryContestedFileIsNamedWithItsOwner) {
  const Subject subject = with(overlap(kG, kC, kG));
  const Finding finding = judge(subject).front().finding;
  for (const auto& [name, values] : finding.evidence.values) {
    if (name != "files") continue;
    EXPECT_THAT(values, ElementsAre(kInfo + ": " + kG, kCore + ": " + kC, kModule + ": " + kG));
    return;
  }
  FAIL() << "no files";
}

TEST(OverwrittenFile, WhereTheGpuBuildWonTheProviderIsIntactAndTheUserIsWarned) {
  const Subject subject = with(overlap(kG, kG, kG));
  ASSERT_THAT(rules_of(subject), ElementsAre("overwritten-file"));
  EXPECT_EQ(severity_of(subject), Severity::Warning);
  EXPECT_THAT(judge(subject).front().finding.message,
              HasSubstr("the next sync or upgrade may turn it"));
  const ProviderReport report = report_of(subject);
  EXPECT_EQ(report.verdicts.intact, Verdict::Yes);
  EXPECT_EQ(report.verdicts.loadable, Verdict::Yes);
  EXPECT_EQ(report.cause, "");
}

TEST(OverwrittenFile, WhereTheModuleIsRightOtherFilesMakeItPartly) {
  const Subject subject = with(overlap(kG, kC, kG));
  EXPECT_EQ(severity_of(subject), Severity::Warning);
  const ProviderReport report = report_of(subject);
  EXPECT_EQ(report.verdicts.intact, Verdict::Partly);
  EXPECT_EQ(report.verdicts.loadable, Verdict::Yes);
  EXPECT_EQ(report.cause, "overwritten-file");
}

/// The list of one member is gone; `owner` of the module, empty: not known.
OverlapFacts unlisted(const Member& without, const std::string& owner) {
  OverlapFacts facts;
  facts.first = kCpu;
  facts.second = kGpu;
  facts.family = facts.package = "onnxruntime";
  facts.state = OverlapState::Unlisted;
  facts.unlisted = {without.to_string()};
  facts.unlisted_metadata = {"/site/" + without.name + ".dist-info"};
  facts.differing = {file(kModule, owner)};
  facts.differing.front().is_known = !owner.empty();
  return facts;
}

TEST(OverwrittenFile, AListThatIsGoneHidesNoConflict) {
  const Subject subject = with(unlisted(kCpu, kG));
  ASSERT_THAT(rules_of(subject), ElementsAre("overwritten-file"));
  const Finding finding = judge(subject).front().finding;
  EXPECT_EQ(finding.severity, Severity::Warning);
  EXPECT_EQ(finding.message,
            "`onnxruntime-gpu` 1.24.4 and `onnxruntime` 1.24.4 are both installed into "
            "`onnxruntime`, and the list of files of `onnxruntime` is gone: the CUDA provider of "
            "onnxruntime is there now, and the next sync or upgrade may turn it");
  for (const Remedy& remedy : finding.remedies) {
    EXPECT_EQ(remedy.commands.front(), "rm -r /site/onnxruntime.dist-info");
  }
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::Yes);
}

TEST(OverwrittenFile, WithoutAListTheFileItselfTells) {
  OverlapFacts facts = unlisted(kGpu, "");
  EXPECT_THAT(judge(with(facts)).front().finding.message,
              HasSubstr("whose files lie there is not known"));
  facts.witnesses = {{kModule, "holds the text `cudnn`", "", "CUDA", true}};
  EXPECT_THAT(judge(with(facts)).front().finding.message, HasSubstr("is there now"));
  EXPECT_EQ(report_of(with(facts)).verdicts.intact, Verdict::Yes);
  facts.witnesses = {{kModule, "holds the text `Cuda is not available`", "", "CUDA", false}};
  EXPECT_EQ(severity_of(with(facts)), Severity::Error);
  EXPECT_EQ(report_of(with(facts)).verdicts.intact, Verdict::No);
}

TEST(OverwrittenFile, AModuleOfTheCpuBuildIsLostAlsoWhereTheGpuBuildHasNoList) {
  const Subject subject = with(unlisted(kGpu, kC));
  EXPECT_EQ(severity_of(subject), Severity::Error);
  EXPECT_THAT(judge(subject).front().finding.message, HasSubstr("is the CPU build"));
  EXPECT_EQ(report_of(subject).cause, "overwritten-file");
}

TEST(OverwrittenFile, AnotherBuildInThePlaceOfTheCpuBuildTakesNothingAway) {
  Subject subject = cuda_subject();
  AlteredFacts facts{kModule, kCpu, "sha256=a", "sha256=b", true, {}};
  facts.witnesses = {{kModule, "holds the text `cudnn`", "", "CUDA", true}};
  subject.ownership.altered.push_back(facts);
  for (const std::string& rule : rules_of(subject)) EXPECT_NE(rule, "overwritten-file");
}

TEST(OverwrittenFile, EqualBytesAreNoConflict) {
  OverlapFacts facts = overlap(kG, kG, kG);
  facts.differing.clear();
  facts.identical = 316;
  facts.of_second = 0;
  facts.state = OverlapState::Identical;
  const Subject subject = with(facts);
  EXPECT_THAT(rules_of(subject), ElementsAre("conflicting-distributions"));
  EXPECT_EQ(severity_of(subject), Severity::Note);
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::Yes);
  Subject unrelated = subject;
  unrelated.ownership.overlaps.front().family.clear();
  EXPECT_THAT(rules_of(unrelated), IsEmpty());
}

TEST(OverwrittenFile, AProviderThatNobodyRequiresIsAWarning) {
  Subject subject = with(overlap(kC, kC, kC));
  subject.weight = Weight::Offered;
  EXPECT_EQ(severity_of(subject), Severity::Warning);
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::No);
}

TEST(OverwrittenFile, OfUnrelatedDistributionsIsAWarningAndAStrayFileANote) {
  OverlapFacts facts = overlap("a 1", "b 2", "b 2");
  facts.first = {"a", "1", {}, false, "", ""};
  facts.second = {"b", "2", {}, false, "", ""};
  facts.of_first = 1;
  facts.of_second = 2;
  facts.family.clear();
  facts.first_chain.clear();
  for (ContestedPath& one : facts.differing) one.carries_provider = false;
  Subject subject;
  subject.ownership.overlaps = {facts};
  ASSERT_THAT(rules_of(subject), ElementsAre("overwritten-file"));
  EXPECT_EQ(severity_of(subject), Severity::Warning);
  EXPECT_THAT(judge(subject).front().finding.message,
              HasSubstr("`b` 2 owns 2 and `a` 1 owns 1 of the 316 files that they share"));
  subject.ownership.overlaps.front().is_stray = true;
  EXPECT_EQ(severity_of(subject), Severity::Note);
}

TEST(OverwrittenFile, ABinaryThatContradictsTheHashesIsTold) {
  OverlapFacts facts = overlap(kG, kG, kG);
  facts.witnesses = {
      {kModule, "holds the text `Cuda is not available in this build`", "", "CUDA", false}};
  EXPECT_THAT(judge(with(facts)).front().finding.notes,
              Contains(HasSubstr("disagrees with the hashes")));
  facts.witnesses = {{kModule, "holds the text `cudnn_conv_algo_search`", "", "CUDA", true}};
  EXPECT_THAT(judge(with(facts)).front().finding.notes, Contains(HasSubstr("itself agrees")));
}

TEST(OverwrittenFile, BytesOfNobodyAreJudgedByWhatTheFileSays) {
  OverlapFacts facts = overlap("", kG, kG);
  EXPECT_EQ(report_of(with(facts)).verdicts.intact, Verdict::Partly);
  facts.witnesses = {
      {kModule, "holds the text `Cuda is not available in this build`", "", "CUDA", false}};
  const Subject subject = with(facts);
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::No);
  EXPECT_EQ(severity_of(subject), Severity::Error);
}

TEST(OverwrittenFile, AHiddenModuleIsAnOverlapToo) {
  Subject subject;
  subject.ownership.hidden = {{"/site/attr",
                               "/site/attr.py",
                               {"attrs", "26.1.0", {}, false, "", ""},
                               {"attr", "0.3.2", {}, false, "", ""},
                               {},
                               {},
                               {}}};
  ASSERT_THAT(rules_of(subject), ElementsAre("overwritten-file"));
  EXPECT_EQ(severity_of(subject), Severity::Warning);
}

AlteredFacts altered(bool carries) { return {kModule, kGpu, "sha256=a", "sha256=b", carries, {}}; }

TEST(AlteredFile, AStrippedFileIsANoteAndLeavesTheVerdict) {
  Subject subject = cuda_subject();
  subject.ownership.altered = {altered(true)};
  ASSERT_THAT(rules_of(subject), ElementsAre("altered-file"));
  EXPECT_EQ(severity_of(subject), Severity::Note);
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::Yes);
}

TEST(AlteredFile, OneThatSaysItIsTheCpuBuildIsOverwritten) {
  Subject subject = cuda_subject();
  subject.ownership.altered = {altered(true)};
  subject.ownership.altered.front().witnesses = {
      {kModule, "holds the text `Cuda is not available in this build`", "", "CUDA", false}};
  ASSERT_THAT(rules_of(subject), ElementsAre("overwritten-file"));
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::No);
}

TEST(AlteredFile, OneThatNoLoaderAcceptsIsToldAsDamaged) {
  Subject subject = cuda_subject();
  subject.ownership.altered = {altered(true)};
  subject.damages = {{copy(kModule, "file too short"), true}};
  EXPECT_THAT(rules_of(subject), ElementsAre("damaged-library"));
}

GuttedFacts gutted() {
  GuttedFacts facts;
  facts.member = kGpu;
  facts.listed = 326;
  facts.gone = 316;
  facts.packages = {"/site/onnxruntime"};
  facts.probable_culprits = {"onnxruntime"};
  return facts;
}

TEST(GuttedPackage, IsTheCauseAndTheMissingModuleFollows) {
  Subject subject = cuda_subject();
  Gap a_gap = gap(kModule);
  a_gap.gone.push_back({kModule, kG});
  a_gap.necessity = accel::Necessity::Import;
  subject.gaps.push_back(a_gap);
  subject.ownership.gutted = {gutted()};
  const ProviderReport report = report_of(subject);
  EXPECT_EQ(report.cause, "gutted-package");
  EXPECT_EQ(report.verdicts.intact, Verdict::No);
  EXPECT_EQ(report.verdicts.loadable, Verdict::No);
  const std::vector<Finding> findings = findings_of(judge(subject), report.cause);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().severity, Severity::Error);
  EXPECT_EQ(
      findings.front().message,
      "316 of the 326 files that `onnxruntime-gpu` 1.24.4 lists are gone: `onnxruntime` is an "
      "empty namespace; the CUDA provider of onnxruntime is gone");
}

TEST(GuttedPackage, OfNoProviderIsAWarning) {
  Subject subject;
  subject.ownership.gutted = {gutted()};
  subject.ownership.gutted.front().import_fails = true;
  ASSERT_THAT(rules_of(subject), ElementsAre("gutted-package"));
  EXPECT_EQ(severity_of(subject), Severity::Warning);
  EXPECT_THAT(judge(subject).front().finding.message, HasSubstr("`import onnxruntime` fails"));
}

TEST(VersionSkew, AMixtureOfTwoReleasesIsAnError) {
  OverlapFacts facts = overlap(kG, "onnxruntime 1.32.0", kG);
  facts.first.version = "1.32.0";
  facts.of_first = 1;
  facts.state = OverlapState::Mixed;
  const Subject subject = with(facts);
  EXPECT_THAT(rules_of(subject), ElementsAre("version-skew", "overwritten-file"));
  EXPECT_EQ(severity_of(subject), Severity::Error);
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::Partly);
  EXPECT_EQ(report_of(subject).cause, "version-skew");
}

TEST(VersionSkew, AWholeOlderCoreIsToldAsOverwritten) {
  OverlapFacts facts = overlap("onnxruntime 1.32.0", "onnxruntime 1.32.0", "onnxruntime 1.32.0");
  facts.first.version = "1.32.0";
  facts.of_first = 3;
  const Subject subject = with(facts);
  EXPECT_THAT(rules_of(subject), ElementsAre("overwritten-file"));
  EXPECT_THAT(judge(subject).front().finding.notes, Contains(HasSubstr("different releases")));
}

TEST(VersionSkew, CoreAndProviderOfTwoGpuReleasesDoNotFit) {
  Subject subject = cuda_subject();
  Member other = kGpu;
  other.version = "1.23.2";
  subject.ownership.skews = {{kModule, "/site/onnxruntime/capi/libprovider.so", kGpu, other}};
  EXPECT_THAT(rules_of(subject), ElementsAre("version-skew"));
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::No);
}

TEST(StaleMetadata, IsAWarningThatNamesTheVersions) {
  Subject subject;
  Member older = kGpu;
  older.version = "1.23.2";
  subject.ownership.stale = {{"onnxruntime-gpu", "/site", {kGpu, older}, {"/a", "/b"}, "1.24.4"}};
  ASSERT_THAT(rules_of(subject), ElementsAre("stale-metadata"));
  EXPECT_EQ(severity_of(subject), Severity::Warning);
  EXPECT_EQ(judge(subject).front().finding.message,
            "`onnxruntime-gpu` is installed 2 times in one place, as `1.24.4`, `1.23.2`; the files "
            "are of 1.24.4");
}

TEST(StaleMetadata, TwoOfOneVersionAreToldByTheirNames) {
  Subject subject;
  const Member upper = {"Foo", "1.0", {}, false, "", ""};
  const Member lower = {"foo", "1.0", {}, false, "", ""};
  subject.ownership.stale = {
      {"Foo", "/s", {upper, lower}, {"/s/Foo-1.0.dist-info", "/s/foo-1.0.dist-info"}, "1.0"}};
  const Rulings rulings = judge(subject);
  ASSERT_EQ(rulings.size(), 1U);
  EXPECT_EQ(rulings.front().finding.message,
            "`Foo` 1.0 is installed 2 times in one place, as `Foo-1.0.dist-info`, "
            "`foo-1.0.dist-info`: uninstalling one takes the files of the other along");
}

TEST(UnownedLibrary, AProviderThatIsLeftOverWorksNoMore) {
  Subject subject = cuda_subject();
  subject.ownership.unowned = {
      {subject.instance.provider_library, "onnxruntime", subject.title, true, {"onnxruntime"}}};
  EXPECT_THAT(rules_of(subject), ElementsAre("unowned-library"));
  EXPECT_EQ(severity_of(subject), Severity::Error);
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::No);
  subject.weight = Weight::Offered;
  EXPECT_EQ(severity_of(subject), Severity::Warning);
}

TEST(MissingFile, OfTheProvidersDistributionMakesItPartlyIntact) {
  Subject subject = cuda_subject();
  subject.ownership.lost = {{kG, 1, {"/site/onnxruntime/tools/check.py"}}};
  ASSERT_THAT(rules_of(subject), ElementsAre("missing-file"));
  EXPECT_EQ(severity_of(subject), Severity::Note);
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::Partly);
}

TEST(Intact, SaysWhetherHashesWereCompared) {
  Subject subject = cuda_subject();
  const auto reason = [&] { return report_of(subject).reasons.front().second; };
  EXPECT_THAT(reason(), HasSubstr("structure only"));
  subject.ownership.is_hashed = true;
  EXPECT_EQ(reason(), "structure, and the hashes of the files that carry it");
}

}  // namespace
}  // namespace loadable::check
