// SPDX-License-Identifier: Apache-2.0
// One good file, one changed field per row, and exactly what the reader says of it.
#include <gtest/gtest.h>

#include <ostream>

#include "elf/object.h"
#include "testing/elf_builder.h"

namespace loadable::elf {
namespace {

using loadable::testing::BuiltElf;
using loadable::testing::ElfLayout;
using loadable::testing::ElfSpec;
using loadable::testing::poke;
using Bytes = std::vector<std::byte>;

/// The good file: every table that the reader follows, 64 bit, little endian.
ElfSpec good_spec() {
  ElfSpec spec;
  spec.interp = "/lib64/ld-linux-x86-64.so.2";
  spec.soname = "libx.so.1";
  spec.needed = {"libc.so.6"};
  spec.runpath = "$ORIGIN";
  spec.versions = {{"V1", {}, 0, {}}, {"V2", {"V1"}, 0, {}}};
  spec.symbols = {loadable::testing::defines("f", "V1"),
                  loadable::testing::wants("puts", "GLIBC_2.2.5", "libc.so.6")};
  spec.isa_needed = 1;
  spec.notes = {loadable::testing::build_id_note("0123456789")};
  return spec;
}

/// "accepted", or the error, or the defects, one a line.
std::string outcome(Bytes bytes) {
  MemorySource source(std::move(bytes));
  const auto object = read_object(source);
  if (!object) return "error: " + object.error().to_string();
  std::string text;
  for (const Defect& defect : object->defects) {
    text += (text.empty() ? "" : "\n") + defect.field + ": " + defect.message;
  }
  return text.empty() ? "accepted" : text;
}

std::uint64_t phdr(const ElfLayout& at, std::uint32_t type) {
  for (std::size_t i = 0; i < at.phdr_types.size(); ++i) {
    if (at.phdr_types[i] == type) return at.phdr + i * 56;
  }
  ADD_FAILURE() << "no program header of type " << type;
  return at.phdr;
}

/// Place of the value of a tag.
std::uint64_t tag(const Bytes& bytes, const ElfLayout& at, std::uint64_t wanted) {
  for (std::uint64_t place = at.dynamic; place < at.data; place += 16) {
    if (load<std::uint64_t>(bytes, place, Endian::Little) == wanted) return place + 8;
  }
  ADD_FAILURE() << "no tag " << wanted;
  return at.dynamic;
}

constexpr std::uint64_t kFar = 0x7fff'ffff'ffff'f000;
constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

struct Row {
  const char* name;
  void (*apply)(Bytes&, const ElfLayout&);
  const char* expected;
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

class Corruption : public ::testing::TestWithParam<Row> {};

TEST_P(Corruption, IsTold) {
  BuiltElf built = loadable::testing::build_elf_with_layout(good_spec());
  GetParam().apply(built.bytes, built.layout);
  EXPECT_EQ(outcome(built.bytes), GetParam().expected);
}

std::string row_name(const ::testing::TestParamInfo<Row>& info) { return info.param.name; }

const Row kHeaderRows[] = {
    {"NothingIsChanged", [](Bytes&, const ElfLayout&) {}, "accepted"},
    {"Empty", [](Bytes& b, const ElfLayout&) { b.clear(); },
     "error: the file has 0 bytes, the shortest ELF header 52"},
    {"FifteenBytes", [](Bytes& b, const ElfLayout&) { b.resize(15); },
     "error: the file has 15 bytes, the shortest ELF header 52"},
    {"HeaderIsCut", [](Bytes& b, const ElfLayout&) { b.resize(63); },
     "error: the file has 63 bytes, its ELF header 64"},
    {"HeaderAlone", [](Bytes& b, const ElfLayout&) { b.resize(64); },
     "error: 8 program headers of 56 bytes at offset 0x40 lie outside of the file of 64 bytes (at "
     "offset 0x40)"},
    {"MagicIsWrong", [](Bytes& b, const ElfLayout&) { poke(b, 0, 0x7e, 1); },
     "error: not an ELF file: it begins with 7e 45 4c 46 (at offset 0x0)"},
    {"ClassIsZero", [](Bytes& b, const ElfLayout&) { poke(b, 4, 0, 1); },
     "error: the ELF class is 0, 1 (32 bit) or 2 (64 bit) wanted (at offset 0x4)"},
    {"ClassIsThree", [](Bytes& b, const ElfLayout&) { poke(b, 4, 3, 1); },
     "error: the ELF class is 3, 1 (32 bit) or 2 (64 bit) wanted (at offset 0x4)"},
    {"ClassIsTheOther", [](Bytes& b, const ElfLayout&) { poke(b, 4, 1, 1); }, "accepted"},
    {"ByteOrderIsZero", [](Bytes& b, const ElfLayout&) { poke(b, 5, 0, 1); },
     "error: the byte order is 0, 1 (little endian) or 2 (big endian) wanted (at offset 0x5)"},
    {"ByteOrderIsTheOther", [](Bytes& b, const ElfLayout&) { poke(b, 5, 2, 1); },
     "error: 2048 program headers of 14336 bytes at offset 0x4000000000000000 lie outside of the "
     "file of 1272 bytes (at offset 0x4000000000000000)"},
    {"IdentVersionIsZero", [](Bytes& b, const ElfLayout&) { poke(b, 6, 0, 1); }, "accepted"},
    {"OsAbiIsNine", [](Bytes& b, const ElfLayout&) { poke(b, 7, 9, 1); }, "accepted"},
    {"PaddingIsNotZero", [](Bytes& b, const ElfLayout&) { poke(b, 9, kAllOnes, 4); }, "accepted"},
    {"TypeIsRelocatable", [](Bytes& b, const ElfLayout&) { poke(b, 16, ET_REL, 2); }, "accepted"},
    {"MachineIsUnknown", [](Bytes& b, const ElfLayout&) { poke(b, 18, 0xbeef, 2); }, "accepted"},
    {"VersionIsZero", [](Bytes& b, const ElfLayout&) { poke(b, 20, 0, 4); }, "accepted"},
    {"SectionHeadersLieNowhere",
     [](Bytes& b, const ElfLayout&) {
       poke(b, 40, kAllOnes, 8);
       poke(b, 60, 0xffff, 2);
     },
     "accepted"},
    {"ProgramHeadersPastTheEnd", [](Bytes& b, const ElfLayout&) { poke(b, 32, kFar, 8); },
     "error: 8 program headers of 56 bytes at offset 0x7ffffffffffff000 lie outside of the file of "
     "1272 bytes (at offset 0x7ffffffffffff000)"},
    {"ProgramHeadersOverflow", [](Bytes& b, const ElfLayout&) { poke(b, 32, kAllOnes, 8); },
     "error: 8 program headers of 56 bytes at offset 0xffffffffffffffff lie outside of the file of "
     "1272 bytes (at offset 0xffffffffffffffff)"},
    {"ProgramHeadersAreTooMany", [](Bytes& b, const ElfLayout&) { poke(b, 56, 0xffff, 2); },
     "error: 65535 program headers of 56 bytes at offset 0x40 lie outside of the file of 1272 "
     "bytes (at offset 0x40)"},
    {"NoProgramHeaders", [](Bytes& b, const ElfLayout&) { poke(b, 56, 0, 2); }, "accepted"},
    {"ProgramHeaderSizeIsZero", [](Bytes& b, const ElfLayout&) { poke(b, 54, 0, 2); },
     "error: e_phentsize is 0, 56 wanted"},
    {"ProgramHeaderSizeIsSmall", [](Bytes& b, const ElfLayout&) { poke(b, 54, 55, 2); },
     "error: e_phentsize is 55, 56 wanted"},
};

const Row kSegmentRows[] = {
    {"LoadOffsetPastTheEnd",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_LOAD) + 8, kFar, 8); },
     "DT_VERNEED: the entry at address 0x330 does not lie in mapped memory\n"
     "DT_VERDEF: the entry at address 0x2d0 does not lie in mapped memory\n"
     "DT_NEEDED: the string at offset 0x1 of DT_STRTAB does not end in mapped memory\n"
     "DT_SONAME: the string at offset 0x12 of DT_STRTAB does not end in mapped memory\n"
     "DT_RUNPATH: the string at offset 0x2e of DT_STRTAB does not end in mapped memory"},
    {"LoadOffsetOverflows",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_LOAD) + 8, kAllOnes, 8); },
     "DT_VERNEED: the entry at address 0x330 does not lie in mapped memory\n"
     "DT_VERDEF: the entry at address 0x2d0 does not lie in mapped memory\n"
     "DT_NEEDED: the string at offset 0x1 of DT_STRTAB does not end in mapped memory\n"
     "DT_SONAME: the string at offset 0x12 of DT_STRTAB does not end in mapped memory\n"
     "DT_RUNPATH: the string at offset 0x2e of DT_STRTAB does not end in mapped memory"},
    {"LoadFileSizeIsHuge",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_LOAD) + 32, kAllOnes, 8); },
     "accepted"},
    {"LoadFileSizeIsZero",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_LOAD) + 32, 0, 8); }, "accepted"},
    {"LoadMemorySizeIsSmallerThanItsFileSize",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_LOAD) + 40, 1, 8); }, "accepted"},
    {"LoadAddressOverflows",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_LOAD) + 16, kAllOnes, 8); },
     "DT_VERNEED: the entry at address 0x330 does not lie in mapped memory\n"
     "DT_VERDEF: the entry at address 0x2d0 does not lie in mapped memory\n"
     "DT_NEEDED: the string at offset 0x1 of DT_STRTAB does not end in mapped memory\n"
     "DT_SONAME: the string at offset 0x12 of DT_STRTAB does not end in mapped memory\n"
     "DT_RUNPATH: the string at offset 0x2e of DT_STRTAB does not end in mapped memory"},
    {"LoadIsNoLoad", [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_LOAD), 0, 4); },
     "DT_VERNEED: the entry at address 0x330 does not lie in mapped memory\n"
     "DT_VERDEF: the entry at address 0x2d0 does not lie in mapped memory\n"
     "DT_NEEDED: the string at offset 0x1 of DT_STRTAB does not end in mapped memory\n"
     "DT_SONAME: the string at offset 0x12 of DT_STRTAB does not end in mapped memory\n"
     "DT_RUNPATH: the string at offset 0x2e of DT_STRTAB does not end in mapped memory"},
    {"LoadAlignmentIsOdd",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_LOAD) + 48, 3, 8); }, "accepted"},
    {"DynamicAddressLiesNowhere",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_DYNAMIC) + 16, kFar, 8); },
     "accepted"},
    {"DynamicLiesNowhereAtAll",
     [](Bytes& b, const ElfLayout& at) {
       poke(b, phdr(at, PT_DYNAMIC) + 8, kFar, 8);
       poke(b, phdr(at, PT_DYNAMIC) + 16, kFar, 8);
     },
     "error: PT_DYNAMIC lies nowhere: no PT_LOAD holds its address 0x7ffffffffffff000, and the "
     "file of 1272 bytes ends before its offset (at offset 0x7ffffffffffff000)"},
    {"DynamicOffsetIsWrong",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_DYNAMIC) + 8, kFar, 8); }, "accepted"},
    {"DynamicFileSizeIsZero",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_DYNAMIC) + 32, 0, 8); }, "accepted"},
    {"DynamicFileSizeIsHuge",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_DYNAMIC) + 32, kAllOnes, 8); },
     "accepted"},
    {"InterpreterPastTheEnd",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_INTERP) + 8, kFar, 8); },
     "PT_INTERP: 28 bytes at offset 0x7ffffffffffff000, the file has 1272 bytes"},
    {"InterpreterIsEmpty",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_INTERP) + 32, 0, 8); },
     "PT_INTERP: 0 bytes at offset 0x200, the file has 1272 bytes"},
    {"InterpreterHasNoZeroByte",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_INTERP) + 32, 5, 8); },
     "PT_INTERP: no zero byte in its 5 bytes"},
    {"NotesPastTheEnd",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_NOTE) + 8, kFar, 8); },
     "PT_NOTE: 28 bytes at offset 0x7ffffffffffff000, the file has 1272 bytes"},
    {"NotesOverflow",
     [](Bytes& b, const ElfLayout& at) { poke(b, phdr(at, PT_NOTE) + 32, kAllOnes, 8); },
     "PT_NOTE: 18446744073709551615 bytes at offset 0x240, the file has 1272 bytes\n"
     "PT_NOTE: the note at offset 0x290 ends at 0x102ba, its segment at 0x4f8"},
    {"NoteNameIsHuge", [](Bytes& b, const ElfLayout& at) { poke(b, at.notes, kAllOnes, 4); },
     "PT_NOTE: the note at offset 0x240 ends at 0x100000256, its segment at 0x25c"},
    {"NoteDescriptorIsHuge",
     [](Bytes& b, const ElfLayout& at) { poke(b, at.notes + 4, kAllOnes, 4); },
     "PT_NOTE: the note at offset 0x240 ends at 0x10000024f, its segment at 0x25c"},
    {"NoteNameIsEmpty", [](Bytes& b, const ElfLayout& at) { poke(b, at.notes, 0, 4); }, "accepted"},
    {"PropertyIsLongerThanItsNote",
     [](Bytes& b, const ElfLayout& at) { poke(b, at.property + 20, kAllOnes, 4); }, "accepted"},
    {"ThreadStorageIsHuge",
     [](Bytes& b, const ElfLayout& at) {
       poke(b, phdr(at, PT_GNU_PROPERTY), PT_TLS, 4);
       poke(b, phdr(at, PT_GNU_PROPERTY) + 40, kAllOnes, 8);
     },
     "accepted"},
};

