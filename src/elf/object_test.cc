// SPDX-License-Identifier: Apache-2.0
#include "elf/object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "testing/elf_builder.h"

namespace loadable::elf {
namespace {

using loadable::testing::build_elf;
using loadable::testing::defines;
using loadable::testing::ElfSpec;
using loadable::testing::wants;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

/// Counts what is asked of it.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::vector<std::byte> content) : inner_(std::move(content)) {}
  [[nodiscard]] std::uint64_t size() const override { return inner_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    ++reads;
    bytes += out.size();
    return inner_.read_at(offset, out);
  }
  int reads = 0;
  std::uint64_t bytes = 0;

 private:
  MemorySource inner_;
};

/// Fails from a given read on.
class FailingSource final : public ByteSource {
 public:
  FailingSource(std::vector<std::byte> bytes, int good) : inner_(std::move(bytes)), good_(good) {}
  [[nodiscard]] std::uint64_t size() const override { return inner_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (good_-- <= 0) return fail(ErrorCode::Io, "input/output error");
    return inner_.read_at(offset, out);
  }

 private:
  MemorySource inner_;
  int good_;
};

ElfObject read(std::vector<std::byte> bytes) {
  MemorySource source(std::move(bytes));
  auto object = read_object(source);
  if (!object) {
    ADD_FAILURE() << object.error().to_string();
    return {};
  }
  return std::move(*object);
}

ElfSpec rich_spec() {
  ElfSpec spec;
  spec.interp = "/lib64/ld-linux-x86-64.so.2";
  spec.soname = "libx.so.1";
  spec.needed = {"libc.so.6", "libm.so.6", "libc.so.6"};
  spec.auxiliary = {"libaux.so"};
  spec.filter = {"libfilter.so"};
  spec.rpath = "$ORIGIN/../lib";
  spec.runpath = "$ORIGIN:";
  spec.flags = DF_ORIGIN | DF_BIND_NOW;
  spec.flags_1 = DF_1_NODELETE | DF_1_PIE;
  spec.versions = {{"V1", {}, 0, {}}, {"V2", {"V1"}, VER_FLG_WEAK, {}}};
  spec.symbols = {defines("f", "V1"), wants("printf", "GLIBC_2.2.5", "libc.so.6")};
  spec.needed_versions = {{"libm.so.6", "GLIBC_2.29", VER_FLG_WEAK, {}}};
  spec.tls_size = 24;
  spec.tls_align = 16;
  spec.gnu_stack = PF_R | PF_W | PF_X;
  spec.notes = {loadable::testing::build_id_note("\x01\x02\x03"),
                loadable::testing::dlopen_note("[{\"soname\":[\"libz.so.1\"]}]")};
  return spec;
}

struct Flavour {
  std::uint8_t elf_class, data;
  std::uint16_t machine;
  const char* name;
};

class ElfFlavour : public ::testing::TestWithParam<Flavour> {};

INSTANTIATE_TEST_SUITE_P(ElfObject, ElfFlavour,
                         ::testing::Values(Flavour{ELFCLASS64, ELFDATA2LSB, EM_X86_64, "x86_64"},
                                           Flavour{ELFCLASS64, ELFDATA2MSB, EM_S390, "s390"},
                                           Flavour{ELFCLASS32, ELFDATA2LSB, EM_386, "i386"},
                                           Flavour{ELFCLASS32, ELFDATA2MSB, EM_PPC, "ppc"}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_P(ElfFlavour, GivesTheDescriptionBack) {
  ElfSpec spec = rich_spec();
  spec.elf_class = GetParam().elf_class;
  spec.data = GetParam().data;
  spec.machine = GetParam().machine;
  const ElfObject object = read(build_elf(spec));
  EXPECT_EQ(machine_name(object.header.machine), GetParam().name);
  EXPECT_EQ(object.header.is_64bit(), GetParam().elf_class == ELFCLASS64);
  EXPECT_EQ(object.header.type, ET_DYN);
  EXPECT_THAT(object.interpreter, Optional(*spec.interp));
  const Dynamic& dynamic = object.dynamic;
  EXPECT_EQ(dynamic.needed, spec.needed);
  EXPECT_EQ(dynamic.auxiliary, spec.auxiliary);
  EXPECT_EQ(dynamic.filter, spec.filter);
  EXPECT_EQ(dynamic.soname, spec.soname);
  EXPECT_EQ(dynamic.rpath, spec.rpath);
  EXPECT_EQ(dynamic.runpath, spec.runpath);
  EXPECT_EQ(dynamic.flags, spec.flags);
  EXPECT_EQ(dynamic.flags_1, spec.flags_1);
  EXPECT_TRUE(dynamic.has_bind_now);
  EXPECT_TRUE(object.is_pie());
  EXPECT_THAT(object.gnu_stack_flags, Optional(PF_R | PF_W | PF_X));
  EXPECT_EQ(object.tls_size, 24U);
  EXPECT_EQ(object.tls_align, 16U);
  EXPECT_THAT(object.build_id, Optional(ElementsAre(std::byte{1}, std::byte{2}, std::byte{3})));
  EXPECT_THAT(object.dlopen_notes, ElementsAre("[{\"soname\":[\"libz.so.1\"]}]"));
  EXPECT_THAT(object.defects, IsEmpty());
  EXPECT_EQ(object.truncated_segment(), nullptr);
}

TEST_P(ElfFlavour, GivesTheVersionsBack) {
  ElfSpec spec = rich_spec();
  spec.elf_class = GetParam().elf_class;
  spec.data = GetParam().data;
  const ElfObject object = read(build_elf(spec));
  ASSERT_EQ(object.needed_versions.size(), 2U);
  EXPECT_EQ(object.needed_versions[0].file, "libm.so.6");
  EXPECT_EQ(object.needed_versions[0].version, "GLIBC_2.29");
  EXPECT_EQ(object.needed_versions[0].flags, VER_FLG_WEAK);
  EXPECT_EQ(object.needed_versions[1].file, "libc.so.6");
  EXPECT_EQ(object.needed_versions[1].version, "GLIBC_2.2.5");
  EXPECT_EQ(object.needed_versions[1].hash,
            0x09691a75U);  // as every x86-64 program on Linux has it
  EXPECT_EQ(object.needed_versions[1].index, 5);
  ASSERT_EQ(object.defined_versions.size(), 3U);
  EXPECT_EQ(object.defined_versions[0].version, "libx.so.1");
  EXPECT_EQ(object.defined_versions[0].flags, VER_FLG_BASE);
  EXPECT_EQ(object.defined_versions[2].version, "V2");
  EXPECT_THAT(object.defined_versions[2].parents, ElementsAre("V1"));
  EXPECT_EQ(object.defined_versions[2].flags, VER_FLG_WEAK);
  EXPECT_EQ(object.defined_versions[2].index, 3);
}

TEST(ElfObject, IsaLevelComesFromTheSegmentOfPropertiesOrFromNotes) {
  ElfSpec spec;
  spec.isa_needed = 4;
  EXPECT_EQ(read(build_elf(spec)).isa_needed, 4U);
  spec.property_in_note_only = true;
  EXPECT_EQ(read(build_elf(spec)).isa_needed, 4U);
  spec.elf_class = ELFCLASS32;
  spec.machine = EM_386;
  EXPECT_EQ(read(build_elf(spec)).isa_needed, 4U);
  spec.machine = EM_AARCH64;  // the number means something else there
  EXPECT_EQ(read(build_elf(spec)).isa_needed, 0U);
}

TEST(ElfObject, AbiTagIsRead) {
  ElfSpec spec;
  spec.notes = {{"Other", NT_GNU_ABI_TAG, "1234567890123456"},
                loadable::testing::abi_tag_note(3, 2, 7)};
  EXPECT_THAT(read(build_elf(spec)).abi_tag, Optional(ElementsAre(0, 3, 2, 7)));
}

TEST(ElfObject, ForwardCompatibilityNoteIsKnownByOwnerAndText) {
  ElfSpec spec;
  spec.notes = {{"NVIDIA Corporation", 1, "{\"CUDA Version\":\"13.0\"}"}};
  EXPECT_TRUE(read(build_elf(spec)).has_cuda_forward_compatibility_note);
  spec.notes = {{"NVIDIA Corporation", 1, "other"}};
  EXPECT_FALSE(read(build_elf(spec)).has_cuda_forward_compatibility_note);
}

TEST(ElfObject, WithoutDynamicSectionIsAnObject) {
  ElfSpec spec;
  spec.has_dynamic = false;
  spec.gnu_stack.reset();
  const ElfObject object = read(build_elf(spec));
  EXPECT_FALSE(object.has_dynamic);
  EXPECT_EQ(object.gnu_stack_flags, std::nullopt);
}

TEST(ElfObject, LastOfTwoTagsCounts) {
  ElfSpec spec;
  spec.soname = "first.so";
  spec.needed = {"second.so"};
  const auto first = loadable::testing::build_elf_with_layout(spec);
  // The string table begins with a zero byte and the names of DT_NEEDED.
  spec.more_dynamic = {{DT_SONAME, 1}};
  EXPECT_THAT(read(build_elf(spec)).dynamic.soname, Optional(std::string("second.so")));
  EXPECT_THAT(read(first.bytes).dynamic.soname, Optional(std::string("first.so")));
}

TEST(ElfObject, ReadsNoMoreThanItNeeds) {
  ElfSpec spec = rich_spec();
  spec.string_padding = 8 * 1024 * 1024;
  CountingSource source(build_elf(spec));
  const auto object = read_object(source);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->dynamic.needed, spec.needed);
  EXPECT_LE(source.reads, 4);
  EXPECT_LE(source.bytes, 16U * 1024);
}

TEST(ElfObject, ThousandsOfNeedsAreKept) {
  ElfSpec spec;
  for (int i = 0; i < 5000; ++i) spec.needed.push_back("lib" + std::to_string(i) + ".so.1");
  CountingSource source(build_elf(spec));
  const auto object = read_object(source);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->dynamic.needed, spec.needed);
  EXPECT_LE(source.reads, 64);
}

TEST(ElfObject, SearchPathOfAMegabyteIsKept) {
  ElfSpec spec;
  spec.runpath = std::string(1024 * 1024, 'r');
  EXPECT_EQ(read(build_elf(spec)).dynamic.runpath, spec.runpath);
}

TEST(ElfObject, OneLongNameManyTimesReachesTheLimit) {
  ElfSpec spec;
  spec.needed = std::vector<std::string>(100, std::string(1024 * 1024, 'n'));
  MemorySource source(build_elf(spec));
  const auto object = read_object(source);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::LimitReached);
  EXPECT_EQ(object.error().message,
            "the strings of the object are longer than 67108864 bytes in all");
}

