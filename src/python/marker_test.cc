// SPDX-License-Identifier: Apache-2.0
#include "python/marker.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace loadable::python {
namespace {

MarkerEnvironment linux_311() { return MarkerEnvironment::for_interpreter("3.11.7", "x86_64"); }

bool holds(std::string_view text, const MarkerEnvironment& environment = linux_311()) {
  const auto marker = Marker::parse(text);
  EXPECT_TRUE(marker) << text;
  return marker && marker->holds(environment);
}

TEST(PythonMarker, ComparesVersionsAsVersionsAndTheRestAsTexts) {
  for (const char* text :
       {"python_version >= '3.9'", "python_version < '3.12' and python_version != '3.8'",
        "python_full_version == '3.11.7'", "python_version == '3.*'", "'3.9' < python_version",
        "python_version in '3.10, 3.11'", "sys_platform == 'linux'", "os.name == 'posix'",
        "platform_system not in 'Windows Darwin'", "python_implementation == 'CPython'",
        "platform.machine=='x86_64'or os_name=='nt'", "implementation_name >= 'cpython'",
        "python_version ~= '3.10'", "(python_version > '3' and os_name == 'posix')",
        "os_name == 'nt' and os_name == 'nt' or os_name == 'posix'"}) {
    EXPECT_TRUE(holds(text)) << text;
  }
  for (const char* text :
       {"python_version < '3.9'", "python_version == '3'", "sys_platform == 'never'",
        "sys_platform > 'a'", "platform_release >= '4'", "'win' in sys_platform",
        "os_name == 'posix' and (os_name == 'nt' or sys_platform == 'win32')"}) {
    EXPECT_FALSE(holds(text)) << text;
  }
}

TEST(PythonMarker, ExtrasAreNormalisedAndAnyOfThemMaySatisfy) {
  auto environment = linux_311();
  EXPECT_FALSE(holds("extra == 'gpu'", environment));
  EXPECT_TRUE(holds("extra == ''", environment));
  environment.extras = {"all-the-rest", "gpu"};
  EXPECT_TRUE(holds("extra == 'GPU'", environment));
  EXPECT_TRUE(holds("'All_the.rest' == extra", environment));
  EXPECT_TRUE(holds("python_version > '3' and extra == 'gpu'", environment));
  EXPECT_FALSE(holds("extra == 'cpu'", environment));
  EXPECT_TRUE(holds("extra != 'gpu'", environment)) << "without an extra it does";
  EXPECT_FALSE(holds("extra == 'gpu' and extra == 'all-the-rest'", environment)) << "one at a time";
}

TEST(PythonMarker, SetsOfLockFilesAreAskedByMembership) {
  auto environment = linux_311();
  environment.extras = {"gpu"};
  environment.groups = {"dev"};
  EXPECT_TRUE(holds("'GPU' in extras and 'dev' in dependency_groups", environment));
  EXPECT_TRUE(holds("'cpu' not in extras", environment));
  EXPECT_FALSE(holds("'test' in dependency_groups", environment));
  EXPECT_FALSE(holds("extras == 'gpu'", environment)) << "a set is no text";
}

TEST(PythonMarker, WhatHasNoMeaningDoesNotHold) {
  EXPECT_FALSE(holds("os_name ~= 'posix'"));
  EXPECT_FALSE(holds("os_name === 'posix' or os_name == 'posix'")) << "`packaging` raises an error";
  EXPECT_FALSE(holds("'posix' == 'posix'"));
  EXPECT_FALSE(holds("os_name == sys_platform"));
}

TEST(PythonMarker, CouldHoldForSomeExtraOrGroup) {
  const auto can_hold = [](std::string_view text) {
    return Marker::parse(text)->can_hold(linux_311());
  };
  EXPECT_TRUE(can_hold("extra == 'gpu'"));
  EXPECT_TRUE(can_hold("'gpu' in extras and python_version > '3'"));
  EXPECT_TRUE(can_hold("extra != 'gpu'"));
  EXPECT_TRUE(can_hold("extra != '' and extra != 'gpu'"));
  EXPECT_TRUE(Marker().can_hold(linux_311()));
  EXPECT_FALSE(can_hold("extra == 'gpu' and sys_platform == 'never'"));
  EXPECT_FALSE(can_hold("extra == 'gpu' and extra == 'cpu'"));
  EXPECT_FALSE(can_hold("sys_platform == 'never'"));
}

TEST(PythonMarker, NormalFormIsThatOfPackaging) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"os.name=='nt'", "os_name == \"nt\""},
      {"python_implementation=='CPython'", "platform_python_implementation == \"CPython\""},
      {"((os_name=='a'))and(os_name=='b' or(os_name=='c'))",
       "os_name == \"a\" and (os_name == \"b\" or os_name == \"c\")"},
      {"(os_name=='a' and os_name=='b')", "os_name == \"a\" and os_name == \"b\""},
      {"extra == 'Foo_Bar'", "extra == \"foo-bar\""},
      {"'Foo_Bar' not  in extras", "\"foo-bar\" not in extras"},
      {"os_name == 'say \"x\"'", "os_name == 'say \"x\"'"},
      {R"(os_name == 'tab\tx\x41')", "os_name == \"tab\txA\""},
  };
  for (const auto& [text, normal] : rows) {
    const auto marker = Marker::parse(text);
    ASSERT_TRUE(marker) << text;
    EXPECT_EQ(marker->to_string(), normal);
  }
  EXPECT_EQ(Marker().to_string(), "");
  EXPECT_TRUE(Marker().holds({}));
}

