// SPDX-License-Identifier: Apache-2.0
// Each rule about a library that a lookup did not get: fires, stays silent, looks alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/test_subject.h"

namespace loadable::check {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Subject with_gap(Gap a_gap) {
  Subject subject = cuda_subject();
  subject.gaps.push_back(std::move(a_gap));
  return subject;
}

TEST(CheckRules, AHealthyProviderHasNoFinding) {
  const Subject subject = cuda_subject();
  EXPECT_THAT(rules_of(subject), IsEmpty());
  const ProviderReport report = report_of(subject);
  EXPECT_EQ(report.verdicts.shipped, Verdict::Yes);
  EXPECT_EQ(report.verdicts.intact, Verdict::Yes);
  EXPECT_EQ(report.verdicts.loadable, Verdict::Yes);
  EXPECT_EQ(report.verdicts.usable, Verdict::Unknown);
  EXPECT_EQ(report.verdicts.used, Verdict::Unknown);
  EXPECT_EQ(report.cause, "");
}

TEST(CheckRules, ALibraryOfNobodyIsAbsent) {
  Gap a_gap = gap("libcublasLt.so.12");
  a_gap.supplier = "nvidia-cublas-cu12";
  const Subject subject = with_gap(a_gap);
  EXPECT_THAT(rules_of(subject), ElementsAre("absent-library"));
  const Finding finding = judge(subject).front().finding;
  EXPECT_EQ(finding.severity, Severity::Error);
  EXPECT_THAT(finding.message, HasSubstr("`libcublasLt.so.12`"));
  EXPECT_EQ(finding.remedies.front().commands.front(), "pip install nvidia-cublas-cu12");
  EXPECT_FALSE(finding.remedies.front().is_proven);
  const ProviderReport report = report_of(subject);
  EXPECT_EQ(report.verdicts.loadable, Verdict::No);
  EXPECT_EQ(report.verdicts.intact, Verdict::Yes);
  EXPECT_EQ(report.cause, "absent-library");
}

TEST(CheckRules, WhatALibraryOnlyTriesIsNoFinding) {
  Gap a_gap = gap("libcask_profile_interface.so");
  a_gap.necessity = accel::Necessity::Optional;
  EXPECT_THAT(rules_of(with_gap(a_gap)), IsEmpty());
}

TEST(CheckRules, ALibraryThatLiesElsewhereIsUnreachable) {
  Gap a_gap = gap("libcublasLt.so.12");
  a_gap.copies.push_back(copy("/site/nvidia/cublas/lib/libcublasLt.so.12"));
  a_gap.preloads = {"onnxruntime.preload_dlls"};
  Subject subject = with_gap(a_gap);
  subject.loader_path = "/opt/a";
  EXPECT_THAT(rules_of(subject), ElementsAre("unreachable-library"));
  const Finding finding = judge(subject).front().finding;
  EXPECT_EQ(finding.locations.front().role, Role::Consumer);
  EXPECT_EQ(finding.locations.back().path, "/site/nvidia/cublas/lib/libcublasLt.so.12");
  EXPECT_EQ(finding.locations.back().role, Role::Library);
  EXPECT_EQ(finding.evidence.search.size(), 2U);
  EXPECT_EQ(finding.remedies[0].id, "preload");
  EXPECT_EQ(finding.remedies[1].commands.front(),
            "export LD_LIBRARY_PATH=/site/nvidia/cublas/lib:/opt/a");
}

TEST(CheckRules, ADamagedCopyElsewhereDoesNotMakeItUnreachable) {
  Gap a_gap = gap("libq.so.1");
  a_gap.copies.push_back(copy("/site/q/libq.so.1", "file too short"));
  EXPECT_THAT(rules_of(with_gap(a_gap)), ElementsAre("damaged-library"));
}

TEST(CheckRules, AnotherMajorIsAFamilyMismatch) {
  Gap a_gap = gap("libcublas.so.12");
  a_gap.other_majors.push_back(copy("/site/nvidia/cu13/lib/libcublas.so.13"));
  const Subject subject = with_gap(a_gap);
  EXPECT_THAT(rules_of(subject), ElementsAre("family-mismatch"));
  EXPECT_THAT(judge(subject).front().reason, HasSubstr("`libcublas.so.13`"));
}

TEST(CheckRules, TheRightMajorElsewhereIsNoFamilyMismatch) {
  Gap a_gap = gap("libcublas.so.12");
  a_gap.other_majors.push_back(copy("/site/nvidia/cu13/lib/libcublas.so.13"));
  a_gap.copies.push_back(copy("/site/nvidia/cublas/lib/libcublas.so.12"));
  EXPECT_THAT(rules_of(with_gap(a_gap)), ElementsAre("unreachable-library"));
}

TEST(CheckRules, AListedFileThatIsGoneIsAMissingFile) {
  Gap a_gap = gap("libcufft.so.11");
  a_gap.gone.push_back({"/site/nvidia/cufft/lib/libcufft.so.11", "nvidia-cufft-cu12 11.4.1.4"});
  const Subject subject = with_gap(a_gap);
  EXPECT_THAT(rules_of(subject), ElementsAre("missing-file"));
  const ProviderReport report = report_of(subject);
  EXPECT_EQ(report.verdicts.intact, Verdict::Partly);
  EXPECT_EQ(report.verdicts.loadable, Verdict::No);
  EXPECT_EQ(report.cause, "missing-file");
  EXPECT_EQ(judge(subject).front().finding.remedies.front().commands.front(),
            "pip install --force-reinstall --no-deps nvidia-cufft-cu12==11.4.1.4");
}

TEST(CheckRules, TheProviderItselfGoneIsNotIntactAtAll) {
  Subject subject = cuda_subject();
  Gap a_gap = gap(subject.instance.provider_library);
  a_gap.gone.push_back({subject.instance.provider_library, "onnxruntime-gpu 1.24.4"});
  subject.gaps.push_back(a_gap);
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::No);
}

