// SPDX-License-Identifier: Apache-2.0
#include "report/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.h"
#include "check/catalogue.h"
#include "report/rules.h"
#include "report/search_text.h"

namespace loadable::report {
namespace {

using check::Role;
using check::Severity;
using testing::HasSubstr;
using testing::Not;

check::Finding finding_of(std::string rule, Severity severity, std::string path) {
  check::Finding finding;
  finding.rule = std::move(rule);
  finding.severity = severity;
  finding.provider = "onnxruntime:cuda";
  finding.providers = {finding.provider};
  finding.message = "the provider cannot load `" + finding.rule + "`";
  finding.effect = "the CPU";
  finding.locations.push_back({std::move(path), {}, std::nullopt, Role::Consumer});
  finding.locations.push_back({"/venv/lib/libq.so.1", "q 1.0", std::nullopt, Role::Library});
  finding.evidence.values = {{"request", {"libq.so.1"}}, {"asked_by", {"DT_NEEDED"}}};
  finding.evidence.search = {{"runpath", "/venv/a/libq.so.1", "absent", "/venv/p.so", ""},
                             {"env", "/opt/glibc-hwcaps/x86-64-v3/libq.so.1", "absent", "", ""},
                             {"env", "/opt/libq.so.1", "absent", "", ""},
                             {"cache", "", "not-in-cache", "", ""},
                             {"default", "/lib/x86_64-linux-gnu/libq.so.1", "absent", "", ""},
                             {"default", "/lib/libq.so.1", "absent", "", ""}};
  finding.remedies.push_back({"install", "install it", {"pip install q"}, {"network"}, false});
  return finding;
}

check::Report report_of(std::vector<check::Finding> findings) {
  check::Report report;
  report.target_kind = "venv";
  report.target_path = "/venv";
  report.machine = "x86_64";
  check::EnvironmentReport environment;
  environment.interpreter = "/venv/bin/python";
  environment.libc = "glibc 2.36";
  environment.python = "3.11.2";
  environment.variables = {{"LD_LIBRARY_PATH", "/opt"}};
  report.environments.push_back(environment);
  check::ProviderReport provider;
  provider.id = "onnxruntime:cuda";
  provider.distribution = "onnxruntime-gpu";
  provider.version = "1.24.4";
  provider.is_required = true;
  provider.verdicts.loadable = check::Verdict::No;
  provider.reasons = {{"loadable", "`libq.so.1` is elsewhere"}};
  provider.losses = {{"libx.so.2", "convolutions fail"}};
  provider.cause = "unreachable-library";
  provider.expected_at_run_time = {"libcuda.so.1"};
  report.providers.push_back(provider);
  report.findings = std::move(findings);
  report.not_checked = {"a real session"};
  return report;
}

/// One finding of every rule, so that no format can forget one.
std::vector<check::Finding> one_of_each() {
  std::vector<check::Finding> findings;
  for (const check::Rule& rule : check::catalogue()) {
    findings.push_back(finding_of(std::string(rule.name), rule.severity,
                                  "/venv/" + std::string(rule.name) + ".so"));
  }
  findings.back().severity = Severity::Note;
  return findings;
}

TEST(CheckFormats, EveryFindingAppearsInEachFormat) {
  const std::vector<check::Report> reports = {report_of(one_of_each())};
  for (const std::string& text :
       {check_json(reports, {"0.1.0", "2026-11-30"}), check_full(reports, {}),
        check_full(reports, {true, true, true}), check_concise(reports, {})}) {
    for (const check::Finding& finding : reports.front().findings) {
      EXPECT_THAT(text, HasSubstr(finding.message));
      EXPECT_THAT(text, HasSubstr(finding.rule));
    }
  }
}

TEST(CheckFormats, ConciseHasOneLineForEachFinding) {
  const std::vector<check::Report> reports = {report_of(one_of_each())};
  const std::string text = check_concise(reports, {});
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
            reports.front().findings.size());
  EXPECT_TRUE(text.starts_with(std::string(check::catalogue().front().name) + ".so: error["))
      << text;
}

TEST(CheckFormats, ConciseSaysWhyAnExaminationIsIncomplete) {
  check::Report report = report_of({});
  report.incidents.push_back({"/x", "permission denied"});
  report.is_complete = true;
  EXPECT_EQ(check_concise({report}, {}), "");
  report.is_complete = false;
  EXPECT_EQ(check_concise({report}, {}), "/x: not examined: permission denied\n");
}

TEST(CheckFormats, JsonKeepsTheContract) {
  const auto json = parse_json(
      check_json({report_of({finding_of("absent-library", Severity::Error, "/venv/p.so")})},
                 {"0.1.0", "2026-11-30"}));
  ASSERT_TRUE(json);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json->items()) keys.push_back(key);
  const std::vector<std::string> wanted = {"schema_version", "tool",     "target",   "environments",
                                           "layers",         "scenario", "complete", "providers",
                                           "findings",       "incidents"};
  ASSERT_GE(keys.size(), wanted.size());
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), keys.begin()));
  EXPECT_EQ((*json)["tool"]["knowledge"], "2026-11-30");
  EXPECT_EQ((*json)["providers"][0]["verdicts"]["loadable"], "no");
  EXPECT_EQ((*json)["providers"][0]["losses"][0]["library"], "libx.so.2");
  EXPECT_EQ((*json)["environments"][0]["cwd"], nullptr);
  const auto& finding = (*json)["findings"][0];
  EXPECT_EQ(finding["evidence"]["request"], "libq.so.1");
  EXPECT_EQ(finding["evidence"]["tried"][0]["outcome"], "absent");
  EXPECT_EQ(finding["remedies"][0]["proven"], false);
}

