// SPDX-License-Identifier: Apache-2.0
// Each rule about a library that is found and cannot be used, and about the process as a whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/test_subject.h"

namespace loadable::check {
namespace {

using loader::FailureKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Subject with_fault(Break a_fault) {
  Subject subject = cuda_subject();
  subject.breaks.push_back(std::move(a_fault));
  return subject;
}

TEST(CheckRules, AFileThatTheLoaderRefusesIsDamaged) {
  const Subject subject = with_fault(fault(FailureKind::Format, "file too short"));
  EXPECT_THAT(rules_of(subject), ElementsAre("damaged-library"));
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::Partly);
  EXPECT_EQ(report_of(subject).verdicts.loadable, Verdict::No);
}

TEST(CheckRules, TheProviderItselfDamagedIsNotIntactAtAll) {
  Break a_fault = fault(FailureKind::Format, "invalid ELF header");
  a_fault.failure.object = cuda_subject().instance.provider_library;
  EXPECT_EQ(report_of(with_fault(a_fault)).verdicts.intact, Verdict::No);
}

TEST(CheckRules, ADamagedFileThatNoLookupMetLowersIntactAlone) {
  Subject subject = cuda_subject();
  subject.damages.push_back({copy("/site/nvidia/libx.so.1", "file too short"), false});
  EXPECT_THAT(rules_of(subject), ElementsAre("damaged-library"));
  EXPECT_EQ(report_of(subject).verdicts.intact, Verdict::Partly);
  EXPECT_EQ(report_of(subject).verdicts.loadable, Verdict::Yes);
}

TEST(CheckRules, AVersionThatNobodyDefinesIsMissing) {
  Break a_fault = fault(FailureKind::Version, "version `V1' not found");
  a_fault.failure.symbol = "V1";
  a_fault.library_path = "/site/nvidia/libq.so.1";
  EXPECT_THAT(rules_of(with_fault(a_fault)), ElementsAre("missing-symbol-version"));
}

TEST(CheckRules, AVersionThatAnotherCopyDefinesIsShadowed) {
  Break a_fault = fault(FailureKind::Version, "version `V1' not found");
  a_fault.failure.symbol = "V1";
  a_fault.library_path = "/opt/old/libq.so.1";
  a_fault.better.push_back(copy("/site/nvidia/libq.so.1"));
  const Subject subject = with_fault(a_fault);
  EXPECT_THAT(rules_of(subject), ElementsAre("shadowed-library"));
  EXPECT_EQ(severity_of(subject), Severity::Error);
}

TEST(CheckRules, AReleaseOfTheCLibraryIsTooOld) {
  Break a_fault = fault(FailureKind::Version, "version `GLIBC_2.38' not found");
  a_fault.failure.symbol = "GLIBC_2.38";
  a_fault.failure.library = "libc.so.6";
  a_fault.is_libc_release = true;
  const Subject subject = with_fault(a_fault);
  EXPECT_THAT(rules_of(subject), ElementsAre("libc-too-old"));
  EXPECT_THAT(judge(subject).front().finding.message, HasSubstr("glibc 2.36"));
}

TEST(CheckRules, ASymbolThatNothingDefinesIsMissing) {
  Break a_fault = fault(FailureKind::Symbol, "undefined symbol: cufftCreate");
  a_fault.failure.symbol = "cufftCreate";
  a_fault.symbols = {"cufftCreate", "cufftDestroy"};
  const Subject subject = with_fault(a_fault);
  EXPECT_THAT(rules_of(subject), ElementsAre("missing-symbol"));
  EXPECT_THAT(judge(subject).front().finding.message, HasSubstr("`cufftCreate`"));
}

TEST(CheckRules, ASymbolThatAStubLacksIsNoSecondProblem) {
  Break a_fault = fault(FailureKind::Symbol, "undefined symbol: cuTensorMapEncodeTiled");
  a_fault.failure.symbol = "cuTensorMapEncodeTiled";
  a_fault.follows_from_stub = true;
  Subject subject = with_fault(a_fault);
  Stub stub;
  stub.request = "libcuda.so.1";
  stub.path = "/usr/local/cuda/lib64/stubs/libcuda.so.1";
  stub.why = "cuInit is code that returns 34";
  stub.lacking = {"cuTensorMapEncodeTiled"};
  stub.necessity = accel::Necessity::Provider;
  subject.stubs.push_back(stub);
  EXPECT_THAT(rules_of(subject), ElementsAre("driver-stub"));
  const ProviderReport report = report_of(subject);
  EXPECT_EQ(report.verdicts.loadable, Verdict::No);
  EXPECT_EQ(report.verdicts.usable, Verdict::No);
  EXPECT_EQ(report.cause, "driver-stub");
}

TEST(CheckRules, AStubThatOnlyAFunctionNeedsMoreOfLeavesTheProviderLoadable) {
  Subject subject = cuda_subject();
  Stub stub;
  stub.request = "libcuda.so.1";
  stub.path = "/x/libcuda.so.1";
  stub.lacking = {"cuTensorMapEncodeTiled"};
  stub.necessity = accel::Necessity::Function;
  subject.stubs.push_back(stub);
  EXPECT_EQ(report_of(subject).verdicts.loadable, Verdict::Partly);
  EXPECT_EQ(report_of(subject).cause, "driver-stub");
  EXPECT_EQ(report_of(subject).losses.size(), 1U);
}

TEST(CheckRules, ACompleteStubLoadsAndIsNotUsable) {
  Subject subject = cuda_subject();
  Stub stub;
  stub.request = "libcuda.so.1";
  stub.path = "/x/stubs/libcuda.so.1";
  stub.why = "a directory named stubs";
  subject.stubs.push_back(stub);
  const ProviderReport report = report_of(subject);
  EXPECT_EQ(report.verdicts.loadable, Verdict::Yes);
  EXPECT_EQ(report.verdicts.usable, Verdict::No);
  EXPECT_EQ(report.cause, "driver-stub");
  EXPECT_EQ(severity_of(subject), Severity::Error);
}

TEST(CheckRules, EachRefusalOfTheLoaderHasItsRule) {
  EXPECT_THAT(rules_of(with_fault(fault(FailureKind::ExecStack, "cannot enable executable stack"))),
              ElementsAre("executable-stack"));
  EXPECT_THAT(rules_of(with_fault(fault(FailureKind::Tls, "cannot allocate memory"))),
              ElementsAre("static-tls"));
  EXPECT_THAT(rules_of(with_fault(fault(FailureKind::Isa, "CPU ISA level is lower"))),
              ElementsAre("cpu-too-old"));
  EXPECT_THAT(rules_of(with_fault(fault(FailureKind::Type, "cannot dynamically load a PIE"))),
              ElementsAre("damaged-library"));
}

TEST(CheckRules, AnotherCudaReleaseInOneProcessIsMixed) {
  Subject subject = cuda_subject();
  ForeignRelease foreign;
  foreign.request = "libcurand.so.10";
  foreign.path = "/site/nvidia/cu13/lib/libcurand.so.10";
  foreign.consumer = subject.instance.provider_library;
  foreign.why = "needs libcudart.so.13";
  foreign.expected = 12;
  foreign.found = 13;
  subject.foreign.push_back(foreign);
  EXPECT_THAT(rules_of(subject), ElementsAre("mixed-cuda-majors"));
  const ProviderReport report = report_of(subject);
  EXPECT_EQ(report.verdicts.loadable, Verdict::Partly);
  EXPECT_EQ(report.cause, "mixed-cuda-majors");
}

TEST(CheckRules, PiecesOfTwoReleasesAreAMixedSet) {
  Subject subject = cuda_subject();
  subject.mixed_sets.push_back(
      {"cuDNN 9", {copy("/site/a/libcudnn.so.9"), copy("/opt/b/libcudnn_ops.so.9")}, 0});
  EXPECT_THAT(rules_of(subject), ElementsAre("mixed-library-set"));
  EXPECT_EQ(report_of(subject).verdicts.loadable, Verdict::Partly);
}

TEST(CheckRules, ACopyThatWinsWithoutHarmIsAWarning) {
  Subject subject = cuda_subject();
  Shadow shadow;
  shadow.request = "libcublas.so.12";
  shadow.chosen = copy("/usr/local/cuda/lib64/libcublas.so.12");
  shadow.meant = copy("/site/nvidia/cublas/lib/libcublas.so.12");
  subject.shadows.push_back(shadow);
  EXPECT_THAT(rules_of(subject), ElementsAre("shadowed-library"));
  EXPECT_EQ(severity_of(subject), Severity::Warning);
  EXPECT_EQ(report_of(subject).verdicts.loadable, Verdict::Yes);
}

TEST(CheckRules, AnEmptyElementOfASearchPathIsANoteUntilALookupFallsThroughToIt) {
  Subject subject = cuda_subject();
  subject.working_directory.push_back({"/site/libprovider.so", "RUNPATH", {}, {}});
  EXPECT_THAT(rules_of(subject), ElementsAre("searches-working-directory"));
  EXPECT_EQ(severity_of(subject), Severity::Note);
  subject.working_directory.front().lookups = {"libcudnn.so.9"};
  EXPECT_EQ(severity_of(subject), Severity::Warning);
}

TEST(CheckRules, ALibraryOutOfTheWorkingDirectoryLoadsByAccident) {
  Subject subject = cuda_subject();
  subject.cwd = "/srv";
  subject.working_directory.push_back(
      {"/site/libprovider.so", "RUNPATH", {}, {"/srv/libcudnn.so.9"}});
  EXPECT_THAT(rules_of(subject), ElementsAre("loads-by-accident", "searches-working-directory"));
  EXPECT_EQ(severity_of(subject), Severity::Warning);
  EXPECT_EQ(report_of(subject).verdicts.loadable, Verdict::Yes);
  EXPECT_EQ(report_of(subject).cause, "");
}

TEST(CheckRules, TheCallersVariablesAreAWarningOnlyWhereTheyDecide) {
  Subject subject = cuda_subject();
  subject.caller.variables = {{"LD_LIBRARY_PATH", "/opt"}};
  EXPECT_THAT(rules_of(subject), IsEmpty());
  subject.caller.decides = true;
  subject.caller.without = "`loadable` would be no";
  EXPECT_THAT(rules_of(subject), ElementsAre("depends-on-caller-environment"));
  EXPECT_EQ(severity_of(subject), Severity::Warning);
}

TEST(CheckRules, ARequiredProviderOfACpuBuildIsToldFromNothingAtAll) {
  Subject subject = cuda_subject();
  subject.instance.is_shipped = false;
  subject.instance.distribution.clear();
  EXPECT_THAT(rules_of(subject), ElementsAre("not-shipped"));
  EXPECT_EQ(report_of(subject).cause, "not-shipped");
  EXPECT_EQ(report_of(subject).verdicts.shipped, Verdict::No);
  subject.instance.is_cpu_build = true;
  subject.instance.distribution = "onnxruntime";
  EXPECT_THAT(rules_of(subject), ElementsAre("cpu-build"));
  subject.weight = Weight::Offered;
  EXPECT_THAT(rules_of(subject), IsEmpty()) << "nobody asked for it";
}

TEST(CheckRules, AReleaseThatTheKnowledgeCannotExplainIsUnknownNeverYes) {
  Subject subject = cuda_subject();
  subject.instance.is_plan_exact = false;
  EXPECT_EQ(report_of(subject).verdicts.loadable, Verdict::Yes);
  subject.instance.unexplained = {"libnew.so.1"};
  EXPECT_EQ(report_of(subject).verdicts.loadable, Verdict::Unknown);
  EXPECT_EQ(report_of(subject).confidence, "recovered");
}

TEST(CheckRules, AnInterpreterThatCannotStartLeavesEverythingUnknown) {
  Subject subject = cuda_subject();
  subject.is_judged = false;
  EXPECT_EQ(report_of(subject).verdicts.shipped, Verdict::Yes);
  EXPECT_EQ(report_of(subject).verdicts.loadable, Verdict::Unknown);
}

}  // namespace
}  // namespace loadable::check
