// SPDX-License-Identifier: Apache-2.0
#include "elf/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "elf/immediates.h"
#include "testing/elf_builder.h"

namespace loadable::elf {
namespace {

using loadable::testing::ElfSpec;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kReadOnly = PF_R, kCode = PF_R | PF_X;

std::string zeros(std::size_t count) { return std::string(count, '\0'); }

/// A string and the zero byte after it.
std::string z(std::string_view text) { return std::string(text) + '\0'; }

class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::vector<std::byte> content) : inner_(std::move(content)) {}
  [[nodiscard]] std::uint64_t size() const override { return inner_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    bytes += out.size();
    return inner_.read_at(offset, out);
  }
  std::uint64_t bytes = 0;

 private:
  MemorySource inner_;
};

std::vector<std::string> texts(const std::vector<RecoveredName>& names) {
  static constexpr std::string_view kOrigins[] = {"literal", "immediate", "stem", "mention"};
  std::vector<std::string> result;
  for (const RecoveredName& name : names) {
    result.push_back(name.name + " " +
                     std::string(kOrigins[static_cast<std::size_t>(name.origin)]));
  }
  return result;
}

std::vector<std::string> recover(const ElfSpec& spec, const NameLimits& limits = {}) {
  MemorySource source(loadable::testing::build_elf(spec));
  const auto object = read_object(source);
  if (!object) return {object.error().to_string()};
  const auto names = recover_names(source, *object, limits);
  if (!names) return {names.error().to_string()};
  return texts(*names);
}

std::vector<std::string> recover(std::uint32_t flags, std::string content,
                                 const NameLimits& limits = {}) {
  ElfSpec spec;
  spec.segments = {{flags, std::move(content)}};
  return recover(spec, limits);
}

TEST(ElfNames, WholeStringsAreLiterals) {
  EXPECT_THAT(recover(kReadOnly, zeros(1) + z("libcudnn.so.9") + z("libnvrtc.so.%d") +
                                     z("libnvrtc-builtins.alt.so.12.9") + z("libcudnn.so.9")),
              ElementsAre("libcudnn.so.9 literal", "libnvrtc.so.%d literal",
                          "libnvrtc-builtins.alt.so.12.9 literal"));
}

TEST(ElfNames, StringBehindNumbersIsALiteral) {
  EXPECT_THAT(recover(kReadOnly, "\xdc" + z("liba.so.1")), ElementsAre("liba.so.1 literal"));
}

TEST(ElfNames, NamesInsideOfTextAreMentions) {
  EXPECT_THAT(recover(kReadOnly, z("no libnvrtc.so, libcuda.so.1 found.") + z("/usr/lib/liba.so") +
                                     z("use libb.so.")),
              ElementsAre("libnvrtc.so mention", "libcuda.so.1 mention", "liba.so mention",
                          "libb.so mention"));
}

TEST(ElfNames, OtherWordsAreNoNames) {
  EXPECT_THAT(recover(kReadOnly, z("libcudart libraries found:") + z("lib.so") + z("xliba.so") +
                                     z("liba.sonata") + z("libc.a")),
              IsEmpty());
}

TEST(ElfNames, WritableSegmentsAndTheStringTableAreNotSearched) {
  ElfSpec spec;
  spec.soname = "libself.so";
  spec.needed = {"libneeded.so.1"};
  spec.segments = {{PF_R | PF_W, z("libwritable.so")}, {kReadOnly, z("libfound.so")}};
  EXPECT_THAT(recover(spec), ElementsAre("libfound.so literal"));
  // The builder's first segment is writable; as a read-only one its string table is passed over.
  auto built = loadable::testing::build_elf_with_layout(spec);
  loadable::testing::poke(built.bytes, built.layout.phdr + 4, PF_R, 4);
  MemorySource source(built.bytes);
  const auto object = read_object(source);
  ASSERT_TRUE(object);
  const auto names = recover_names(source, *object);
  ASSERT_TRUE(names);
  EXPECT_THAT(texts(*names), ElementsAre("libfound.so literal"));
}

TEST(ElfNames, EveryPlaceAcrossTheEndOfABlockIsSeenOnce) {
  for (std::size_t before = (1 << 20) - 600; before < (1 << 20) + 40; before += 7) {
    EXPECT_THAT(recover(kReadOnly, zeros(before) + z("libacross.so.1") + zeros(2000)),
                ElementsAre("libacross.so.1 literal"))
        << before;
  }
}

std::string number(std::uint64_t value, int width) {
  std::string text;
  for (int i = 0; i < width; ++i) text.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
  return text;
}

std::string fat_binary(std::uint64_t size, const std::string& content) {
  return "\x50\xed\x55\xba" + number(0x00100001, 4) + number(size, 8) + content;
}

TEST(ElfNames, DeviceCodeIsPassedOver) {
  const std::string device = z("libdevice.so") + zeros(4 << 20);
  ElfSpec spec;
  spec.segments = {{kReadOnly, z("liba.so") + fat_binary(device.size(), device) +
                                   fat_binary(device.size(), device) + z("libb.so")}};
  CountingSource source(loadable::testing::build_elf(spec));
  const auto object = read_object(source);
  ASSERT_TRUE(object);
  source.bytes = 0;
  const auto names = recover_names(source, *object);
  ASSERT_TRUE(names);
  EXPECT_THAT(texts(*names), ElementsAre("liba.so literal", "libb.so literal"));
  EXPECT_LE(source.bytes, std::uint64_t{1100 * 1024});
}

