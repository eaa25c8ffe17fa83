// SPDX-License-Identifier: Apache-2.0
#include "python/names.h"

#include <gtest/gtest.h>

namespace loadable::python {
namespace {

TEST(PythonNames, SpellingsOfOneNameAreOne) {
  EXPECT_EQ(normalize_name("ONNXRuntime_GPU"), "onnxruntime-gpu");
  EXPECT_EQ(normalize_name("zope.interface"), "zope-interface");
  EXPECT_EQ(normalize_name("a-_.b"), "a-b");
  EXPECT_EQ(normalize_name(""), "");
}

TEST(PythonNames, InfoDirectoriesTellNameAndVersion) {
  const auto wheel = parse_info_name("nvidia_cublas_cu12-12.9.2.10.dist-info");
  ASSERT_TRUE(wheel);
  EXPECT_EQ(wheel->name, "nvidia_cublas_cu12");
  EXPECT_EQ(wheel->version, "12.9.2.10");
  EXPECT_EQ(wheel->kind, InfoKind::DistInfo);
  const auto egg = parse_info_name("six-1.16.0-py3.9.egg-info");
  ASSERT_TRUE(egg);
  EXPECT_EQ(egg->version, "1.16.0");
  EXPECT_EQ(egg->kind, InfoKind::EggInfo);
  EXPECT_EQ(parse_info_name("lxml.egg-info")->version, "");
  EXPECT_EQ(parse_info_name("x-1.0-pypi.egg-info")->version, "1.0-pypi");
}

TEST(PythonNames, OtherDirectoriesAreNoInfo) {
  EXPECT_FALSE(parse_info_name("numpy"));
  EXPECT_FALSE(parse_info_name(".dist-info"));
  EXPECT_FALSE(parse_info_name("-1.0.dist-info"));
  EXPECT_FALSE(parse_info_name(""));
}

TEST(PythonNames, WheelNamesHaveFiveOrSixParts) {
  const auto plain =
      parse_wheel_name("numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->name, "numpy");
  EXPECT_EQ(plain->platform_tag, "manylinux_2_27_x86_64.manylinux_2_28_x86_64");
  EXPECT_EQ(parse_wheel_name("x-1.0-1a-py3-none-any.whl")->build, "1a");
  EXPECT_FALSE(parse_wheel_name("x-1.0-a1-py3-none-any.whl"));
  EXPECT_FALSE(parse_wheel_name("x-1.0-py3-none.whl"));
  EXPECT_FALSE(parse_wheel_name("x-1-1-1-py3-none-any.whl"));
  EXPECT_FALSE(parse_wheel_name("x--py3-none-any.whl"));
  EXPECT_FALSE(parse_wheel_name("x.zip"));
}

}  // namespace
}  // namespace loadable::python
