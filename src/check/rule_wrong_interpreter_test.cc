// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/test_subject.h"

namespace loadable::check {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Subject foreign_subject(const std::string& tag) {
  Subject subject = cuda_subject();
  subject.instance.foreign_tag = tag;
  subject.instance.import_library = "/site/onnxruntime/capi/state." + tag + ".so";
  subject.instance.python = "3.11.2";
  subject.instance.suffixes = {".cpython-311-x86_64-linux-gnu.so", ".abi3.so", ".so"};
  return subject;
}

std::string message_of(const Subject& subject) {
  const Rulings rulings = judge(subject);
  return rulings.empty() ? std::string{} : rulings.front().finding.message;
}

TEST(WrongInterpreter, MakesARequiredProviderNotLoadable) {
  const Subject subject = foreign_subject("cpython-312-x86_64-linux-gnu");
  const Rulings rulings = judge(subject);
  ASSERT_EQ(rulings.size(), 1U);
  EXPECT_EQ(rulings.front().finding.rule, "wrong-interpreter");
  EXPECT_EQ(rulings.front().finding.severity, Severity::Error);
  EXPECT_THAT(
      rulings.front().finding.notes.front(),
      HasSubstr("`state` followed by `.cpython-311-x86_64-linux-gnu.so`, `.abi3.so`, `.so`"));
  const ProviderReport report = decide(subject, rulings);
  EXPECT_EQ(report.verdicts.intact, Verdict::Yes);
  EXPECT_EQ(report.verdicts.loadable, Verdict::No);
  EXPECT_EQ(report.cause, "wrong-interpreter");
}

TEST(WrongInterpreter, NamesWhatDiffers) {
  EXPECT_THAT(message_of(foreign_subject("cpython-312-x86_64-linux-gnu")),
              HasSubstr("is for CPython 3.12, and the interpreter is Python 3.11.2"));
  EXPECT_THAT(message_of(foreign_subject("cpython-313t-x86_64-linux-gnu")),
              HasSubstr("is for the free-threaded CPython 3.13"));
  EXPECT_THAT(
      message_of(foreign_subject("cpython-311-x86_64-linux-musl")),
      HasSubstr("is for `x86_64-linux-musl`, and the interpreter is for `x86_64-linux-gnu`"));
  EXPECT_THAT(message_of(foreign_subject("pypy310-pp73-x86_64-linux-gnu")),
              HasSubstr("is for `pypy310-pp73-x86_64-linux-gnu`"));
  Subject abi3 = foreign_subject("abi3");
  abi3.instance.suffixes = {".cpython-313t-x86_64-linux-gnu.so", ".so"};
  EXPECT_THAT(message_of(abi3), HasSubstr("is for `abi3`"));
}

TEST(WrongInterpreter, IsAWarningForAProviderThatNobodyAsksFor) {
  Subject subject = foreign_subject("cpython-312-x86_64-linux-gnu");
  subject.weight = Weight::Offered;
  EXPECT_EQ(judge(subject).front().finding.severity, Severity::Warning);
}

TEST(WrongInterpreter, SpeaksOfADirectoryThatIsNotSearched) {
  Subject subject = cuda_subject();
  subject.instance.unsearched_site = "/v/lib/python3.12/site-packages";
  subject.instance.python = "3.11.2";
  EXPECT_THAT(message_of(subject), HasSubstr("where Python 3.11.2 does not look"));
}

TEST(WrongInterpreter, IsSilentWhereTheModuleIsItsOwn) {
  EXPECT_THAT(rules_of(cuda_subject()), IsEmpty());
}

TEST(WrongInterpreter, IsSilentWhereTheFileIsOfAnotherMachineAnyway) {
  Subject subject = foreign_subject("cpython-311-aarch64-linux-gnu");
  Break wrong = fault(loader::FailureKind::Format, "wrong ELF machine");
  wrong.failure.object = subject.instance.import_library;
  subject.breaks = {wrong};
  EXPECT_THAT(rules_of(subject), ElementsAre("damaged-library"));
}

}  // namespace
}  // namespace loadable::check
