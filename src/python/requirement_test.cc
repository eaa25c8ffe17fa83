// SPDX-License-Identifier: Apache-2.0
#include "python/requirement.h"

#include <gtest/gtest.h>

#include <utility>

namespace loadable::python {
namespace {

TEST(PythonRequirement, SpellingsOfRealMetadata) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"numpy", "numpy"},
      {"numpy (>=1.24.2)", "numpy>=1.24.2"},
      {"numpy <2.0,>=1.21.6", "numpy<2.0,>=1.21.6"},
      {"numpy(>=1,<2) ; python_version < '3'", "numpy>=1,<2"},
      {"fastembed[gpu] >=0.8 ; python_version < \"3.13\"", "fastembed[gpu]>=0.8"},
      {"x[a,B_c]@ https://example.invalid/x.whl#sha256=1 ; os_name=='nt'",
       "x[a,b-c] @ https://example.invalid/x.whl#sha256=1"},
      {"x@file:///a;b", "x @ file:///a;b"},
      {"x []", "x"},
      {"x ()", "x"},
      {" x\t", "x"},
      {"x>=1,", "x>=1"},
      {"backports.x_y-z ~= 1.0 ,!= 1.0.5", "backports.x_y-z~=1.0,!=1.0.5"},
      {"x===weird,>=1", "x===weird,>=1"},
      {"x[a]==1.*;extra=='y'", "x[a]==1.*"},
  };
  for (const auto& [text, normal] : rows) {
    const auto requirement = Requirement::parse(text);
    ASSERT_TRUE(requirement) << text << ": " << requirement.error().message;
    EXPECT_EQ(requirement->to_string(), normal) << text;
  }
}

TEST(PythonRequirement, PartsAreTakenApart) {
  const auto requirement =
      Requirement::parse("ONNX_Runtime.gpu[Cuda, extra_two]>=1.17,<2; python_version >= '3.9'");
  ASSERT_TRUE(requirement);
  EXPECT_EQ(requirement->name, "ONNX_Runtime.gpu");
  EXPECT_EQ(requirement->normalized, "onnx-runtime-gpu");
  EXPECT_EQ(requirement->extras, (std::vector<std::string>{"cuda", "extra-two"}));
  EXPECT_EQ(requirement->specifiers.clauses().size(), 2U);
  EXPECT_TRUE(requirement->specifiers.contains(*Version::parse("1.24.4")));
  EXPECT_EQ(requirement->url, "");
  EXPECT_EQ(requirement->marker.to_string(), "python_version >= \"3.9\"");
  EXPECT_TRUE(Requirement::parse("x")->marker.empty());
}

TEST(PythonRequirement, WhatIsNoRequirementIsAnErrorWithItsPosition) {
  const std::vector<std::pair<std::string, std::size_t>> rows = {
      {"", 0},
      {"-x", 0},
      {"_x", 0},
      {"x y", 2},
      {"x-", 1},
      {"x[", 2},
      {"x[a b]", 4},
      {"x[a,]", 4},
      {"x[,a]", 2},
      {"x>=1 <2", 5},
      {"x>=1.0.*", 1},
      {"x,>=1", 1},
      {"x>=1,,<2", 5},
      {"x(>=1", 5},
      {"x>=1)", 4},
      {"x@", 2},
      {"x@ u; os_name=='x'", 6},
      {"x @ u\nv", 5},
      {"x;", 2},
      {"x; os_name", 10},
      {"x\n", 1},
      {"x>=1 #", 5},
      {"x(\v<1)", 2},
  };
  for (const auto& [text, position] : rows) {
    const auto requirement = Requirement::parse(text);
    ASSERT_FALSE(requirement) << text;
    EXPECT_EQ(requirement.error().offset, position) << text << ": " << requirement.error().message;
  }
  EXPECT_EQ(Requirement::parse("x y").error().message,
            "`y` in a requirement, wanted `,`, `;` or the end");
}

TEST(PythonRequirement, HugeTextsEnd) {
  std::string many = "x>=0";
  for (int i = 0; i < 40'000; ++i) many += ",!=1." + std::to_string(i);
  EXPECT_EQ(Requirement::parse(many)->specifiers.clauses().size(), 40'001U);
  EXPECT_EQ(Requirement::parse("x" + std::string(2'000'000, '(')).error().code,
            ErrorCode::LimitReached);
  EXPECT_FALSE(Requirement::parse("x" + std::string(500'000, '(')));
  EXPECT_FALSE(Requirement::parse("x[" + std::string(500'000, ',')));
  EXPECT_EQ(Requirement::parse("x;" + std::string(100'000, '(')).error().code,
            ErrorCode::LimitReached);
}

}  // namespace
}  // namespace loadable::python
