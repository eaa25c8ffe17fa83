// SPDX-License-Identifier: Apache-2.0
#include "accel/opened_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/elf_builder.h"

namespace loadable::accel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names_in(std::string constants, std::vector<std::string> needed = {}) {
  testing::ElfSpec spec;
  spec.soname = "libself.so.1";
  spec.needed = std::move(needed);
  spec.segments = {{elf::PF_R, std::move(constants)}};
  MemorySource source(testing::build_elf(spec));
  const auto object = elf::read_object(source);
  EXPECT_TRUE(object);
  auto names = library_names(source, *object);
  EXPECT_TRUE(names);
  return *names;
}

std::string with_nul(std::initializer_list<std::string_view> parts) {
  std::string text(1, '\0');
  for (const std::string_view part : parts) (text += part) += '\0';
  return text;
}

TEST(OpenedNames, AreWholeStrings) {
  EXPECT_THAT(
      names_in(with_nul({"libnvrtc.so.13", "libcudnn_ops.so", "libnvrtc-builtins.so.12.9"})),
      ElementsAre("libnvrtc.so.13", "libcudnn_ops.so", "libnvrtc-builtins.so.12.9"));
}

TEST(OpenedNames, AreNotPartsOfSentencesPathsOrFormats) {
  EXPECT_THAT(
      names_in(with_nul({"failed to open libnvrtc-builtins.so.13.5.\n", "cannot load libnvrtc.so",
                         "/usr/lib/libx.so.1", "libnvrtc.so.%d", "data.source", "so", ".so"})),
      IsEmpty());
}

TEST(OpenedNames, AreToldOnceInFileOrder) {
  EXPECT_THAT(names_in(with_nul({"libb.so", "liba.so.2", "libb.so"})),
              ElementsAre("libb.so", "liba.so.2"));
}

TEST(OpenedNames, OfTheDynamicSectionDoNotCount) {
  EXPECT_THAT(names_in(with_nul({"liba.so"}), {"libneeded.so.1"}), ElementsAre("liba.so"));
}

TEST(OpenedNames, AreFoundAcrossTheBlocksThatAreRead) {
  for (std::size_t shift = 0; shift < 20; ++shift) {
    std::string text((std::size_t{1} << 20) - 0x1000 - 20 + shift, 'x');
    text += with_nul({"libcudnn_graph.so.9"});
    EXPECT_THAT(names_in(text), ElementsAre("libcudnn_graph.so.9")) << shift;
  }
}

TEST(OpenedNames, MayNotBeLongerThanNamesAre) {
  EXPECT_THAT(names_in(with_nul({"lib" + std::string(300, 'a') + ".so.1"})), IsEmpty());
  EXPECT_THAT(names_in(with_nul({"libx.so." + std::string(300, '1')})), IsEmpty());
}

TEST(OpenedNames, EndWhereTheFileEnds) {
  testing::ElfSpec spec;
  spec.segments = {{elf::PF_R, with_nul({"liba.so"}) + "libb.so"}};
  auto bytes = testing::build_elf(spec);
  MemorySource source(bytes);
  const auto object = elf::read_object(source);
  ASSERT_TRUE(object);
  bytes.resize(bytes.size() - 3);
  MemorySource shorter(bytes);
  const auto names = library_names(shorter, *object);
  ASSERT_TRUE(names);
  EXPECT_THAT(*names, ElementsAre("liba.so"));
}

}  // namespace
}  // namespace loadable::accel
