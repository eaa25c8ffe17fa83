// SPDX-License-Identifier: Apache-2.0
#include "python/version.h"

#include <gtest/gtest.h>

#include <utility>

namespace loadable::python {
namespace {

TEST(PythonVersion, OrderIsThatOfPep440) {
  const std::vector<std::string> rising = {
      "1.0.dev1", "1.0a1.dev1",  "1.0a1",   "1.0a2.dev456", "1.0a12",    "1.0b1.dev456",
      "1.0b2",    "1.0b2.post3", "1.0rc1",  "1.0",          "1.0+abc.5", "1.0+abc.7",
      "1.0+5",    "1.0+5.1",     "1.0+10",  "1.0.post1",    "1.0.post2", "1.1.dev1",
      "1.24.4",   "1.31.1",      "1.31.10", "12.9.2.10",    "2024.1",    "1!0.1",
  };
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t j = 0; j < rising.size(); ++j) {
      const auto a = Version::parse(rising[i]), b = Version::parse(rising[j]);
      ASSERT_TRUE(a && b) << rising[i] << " " << rising[j];
      EXPECT_EQ(*a < *b, i < j) << rising[i] << " < " << rising[j];
      EXPECT_EQ(*a == *b, i == j) << rising[i] << " == " << rising[j];
    }
  }
}

TEST(PythonVersion, SpellingsHaveOneNormalForm) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"v1.0", "1.0"},           {" 1.0\n", "1.0"},
      {"1.0-ALPHA.1", "1.0a1"},  {"1.0_beta", "1.0b0"},
      {"1.0preview2", "1.0rc2"}, {"1.0c1", "1.0rc1"},
      {"1.0-1", "1.0.post1"},    {"1.0.rev3", "1.0.post3"},
      {"1.0r4", "1.0.post4"},    {"1.0dev", "1.0.dev0"},
      {"1.0-dev-2", "1.0.dev2"}, {"1.0+CU_12-01", "1.0+cu.12.1"},
      {"01.02", "1.2"},          {"1.0a1.post2.dev3+x", "1.0a1.post2.dev3+x"},
      {"2!1.0", "2!1.0"},        {"1.0.post", "1.0.post0"},
      {"1.0a.", "1.0a0"},        {"1.0rc-", "1.0rc0"},
  };
  for (const auto& [text, normal] : rows) {
    const auto version = Version::parse(text);
    ASSERT_TRUE(version) << text;
    EXPECT_EQ(version->to_string(), normal) << text;
  }
}

TEST(PythonVersion, TrailingZerosDoNotCount) {
  EXPECT_EQ(*Version::parse("1.0"), *Version::parse("1.0.0"));
  EXPECT_LT(*Version::parse("1"), *Version::parse("1.0.1"));
  EXPECT_EQ(Version::parse("1.2+cu12")->without_local(), *Version::parse("1.2"));
  EXPECT_EQ(Version::parse("1.2")->component(7), 0U);
}

TEST(PythonVersion, WhatIsNoVersionIsAnError) {
  for (const char* text : {"", "v", "abc", "1.", "1..2", "1.0+", "1.0+a..b", "1.0+a.", "1.0-", "1!",
                           "1.0 2", "1.0a1a2", "1.0.x", "!1", "1.0+a!", "1e5"}) {
    EXPECT_FALSE(Version::parse(text)) << text;
  }
}

TEST(PythonVersion, HugeNumbersNeitherOverflowNorLoop) {
  const std::string huge(100'000, '9');
  const auto version = Version::parse(huge + "." + huge + ".post" + huge + ".dev" + huge);
  ASSERT_TRUE(version);
  EXPECT_GT(*version, *Version::parse("99999999999"));
}

TEST(PythonVersion, TextsThatAreNoneComeFirst) {
  EXPECT_TRUE(compare_versions("weird", "0.1") < 0);
  EXPECT_TRUE(compare_versions("0.1", "weird") > 0);
  EXPECT_TRUE(compare_versions("a", "b") < 0);
  EXPECT_TRUE(compare_versions("1.0", "1.0.0") == 0);
  EXPECT_TRUE(compare_versions("1.24.4", "1.31.1") < 0);
}

}  // namespace
}  // namespace loadable::python