TEST(CheckFormats, SeveralTargetsAreReportsOfOneObject) {
  const check::Report report = report_of({});
  const auto json = parse_json(check_json({report, report}, {"0.1.0", "2026-11-30"}));
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["schema_version"], 1);
  ASSERT_EQ((*json)["reports"].size(), 2U);
  EXPECT_EQ((*json)["reports"][1]["schema_version"], 1);
}

TEST(CheckFormats, FullShowsSearchPlaceEffectAndRemedy) {
  const std::string text = check_full(
      {report_of({finding_of("unreachable-library", Severity::Error, "/venv/p.so")})}, {});
  EXPECT_THAT(text, HasSubstr("error[unreachable-library]: the provider cannot load"));
  EXPECT_THAT(text, HasSubstr("  --> p.so  needs it (DT_NEEDED)\n"));
  EXPECT_THAT(text, HasSubstr("RUNPATH of p.so"));
  EXPECT_THAT(text, HasSubstr("it is in this target: lib/libq.so.1 (q 1.0)"));
  EXPECT_THAT(text, HasSubstr("= effect: the CPU"));
  EXPECT_THAT(text, HasSubstr("pip install q"));
  EXPECT_THAT(text, HasSubstr("lost: `libx.so.2`: convolutions fail"));
  EXPECT_THAT(text, HasSubstr("expected from the host at run time: `libcuda.so.1`"));
  EXPECT_THAT(text, HasSubstr("not checked: a real session"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(CheckFormats, QuietShowsFindingsAndNothingElse) {
  const auto finding = finding_of("unreachable-library", Severity::Error, "/venv/p.so");
  check::Report report = report_of({finding});
  report.incidents.push_back({"/x", "permission denied"});
  const Style quiet{false, true, false};
  const std::string text = check_full({report}, quiet);
  EXPECT_THAT(text, ::testing::StartsWith("error[unreachable-library]: "));
  EXPECT_THAT(text, HasSubstr("pip install q"));
  EXPECT_THAT(text, Not(HasSubstr("shipped")));
  EXPECT_THAT(text, Not(HasSubstr("judged")));
  EXPECT_THAT(text, Not(HasSubstr("not checked")));
  EXPECT_EQ(check_full({report_of({})}, quiet), "");
}

TEST(CheckFormats, ASearchIsShownOnceForFindingsThatShareIt) {
  const check::Finding finding = finding_of("unreachable-library", Severity::Error, "/venv/p.so");
  const std::string text = check_full({report_of({finding, finding})}, {});
  EXPECT_THAT(text, HasSubstr("searched in the same places as the one above"));
  EXPECT_THAT(text, HasSubstr("fix: the same as above"));
}

TEST(CheckFormats, SubdirectoriesForCpusAreOnePlaceAndTripletsAreNot) {
  const std::string text = search_text(
      finding_of("absent-library", Severity::Error, "/venv/p.so").evidence.search, "/venv", {});
  EXPECT_THAT(text, Not(HasSubstr("glibc-hwcaps")));
  EXPECT_THAT(text, HasSubstr("/lib/x86_64-linux-gnu, /lib: not there"));
  EXPECT_THAT(text, HasSubstr("no entry of that name"));
}

TEST(CheckFormats, ACacheThatIsNotThereHasNoEntries) {
  check::SearchRow row;
  row.rule = "cache";
  row.outcome = "not-in-cache";
  row.detail = "not there";
  EXPECT_THAT(search_text({row}, "/venv", {}), HasSubstr("/etc/ld.so.cache       not there\n"));
}

TEST(CheckFormats, ANameCannotForgeALine) {
  check::Finding finding = finding_of("absent-library", Severity::Error, "/venv/a\nerror[x]: b");
  const std::vector<check::Report> reports = {report_of({finding})};
  EXPECT_THAT(check_concise(reports, {}), Not(HasSubstr("\nerror[x]")));
  EXPECT_THAT(check_full(reports, {}), Not(HasSubstr("\nerror[x]")));
}

TEST(CheckFormats, ColourIsOnlyThereWhereItIsAskedFor) {
  const std::vector<check::Report> reports = {report_of(one_of_each())};
  EXPECT_THAT(check_full(reports, {true, false, false}), HasSubstr("\x1b[1;31merror"));
  EXPECT_THAT(check_concise(reports, {false, false, false}), Not(HasSubstr("\x1b")));
}

TEST(RulesFormats, TextAndJsonHoldEveryRule) {
  const std::string text = rules_text({});
  const auto json = parse_json(rules_json());
  ASSERT_TRUE(json);
  ASSERT_EQ((*json)["rules"].size(), check::catalogue().size());
  for (const check::Rule& rule : check::catalogue()) {
    EXPECT_THAT(text, HasSubstr(std::string(rule.name)));
  }
}

}  // namespace
}  // namespace loadable::report