TEST(ElfObject, TruncatedFileWithItsDynamicSectionIsRead) {
  ElfSpec spec;
  spec.soname = "libx.so";
  spec.segments = {{PF_R, std::string(5000, 'x')}};
  const std::size_t whole = build_elf(spec).size();
  spec.truncate_at = whole - 1;
  const ElfObject object = read(build_elf(spec));
  EXPECT_THAT(object.dynamic.soname, Optional(std::string("libx.so")));
  ASSERT_NE(object.truncated_segment(), nullptr);
  EXPECT_EQ(object.truncated_segment(), &object.segments[1]);
}

TEST(ElfObject, RestOfTheLastPageReadsAsZero) {
  // Cut within the dynamic section: a loader finds zeros there, hence DT_NULL.
  ElfSpec spec;
  spec.soname = "libx.so";
  const auto built = loadable::testing::build_elf_with_layout(spec);
  spec.truncate_at = built.layout.dynamic + 6 * 16;
  const ElfObject object = read(build_elf(spec));
  EXPECT_THAT(object.dynamic.soname, Optional(std::string("libx.so")));
  EXPECT_THAT(object.defects, IsEmpty());
}

TEST(ElfObject, MemoryPastTheFilePartReadsAsZero) {
  ElfSpec spec;
  spec.needed = {"liba.so"};
  auto built = loadable::testing::build_elf_with_layout(spec);
  // The file part of the segment ends before the entry of DT_SYMENT.
  const std::uint64_t phdr = built.layout.phdr;
  loadable::testing::poke(built.bytes, phdr + 32, built.layout.dynamic + 4 * 16, 8);
  const ElfObject object = read(built.bytes);
  EXPECT_THAT(object.dynamic.needed, ElementsAre("liba.so"));
  EXPECT_EQ(object.dynamic.strsz, 0U);
}

