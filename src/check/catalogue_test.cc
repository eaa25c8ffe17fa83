// SPDX-License-Identifier: Apache-2.0
#include "check/catalogue.h"

#include <gtest/gtest.h>

#include <set>

#include "check/embedded_rule_pages.h"
#include "check/filter.h"

namespace loadable::check {
namespace {

TEST(CheckCatalogue, EveryRuleHasItsPageAndEveryPageItsRule) {
  std::set<std::string> names;
  for (const Rule& rule : catalogue()) {
    EXPECT_TRUE(names.insert(std::string(rule.name)).second) << rule.name;
    const std::string_view page = rule_page(rule.name);
    EXPECT_TRUE(page.starts_with("# " + std::string(rule.name) + "\n")) << rule.name;
    EXPECT_NE(page.find("## How to fix"), std::string_view::npos) << rule.name;
  }
  for (const EmbeddedFile& file : embedded_rule_pages()) {
    EXPECT_TRUE(names.contains(std::string(file.name.substr(0, file.name.size() - 3))))
        << file.name;
  }
}

TEST(CheckCatalogue, AMistypedRuleFindsItsNeighbour) {
  EXPECT_EQ(nearest_rule("unreachable-libary"), "unreachable-library");
  EXPECT_EQ(nearest_rule("absent"), "");
  EXPECT_EQ(nearest_rule("zzzzzz"), "");
  EXPECT_EQ(nearest_rule(std::string(10'000, 'a')), "");
}

Report report_with(std::string rule, std::string path) {
  Report report;
  Finding finding;
  finding.rule = std::move(rule);
  finding.message = "m";
  finding.locations.push_back({std::move(path), {}, std::nullopt, Role::Consumer});
  report.findings.push_back(std::move(finding));
  return report;
}

TEST(CheckFilter, AnIgnoredRuleDoesNotCountUntilItsRowExpires) {
  Filter filter;
  filter.today = "2026-11-30";
  filter.ignore.push_back({"absent-library", {}, "known", "2026-11-30"});
  Report report = report_with("absent-library", "/a.so");
  apply(filter, report);
  EXPECT_TRUE(report.findings.empty());
  ASSERT_EQ(report.suppressed.size(), 1U);
  EXPECT_EQ(report.suppressed.front().reason, "known");
  filter.today = "2026-12-01";
  report = report_with("absent-library", "/a.so");
  apply(filter, report);
  EXPECT_EQ(report.findings.size(), 1U);
}

TEST(CheckFilter, APathOfAnIgnoreRowIsAPattern) {
  Filter filter;
  filter.ignore.push_back({"*", "/site/qt/*", {}, {}});
  Report report = report_with("absent-library", "/site/qt/plugins/a.so");
  apply(filter, report);
  EXPECT_TRUE(report.findings.empty());
  report = report_with("absent-library", "/site/other/a.so");
  apply(filter, report);
  EXPECT_EQ(report.findings.size(), 1U);
}

TEST(CheckFilter, OnlySelectedRulesCount) {
  Filter filter;
  filter.select = {"driver-stub"};
  Report report = report_with("absent-library", "/a.so");
  apply(filter, report);
  EXPECT_TRUE(report.findings.empty());
}

TEST(CheckFilter, ABaselineTakesOutWhatItHoldsAndNothingElse) {
  const auto known = read_baseline(
      R"({"schema_version": 1, "findings": [{"rule": "absent-library", "provider": null,
          "locations": [{"path": "/a.so"}], "evidence": {}}]})");
  ASSERT_TRUE(known) << known.error().to_string();
  Filter filter;
  filter.baseline = *known;
  Report report = report_with("absent-library", "/a.so");
  apply(filter, report);
  EXPECT_TRUE(report.findings.empty());
  report = report_with("absent-library", "/b.so");
  apply(filter, report);
  EXPECT_EQ(report.findings.size(), 1U);
}

TEST(CheckFilter, WhatIsNoReportIsNoBaseline) {
  EXPECT_FALSE(read_baseline("[]"));
  EXPECT_FALSE(read_baseline("{}"));
  EXPECT_FALSE(read_baseline("not json"));
}

TEST(CheckFilter, TheExitStatusSaysFindingsBeforeIncomplete) {
  Report report = report_with("absent-library", "/a.so");
  report.findings.front().severity = Severity::Warning;
  EXPECT_EQ(exit_status({report}, Severity::Error), 0);
  EXPECT_EQ(exit_status({report}, Severity::Warning), 1);
  report.is_complete = false;
  EXPECT_EQ(exit_status({report}, Severity::Error), 3);
  EXPECT_EQ(exit_status({report}, Severity::Note), 1);
}

}  // namespace
}  // namespace loadable::check
