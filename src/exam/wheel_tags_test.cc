// SPDX-License-Identifier: Apache-2.0
#include "exam/wheel_tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"

namespace loadable::exam {
namespace {

using ::testing::ElementsAre;

WheelTags tags(const std::string& text) {
  return WheelTags(*python::parse_wheel_name("x-1-" + text + ".whl"));
}

const TaggedPlatform kLinux{"linux", "x86_64"};

bool fits(const std::string& text, const TaggedPython& python,
          const TaggedPlatform& platform = kLinux) {
  return tags(text).fits({python, platform});
}

std::vector<std::string> sets(const std::vector<std::string>& wheels,
                              const PlannedOptions& options = {}) {
  std::vector<WheelTags> all;
  all.reserve(wheels.size());
  for (const std::string& wheel : wheels) all.push_back(tags(wheel));
  std::vector<const WheelTags*> pointers;
  pointers.reserve(all.size());
  for (const WheelTags& one : all) pointers.push_back(&one);
  const auto found = tag_sets(pointers, options);
  if (!found) return {found.error().message};
  std::vector<std::string> shown;
  for (const TagSet& set : found->sets) shown.push_back(set.shown());
  return shown;
}

TEST(WheelTags, OneInterpreterTakesItsOwnTheStableAndTheGeneric) {
  const TaggedPython cp311{"cp", 3, 11, false};
  EXPECT_TRUE(fits("cp311-cp311-manylinux_2_28_x86_64", cp311));
  EXPECT_TRUE(fits("cp310.cp311-cp310.cp311-linux_x86_64", cp311));
  EXPECT_TRUE(fits("cp38-abi3-manylinux_2_28_x86_64", cp311));
  EXPECT_TRUE(fits("py3-none-any", cp311));
  EXPECT_TRUE(fits("py2.py3-none-any", cp311));
  EXPECT_TRUE(fits("py310-none-any", cp311));
  EXPECT_FALSE(fits("cp312-cp312-manylinux_2_28_x86_64", cp311));
  EXPECT_FALSE(fits("cp312-abi3-manylinux_2_28_x86_64", cp311));
  EXPECT_FALSE(fits("cp38-none-any", cp311)) << "no promise for later releases";
  EXPECT_FALSE(fits("py312-none-any", cp311));
  EXPECT_FALSE(fits("py2-none-any", cp311));
  EXPECT_FALSE(fits("pp311-pypy311_pp73-linux_x86_64", cp311));
}

TEST(WheelTags, TheBuildWithoutTheLockIsAnotherInterpreter) {
  const TaggedPython with{"cp", 3, 13, false};
  const TaggedPython without{"cp", 3, 13, true};
  EXPECT_TRUE(fits("cp313-cp313t-linux_x86_64", without));
  EXPECT_FALSE(fits("cp313-cp313t-linux_x86_64", with));
  EXPECT_FALSE(fits("cp313-cp313-linux_x86_64", without));
  EXPECT_FALSE(fits("cp38-abi3-linux_x86_64", without));
  EXPECT_TRUE(fits("py3-none-any", without));
}

TEST(WheelTags, PlatformsThatOneMachineCannotBeAreApart) {
  const TaggedPython cp311{"cp", 3, 11, false};
  const char* one = "cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64";
  EXPECT_TRUE(fits(one, cp311));
  EXPECT_FALSE(fits(one, cp311, {"linux", "aarch64"}));
  EXPECT_FALSE(fits(one, cp311, {"musllinux", "x86_64"}));
  EXPECT_FALSE(fits(one, cp311, {"windows", "AMD64"}));
  EXPECT_TRUE(fits("cp311-cp311-macosx_11_0_universal2", cp311, {"macos", "arm64"}));
  EXPECT_TRUE(fits("cp311-cp311-macosx_11_0_universal2", cp311, {"macos", "x86_64"}));
  EXPECT_TRUE(fits("cp311-cp311-win_amd64", cp311, {"windows", "AMD64"}));
  EXPECT_TRUE(fits("py3-none-any", cp311, {"windows", "AMD64"}));
}

TEST(WheelTags, TheMostSpecialWheelIsTaken) {
  const TagSet set{{"cp", 3, 11, false}, kLinux};
  EXPECT_GT(tags("cp311-cp311-linux_x86_64").rank(set), tags("cp38-abi3-linux_x86_64").rank(set));
  EXPECT_GT(tags("cp38-abi3-linux_x86_64").rank(set), tags("py3-none-linux_x86_64").rank(set));
  EXPECT_GT(tags("py3-none-linux_x86_64").rank(set), tags("py3-none-any").rank(set));
}

TEST(WheelTags, EveryInterpreterAndPlatformThatIsNamedIsJudged) {
  EXPECT_THAT(sets({"py3-none-any"}), ElementsAre("CPython 3.12 on x86_64 Linux"));
  EXPECT_THAT(sets({"py2.py3-none-any"}), ElementsAre("CPython 3.12 on x86_64 Linux"));
  EXPECT_THAT(sets({"py2-none-any"}), ElementsAre("CPython 2.7 on x86_64 Linux"));
  EXPECT_THAT(sets({"cp311-cp311-win_amd64", "cp312-cp312-linux_x86_64"}),
              ElementsAre("CPython 3.12 on x86_64 Linux", "CPython 3.11 on AMD64 Windows"));
  EXPECT_THAT(sets({"cp311-cp311-any", "py3-none-musllinux_1_2_aarch64", "cp313-cp313t-any"}),
              ElementsAre("CPython 3.11 on aarch64 Linux with musl",
                          "CPython 3.13t on aarch64 Linux with musl"));
}

TEST(WheelTags, WhatIsStatedCounts) {
  PlannedOptions options;
  options.python_version = "3.11.7";
  options.platform = "macos";
  const std::vector<std::string> wheels = {"cp311-cp311-macosx_11_0_arm64", "cp312-cp312-any"};
  EXPECT_THAT(sets(wheels, options), ElementsAre("CPython 3.11 on arm64 macOS"));
  options.python_version = "3.9";
  EXPECT_THAT(sets(wheels, options), ElementsAre()) << "no wheel is for it";
  options.python_version = "three";
  EXPECT_THAT(sets(wheels, options),
              ElementsAre("--python-version `three` is no version, wanted one such as `3.11`"));
  options.python_version.clear();
  options.platform = "beos";
  EXPECT_THAT(sets(wheels, options).front(), ::testing::HasSubstr("--platform `beos` is unknown"));
}

TEST(WheelTags, NonsenseIsAnInterpreterOfItsOwn) {
  EXPECT_THAT(sets({"foo-bar-baz"}), ElementsAre("`foo` on `baz`"));
  EXPECT_THAT(sets({"cp311-cp311-baz", "cp-x-linux_x86_64"}),
              ElementsAre("`cp` on x86_64 Linux", "CPython 3.11 on `baz`"));
  EXPECT_FALSE(fits("py3-none-any", {"foo", 0, 0, false}));
  EXPECT_TRUE(sets({"...-...-..."}).empty());
  std::string many = "cp300";
  for (int i = 301; i < 1000; ++i) many += format(".cp{}", i);
  std::vector<std::string> wheels = {many + "-none-any"};
  for (int i = 0; i < 500; ++i) wheels.push_back(format("py3-none-os{}", i));
  EXPECT_LE(sets(wheels).size(), kMaxSets);
}

}  // namespace
}  // namespace loadable::exam