TEST(ElfObject, AddressesAreFoundThroughTheLastSegmentThatHoldsThem) {
  ElfObject object;
  object.file_size = 0x3000;
  object.segments = {{PT_LOAD, PF_R, 0, 0x1000, 0x1000, 0x1000, 0x2000, 0x1000},
                     {PT_NOTE, PF_R, 0x2800, 0x1000, 0, 0x100, 0x100, 4},
                     {PT_LOAD, PF_R, 0x2000, 0x1800, 0, 0x100, 0x100, 0x1000}};
  EXPECT_THAT(object.file_offset(0x1010, 0x10), Optional(0x10U));
  EXPECT_THAT(object.file_offset(0x1810, 0x10), Optional(0x2010U));
  EXPECT_EQ(object.file_offset(0x1fff, 2), std::nullopt);  // the second byte is not in the file
  EXPECT_EQ(object.file_offset(0x2100, 1), std::nullopt);  // zero fill
  EXPECT_EQ(object.file_offset(0x5000, 1), std::nullopt);
}

TEST(ElfObject, FailureOfTheSourceIsItsError) {
  const ElfSpec spec = rich_spec();
  const std::vector<std::byte> bytes = build_elf(spec);
  FailingSource at_once(bytes, 0);
  const auto object = read_object(at_once);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::Io);
  EXPECT_FALSE(read_header(at_once));

  ElfSpec large = spec;
  large.string_padding = 100'000;
  FailingSource later(build_elf(large), 1);
  const auto partly = read_object(later);
  ASSERT_FALSE(partly);
  EXPECT_EQ(partly.error().code, ErrorCode::Io);
}

