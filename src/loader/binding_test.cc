// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "elf/symbols.h"
#include "loader/machine_for_test.h"

namespace loadable::loader {
namespace {

using loadable::testing::defines;
using loadable::testing::ElfSpec;
using loadable::testing::wants;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> symbols(const Process& process) {
  std::vector<std::string> result;
  for (const Failure& failure : process.failures()) result.push_back(failure.symbol);
  return result;
}

ElfSpec library(const std::string& soname, std::vector<loadable::testing::ElfSymbol> symbols,
                std::vector<std::string> needed = {}) {
  ElfSpec spec;
  spec.soname = soname;
  spec.symbols = std::move(symbols);
  spec.needed = std::move(needed);
  spec.runpath = "/p";
  return spec;
}

TEST(LoaderVersions, MissingVersionIsAFailureOfTheProvider) {
  Machine machine;
  ElfSpec provider = library("libv.so", {defines("f", "V1")});
  provider.versions = {{"V1"}};
  machine.program({"liba.so"}, "/p").file("/p/libv.so", provider);
  machine.file("/p/liba.so", library("liba.so", {wants("f", "V2", "libv.so")}, {"libv.so"}));
  const Process process = machine.start();
  ASSERT_EQ(process.failures().size(), 1U);
  EXPECT_EQ(process.failures()[0].object, "/p/libv.so");
  EXPECT_EQ(process.failures()[0].kind, FailureKind::Version);
  EXPECT_EQ(process.failures()[0].message, "version `V2' not found (required by /p/liba.so)");
}

TEST(LoaderVersions, WeakVersionAndProviderWithoutVersionsAreWarnings) {
  Machine machine;
  ElfSpec provider = library("libv.so", {defines("f", "V1")});
  provider.versions = {{"V1"}};
  ElfSpec consumer = library("liba.so", {}, {"libv.so", "libplain.so"});
  consumer.needed_versions = {{"libv.so", "V9", elf::VER_FLG_WEAK, {}},
                              {"libplain.so", "P1", 0, {}}};
  machine.program({"liba.so"}, "/p").file("/p/libv.so", provider).file("/p/liba.so", consumer);
  machine.library("/p/libplain.so");
  const Process process = machine.start();
  EXPECT_THAT(process.failures(), IsEmpty());
  EXPECT_EQ(process.warnings().size(), 2U);
}

TEST(LoaderVersions, FailedVersionUnloadsTheStep) {
  Machine machine;
  ElfSpec provider = library("libv.so", {defines("f", "V1")});
  provider.versions = {{"V1"}};
  machine.program(std::vector<std::string>{}).file("/p/libv.so", provider);
  machine.file("/p/liba.so", library("liba.so", {wants("f", "V2", "libv.so")}, {"libv.so"}));
  Process process = machine.start();
  const StepResult step = process.dlopen("/p/liba.so", {});
  EXPECT_EQ(step.error, "/p/libv.so: version `V2' not found (required by /p/liba.so)");
  EXPECT_EQ(process.objects().size(), 1U);
}

TEST(LoaderVersions, AreNotCheckedWhereAMissStandsBeforeTheirFile) {
  Machine machine;
  ElfSpec provider = library("libv.so", {});
  provider.versions = {{"V1"}};
  ElfSpec program = library("x", {}, {"libv.so", "/p/liba.so"});
  program.runpath = "/none";
  program.needed_versions = {{"libv.so", "V2", 0, {}}};
  machine.program(program).file("/p/libv.so", provider);
  machine.file("/p/liba.so", library("liba.so", {}, {"libv.so"}));
  EXPECT_THAT(machine.start().failures(), IsEmpty());
  // As an auxiliary object it goes before the filter, and so before the stand-in of the miss.
  program.needed = {"/p/liba.so", "libv.so"};
  ElfSpec filter = library("liba.so", {});
  filter.auxiliary = {"libv.so"};
  machine.program(program).file("/p/liba.so", filter);
  EXPECT_THAT(machine.start().failures(), ::testing::SizeIs(1));
}

class LoaderBinding : public ::testing::Test {
 protected:
  LoaderBinding() {
    machine.environment.binds_symbols = true;
    machine.program(std::vector<std::string>{});
  }
  Machine machine;
};

TEST_F(LoaderBinding, StartTellsEveryUndefinedSymbol) {
  machine.program({"liba.so"}, "/p");
  machine.file("/p/liba.so", library("liba.so", {wants("f"), wants("g"), defines("h")}));
  EXPECT_THAT(symbols(machine.start()), ::testing::UnorderedElementsAre("f", "g"));
}

TEST_F(LoaderBinding, FailureOfWhatOthersNeedIsToldFirst) {
  machine.file("/p/mod.so", library("mod.so", {}, {"libb.so", "liba.so"}));
  machine.file("/p/liba.so", library("liba.so", {wants("f")}, {"libb.so"}));
  machine.file("/p/libb.so", library("libb.so", {wants("g")}));
  Process process = machine.start();
  EXPECT_EQ(process.dlopen("/p/mod.so", {}).error, "/p/libb.so: undefined symbol: g");
  EXPECT_THAT(symbols(process), ElementsAre("g", "f"));
}

/// Which object each undefined symbol of the program start is told of, in order.
std::vector<std::string> told_of(Machine& machine, const std::string& release) {
  machine.tree.remove(kInterpreter);
  machine.tree.add_file(kInterpreter, loader_file(release), 0755);
  std::vector<std::string> result;
  const Process process = machine.start();
  for (const Failure& failure : process.failures()) result.push_back(failure.object);
  return result;
}

TEST_F(LoaderBinding, StartTellsTheLastOfTheSortedOrderFirst) {
  // x needs a and b, a needs c, c needs b: b comes after all that need it.
  machine.program({"liba.so", "libb.so"}, "/p");
  machine.file("/p/liba.so", library("liba.so", {wants("fa")}, {"libc.so"}));
  machine.file("/p/libb.so", library("libb.so", {wants("fb")}));
  machine.file("/p/libc.so", library("libc.so", {wants("fc")}, {"libb.so"}));
  for (const std::string release : {"2.31", "2.36"}) {
    EXPECT_THAT(told_of(machine, release), ElementsAre("/p/libb.so", "/p/libc.so", "/p/liba.so"))
        << release;
  }
}

TEST_F(LoaderBinding, ObjectsOfACycleAreToldInTheOrderOfTheRelease) {
  // Both need each other: depth first begins with the last of the list; before 2.35 the first moves
  // behind the second, and that one behind it, until each was looked at too often.
  machine.program({"liba.so", "libb.so", "libc.so"}, "/p");
  machine.file("/p/liba.so", library("liba.so", {wants("fa")}, {"libb.so"}));
  machine.file("/p/libb.so", library("libb.so", {wants("fb")}, {"liba.so"}));
  machine.file("/p/libc.so", library("libc.so", {wants("fc")}));
  const auto older = told_of(machine, "2.31"), newer = told_of(machine, "2.36");
  EXPECT_THAT(older, ::testing::UnorderedElementsAre("/p/liba.so", "/p/libb.so", "/p/libc.so"));
  EXPECT_THAT(newer, ElementsAre("/p/libc.so", "/p/liba.so", "/p/libb.so"));
  EXPECT_NE(older, newer);
}

TEST_F(LoaderBinding, AnObjectWhoseSymbolsCannotBeReadIsAFailure) {
  ElfSpec spec = library("liba.so", {wants("f"), defines("g")});
  machine.file("/p/liba.so", spec);
  EXPECT_EQ(machine.start().dlopen("/p/liba.so", {}).error, "/p/liba.so: undefined symbol: f");
  std::vector<std::byte> bytes = testing::build_elf(spec);
  for (std::size_t at = 0; at + 16 <= bytes.size(); at += 8) {  // DT_SYMTAB leads out of the file
    if (bytes[at] != std::byte{6}) continue;
    const bool is_tag = std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                    bytes.begin() + static_cast<std::ptrdiff_t>(at) + 8,
                                    [](std::byte each) { return each == std::byte{0}; });
    if (is_tag) bytes[at + 13] = std::byte{0x70};
  }
  machine.tree.add_file("/p/liba.so", bytes);
  Process process = machine.start();
  EXPECT_THAT(process.dlopen("/p/liba.so", {}).error,
              ::testing::HasSubstr("the symbols cannot be read: "));
  ASSERT_EQ(process.failures().size(), 1U);
  EXPECT_EQ(process.failures()[0].kind, FailureKind::Format);
}

TEST_F(LoaderBinding, NamesMadeToCollideAreFoundAllTheSame) {
  std::vector<loadable::testing::ElfSymbol> many, asked;
  for (int bits = 0; bits < (1 << 13); ++bits) {  // both pairs have one hash
    std::string name;
    for (int bit = 0; bit < 13; ++bit) name += ((bits >> bit) & 1) != 0 ? "bA" : "ab";
    many.push_back(defines(name));
    if (bits % 4096 == 5) asked.push_back(wants(name));
  }
  ASSERT_EQ(elf::gnu_hash("bA"), elf::gnu_hash("ab"));
  machine.program({"liba.so"}, "/p").file("/p/liba.so", library("liba.so", many));
  machine.file("/p/mod.so", library("mod.so", {asked.front()}, {"liba.so"}));
  Process process = machine.start();
  EXPECT_TRUE(process.dlopen("/p/mod.so", {}).succeeded);
}

TEST_F(LoaderBinding, WeakReferenceMayStayUnbound) {
  auto weak = wants("f");
  weak.bind = elf::STB_WEAK;
  machine.file("/p/liba.so", library("liba.so", {weak}));
  EXPECT_TRUE(machine.start().dlopen("/p/liba.so", {}).succeeded);
}

TEST_F(LoaderBinding, LazyDefersFunctionsAndNotData) {
  auto data = wants("d");
  data.type = elf::STT_OBJECT;
  machine.file("/p/f.so", library("f.so", {wants("f")})).file("/p/d.so", library("d.so", {data}));
  ElfSpec now = library("n.so", {wants("f")});
  now.flags = elf::DF_BIND_NOW;
  machine.file("/p/n.so", now);
  DlopenOptions lazy;
  lazy.is_lazy = true;
  Process process = machine.start();
  EXPECT_TRUE(process.dlopen("/p/f.so", lazy).succeeded);
  EXPECT_FALSE(process.dlopen("/p/d.so", lazy).succeeded);
  EXPECT_FALSE(process.dlopen("/p/n.so", lazy).succeeded);
}

TEST_F(LoaderBinding, LocalLibrariesAreNotSeenByLaterOnesAndGlobalOnesAre) {
  machine.file("/p/host.so", library("host.so", {defines("f")}));
  machine.file("/p/mod.so", library("mod.so", {wants("f")}));
  Process local = machine.start();
  local.dlopen("/p/host.so", {});
  EXPECT_EQ(local.dlopen("/p/mod.so", {}).error, "/p/mod.so: undefined symbol: f");
  DlopenOptions global;
  global.is_global = true;
  Process shared = machine.start();
  shared.dlopen("/p/host.so", global);
  EXPECT_TRUE(shared.dlopen("/p/mod.so", {}).succeeded);
  Process promoted = machine.start();
  promoted.dlopen("/p/host.so", {});
  promoted.dlopen("/p/host.so", global);
  EXPECT_TRUE(promoted.dlopen("/p/mod.so", {}).succeeded);
}

TEST_F(LoaderBinding, SymbolsOfItsOwnTreeAreSeen) {
  machine.file("/p/libdep.so", library("libdep.so", {defines("f")}));
  machine.file("/p/mod.so", library("mod.so", {wants("f")}, {"libdep.so"}));
  EXPECT_TRUE(machine.start().dlopen("/p/mod.so", {}).succeeded);
}

TEST_F(LoaderBinding, VersionedReferenceIsNotSatisfiedByAnotherVersion) {
  ElfSpec provider = library("libv.so", {defines("f", "V1"), defines("g", "V2")});
  provider.versions = {{"V1"}, {"V2"}};
  machine.file("/p/libv.so", provider);
  machine.file("/p/mod.so", library("mod.so", {wants("f", "V2", "libv.so")}, {"libv.so"}));
  EXPECT_EQ(machine.start().dlopen("/p/mod.so", {}).error,
            "/p/mod.so: undefined symbol: f, version V2");
}

TEST_F(LoaderBinding, UnversionedReferenceDoesNotTakeAHiddenVersion) {
  auto hidden = defines("f", "V1");
  hidden.is_hidden_version = true;
  ElfSpec provider = library("libv.so", {hidden, defines("g", "V2")});
  provider.versions = {{"V0"}, {"V1"}, {"V2"}};
  machine.file("/p/libv.so", provider);
  machine.file("/p/mod.so", library("mod.so", {wants("f"), wants("g")}, {"libv.so"}));
  Process process = machine.start();
  process.dlopen("/p/mod.so", {});
  EXPECT_THAT(symbols(process), ElementsAre("f"));
}

TEST_F(LoaderBinding, HiddenVisibilityBindsNobodyElse) {
  auto hidden = defines("f");
  hidden.visibility = elf::STV_HIDDEN;
  machine.file("/p/libv.so", library("libv.so", {hidden}));
  machine.file("/p/mod.so", library("mod.so", {wants("f")}, {"libv.so"}));
  EXPECT_FALSE(machine.start().dlopen("/p/mod.so", {}).succeeded);
}

TEST_F(LoaderBinding, DroppedSymbolTablesAreReadAgain) {
  machine.file("/p/mod.so", library("mod.so", {wants("f")}));
  Process process = machine.start();
  EXPECT_FALSE(process.dlopen("/p/mod.so", {}).succeeded);
  machine.store->drop_symbols();
  EXPECT_FALSE(process.dlopen("/p/mod.so", {}).succeeded);
}

}  // namespace
}  // namespace loadable::loader
