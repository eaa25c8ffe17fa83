// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "loader/machine_for_test.h"

namespace loadable::loader {
namespace {

using loadable::testing::ElfSpec;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LoaderMusl, ReleaseIsReadFromTheFile) {
  Machine machine = Machine::with_musl("1.2.5");
  machine.program(std::vector<std::string>{});
  EXPECT_EQ(machine.start().identity().to_string(), "musl 1.2.5");
}

TEST(LoaderMusl, EnvironmentComesBeforeRpathAndRunpathIsInherited) {
  Machine machine = Machine::with_musl();
  machine.program({"liba.so"}, "/p").library("/p/liba.so", {"libb.so"}).library("/e/liba.so");
  machine.library("/p/libb.so");
  EXPECT_EQ(path_of(machine.start(), "libb.so"), "/p/libb.so");
  machine.variable("LD_LIBRARY_PATH", ":/e");
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/e/liba.so");
}

TEST(LoaderMusl, SonameSatisfiesNothing) {
  Machine machine = Machine::with_musl();
  machine.program(std::vector<std::string>{}).library("/d/libx.so.9");
  machine.library("/m/mod.so", {"libx.so.9"});
  Process process = machine.start();
  EXPECT_TRUE(process.dlopen("/d/libx.so.9", {}).succeeded);
  EXPECT_FALSE(process.dlopen("/m/mod.so", {}).succeeded);
}

TEST(LoaderMusl, FileLoadedByPathAnswersToThatPathsNameOnceASearchCameToIt) {
  Machine machine = Machine::with_musl();
  machine.program({"/p/libx.so", "liby.so", "libx.so"}, "/q").library("/p/libx.so");
  machine.library("/q/libx.so");
  machine.tree.add_link("/q/liby.so", "../p/libx.so");
  EXPECT_THAT(paths(machine.start()), ElementsAre("/bin/x", "/p/libx.so"));
  machine.program({"/p/libx.so", "libx.so"}, "/q");
  EXPECT_THAT(paths(machine.start()), ElementsAre("/bin/x", "/p/libx.so", "/q/libx.so"));
}

TEST(LoaderMusl, NamesOfItsOwnLibrariesAreItself) {
  Machine machine = Machine::with_musl();
  machine.program({"libm.so.6", "libpthread.so.0", "libc.so"});
  EXPECT_THAT(paths(machine.start()), ElementsAre("/bin/x", kMuslInterpreter));
}

TEST(LoaderMusl, PathFileReplacesTheCompiledInDirectories) {
  Machine machine = Machine::with_musl();
  machine.program({"liba.so"}).library("/usr/lib/liba.so").library("/custom/liba.so");
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/usr/lib/liba.so");
  machine.tree.add_file("/etc/ld-musl-x86_64.path", "/none\n/custom\n");
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/custom/liba.so");
}

TEST(LoaderMusl, OtherTokensThanOriginDisableTheRpath) {
  Machine machine = Machine::with_musl();
  machine.program({"liba.so"}, "/p:$LIB").library("/p/liba.so");
  EXPECT_THAT(missing(machine.start()), ElementsAre("liba.so"));
  machine.program({"liba.so"}, "$ORIGIN/../p").library("/p/liba.so");
  EXPECT_EQ(path_of(machine.start(), "liba.so"), "/bin/../p/liba.so");
}

TEST(LoaderMusl, FirstFileThatOpensIsTheOneWhateverItIs) {
  Machine machine = Machine::with_musl();
  ElfSpec foreign;
  foreign.machine = elf::EM_AARCH64;
  machine.program({"liba.so", "libb.so"}, "/p:/q").file("/p/liba.so", foreign);
  machine.library("/q/liba.so").library("/q/libb.so");
  machine.tree.add_file("/p/libb.so", "text");
  const Process process = machine.start();
  EXPECT_EQ(path_of(process, "liba.so"), "/p/liba.so");
  ASSERT_EQ(process.failures().size(), 1U);
  EXPECT_EQ(process.failures()[0].message,
            "Error loading shared library libb.so: Exec format error (needed by /bin/x)");
}

TEST(LoaderMusl, NodlopenAndPieAreLoadedAndVersionsAreNotChecked) {
  Machine machine = Machine::with_musl();
  ElfSpec pie;
  pie.flags_1 = elf::DF_1_PIE | elf::DF_1_NOOPEN;
  ElfSpec versioned;
  versioned.needed = {"libv.so"};
  versioned.runpath = "/p";
  versioned.needed_versions = {{"libv.so", "V9", 0, {}}};
  machine.program(std::vector<std::string>{}).file("/pie", pie).file("/v.so", versioned);
  machine.library("/p/libv.so");
  Process process = machine.start();
  EXPECT_TRUE(process.dlopen("/pie", {}).succeeded);
  EXPECT_TRUE(process.dlopen("/v.so", {}).succeeded);
  EXPECT_THAT(process.failures(), IsEmpty());
}

TEST(LoaderMusl, StaticTlsOfALaterLibraryIsAlwaysRefused) {
  Machine machine = Machine::with_musl();
  ElfSpec tls;
  tls.uses_static_tls = true;
  tls.tls_size = 8;
  machine.program(std::vector<std::string>{}).file("/tls.so", tls);
  Process process = machine.start();
  EXPECT_FALSE(process.dlopen("/tls.so", {}).succeeded);
  EXPECT_EQ(process.failures().at(0).kind, FailureKind::Tls);
}

}  // namespace
}  // namespace loadable::loader