TEST(CheckRules, GoneFilesThatNothingLoadsAreANote) {
  Subject subject = cuda_subject();
  subject.gone.push_back({"/site/nvidia/cublas/lib/libnvblas.so.12", "nvidia-cublas-cu12 12.9"});
  EXPECT_THAT(rules_of(subject), ElementsAre("missing-file"));
  EXPECT_EQ(severity_of(subject), Severity::Note);
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::Partly);
  EXPECT_EQ(report_of(subject).verdicts.loadable, Verdict::Yes);
}

TEST(CheckRules, APieceOfASetThatIsGoneLeavesTheSetIncomplete) {
  Gap a_gap = gap("libcudnn_ops.so.9");
  a_gap.set = "cuDNN 9";
  a_gap.necessity = accel::Necessity::Function;
  a_gap.gone.push_back({"/site/nvidia/cudnn/lib/libcudnn_ops.so.9", "nvidia-cudnn-cu12 9.28"});
  const Subject subject = with_gap(a_gap);
  EXPECT_THAT(rules_of(subject), ElementsAre("incomplete-library-set"));
  EXPECT_EQ(severity_of(subject), Severity::Error);
  const ProviderReport report = report_of(subject);
  EXPECT_EQ(report.verdicts.loadable, Verdict::Partly);
  ASSERT_EQ(report.losses.size(), 1U);
  EXPECT_EQ(report.losses.front().library, "libcudnn_ops.so.9");
}

TEST(CheckRules, APieceThatLiesElsewhereIsUnreachableNotIncomplete) {
  Gap a_gap = gap("libcudnn_ops.so.9");
  a_gap.set = "cuDNN 9";
  a_gap.copies.push_back(copy("/opt/cudnn/libcudnn_ops.so.9"));
  EXPECT_THAT(rules_of(with_gap(a_gap)), ElementsAre("unreachable-library"));
}

TEST(CheckRules, AnOptionalFunctionThatWasNeverShippedIsAWarning) {
  Gap a_gap = gap("libcudnn.so.9");
  a_gap.necessity = accel::Necessity::Function;
  a_gap.loss = "cudnn";
  Subject subject = with_gap(a_gap);
  EXPECT_EQ(severity_of(subject), Severity::Warning);
  EXPECT_EQ(report_of(subject).verdicts.loadable, Verdict::Partly);
  subject.asked_losses = {"cudnn"};
  EXPECT_EQ(severity_of(subject), Severity::Error);
  subject.asked_losses = {"cufft"};
  subject.gaps.front().copies.push_back(copy("/site/nvidia/cudnn/lib/libcudnn.so.9"));
  EXPECT_EQ(severity_of(subject), Severity::Error) << "what the target holds is an error";
}