TEST(ElfHeader, WrongMagicIsNoError) {
  MemorySource text(std::string(64, '#'));
  const auto header = read_header(text);
  ASSERT_TRUE(header);
  EXPECT_FALSE(header->has_magic());
}

TEST(ElfHeader, ShorterThanItsClassNeedsIsTruncated) {
  for (const std::uint8_t elf_class : {ELFCLASS32, ELFCLASS64}) {
    ElfSpec spec;
    spec.elf_class = elf_class;
    const std::uint64_t size = elf_class == ELFCLASS32 ? 52 : 64;
    spec.truncate_at = size;
    MemorySource whole(build_elf(spec));
    EXPECT_TRUE(read_header(whole));
    spec.truncate_at = size - 1;
    MemorySource cut(build_elf(spec));
    const auto header = read_header(cut);
    ASSERT_FALSE(header);
    EXPECT_EQ(header.error().code, ErrorCode::Truncated);
  }
}

TEST(ElfHeader, UnknownMachinesAreNamedByNumber) {
  EXPECT_EQ(machine_name(EM_X86_64), "x86_64");
  EXPECT_EQ(machine_name(EM_AARCH64), "aarch64");
  EXPECT_EQ(machine_name(0x1234), "machine 0x1234");
}

}  // namespace
}  // namespace loadable::elf
