// SPDX-License-Identifier: Apache-2.0
#include "python/specifier.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace loadable::python {
namespace {

bool allows(std::string_view set, std::string_view version, bool allows_prereleases = true) {
  const auto parsed = SpecifierSet::parse(set);
  const auto wanted = Version::parse(version);
  EXPECT_TRUE(parsed && wanted) << set << " " << version;
  return parsed && wanted && parsed->contains(*wanted, allows_prereleases);
}

struct Row {
  const char* set;
  const char* allowed;  ///< separated by blanks
  const char* refused;
};

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    result.emplace_back(text.substr(0, text.find(' ')));
    text.remove_prefix(std::min(text.size(), result.back().size() + 1));
  }
  return result;
}

TEST(PythonSpecifier, EachComparisonIsThatOfPep440) {
  const std::vector<Row> rows = {
      {"~=2.2", "2.2 2.2.post1 2.9 2.2+cu12", "3.0 3.0.dev1 2.1 2.2rc1 1!2.3"},
      {"~=1.4.5a4", "1.4.5a4 1.4.5 1.4.99", "1.4.5a3 1.5 1.5.dev0"},
      {"~=2.2.post3", "2.2.post3 2.3", "2.2 3.0"},
      {"==1.1", "1.1 1.1.0 1.1+local 1.1.0+cu12", "1.1.post1 1.1.dev1 1.1a1 1.1.1"},
      {"==1.1+cu12", "1.1+cu12 1.1.0+CU12", "1.1 1.1+cu13 1.1+cu12.1"},
      {"==1.1.*", "1.1 1.1.post1 1.1a1 1.1.dev0 1.1.99 1.1+x", "1.2 1.2.dev0 1.10 1!1.1 1.0.99"},
      {"!=1.1.*", "1.0 1.2.dev0", "1.1 1.1.5"},
      {"!=1.1", "1.1.post1 1.2", "1.1 1.1.0 1.1+x"},
      {"<=1.1", "1.1 1.1a1 1.1+x", "1.1.post0 1.1.1"},
      {">=1.1", "1.1 1.1+x 1.1.post0 2", "1.1rc1 1.1.dev5"},
      {"<1.1", "1.0.99 1.0.post3", "1.1 1.1a1 1.1.dev0"},
      {"<1.1rc1", "1.1a1 1.1.dev0 1.1b9", "1.1rc1 1.1"},
      {"<1.1.post2", "1.1 1.1.post1", "1.1.post2 1.1.post2.dev1"},
      {">1.1", "1.1.1 1.2.dev1", "1.1 1.1+x 1.1.post1 1.1.0.post3"},
      {">1.1.post1", "1.1.post2 1.2", "1.1.post1 1.1.post1+x 1.1"},
      {">1.1a1", "1.1a2 1.1", "1.1a1 1.1a1.post1"},
      {">1.1.dev1", "1.1.dev2 1.1a1", "1.1.dev1 1.1.dev1+x"},
      {"===1.0.0", "1.0.0", "1.0 1"},
      {">=1.17,!=1.20.0,<2", "1.17 1.19 1.20.1", "1.20 2.0 1.16"},
      {"", "0 1.0a1 2!3", ""},
  };
  for (const Row& row : rows) {
    for (const auto& version : words(row.allowed)) {
      EXPECT_TRUE(allows(row.set, version)) << row.set << " " << version;
    }
    for (const auto& version : words(row.refused)) {
      EXPECT_FALSE(allows(row.set, version)) << row.set << " " << version;
    }
  }
}

TEST(PythonSpecifier, PreReleasesCanBeRefusedAsAWhole) {
  EXPECT_FALSE(allows(">=1.0a1", "1.0a2", false));
  EXPECT_FALSE(allows("", "1.0.dev1", false));
  EXPECT_TRUE(allows(">=1.0a1", "1.0", false));
  EXPECT_TRUE(SpecifierSet::parse(">=1.0a1")->names_prerelease());
  EXPECT_TRUE(SpecifierSet::parse("<2,==1.0.dev1")->names_prerelease());
  EXPECT_FALSE(SpecifierSet::parse("!=1.0a1,==1.*,>=1")->names_prerelease());
}

TEST(PythonSpecifier, SpellingsOfOldMetadataAreRead) {
  EXPECT_EQ(SpecifierSet::parse("(>=1.24.2)")->to_string(), ">=1.24.2");
  EXPECT_EQ(SpecifierSet::parse(" >= 1.0 ,\t< v2 , ")->to_string(), ">=1.0,<v2");
  EXPECT_EQ(SpecifierSet::parse("<2.0,>=1.21.6")->to_string(), "<2.0,>=1.21.6");
  EXPECT_EQ(SpecifierSet::parse("== 1.4.*")->to_string(), "==1.4.*");
  EXPECT_EQ(SpecifierSet::parse("=== anything.goes")->to_string(), "===anything.goes");
  EXPECT_TRUE(SpecifierSet::parse("()")->empty());
}

TEST(PythonSpecifier, WhatIsNoSpecifierIsAnErrorThatNamesTheClause) {
  for (const char* text :
       {"1.0", "=1.0", "=>1.0", ">=", "~=1", ">=1.*", "~=1.0.*", "==1.0a1.*", "==1.0+x.*", "==1 .*",
        ">=1.0+x", "<1.0 2.0", "===", "=== a b", "lolwat", ">=1,lolwat", "==1.0.*.*", "(>=1"}) {
    EXPECT_FALSE(SpecifierSet::parse(text)) << text;
  }
  EXPECT_EQ(SpecifierSet::parse(">=1, =2").error().message,
            "` =2` is no version specifier (PEP 440), such as `>=1.0`");
}

}  // namespace
}  // namespace loadable::python
