// SPDX-License-Identifier: Apache-2.0
// What the builder says of its own files. That readers and real loaders agree with it is tested in
// src/elf, tests/elf and tests/oracle.
#include "testing/elf_builder.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace loadable::testing {
namespace {

TEST(ElfBuilder, LibraryOfAnUnitTestIsSmall) {
  EXPECT_LT(simple_library("liba.so.1", {"libb.so.1"}, "$ORIGIN").size(), 600U);
}

TEST(ElfBuilder, SameDescriptionGivesTheSameBytes) {
  ElfSpec spec;
  spec.symbols = {defines("f", "V1"), wants("g", "V2", "libg.so")};
  EXPECT_EQ(build_elf(spec), build_elf(spec));
}

TEST(ElfBuilder, FileEndsWhereItIsTruncated) {
  ElfSpec spec;
  spec.truncate_at = 70;
  EXPECT_EQ(build_elf(spec).size(), 70U);
  spec.truncate_at = 1'000'000;
  EXPECT_LT(build_elf(spec).size(), 1000U);
}

TEST(ElfBuilder, LayoutTellsWhereThePartsAre) {
  ElfSpec spec;
  spec.interp = "/ld.so";
  spec.type = elf::ET_EXEC;
  const BuiltElf built = build_elf_with_layout(spec);
  EXPECT_EQ(load_string(built.bytes, built.layout.interp), "/ld.so");
  EXPECT_EQ(built.layout.base, 0x400000U);
  EXPECT_EQ(built.layout.phdr, 64U);
  EXPECT_EQ(built.layout.phdr_types,
            (std::vector<std::uint32_t>{elf::PT_PHDR, elf::PT_INTERP, elf::PT_LOAD, elf::PT_DYNAMIC,
                                        elf::PT_GNU_STACK}));
}

TEST(ElfBuilder, FurtherSegmentsKeepOffsetAndAddressCongruent) {
  ElfSpec spec;
  spec.segments = {{elf::PF_R, std::string(5000, 'a')}, {elf::PF_R | elf::PF_X, "b"}};
  const BuiltElf built = build_elf_with_layout(spec);
  for (std::size_t i = 0; i < built.layout.phdr_types.size(); ++i) {
    if (built.layout.phdr_types[i] != elf::PT_LOAD) continue;
    const std::uint64_t at = built.layout.phdr + i * 56;
    const auto offset = load<std::uint64_t>(built.bytes, at + 8, Endian::Little);
    const auto vaddr = load<std::uint64_t>(built.bytes, at + 16, Endian::Little);
    ASSERT_TRUE(offset && vaddr);
    EXPECT_EQ(*offset % 0x1000, *vaddr % 0x1000);
  }
}

TEST(ElfBuilder, PokeWritesInTheByteOrderOfTheFile) {
  ElfSpec spec;
  std::vector<std::byte> bytes = build_elf(spec);
  poke(bytes, 18, 0x1234, 2);
  EXPECT_EQ(bytes[18], std::byte{0x34});
  spec.data = elf::ELFDATA2MSB;
  bytes = build_elf(spec);
  poke(bytes, 18, 0x1234, 2);
  EXPECT_EQ(bytes[18], std::byte{0x12});
}

}  // namespace
}  // namespace loadable::testing
