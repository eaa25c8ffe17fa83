// SPDX-License-Identifier: Apache-2.0
#include "python/requirement_chain.h"

#include <gtest/gtest.h>

namespace loadable::python {
namespace {

using Texts = std::vector<std::string>;

MarkerEnvironment linux_311() { return MarkerEnvironment::for_interpreter("3.11", "x86_64"); }

/// One chain a line: `a 1 requires b[x] > b 2 [x] requires c`.
Texts chains(std::string_view name, const std::vector<Requirer>& all,
             const MarkerEnvironment& environment = linux_311(), std::size_t limit = 3) {
  Texts lines;
  for (const auto& chain : chains_to(name, all, environment, limit)) {
    std::string line;
    for (const ChainLink& link : chain) {
      if (!line.empty()) line += " > ";
      line += link.requirer + " " + link.version;
      if (!link.extra.empty()) line += " [" + link.extra + "]";
      line += " requires " + link.requirement;
    }
    lines.push_back(line);
  }
  return lines;
}

TEST(PythonRequirementChain, NamesWhoPulledADistributionIn) {
  const std::vector<Requirer> all = {
      {"onnxruntime", "1.24.4", {"numpy (>=1.21.6)"}},
      {"fastembed",
       "0.9.1",
       {"onnxruntime!=1.20.0,>=1.17.0 ; python_version >= \"3.10\"",
        "onnxruntime<1.17 ; python_version < \"3.10\"", "numpy>=1.21"}},
      {"my_app", "1.0", {"FastEmbed >=0.8"}},
      {"numpy", "2.3", {}},
  };
  EXPECT_EQ(chains("onnxruntime", all),
            Texts{"my_app 1.0 requires FastEmbed>=0.8 > "
                  "fastembed 0.9.1 requires onnxruntime!=1.20.0,>=1.17.0"});
  EXPECT_EQ(chains("NumPy", all),
            Texts{"my_app 1.0 requires FastEmbed>=0.8 > fastembed 0.9.1 requires numpy>=1.21"});
  EXPECT_EQ(chains("my-app", all), Texts{}) << "nobody requires it";
  EXPECT_EQ(chains("other", all), Texts{});
}

TEST(PythonRequirementChain, ShortestComeFirstThenByName) {
  const std::vector<Requirer> all = {
      {"d", "1", {"c"}},         {"c", "1", {"x>1"}}, {"b", "1", {"x"}},
      {"a", "1", {"x==2", "c"}}, {"e", "1", {"x"}},
  };
  EXPECT_EQ(chains("x", all), (Texts{"a 1 requires x==2", "b 1 requires x", "e 1 requires x"}));
  EXPECT_EQ(chains("x", all, linux_311(), 9).back(), "d 1 requires c > c 1 requires x>1");
  EXPECT_EQ(chains("x", all, linux_311(), 1).size(), 1U);
}

TEST(PythonRequirementChain, AnExtraCountsForThoseAloneWhoAskForIt) {
  std::vector<Requirer> all = {
      {"with-extra", "1", {"lib[gpu]"}},
      {"a-without", "1", {"lib"}},
      {"lib", "2", {"core-gpu ; extra == 'gpu'", "core ; extra == 'cpu'", "base"}},
  };
  EXPECT_EQ(chains("core-gpu", all),
            Texts{"with-extra 1 requires lib[gpu] > lib 2 [gpu] requires core-gpu"});
  EXPECT_EQ(chains("core", all), Texts{});
  EXPECT_EQ(chains("base", all).size(), 2U);
  auto environment = linux_311();
  environment.extras = {"cpu"};
  EXPECT_EQ(chains("core", all, environment), Texts{}) << "an extra chosen is one of a root";
  all.erase(all.begin(), all.begin() + 2);
  EXPECT_EQ(chains("core", all, environment), Texts{"lib 2 [cpu] requires core"});
}

TEST(PythonRequirementChain, AnExtraMayAskForOthersOfTheSameDistribution) {
  const std::vector<Requirer> all = {
      {"app", "1", {"lib[all]"}},
      {"lib", "2", {"lib[gpu]; extra == 'all'", "core-gpu ; extra == 'gpu'"}},
  };
  EXPECT_EQ(chains("core-gpu", all),
            Texts{"app 1 requires lib[all] > lib 2 [all] requires lib[gpu] > "
                  "lib 2 [gpu] requires core-gpu"});
}

TEST(PythonRequirementChain, CyclesEndAndBeginWithTheirFirstName) {
  EXPECT_EQ(chains("x", {{"c", "1", {"b"}}, {"b", "1", {"c", "a"}}, {"a", "1", {"x"}}}),
            Texts{"b 1 requires a > a 1 requires x"});
  EXPECT_EQ(chains("x", {{"x", "1", {"y"}}, {"y", "1", {"x"}}}), Texts{"y 1 requires x"});
  EXPECT_EQ(chains("x", {{"x", "1", {"x"}}}), Texts{});
  EXPECT_EQ(chains("x", {{"y", "1", {"y", "x"}}}), Texts{"y 1 requires x"});
}

TEST(PythonRequirementChain, WhatIsNoRequirementStillNamesSomebody) {
  EXPECT_EQ(chains("core", {{"old", "1", {"core >=1.0.* ; python_version<'2'"}}}),
            Texts{"old 1 requires core >=1.0.*"});
  EXPECT_EQ(chains("core", {{"conda", "1", {"core 1.2.* *_cp311"}}}),
            Texts{"conda 1 requires core 1.2.* *_cp311"});
  EXPECT_EQ(chains("", {{"odd", "1", {"", "; os_name", "\n"}}}), Texts{});
}

TEST(PythonRequirementChain, TwoOfOneNameAreAskedBoth) {
  EXPECT_EQ(chains("x", {{"a", "1", {}}, {"A", "2", {"x"}}}), Texts{"A 2 requires x"});
}

TEST(PythonRequirementChain, HugeGraphsEnd) {
  std::vector<Requirer> all;
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) {
    const std::string extra = "e" + std::to_string(i % 7);
    all.push_back({"n" + std::to_string(i),
                   "1",
                   {"n" + std::to_string((i + 1) % kCount) + "[" + extra + "]",
                    "n" + std::to_string((i * 7) % kCount), "hub",
                    "n" + std::to_string(i / 2) + "; extra == '" + extra + "'"}});
  }
  all.push_back({"hub", "1", {"target", "n0"}});
  EXPECT_EQ(chains("target", all), Texts{"hub 1 requires target"});
  std::vector<Requirer> line;
  for (int i = 0; i < kCount; ++i) {
    line.push_back({"n" + std::to_string(i), "1", {"n" + std::to_string(i + 1)}});
  }
  EXPECT_EQ(chains_to("n20000", line, linux_311()).front().size(), 20'000U);
}

}  // namespace
}  // namespace loadable::python
