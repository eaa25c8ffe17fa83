// SPDX-License-Identifier: Apache-2.0
#include "base/shared_string.h"

#include <gtest/gtest.h>

#include <memory>

namespace loadable {
namespace {

TEST(SharedString, CopiesHaveOneTextThatOutlivesTheFirst) {
  auto first = std::make_unique<SharedString>(std::string("a text that is too long to be short"));
  const SharedString second = *first;
  EXPECT_EQ(&first->str(), &second.str());
  const SharedString third = second;
  first.reset();
  EXPECT_EQ(third, "a text that is too long to be short");
  EXPECT_EQ(&second.str(), &third.str());
}

TEST(SharedString, AssignmentLeavesOtherCopiesAsTheyAre) {
  SharedString first(std::string("one"));
  const SharedString second = first;
  first = "two";
  EXPECT_EQ(second, std::string("one"));
  EXPECT_EQ(first, std::string_view("two"));
  const SharedString& itself = first;
  first = itself;
  EXPECT_EQ(first, "two");
}

TEST(SharedString, WhatIsMovedFromAndWhatIsNewIsEmpty) {
  SharedString first(std::string("one"));
  const SharedString second = std::move(first);
  EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): that is the question
  EXPECT_EQ(first, "");
  EXPECT_FALSE(second.empty());
  EXPECT_TRUE(SharedString(std::string()).empty());
  EXPECT_EQ(SharedString(), SharedString(std::string()));
}

}  // namespace
}  // namespace loadable
