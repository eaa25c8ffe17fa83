// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "loader/state.h"

namespace loadable::loader {
namespace {

using Ids = std::vector<NameId>;

Ids all(const NameList& names) { return {names.begin(), names.end()}; }

TEST(LoaderNameList, KeepsItsOrderWhenItOutgrowsItsPlace) {
  NameList names;
  EXPECT_TRUE(names.empty());
  for (NameId name = 1; name <= 4; ++name) names.push_back(name);
  EXPECT_EQ(all(names), Ids({1, 2, 3, 4}));
  names.push_back(5);
  names.push_back(6);
  EXPECT_EQ(all(names), Ids({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(names.front(), 1U);
  EXPECT_TRUE(names.contains(6));
  EXPECT_FALSE(names.contains(7));
}

TEST(LoaderNameList, OneNameTakesThePlaceOfAll) {
  NameList names;
  for (NameId name = 1; name <= 6; ++name) names.push_back(name);
  const NameList copy = names;
  names = 9;
  EXPECT_EQ(all(names), Ids({9}));
  EXPECT_FALSE(names.contains(1));
  EXPECT_EQ(all(copy), Ids({1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace loadable::loader
