// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "loader/machine_for_test.h"

namespace loadable::loader {
namespace {

using loadable::testing::ElfSpec;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LoaderSearch, RpathOfTheProgramServesTheNeedsOfItsLibraries) {
  Machine machine;
  machine.program({"liba.so"}, {}, "/p").library("/p/liba.so", {"libb.so"}).library("/p/libb.so");
  EXPECT_THAT(paths(machine.start()), ElementsAre("/bin/x", "/p/liba.so", "/p/libb.so"));
}

TEST(LoaderSearch, RunpathIsNotInherited) {
  Machine machine;
  machine.program({"liba.so"}, "/p").library("/p/liba.so", {"libb.so"}).library("/p/libb.so");
  EXPECT_THAT(missing(machine.start()), ElementsAre("libb.so"));
}

TEST(LoaderSearch, RunpathOfTheRequesterHidesTheRpathOfItsAncestors) {
  Machine machine;
  machine.program({"liba.so"}, {}, "/p")
      .library("/p/liba.so", {"libb.so"}, "/nowhere")
      .library("/p/libb.so");
  EXPECT_THAT(missing(machine.start()), ElementsAre("libb.so"));
}

TEST(LoaderSearch, RunpathInAMiddleAncestorDoesNotStopTheChain) {
  Machine machine;
  machine.program({"liba.so"}, {}, "/p")
      .library("/p/liba.so", {"libb.so"}, "/q")
      .library("/q/libb.so", {"libc.so"})
      .library("/p/libc.so");
  EXPECT_EQ(path_of(machine.start(), "libc.so"), "/p/libc.so");
}

TEST(LoaderSearch, RpathIsIgnoredWhereTheSameObjectHasRunpath) {
  Machine machine;
  machine.program({"liba.so"}, "/q", "/p").library("/p/liba.so").library("/q/liba.so");
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/q/liba.so");
}

TEST(LoaderSearch, EnvironmentStandsBetweenRpathAndRunpath) {
  Machine rpath;
  rpath.program({"liba.so"}, {}, "/p").library("/p/liba.so").library("/e/liba.so");
  rpath.variable("LD_LIBRARY_PATH", "/e");
  EXPECT_EQ(path_of(rpath.start(), "liba.so"), "/p/liba.so");
  Machine runpath;
  runpath.program({"liba.so"}, "/p").library("/p/liba.so").library("/e/liba.so");
  runpath.variable("LD_LIBRARY_PATH", "/e");
  EXPECT_EQ(path_of(runpath.start(), "liba.so"), "/e/liba.so");
}

TEST(LoaderSearch, SemicolonSeparatesTheVariableAndNotRunpath) {
  Machine machine;
  machine.program({"liba.so"}, "/x;/p").library("/p/liba.so");
  EXPECT_THAT(missing(machine.start()), ElementsAre("liba.so"));
  machine.variable("LD_LIBRARY_PATH", "/x;/p");
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/p/liba.so");
}

TEST(LoaderSearch, EmptyElementIsTheWorkingDirectory) {
  Machine machine;
  machine.program({"liba.so"}, "/none:").library("/here/liba.so");
  machine.environment.cwd = "/here";
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/here/liba.so");
  machine.environment.cwd = "/";
  EXPECT_THAT(missing(machine.start()), ElementsAre("liba.so"));
}

TEST(LoaderSearch, EmptyVariableIsNoList) {
  Machine machine;
  machine.program({"liba.so"}).library("/here/liba.so").variable("LD_LIBRARY_PATH", "");
  machine.environment.cwd = "/here";
  EXPECT_THAT(missing(machine.start()), ElementsAre("liba.so"));
}

TEST(LoaderSearch, DefaultDirectoriesAreThoseOfTheLoaderInTheirOrder) {
  Machine machine;
  machine.program({"liba.so"})
      .library("/usr/lib/liba.so")
      .library("/usr/lib/x86_64-linux-gnu/liba.so");
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/usr/lib/x86_64-linux-gnu/liba.so");
}

TEST(LoaderSearch, NoDefaultLibDisablesTheDefaultDirectories) {
  Machine machine;
  ElfSpec spec;
  spec.needed = {"liba.so"};
  spec.flags_1 = elf::DF_1_NODEFLIB;
  machine.program(spec).library("/usr/lib/liba.so");
  const Process process = machine.start();
  EXPECT_THAT(missing(process), ElementsAre("liba.so"));
  const auto& tried = process.requests()[0].tried;
  EXPECT_EQ(tried.back().outcome, Outcome::Disabled);
}

TEST(LoaderSearch, HwcapsOfADirectoryComeBeforeItAndAfterAnEarlierDirectory) {
  Machine machine;
  machine.program({"liba.so", "libb.so"}, "/p:/q")
      .library("/p/liba.so")
      .library("/p/glibc-hwcaps/x86-64-v2/liba.so")
      .library("/p/glibc-hwcaps/x86-64-v3/liba.so")
      .library("/p/glibc-hwcaps/x86-64-v4/liba.so")
      .library("/p/libb.so")
      .library("/q/glibc-hwcaps/x86-64-v3/libb.so");
  const Process v3 = machine.start();
  EXPECT_EQ(path_of(v3, "liba.so"), "/p/glibc-hwcaps/x86-64-v3/liba.so");
  EXPECT_EQ(path_of(v3, "libb.so"), "/p/libb.so");
  machine.environment.cpu = {CpuLevel::Baseline, {}};
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/p/liba.so");
}

TEST(LoaderSearch, LegacySubdirectoriesAreSearchedUntil236InTheOrderOfTheCombinations) {
  for (const auto& [release, wanted] :
       {std::pair{"2.36", "/p/tls/x86_64/liba.so"}, {"2.37", "/p/liba.so"}}) {
    Machine machine(release);
    machine.program({"liba.so"}, "/p").library("/p/liba.so").library("/p/haswell/liba.so");
    machine.library("/p/tls/x86_64/liba.so");
    EXPECT_EQ(path_of(machine.start(), "liba.so"), wanted) << release;
  }
}

TEST(LoaderSearch, TunablesTakeCpuLevelsAway) {
  Machine machine;
  machine.program({"liba.so"}, "/p")
      .library("/p/liba.so")
      .library("/p/glibc-hwcaps/x86-64-v3/liba.so");
  machine.variable("GLIBC_TUNABLES", "glibc.malloc.check=1:glibc.cpu.hwcaps=-AVX2,-RTM");
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/p/liba.so");
}

TEST(LoaderSearch, LinkLoopEndsItsListAndNotTheSearch) {
  Machine machine;
  machine.program({"liba.so"}, "/p:/q").library("/q/liba.so");
  machine.tree.add_link("/p/liba.so", "liba.so");
  EXPECT_THAT(missing(machine.start()), ElementsAre("liba.so"));
  machine.library("/usr/lib/liba.so");
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/usr/lib/liba.so");
}

TEST(LoaderSearch, DanglingLinkAndDeniedFileArePassedOver) {
  Machine machine;
  machine.program({"liba.so"}, "/p:/q:/r").library("/r/liba.so").library("/q/liba.so");
  machine.tree.add_link("/p/liba.so", "gone.so");
  machine.tree.deny("/q/liba.so");
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/r/liba.so");
}

TEST(LoaderSearch, OtherClassAndMachineArePassedOver) {
  Machine machine;
  ElfSpec small;
  small.elf_class = elf::ELFCLASS32;
  small.machine = elf::EM_386;
  ElfSpec foreign;
  foreign.machine = elf::EM_AARCH64;
  machine.program({"liba.so"}, "/p:/q:/r").file("/p/liba.so", small).file("/q/liba.so", foreign);
  machine.library("/r/liba.so");
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/r/liba.so");
}

TEST(LoaderSearch, DamagedCandidateEndsTheLoadWithTheLoadersWords) {
  struct Row {
    std::string content, message;
  };
  ElfSpec osabi;
  osabi.osabi = 9;
  const auto bytes = loadable::testing::build_elf(osabi);
  const std::string foreign(as_text(bytes));
  for (const Row& row :
       {Row{"", "file too short"}, Row{std::string(100, 'x'), "invalid ELF header"},
        Row{foreign, "ELF file OS ABI invalid"}}) {
    Machine machine;
    machine.program({"liba.so", "libb.so"}, "/p:/q").library("/q/liba.so");
    machine.tree.add_file("/p/liba.so", row.content);
    const Process process = machine.start();
    ASSERT_EQ(process.failures().size(), 1U);
    EXPECT_EQ(process.failures()[0].kind, FailureKind::Format);
    EXPECT_EQ(process.failures()[0].object, "/p/liba.so");
    EXPECT_EQ(process.failures()[0].message, "/p/liba.so: " + row.message);
    EXPECT_EQ(path_of(process, "libb.so"), "never asked for");
  }
}

TEST(LoaderSearch, DirectoryOfThatNameIsFatal) {
  Machine machine;
  machine.program({"liba.so"}, "/p");
  machine.tree.add_directory("/p/liba.so");
  const Process process = machine.start();
  ASSERT_EQ(process.failures().size(), 1U);
  EXPECT_EQ(process.failures()[0].message, "/p/liba.so: cannot read file data: Is a directory");
}

TEST(LoaderSearch, OriginOfALibraryIsWhereItWasFoundAndOfTheProgramItsRealPlace) {
  Machine machine;
  machine.program({"liba.so"}, "$ORIGIN/../lib")
      .library("/store/l/liba.so", {"libb.so"}, "$ORIGIN");
  machine.tree.add_link("/lib/liba.so", "/store/l/liba.so");
  machine.library("/lib/libb.so").library("/store/l/libb.so");
  machine.tree.add_link("/usr/run", "/bin/x");
  const Process process = machine.start("/usr/run");
  EXPECT_EQ(path_of(process, "liba.so"), "/bin/../lib/liba.so");
  EXPECT_EQ(path_of(process, "libb.so"), "/bin/../lib/libb.so");
}

TEST(LoaderSearch, ReadsNoFileThatTheLoaderWouldNotOpen) {
  Machine machine;
  machine.program({"liba.so"}, "/p").library("/p/liba.so").library("/p/libunrelated.so");
  machine.start();
  EXPECT_THAT(machine.tree.opened(), ::testing::Not(::testing::Contains("/p/libunrelated.so")));
}

}  // namespace
}  // namespace loadable::loader