TEST(ElfNames, DeviceCodeOfAFalseSizeIsSearched) {
  EXPECT_THAT(recover(kReadOnly, fat_binary(~std::uint64_t{0}, zeros(1) + z("liba.so"))),
              ElementsAre("liba.so literal"));
  EXPECT_THAT(recover(kReadOnly, fat_binary(0, zeros(1) + z("liba.so"))),
              ElementsAre("liba.so literal"));
  EXPECT_THAT(recover(kReadOnly, z("liba.so") + "\x50\xed\x55\xba"),
              ElementsAre("liba.so literal"));
}

// Instructions as g++ wrote them into onnxruntime-gpu's CUDA provider.
std::string movabs(const std::string& eight) { return "\x48\xb8" + eight; }  // -> %rax
std::string store_rax(std::uint32_t displacement) {
  return "\x48\x89\x84\x24" + number(displacement, 4);  // mov %rax,displacement(%rsp)
}
std::string store_rax_short(std::uint8_t displacement) {
  return "\x48\x89\x44\x24" + number(displacement, 1);
}
std::string store_length(std::uint32_t displacement, std::uint32_t value) {
  return "\x48\xc7\x84\x24" + number(displacement, 4) + number(value, 4);
}
std::string store_zero(std::uint32_t displacement) {
  return "\xc6\x84\x24" + number(displacement, 4) + zeros(1);
}

TEST(ElfNames, OverlappingImmediatesMakeAName) {
  EXPECT_THAT(recover(kCode, "\x90\x90" + movabs("libcudnn") + store_rax(0xc0) +
                                 movabs("dnn.so.9") + "\x90\x90" + store_rax(0xc5) +
                                 store_length(0xb8, 13) + store_zero(0xcd) + zeros(200)),
              ElementsAre("libcudnn.so.9 immediate"));
}

TEST(ElfNames, ShortDisplacementsMakeAName) {
  EXPECT_THAT(recover(kCode, movabs("libcufft") + store_rax_short(0x30) + movabs("ft.so.12") +
                                 store_rax_short(0x36) + "\x48\xc7\x44\x24\x28" + number(14, 4) +
                                 zeros(200)),
              ElementsAre("libcufft.so.12 immediate"));
}

TEST(ElfNames, FourByteTailMakesAName) {
  EXPECT_THAT(recover(kCode, movabs("libcudnn") + store_rax(0xb0) + "\xc7\x84\x24" +
                                 number(0xb7, 4) + "n.so" + store_length(0xa8, 11) + zeros(200)),
              ElementsAre("libcudnn.so immediate"));
}

TEST(ElfNames, UnknownTailLeavesAKnownStem) {
  const std::string code = movabs("libnvJit") + store_rax_short(0x30) +
                           "\xc7\x44\x24\x38"
                           "Link" +
                           zeros(200);
  EXPECT_THAT(recover(kCode, code, {{"libcudnn", "libnvJitLink"}}),
              ElementsAre("libnvJitLink stem"));
  EXPECT_THAT(recover(kCode, code), IsEmpty());
  EXPECT_THAT(recover(kCode, movabs("libcudnn") + zeros(200), {{"libcudnn", "libnvJitLink"}}),
              ElementsAre("libcudnn stem"));
}

TEST(ElfNames, TailWithoutItsEndLeavesAStem) {
  EXPECT_THAT(recover(kCode, movabs("libcudnn") + store_rax_short(0x30) +
                                 "\xc7\x44\x24\x38"
                                 ".so." +
                                 zeros(200)),
              ElementsAre("libcudnn stem"));
}

TEST(ElfNames, ImmediatesElsewhereAreNotPutTogether) {
  const std::string code = movabs("libcudnn") + store_rax(0xc0) + movabs("dnn.so.9") +
                           "\x48\x89\x85" + number(0xc5, 4) +  // another base: %rbp
                           zeros(200);
  EXPECT_THAT(recover(kCode, code), IsEmpty());
  // The same bytes are no code in a segment without execute permission, nor on another machine.
  const std::string good = movabs("libcudnn") + store_rax(0xc0) + movabs("dnn.so.9") +
                           store_rax(0xc5) + store_zero(0xcd) + zeros(200);
  EXPECT_THAT(recover(kReadOnly, good), IsEmpty());
  ElfSpec spec;
  spec.machine = EM_AARCH64;
  spec.segments = {{kCode, good}};
  EXPECT_THAT(recover(spec), IsEmpty());
}

TEST(ElfNames, CodeThatEndsAnywhereIsSurvived) {
  const std::string code = movabs("libcudnn") + store_rax(0xc0) + movabs("dnn.so.9") +
                           store_rax(0xc5) + store_length(0xb8, 13) + store_zero(0xcd);
  for (std::size_t size = 0; size <= code.size(); ++size) {
    const auto names = recover(kCode, code.substr(0, size), {{"libcudnn"}});
    EXPECT_LE(names.size(), 1U) << size;
  }
}

TEST(ElfNames, LimitsAreErrors) {
  NameLimits few_bytes;
  few_bytes.bytes = 1000;
  EXPECT_THAT(recover(kReadOnly, zeros(1001), few_bytes),
              ElementsAre("more than 1000 bytes to look for names in"));
  NameLimits few_names;
  few_names.names = 2;
  EXPECT_THAT(recover(kReadOnly, z("liba.so") + z("libb.so") + z("libc.so"), few_names),
              ElementsAre("more than 2 names of libraries"));
}

}  // namespace
}  // namespace loadable::elf