TEST(CheckRules, ARowThatNoReleaseHasShownIsAtMostAWarning) {
  Gap a_gap = gap("libq.so.1");
  a_gap.is_verified = false;
  EXPECT_EQ(severity_of(with_gap(a_gap)), Severity::Warning);
}

TEST(CheckRules, ACacheThatNamesADeletedFileIsStale) {
  Gap a_gap = gap("libq.so.1");
  a_gap.stale_cache = "it names `/opt/a/libq.so.1`, which is gone";
  a_gap.copies.push_back(copy("/opt/b/libq.so.1"));
  const Subject subject = with_gap(a_gap);
  EXPECT_THAT(rules_of(subject), ElementsAre("stale-loader-cache"));
  EXPECT_EQ(severity_of(subject), Severity::Error);
  EXPECT_EQ(judge(subject).front().finding.remedies.front().commands.front(), "ldconfig");
}

TEST(CheckRules, AStaleCacheThatDecidesNothingIsAWarning) {
  Subject subject = cuda_subject();
  subject.stale_cache = {"it names `/opt/a/libz.so.1`, which is gone"};
  EXPECT_THAT(rules_of(subject), ElementsAre("stale-loader-cache"));
  EXPECT_EQ(severity_of(subject), Severity::Warning);
  EXPECT_EQ(report_of(subject).verdicts.loadable, Verdict::Yes);
}

TEST(CheckRules, TheOtherCLibraryIsWrongLibc) {
  Gap a_gap = gap("libc.musl-x86_64.so.1");
  a_gap.is_foreign_libc = true;
  EXPECT_THAT(rules_of(with_gap(a_gap)), ElementsAre("wrong-libc"));
}

TEST(CheckRules, ProvidedElsewhereIsUnknownAndNoFinding) {
  Gap a_gap = gap("libcublas.so.12");
  a_gap.is_provided = true;
  Subject subject = with_gap(a_gap);
  subject.provided = {"libcublas.so.12"};
  EXPECT_THAT(rules_of(subject), IsEmpty());
  const ProviderReport report = report_of(subject);
  EXPECT_EQ(report.verdicts.loadable, Verdict::Unknown);
  ASSERT_FALSE(report.reasons.empty());
  EXPECT_THAT(report.reasons[1].second, HasSubstr("provided elsewhere"));
}

TEST(CheckRules, TheFirstMissInTheLoadersOrderIsTheCause) {
  Subject subject = cuda_subject();
  Gap first = gap("liba.so");
  Gap second = gap("libb.so");
  second.order = 1;
  second.gone.push_back({"/site/libb.so", "b 1"});
  subject.gaps = {second, first};
  EXPECT_THAT(rules_of(subject), ElementsAre("absent-library", "missing-file"));
  EXPECT_EQ(report_of(subject).cause, "absent-library");
}

TEST(CheckRules, ManyConsumersAreOneFinding) {
  Gap a_gap = gap("libq.so.1");
  a_gap.consumers.clear();
  for (int i = 0; i < 14; ++i) a_gap.consumers.push_back("/site/m" + std::to_string(i) + ".so");
  const Subject subject = with_gap(a_gap);
  ASSERT_EQ(judge(subject).size(), 1U);
  EXPECT_EQ(judge(subject).front().finding.locations.size(), 14U);
}

TEST(CheckRules, SeverityIsOneStepLowerForProvidersThatNobodyRequires) {
  Subject subject = with_gap(gap("libq.so.1"));
  EXPECT_EQ(severity_of(subject), Severity::Error);
  subject.weight = Weight::Offered;
  EXPECT_EQ(severity_of(subject), Severity::Warning);
  subject.weight = Weight::Companion;
  EXPECT_EQ(severity_of(subject), Severity::Note);
}

TEST(CheckRules, OptionalPartsOfADistributionAreOneNote) {
  Subject subject;
  subject.weight = Weight::Optional;
  subject.title = "2 optional parts of `PySide6 6.12`";
  subject.optional_parts.push_back(
      {"PySide6 6.12", {"/site/p/a.so", "/site/p/b.so"}, {"libmysqlclient.so.21"}});
  EXPECT_THAT(rules_of(subject), ElementsAre("absent-library"));
  EXPECT_EQ(severity_of(subject), Severity::Note);
}

}  // namespace
}  // namespace loadable::check