const Row kTableRows[] = {
    {"NeededPastTheStringTable",
     [](Bytes& b, const ElfLayout& at) { poke(b, tag(b, at, DT_NEEDED), 0x10000, 8); },
     "DT_NEEDED: the string at offset 0x10000 of DT_STRTAB does not end in mapped memory"},
    {"NeededOverflows",
     [](Bytes& b, const ElfLayout& at) { poke(b, tag(b, at, DT_NEEDED), kAllOnes, 8); },
     "DT_NEEDED: the string at offset 0xffffffffffffffff of DT_STRTAB ends past its 54 bytes "
     "(DT_STRSZ)"},
    {"SonamePastTheStringTable",
     [](Bytes& b, const ElfLayout& at) { poke(b, tag(b, at, DT_SONAME), kFar, 8); },
     "DT_SONAME: the string at offset 0x7ffffffffffff000 of DT_STRTAB does not end in mapped "
     "memory"},
    {"RunpathPastTheStringTable",
     [](Bytes& b, const ElfLayout& at) { poke(b, tag(b, at, DT_RUNPATH), kFar, 8); },
     "DT_RUNPATH: the string at offset 0x7ffffffffffff000 of DT_STRTAB does not end in mapped "
     "memory"},
    {"StringTableSizeIsZero",
     [](Bytes& b, const ElfLayout& at) { poke(b, tag(b, at, DT_STRSZ), 5, 8); },
     "DT_NEEDED: the string at offset 0x1 of DT_STRTAB ends past its 5 bytes (DT_STRSZ)\n"
     "DT_SONAME: the string at offset 0x12 of DT_STRTAB ends past its 5 bytes (DT_STRSZ)\n"
     "DT_RUNPATH: the string at offset 0x2e of DT_STRTAB ends past its 5 bytes (DT_STRSZ)\n"
     "vn_file: the string at offset 0x1 of DT_STRTAB ends past its 5 bytes (DT_STRSZ)\n"
     "vna_name: the string at offset 0x22 of DT_STRTAB ends past its 5 bytes (DT_STRSZ)\n"
     "vda_name: the string at offset 0x12 of DT_STRTAB ends past its 5 bytes (DT_STRSZ)\n"
     "vda_name: the string at offset 0x1c of DT_STRTAB ends past its 5 bytes (DT_STRSZ)\n"
     "vda_name: the string at offset 0x1f of DT_STRTAB ends past its 5 bytes (DT_STRSZ)\n"
     "vda_name: the string at offset 0x1c of DT_STRTAB ends past its 5 bytes (DT_STRSZ)"},
    {"StringTableSizeIsHuge",
     [](Bytes& b, const ElfLayout& at) { poke(b, tag(b, at, DT_STRSZ), kAllOnes, 8); }, "accepted"},
    {"StringTableLiesNowhere",
     [](Bytes& b, const ElfLayout& at) { poke(b, tag(b, at, DT_STRTAB), kFar, 8); },
     "DT_NEEDED: the string at offset 0x1 of DT_STRTAB does not end in mapped memory\n"
     "DT_SONAME: the string at offset 0x12 of DT_STRTAB does not end in mapped memory\n"
     "DT_RUNPATH: the string at offset 0x2e of DT_STRTAB does not end in mapped memory\n"
     "vn_file: the string at offset 0x1 of DT_STRTAB does not end in mapped memory\n"
     "vna_name: the string at offset 0x22 of DT_STRTAB does not end in mapped memory\n"
     "vda_name: the string at offset 0x12 of DT_STRTAB does not end in mapped memory\n"
     "vda_name: the string at offset 0x1c of DT_STRTAB does not end in mapped memory\n"
     "vda_name: the string at offset 0x1f of DT_STRTAB does not end in mapped memory\n"
     "vda_name: the string at offset 0x1c of DT_STRTAB does not end in mapped memory"},
    {"SymbolTableLiesNowhere",
     [](Bytes& b, const ElfLayout& at) { poke(b, tag(b, at, DT_SYMTAB), kFar, 8); }, "accepted"},
    {"DynamicSectionDoesNotEnd",
     [](Bytes& b, const ElfLayout& at) {
       for (std::uint64_t i = at.dynamic; i < at.data; i += 16) {
         if (load<std::uint64_t>(b, i, Endian::Little) == DT_NULL) poke(b, i, DT_DEBUG, 8);
       }
       for (std::uint64_t i = at.data; i < b.size(); i += 8) poke(b, i, 1, 8);
     },
     "PT_DYNAMIC: no DT_NULL in its 19 readable entries"},
    {"VersionNeedsLieNowhere",
     [](Bytes& b, const ElfLayout& at) { poke(b, tag(b, at, DT_VERNEED), kFar, 8); },
     "DT_VERNEED: the entry at address 0x7ffffffffffff000 does not lie in mapped memory"},
    {"VersionNeedHasAnotherVersion",
     [](Bytes& b, const ElfLayout& at) { poke(b, at.verneed, 2, 2); },
     "vn_version: version 2 of the entry, 1 wanted"},
    {"VersionNeedCountIsWrong",
     [](Bytes& b, const ElfLayout& at) { poke(b, at.verneed + 2, 77, 2); }, "accepted"},
    {"VersionNeedNumberIsWrong",
     [](Bytes& b, const ElfLayout& at) { poke(b, tag(b, at, DT_VERNEEDNUM), 77, 8); }, "accepted"},
    {"VersionNeedFilePastTheStringTable",
     [](Bytes& b, const ElfLayout& at) { poke(b, at.verneed + 4, kAllOnes, 4); },
     "vn_file: the string at offset 0xffffffff of DT_STRTAB does not end in mapped memory"},
    {"VersionNeedAuxPastTheEnd",
     [](Bytes& b, const ElfLayout& at) { poke(b, at.verneed + 8, kAllOnes, 4); },
     "DT_VERNEED: the entry at address 0x10000032f does not lie in mapped memory"},
    {"VersionNeedNextPastTheEnd",
     [](Bytes& b, const ElfLayout& at) { poke(b, at.verneed + 12, kAllOnes, 4); },
     "DT_VERNEED: the entry at address 0x10000032f does not lie in mapped memory"},
    {"VersionNeedNextOverlaps",
     [](Bytes& b, const ElfLayout& at) {
       poke(b, at.verneed + 8, 0, 4);  // the aux chain begins on the entry itself
     },
     "accepted"},
    {"VersionNameNeededPastTheStringTable",
     [](Bytes& b, const ElfLayout& at) { poke(b, at.verneed + 16 + 8, kAllOnes, 4); },
     "vna_name: the string at offset 0xffffffff of DT_STRTAB does not end in mapped memory"},
    {"VersionDefinitionsLieNowhere",
     [](Bytes& b, const ElfLayout& at) { poke(b, tag(b, at, DT_VERDEF), kFar, 8); },
     "DT_VERDEF: the entry at address 0x7ffffffffffff000 does not lie in mapped memory"},
    {"VersionDefinitionHasAnotherVersion",
     [](Bytes& b, const ElfLayout& at) { poke(b, at.verdef, 0, 2); },
     "vd_version: version 0 of the entry, 1 wanted"},
    {"VersionDefinitionNextPastTheEnd",
     [](Bytes& b, const ElfLayout& at) { poke(b, at.verdef + 16, kAllOnes, 4); },
     "DT_VERDEF: the entry at address 0x1000002cf does not lie in mapped memory"},
    {"VersionDefinitionAuxPastTheEnd",
     [](Bytes& b, const ElfLayout& at) { poke(b, at.verdef + 12, kAllOnes, 4); },
     "DT_VERDEF: the entry at address 0x1000002cf does not lie in mapped memory"},
    {"VersionDefinitionNamePastTheStringTable",
     [](Bytes& b, const ElfLayout& at) { poke(b, at.verdef + 20, kAllOnes, 4); },
     "vda_name: the string at offset 0xffffffff of DT_STRTAB does not end in mapped memory"},
};

