// SPDX-License-Identifier: Apache-2.0
#include "elf/releases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadable::elf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// An object whose one segment is the whole text.
std::vector<std::string> releases(std::string text, std::uint32_t flags = PF_R) {
  ElfObject object;
  object.file_size = text.size();
  Segment segment;
  segment.type = PT_LOAD;
  segment.flags = flags;
  segment.filesz = segment.memsz = text.size();
  object.segments.push_back(segment);
  MemorySource source{std::string_view(text)};
  auto found = recover_releases(source, object, "3.11");
  return found ? *found : std::vector<std::string>{"failed"};
}

std::string joined(std::initializer_list<std::string_view> strings) {
  std::string text;
  for (const std::string_view string : strings) text += std::string(string) + '\0';
  return text;
}

TEST(ElfReleases, TheReleaseIsAWholeStringOrTheEndOfOne) {
  EXPECT_THAT(releases(joined({"x", "3.11.2", "%.80s (%.80s) %.80s"})), ElementsAre("3.11.2"));
  EXPECT_THAT(releases(joined({"/tmp/Python-3.11.7", "/versions/3.11.7"})), ElementsAre("3.11.7"));
  EXPECT_THAT(releases(joined({"3.11.0rc2+", "3.11.0b1"})), ElementsAre("3.11.0rc2+", "3.11.0b1"));
}

TEST(ElfReleases, WhatOnlyLooksLikeOneIsNone) {
  EXPECT_THAT(releases(joined({"3.11", "3.11.", "3.11.2 or later", "13.11.2", "1.3.11.2", "3.110.2",
                               "3.11.2x", "3.11.20260101", "3.11.2rc", "3.12.1"})),
              IsEmpty());
  EXPECT_THAT(releases("3.11.2"), IsEmpty());
  EXPECT_THAT(releases(joined({"3.11.2"}), PF_R | PF_W), IsEmpty());
}

TEST(ElfReleases, AStringAcrossTwoBlocksIsFoundOnce) {
  for (std::size_t before = (1 << 20) - 80; before < (1 << 20) + 8; ++before) {
    EXPECT_THAT(releases(std::string(before, '\0') + joined({"3.11.9", std::string(200, 'x')})),
                ElementsAre("3.11.9"))
        << before;
  }
}

}  // namespace
}  // namespace loadable::elf