TEST(PythonMarker, WhatIsNoMarkerIsAnErrorWithItsPosition) {
  const std::vector<std::pair<std::string, std::size_t>> rows = {
      {"", 0},
      {"python_version", 14},
      {"python_version >", 16},
      {"python_version > 3", 17},
      {"python_versions > '3'", 0},
      {"platform.release > '3'", 0},
      {"os_name == 'x", 11},
      {"(os_name == 'x'", 15},
      {"os_name == 'x')", 14},
      {"os_name == 'x' and", 18},
      {"os_name == 'x' && os_name == 'y'", 15},
      {"os_name notin 'x'", 8},
      {"os_name not 'x'", 8},
      {"os_name == 'x'\n", 14},
      {"os_name = 'x'", 8},
      {R"(os_name == '\x1')", 11},
      {R"(os_name == '\')", 11},
  };
  for (const auto& [text, position] : rows) {
    const auto marker = Marker::parse(text);
    ASSERT_FALSE(marker) << text;
    EXPECT_EQ(marker.error().offset, position) << text << ": " << marker.error().message;
  }
  EXPECT_EQ(Marker::parse("os_name = 'x'").error().message,
            "`= 'x'` in an environment marker, wanted a comparison: `<=`, `<`, `!=`, `==`, `>=`, "
            "`>`, `~=`, `===`, `in`, `not in`");
}

TEST(PythonMarker, HugeAndDeepMarkersAreRefusedAtOnce) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "os_name=='x'" + std::string(depth, ')');
  };
  EXPECT_TRUE(Marker::parse(nested(200)));
  EXPECT_EQ(Marker::parse(nested(201)).error().code, ErrorCode::LimitReached);
  EXPECT_EQ(Marker::parse(nested(100'000)).error().code, ErrorCode::LimitReached);
  EXPECT_FALSE(Marker::parse(std::string(60'000, '(')));
  EXPECT_EQ(Marker::parse(std::string(10'000'000, 'x')).error().code, ErrorCode::LimitReached);
  std::string wide = "extra == '0'";
  for (int i = 1; i < 3'500; ++i) wide += " or extra=='" + std::to_string(i) + "'";
  auto environment = linux_311();
  for (int i = 5'000; i < 5'100; ++i) environment.extras.insert(std::to_string(i));
  EXPECT_FALSE(holds(wide, environment));
  EXPECT_TRUE(Marker::parse(wide)->can_hold(environment));
}

TEST(PythonMarker, VariablesNotGivenAreThoseOfCPythonOnLinux) {
  EXPECT_TRUE(holds("sys_platform == 'linux' and os_name == 'posix'", {}));
  EXPECT_FALSE(holds("python_version > '3'", {})) << "no version is known";
  EXPECT_TRUE(holds("python_full_version == '3.12.0'",
                    MarkerEnvironment::for_interpreter("3.12", "aarch64")));
  EXPECT_TRUE(holds("python_version == '3.14' and python_full_version < '3.14.0rc2'",
                    MarkerEnvironment::for_interpreter("3.14.0rc1", "aarch64")));
  EXPECT_TRUE(holds("platform_machine == 'aarch64'",
                    MarkerEnvironment::for_interpreter("3.12", "aarch64")));
}

}  // namespace
}  // namespace loadable::python