INSTANTIATE_TEST_SUITE_P(ElfHeader, Corruption, ::testing::ValuesIn(kHeaderRows), row_name);
INSTANTIATE_TEST_SUITE_P(ElfSegment, Corruption, ::testing::ValuesIn(kSegmentRows), row_name);
INSTANTIATE_TEST_SUITE_P(ElfTable, Corruption, ::testing::ValuesIn(kTableRows), row_name);

TEST(ElfCorruption, CyclicChainOfVersionsEnds) {
  // In a 32-bit process addresses wrap around: a distance of 2^32 - 16 leads back, here to the
  // entry before, whose own distance leads forward again.
  ElfSpec spec = good_spec();
  spec.elf_class = ELFCLASS32;
  spec.machine = EM_386;
  BuiltElf built = loadable::testing::build_elf_with_layout(spec);
  poke(built.bytes, built.layout.verneed + 12, 16, 4);
  poke(built.bytes, built.layout.verneed + 16 + 12, 0xfffffff0, 4);
  EXPECT_EQ(outcome(built.bytes), "error: DT_VERNEED goes on after 100000 entries");
  built = loadable::testing::build_elf_with_layout(spec);
  poke(built.bytes, built.layout.verdef + 16, 8, 4);
  poke(built.bytes, built.layout.verdef + 20 + 4, 0xfffffff8, 4);
  EXPECT_EQ(outcome(built.bytes), "error: DT_VERDEF goes on after 100000 entries");
}

TEST(ElfCorruption, EveryTruncationIsSurvived) {
  const Bytes whole = loadable::testing::build_elf(good_spec());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(outcome(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))), "");
  }
}

TEST(ElfCorruption, EveryByteOfTheFileMayBeAnything) {
  const Bytes whole = loadable::testing::build_elf(good_spec());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const std::uint64_t value : {0x00U, 0x7fU, 0x80U, 0xffU}) {
      Bytes bytes = whole;
      poke(bytes, at, value, 1);
      EXPECT_NE(outcome(std::move(bytes)), "");
    }
  }
}

TEST(ElfCorruption, NoMoreThanAHundredDefectsAreTold) {
  ElfSpec spec = good_spec();
  spec.more_dynamic.assign(5000, {DT_NEEDED, kFar});
  MemorySource source(loadable::testing::build_elf(spec));
  const auto object = read_object(source);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->defects.size(), 100U);
}

}  // namespace
}  // namespace loadable::elf
