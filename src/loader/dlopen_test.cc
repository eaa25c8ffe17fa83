// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "loader/machine_for_test.h"

namespace loadable::loader {
namespace {

using loadable::testing::ElfSpec;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ElfSpec named(const std::string& soname) {
  ElfSpec spec;
  spec.soname = soname;
  return spec;
}

TEST(LoaderDlopen, SonameOfALoadedObjectSatisfiesALaterNeed) {
  Machine machine;
  machine.program(std::vector<std::string>{}).file("/deep/odd-name", named("libx.so.9"));
  machine.library("/m/mod.so", {"libx.so.9"});
  Process process = machine.start();
  EXPECT_FALSE(Process(process).dlopen("/m/mod.so", {}).succeeded);
  EXPECT_TRUE(process.dlopen("/deep/odd-name", {}).succeeded);
  EXPECT_TRUE(process.dlopen("/m/mod.so", {}).succeeded);
  EXPECT_EQ(process.requests().back().rule, Rule::Soname);
}

TEST(LoaderDlopen, HardLinkOfALoadedFileIsTheSameObjectAndACopyIsAnother) {
  Machine machine;
  machine.program(std::vector<std::string>{}).library("/a/libx.so").library("/c/libx.so");
  machine.tree.add_hard_link("/b/libx.so", "/a/libx.so");
  Process process = machine.start();
  process.dlopen("/a/libx.so", {});
  process.dlopen("/b/libx.so", {});
  EXPECT_EQ(process.requests().back().rule, Rule::Inode);
  process.dlopen("/c/libx.so", {});
  EXPECT_THAT(paths(process), ElementsAre("/bin/x", "/a/libx.so", "/c/libx.so"));
}

TEST(LoaderDlopen, FailedStepLeavesNoObjectOfItsOwn) {
  Machine machine;
  machine.program(std::vector<std::string>{}).library("/m/mod.so", {"liba.so", "libgone.so"}, "/m");
  machine.library("/m/liba.so");
  Process process = machine.start();
  const StepResult step = process.dlopen("/m/mod.so", {});
  EXPECT_FALSE(step.succeeded);
  EXPECT_EQ(step.error, "libgone.so: cannot open shared object file: No such file or directory");
  EXPECT_THAT(paths(process), ElementsAre("/bin/x"));
  EXPECT_EQ(path_of(process, "liba.so"), "/m/liba.so");
  EXPECT_EQ(process.requests().back().requester, "/m/mod.so");
}

TEST(LoaderDlopen, AllMissesOfAStepAreTold) {
  Machine machine;
  machine.program(std::vector<std::string>{}).library("/m/mod.so", {"libp.so", "libq.so"});
  Process process = machine.start();
  process.dlopen("/m/mod.so", {});
  EXPECT_THAT(missing(process), ElementsAre("libp.so", "libq.so"));
}

TEST(LoaderDlopen, NameAskedForAfterTheFirstMissOfAStepIsForgotten) {
  for (const bool is_before : {true, false}) {
    Machine machine;
    const std::string other = "libgone.so";
    machine.program({"/d/libx.so"})
        .library("/d/libx.so")
        .tree.add_link("/m/liby.so", "../d/libx.so");
    machine.library("/m/mod.so", {is_before ? "liby.so" : other, is_before ? other : "liby.so"},
                    "/m");
    Process process = machine.start();
    EXPECT_FALSE(process.dlopen("/m/mod.so", {}).succeeded);
    EXPECT_EQ(process.dlopen("liby.so", {}).succeeded, is_before);
  }
}

TEST(LoaderDlopen, WhatAFailedStepMovedForAFilterStaysThere) {
  ElfSpec filter = named("mod.so");
  filter.auxiliary = {"libx.so"};
  filter.needed = {"libb.so"};
  filter.runpath = "/m";
  Machine machine;
  machine.program(std::vector<std::string>{}).file("/m/mod.so", filter);
  machine.library("/d/libx.so").library("/d/liby.so").library("/m/libb.so", {"libgone.so"});
  Process process = machine.start();
  EXPECT_TRUE(process.dlopen("/d/libx.so", {}).succeeded);
  EXPECT_TRUE(process.dlopen("/d/liby.so", {}).succeeded);
  EXPECT_FALSE(process.dlopen("/m/mod.so", {}).succeeded);
  EXPECT_THAT(paths(process), ElementsAre("/bin/x", "/d/liby.so", "/d/libx.so"));
}

TEST(LoaderDlopen, BareNameUsesTheCallersRunpath) {
  Machine machine;
  machine.program({"liba.so"}, "/p").library("/p/liba.so", {}, "/q").library("/q/libplugin.so");
  Process process = machine.start();
  EXPECT_FALSE(Process(process).dlopen("libplugin.so", {}).succeeded);
  DlopenOptions from_library;
  from_library.caller = "/p/liba.so";
  EXPECT_TRUE(process.dlopen("libplugin.so", from_library).succeeded);
}

TEST(LoaderDlopen, ProgramsRpathServesModulesAndItsRunpathDoesNot) {
  for (const bool is_rpath : {true, false}) {
    Machine machine;
    const std::optional<std::string> path = "/p";
    machine.program({}, is_rpath ? std::nullopt : path, is_rpath ? path : std::nullopt);
    machine.library("/m/mod.so", {"liba.so"}).library("/p/liba.so");
    EXPECT_EQ(machine.start().dlopen("/m/mod.so", {}).succeeded, is_rpath);
  }
}

TEST(LoaderDlopen, NoloadLoadsNothing) {
  Machine machine;
  machine.program(std::vector<std::string>{}).library("/m/mod.so");
  Process process = machine.start();
  DlopenOptions noload;
  noload.is_noload = true;
  EXPECT_FALSE(process.dlopen("/m/mod.so", noload).succeeded);
  EXPECT_THAT(process.missing(), IsEmpty());
  process.dlopen("/m/mod.so", {});
  EXPECT_TRUE(process.dlopen("/m/mod.so", noload).succeeded);
}

TEST(LoaderDlopen, RefusesProgramsAndNodlopen) {
  Machine machine;
  ElfSpec executable;
  executable.type = elf::ET_EXEC;
  ElfSpec pie;
  pie.flags_1 = elf::DF_1_PIE;
  ElfSpec nodlopen;
  nodlopen.flags_1 = elf::DF_1_NOOPEN;
  machine.program(std::vector<std::string>{})
      .file("/exec", executable)
      .file("/pie", pie)
      .file("/nodlopen", nodlopen);
  Process process = machine.start();
  EXPECT_EQ(process.dlopen("/exec", {}).error, "/exec: cannot dynamically load executable");
  EXPECT_EQ(process.dlopen("/pie", {}).error,
            "/pie: cannot dynamically load position-independent executable");
  EXPECT_EQ(process.dlopen("/nodlopen", {}).error, "/nodlopen: shared object cannot be dlopen()ed");
  for (const Failure& failure : process.failures()) EXPECT_EQ(failure.kind, FailureKind::Type);
}

TEST(LoaderDlopen, ExecutableStackIsRefusedSince241) {
  ElfSpec spec;
  spec.gnu_stack = elf::PF_R | elf::PF_W | elf::PF_X;
  for (const auto& [release, loads] : {std::pair{"2.36", true}, {"2.41", false}}) {
    Machine machine(release);
    machine.program(std::vector<std::string>{}).file("/m/mod.so", spec);
    Process process = machine.start();
    EXPECT_EQ(process.dlopen("/m/mod.so", {}).succeeded, loads) << release;
    if (!loads) {
      EXPECT_EQ(process.failures().at(0).kind, FailureKind::ExecStack);
    }
  }
}

TEST(LoaderDlopen, StaticTlsHasASurplusOf1664Bytes) {
  ElfSpec small;
  small.uses_static_tls = true;
  small.tls_size = 800;
  ElfSpec large = small;
  large.tls_size = 8192;
  Machine machine;
  machine.program(std::vector<std::string>{}).file("/one.so", small).file("/two.so", small);
  machine.file("/three.so", small).file("/large.so", large);
  Process process = machine.start();
  EXPECT_THAT(process.dlopen("/large.so", {}).error,
              HasSubstr("cannot allocate memory in static TLS block"));
  EXPECT_TRUE(process.dlopen("/one.so", {}).succeeded);
  EXPECT_TRUE(process.dlopen("/two.so", {}).succeeded);
  EXPECT_FALSE(process.dlopen("/three.so", {}).succeeded);
  EXPECT_EQ(process.failures().back().kind, FailureKind::Tls);
}

TEST(LoaderDlopen, IsaLevelAboveTheCpuIsRefused) {
  ElfSpec spec;
  spec.isa_needed = 8;
  Machine machine;
  machine.program(std::vector<std::string>{}).file("/v4.so", spec);
  EXPECT_EQ(machine.start().dlopen("/v4.so", {}).error,
            "/v4.so: CPU ISA level is lower than required");
  machine.environment.cpu = {CpuLevel::V4, {}};
  EXPECT_TRUE(machine.start().dlopen("/v4.so", {}).succeeded);
}

TEST(LoaderDlopen, FilteesStandBeforeTheirFilterAndAbsentAuxiliariesAreForgiven) {
  ElfSpec filter = named("libf.so");
  filter.auxiliary = {"libgone.so"};
  filter.filter = {"libreal.so"};
  filter.runpath = "/p";
  Machine machine;
  machine.program({"libf.so"}, "/p").file("/p/libf.so", filter).library("/p/libreal.so");
  const Process process = machine.start();
  EXPECT_THAT(paths(process), ElementsAre("/bin/x", "/p/libreal.so", "/p/libf.so"));
  EXPECT_THAT(process.missing(), IsEmpty());
  EXPECT_EQ(process.warnings().size(), 1U);
}

TEST(LoaderDlopen, CyclesOfFiltersEnd) {
  ElfSpec first = named("liba.so");
  first.filter = {"libb.so"};
  first.runpath = "/p";
  ElfSpec second = named("libb.so");
  second.filter = {"liba.so"};
  second.runpath = "/p";
  Machine machine;
  machine.program({"liba.so"}, "/p").file("/p/liba.so", first).file("/p/libb.so", second);
  EXPECT_THAT(machine.start().failures(), ::testing::SizeIs(1));
}

TEST(LoaderDlopen, CopyOfAProcessIsAForkOfIt) {
  Machine machine;
  machine.program(std::vector<std::string>{}).library("/m/mod.so");
  const Process base = machine.start();
  Process fork = base;
  fork.dlopen("/m/mod.so", {});
  EXPECT_EQ(base.objects().size(), 1U);
  EXPECT_EQ(fork.objects().size(), 2U);
}

TEST(LoaderStart, MissingInterpreterIsTheOnlyMiss) {
  Machine machine;
  machine.program({"libgone.so"});
  machine.tree.remove(kInterpreter);
  const Process process = machine.start();
  EXPECT_THAT(missing(process), ElementsAre(kInterpreter));
  EXPECT_FALSE(process.has_interpreter());
}

TEST(LoaderStart, StaticRelocatableAndForeignFilesAreErrors) {
  Machine machine;
  ElfSpec fixed;
  fixed.type = elf::ET_EXEC;
  ElfSpec relocatable;
  relocatable.type = elf::ET_REL;
  machine.file("/static", fixed).file("/part.o", relocatable);
  machine.tree.add_file("/text", "#!/bin/sh\n");
  EXPECT_EQ(machine.try_start("/static").error().code, ErrorCode::Unsupported);
  EXPECT_EQ(machine.try_start("/part.o").error().code, ErrorCode::Unsupported);
  EXPECT_FALSE(machine.try_start("/text").has_value());
  EXPECT_EQ(machine.try_start("/gone").error().code, ErrorCode::NotFound);
}

TEST(LoaderStart, PreloadsComeFirstAndAbsentOnesAreWarnings) {
  Machine machine;
  machine.program({"liba.so"}, "/p").library("/p/liba.so").library("/pre.so").library("/file.so");
  machine.variable("LD_PRELOAD", "/gone.so:/pre.so");
  machine.tree.add_file("/etc/ld.so.preload", "# none here /no.so\n/file.so\n");
  const Process process = machine.start();
  EXPECT_THAT(paths(process), ElementsAre("/bin/x", "/pre.so", "/file.so", "/p/liba.so"));
  ASSERT_EQ(process.warnings().size(), 1U);
  EXPECT_EQ(process.warnings()[0].object, "/gone.so");
  EXPECT_THAT(process.missing(), IsEmpty());
}

TEST(LoaderStart, SecureModeIgnoresTheEnvironment) {
  Machine machine;
  machine.program({"liba.so"}).library("/e/liba.so").library("/pre.so");
  machine.variable("LD_LIBRARY_PATH", "/e").variable("LD_PRELOAD", "/pre.so");
  machine.environment.is_secure = true;
  const Process process = machine.start();
  EXPECT_THAT(missing(process), ElementsAre("liba.so"));
  EXPECT_THAT(paths(process), ElementsAre("/bin/x"));
}

TEST(LoaderStart, SegmentPastTheEndOfTheFileIsAWarning) {
  ElfSpec spec = named("liba.so");
  spec.segments = {{elf::PF_R, std::string(100, 'x')}};
  const auto built = loadable::testing::build_elf_with_layout(spec);
  auto bytes = built.bytes;
  bytes.resize(bytes.size() - 10);
  Machine machine;
  machine.program({"liba.so"}, "/p");
  machine.tree.add_file("/p/liba.so", bytes);
  const Process process = machine.start();
  EXPECT_EQ(path_of(process, "liba.so"), "/p/liba.so");
  EXPECT_EQ(process.warnings().size(), 1U);
  EXPECT_THAT(process.failures(), IsEmpty());
}

TEST(LoaderStart, ACutLoaderStartsNothing) {
  Machine machine;
  machine.program({"liba.so"}).library("/lib/liba.so");
  auto bytes = loader_file("2.36");
  const std::size_t whole = bytes.size();
  bytes.resize(whole - 1);
  machine.tree.add_file(kInterpreter, bytes, 0755);
  const Process process = machine.start();
  EXPECT_FALSE(process.has_interpreter());
  EXPECT_THAT(missing(process), IsEmpty());
  ASSERT_EQ(process.failures().size(), 1U);
  EXPECT_EQ(process.failures().front().object, kInterpreter);
  EXPECT_EQ(process.failures().front().kind, FailureKind::Format);
  EXPECT_THAT(process.failures().front().message, HasSubstr("does not fit into"));
}

}  // namespace
}  // namespace loadable::loader
