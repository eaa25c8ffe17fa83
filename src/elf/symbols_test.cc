// SPDX-License-Identifier: Apache-2.0
#include "elf/symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "testing/elf_builder.h"

namespace loadable::elf {
namespace {

using loadable::testing::build_elf;
using loadable::testing::build_elf_with_layout;
using loadable::testing::BuiltElf;
using loadable::testing::defines;
using loadable::testing::ElfSpec;
using loadable::testing::ElfSymbol;
using loadable::testing::HashStyle;
using loadable::testing::poke;
using loadable::testing::Reference;
using loadable::testing::wants;

Result<SymbolTable> read(std::vector<std::byte> bytes) {
  MemorySource source(std::move(bytes));
  const auto object = read_object(source);
  if (!object) return fail(object.error());
  return read_symbols(source, *object);
}

SymbolTable must_read(const ElfSpec& spec) {
  auto table = read(build_elf(spec));
  if (!table) {
    ADD_FAILURE() << table.error().to_string();
    return {};
  }
  return std::move(*table);
}

const Symbol* find(const SymbolTable& table, std::string_view name) {
  const auto found = std::find_if(table.symbols.begin(), table.symbols.end(),
                                  [&](const Symbol& symbol) { return symbol.name == name; });
  return found == table.symbols.end() ? nullptr : &*found;
}

ElfSpec spec_with_symbols() {
  ElfSpec spec;
  spec.soname = "libx.so";
  ElfSymbol data = wants("environ");
  data.type = STT_OBJECT;
  ElfSymbol weak = wants("maybe");
  weak.bind = STB_WEAK;
  ElfSymbol old = defines("f", "V1");
  old.is_hidden_version = true;
  spec.symbols = {old,  defines("g", "V2"), data, wants("printf", "GLIBC_2.2.5", "libc.so.6"),
                  weak, defines("plain")};
  for (int i = 0; i < 40; ++i) spec.symbols.push_back(defines("many" + std::to_string(i)));
  return spec;
}

TEST(ElfSymbols, EveryHashStyleTellsTheirNumber) {
  for (const std::uint8_t elf_class : {ELFCLASS64, ELFCLASS32}) {
    for (const std::uint8_t data : {ELFDATA2LSB, ELFDATA2MSB}) {
      for (const HashStyle style : {HashStyle::Gnu, HashStyle::Sysv, HashStyle::Both}) {
        ElfSpec spec = spec_with_symbols();
        spec.elf_class = elf_class;
        spec.data = data;
        spec.hash = style;
        const SymbolTable table = must_read(spec);
        EXPECT_EQ(table.symbols.size(), 47U);
        EXPECT_TRUE(table.has_hash);
        EXPECT_NE(find(table, "many39"), nullptr);
      }
    }
  }
}

TEST(ElfSymbols, FieldsAreThoseOfTheDescription) {
  const SymbolTable table = must_read(spec_with_symbols());
  ASSERT_FALSE(table.symbols.empty());
  EXPECT_EQ(table.symbols[0].name, "");
  const Symbol* f = find(table, "f");
  const Symbol* g = find(table, "g");
  const Symbol* printf = find(table, "printf");
  const Symbol* weak = find(table, "maybe");
  ASSERT_TRUE(f && g && printf && weak);
  EXPECT_TRUE(f->is_hidden_version);
  EXPECT_EQ(f->version, 2);
  EXPECT_NE(f->section, SHN_UNDEF);
  EXPECT_FALSE(g->is_hidden_version);
  EXPECT_EQ(g->version, 3);
  EXPECT_EQ(g->bind, STB_GLOBAL);
  EXPECT_EQ(g->type, STT_FUNC);
  EXPECT_EQ(printf->section, SHN_UNDEF);
  EXPECT_EQ(printf->version, 4);
  EXPECT_EQ(weak->bind, STB_WEAK);
  EXPECT_EQ(weak->version, 1);
}

TEST(ElfSymbols, ReferencesTellSlotsDataAndCopies) {
  ElfSpec spec = spec_with_symbols();
  ElfSymbol copied = defines("stdout");
  copied.type = STT_OBJECT;
  copied.reference = Reference::Copy;
  spec.symbols.push_back(copied);
  spec.relative_relocations = 7;
  const SymbolTable table = must_read(spec);
  std::vector<std::string> seen;
  for (const auto& reference : table.references) {
    seen.push_back(std::string(table.symbols[reference.symbol].name) +
                   (reference.is_function_slot ? " slot" : "") +
                   (reference.is_copy ? " copy" : ""));
  }
  EXPECT_THAT(seen, ::testing::ElementsAre("environ", "stdout copy", "printf slot", "maybe slot"));
}

TEST(ElfSymbols, MachinesWithRelWithoutAddendAreRead) {
  ElfSpec spec = spec_with_symbols();
  spec.elf_class = ELFCLASS32;
  spec.machine = EM_386;
  EXPECT_EQ(must_read(spec).references.size(), 3U);
}

TEST(ElfSymbols, WithoutHashOnlyRelocationsTellTheirNumber) {
  ElfSpec spec;
  spec.symbols = {wants("a"), wants("b"), defines("c")};
  spec.hash = HashStyle::None;
  const SymbolTable table = must_read(spec);
  EXPECT_FALSE(table.has_hash);
  EXPECT_EQ(table.symbols.size(), 3U);  // the empty one, a, b
}

TEST(ElfSymbols, UndefinedOnesBeforeAnEmptyGnuHashAreCounted) {
  ElfSpec spec;
  spec.symbols = {wants("a"), wants("b")};
  spec.symbols[1].reference = Reference::None;
  EXPECT_EQ(must_read(spec).symbols.size(), 2U);  // nothing reaches b
}

TEST(ElfSymbols, SlotsInsideOfTheOtherTableAreSlots) {
  ElfSpec spec;
  ElfSymbol data = wants("d");
  data.type = STT_OBJECT;
  spec.symbols = {wants("f"), data};
  BuiltElf built = build_elf_with_layout(spec);
  ASSERT_EQ(built.layout.rela + 24, built.layout.jmprel);
  for (std::uint64_t at = built.layout.dynamic; at < built.layout.data; at += 16) {
    if (built.bytes[at] == std::byte{DT_RELASZ}) poke(built.bytes, at + 8, 48, 8);
  }
  const auto table = read(built.bytes);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->references.size(), 2U);
  EXPECT_FALSE(table->references[0].is_function_slot);
  EXPECT_TRUE(table->references[1].is_function_slot);
}

TEST(ElfSymbols, HundredThousandAreReadInFewReads) {
  ElfSpec spec;
  for (int i = 0; i < 100'000; ++i) spec.symbols.push_back(defines("s" + std::to_string(i)));
  const SymbolTable table = must_read(spec);
  EXPECT_EQ(table.symbols.size(), 100'001U);
  EXPECT_NE(find(table, "s99999"), nullptr);
}

TEST(ElfSymbols, HashesAreThoseOfTheSpecification) {
  EXPECT_EQ(sysv_hash(""), 0U);
  EXPECT_EQ(sysv_hash("GLIBC_2.2.5"), 0x09691a75U);
  EXPECT_EQ(sysv_hash("exit"), 0x0006cf04U);
  EXPECT_EQ(sysv_hash("a_very_long_name_that_overflows"),
            sysv_hash("a_very_long_name_that_overflows"));
  EXPECT_EQ(gnu_hash(""), 5381U);
  EXPECT_EQ(gnu_hash("printf"), 0x156b2bb8U);
  EXPECT_EQ(gnu_hash("exit"), 0x7c967e3fU);
}

struct Damage {
  const char* name;
  std::string expected;
  void (*apply)(std::vector<std::byte>&, const loadable::testing::ElfLayout&);
  HashStyle hash = HashStyle::Gnu;
};

std::ostream& operator<<(std::ostream& out, const Damage& damage) { return out << damage.name; }

class SymbolDamage : public ::testing::TestWithParam<Damage> {};

TEST_P(SymbolDamage, IsToldInOneMessage) {
  ElfSpec spec = spec_with_symbols();
  spec.hash = GetParam().hash;
  BuiltElf built = build_elf_with_layout(spec);
  GetParam().apply(built.bytes, built.layout);
  const auto table = read(built.bytes);
  EXPECT_EQ(table ? "accepted" : table.error().to_string(), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    ElfSymbols, SymbolDamage,
    ::testing::Values(
        Damage{"NumberInSysvHashPastTheLimit",
               "4294967295 symbols by DT_HASH, at most 16000000 are read",
               [](auto& bytes, const auto& at) { poke(bytes, at.hash + 4, 0xffffffff, 4); },
               HashStyle::Sysv},
        Damage{"NumberInSysvHashPastTheFile",
               "DT_SYMTAB: 24000000 bytes at address 0xe8 are not all in the file",
               [](auto& bytes, const auto& at) { poke(bytes, at.hash + 4, 1'000'000, 4); },
               HashStyle::Sysv},
        Damage{"SysvHashBesidesAGoodGnuHash", "accepted",
               [](auto& bytes, const auto& at) { poke(bytes, at.hash + 4, 0xffffffff, 4); },
               HashStyle::Both},
        Damage{"NumberOfBucketsPastTheFile",
               "DT_GNU_HASH: 17179869180 bytes at address 0x568 are not all in the file",
               [](auto& bytes, const auto& at) { poke(bytes, at.gnu_hash, 0xffffffff, 4); }},
        Damage{"BucketPastTheLimit", "4294967296 symbols by DT_GNU_HASH, at most 16000000 are read",
               [](auto& bytes, const auto& at) { poke(bytes, at.gnu_hash + 24, 0xffffffff, 4); }},
        Damage{"BucketPastTheFile", "DT_GNU_HASH: the chain at address 0x3af10 does not end",
               [](auto& bytes, const auto& at) { poke(bytes, at.gnu_hash + 24, 60'000, 4); }},
        Damage{"BloomFilterPastTheFile",
               "DT_GNU_HASH: 56 bytes at address 0x800000558 are not all in the file",
               [](auto& bytes, const auto& at) { poke(bytes, at.gnu_hash + 8, 0xffffffff, 4); }},
        Damage{"NameOfASymbolPastTheStrings", "accepted",
               [](auto& bytes, const auto& at) { poke(bytes, at.dynsym + 24, 0xffffffff, 4); }},
        Damage{"RelocationNamesASymbolPastTheLimit",
               "4294967296 symbols by DT_RELA, at most 16000000 are read",
               [](auto& bytes, const auto& at) { poke(bytes, at.rela + 12, 0xffffffff, 4); }},
        Damage{"RelocationNamesASymbolPastTheFile",
               "DT_SYMTAB: 2400024 bytes at address 0xe8 are not all in the file",
               [](auto& bytes, const auto& at) { poke(bytes, at.rela + 12, 100'000, 4); }}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace loadable::elf
