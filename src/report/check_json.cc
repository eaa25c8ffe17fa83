// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/quote.h"
#include "report/check.h"

namespace loadable::report {
namespace {

using check::Finding;
using check::ProviderReport;
using check::Report;

Json texts(const std::vector<std::string>& list) {
  Json json = Json::array();
  for (const std::string& text : list) json.push_back(valid_utf8(text));
  return json;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(valid_utf8(text));
}

Json target_json(const Report& report) {
  Json json;
  json["kind"] = report.target_kind;
  json["path"] = valid_utf8(report.target_path);
  json["machine"] = report.machine;
  if (!report.root.empty()) json["root"] = valid_utf8(report.root);
  if (!report.sources.empty()) json["read"] = texts(report.sources);
  return json;
}

Json environment_json(const check::EnvironmentReport& environment) {
  Json json;
  json["id"] = environment.id;
  json["interpreter"] = valid_utf8(environment.interpreter);
  json["libc"] = environment.libc;
  json["python"] = text_or_null(environment.python);
  Json variables = Json::object();
  for (const auto& [name, value] : environment.variables) {
    variables[valid_utf8(name)] = valid_utf8(value);
  }
  json["variables"] = std::move(variables);
  json["cwd"] = environment.cwd ? Json(valid_utf8(*environment.cwd)) : Json(nullptr);
  return json;
}

Json provider_json(const ProviderReport& provider) {
  Json json;
  json["id"] = provider.id;
  json["environment"] = provider.environment;
  json["distribution"] = text_or_null(provider.distribution);
  json["version"] = text_or_null(provider.version);
  json["required"] = provider.is_required;
  Json verdicts;
  verdicts["shipped"] = check::to_string(provider.verdicts.shipped);
  verdicts["intact"] = check::to_string(provider.verdicts.intact);
  verdicts["loadable"] = check::to_string(provider.verdicts.loadable);
  verdicts["usable"] = check::to_string(provider.verdicts.usable);
  verdicts["used"] = check::to_string(provider.verdicts.used);
  json["verdicts"] = std::move(verdicts);
  Json reasons = Json::object();
  for (const auto& [verdict, reason] : provider.reasons) reasons[verdict] = valid_utf8(reason);
  json["reasons"] = std::move(reasons);
  Json losses = Json::array();
  for (const check::Loss& loss : provider.losses) {
    Json entry;
    entry["library"] = valid_utf8(loss.library);
    entry["effect"] = valid_utf8(loss.effect);
    losses.push_back(std::move(entry));
  }
  json["losses"] = std::move(losses);
  json["cause"] = text_or_null(provider.cause);
  json["effect"] = text_or_null(provider.effect);
  json["expected_at_run_time"] = texts(provider.expected_at_run_time);
  json["lowest_driver"] = text_or_null(provider.lowest_driver);
  json["confidence"] = provider.confidence;
  return json;
}

Json location_json(const check::Location& location) {
  Json json;
  json["path"] = valid_utf8(location.path);
  if (!location.distribution.empty()) json["distribution"] = valid_utf8(location.distribution);
  if (location.layer) json["layer"] = *location.layer;
  if (location.line > 0) json["line"] = location.line;
  json["role"] = check::to_string(location.role);
  return json;
}

/// Values that are lists even where they have one entry.
constexpr std::array<std::string_view, 9> kLists = {"symbols", "follows",   "files",
                                                    "hashes",  "witnesses", "chain",
                                                    "members", "packages",  "versions"};

Json evidence_json(const check::Evidence& evidence) {
  Json json = Json::object();
  for (const auto& [name, values] : evidence.values) {
    const bool is_list =
        values.size() != 1 || std::find(kLists.begin(), kLists.end(), name) != kLists.end();
    json[valid_utf8(name)] = is_list ? texts(values) : Json(valid_utf8(values.front()));
  }
  if (evidence.search.empty()) return json;
  Json tried = Json::array();
  for (const check::SearchRow& row : evidence.search) {
    Json entry;
    entry["rule"] = row.rule;
    entry["path"] = valid_utf8(row.path);
    entry["outcome"] = row.outcome;
    if (!row.owner.empty()) entry["owner"] = valid_utf8(row.owner);
    if (!row.detail.empty()) entry["detail"] = valid_utf8(row.detail);
    tried.push_back(std::move(entry));
  }
  json["tried"] = std::move(tried);
  return json;
}

Json remedy_json(const check::Remedy& remedy) {
  Json json;
  json["id"] = remedy.id;
  json["title"] = valid_utf8(remedy.title);
  json["commands"] = texts(remedy.commands);
  json["side_effects"] = texts(remedy.side_effects);
  json["proven"] = remedy.is_proven;
  return json;
}

Json finding_json(const Finding& finding) {
  Json json;
  json["rule"] = finding.rule;
  json["severity"] = check::to_string(finding.severity);
  json["provider"] = text_or_null(finding.provider);
  if (finding.providers.size() > 1) json["providers"] = texts(finding.providers);
  json["message"] = valid_utf8(finding.message);
  if (!finding.effect.empty()) json["effect"] = valid_utf8(finding.effect);
  if (!finding.notes.empty()) json["notes"] = texts(finding.notes);
  Json locations = Json::array();
  for (const check::Location& location : finding.locations) {
    locations.push_back(location_json(location));
  }
  json["locations"] = std::move(locations);
  json["evidence"] = evidence_json(finding.evidence);
  Json remedies = Json::array();
  for (const check::Remedy& remedy : finding.remedies) remedies.push_back(remedy_json(remedy));
  json["remedies"] = std::move(remedies);
  return json;
}

template <class List, class Function>
Json array_of(const List& list, Function function) {
  Json json = Json::array();
  for (const auto& item : list) json.push_back(function(item));
  return json;
}

void fill(const Report& report, const Tool& tool, Json& json) {
  Json self;
  self["name"] = "loadable";
  self["version"] = tool.version;
  self["knowledge"] = tool.knowledge;
  json["tool"] = std::move(self);
  json["target"] = target_json(report);
  json["environments"] = array_of(report.environments, environment_json);
  json["layers"] = Json::array();
  json["scenario"] = Json{{"after", texts(report.after)}};
  json["complete"] = report.is_complete;
  json["providers"] = array_of(report.providers, provider_json);
  json["findings"] = array_of(report.findings, finding_json);
  json["incidents"] = array_of(report.incidents, [](const check::Incident& incident) {
    return Json{{"path", valid_utf8(incident.path)}, {"message", valid_utf8(incident.message)}};
  });
  json["suppressed"] = array_of(report.suppressed, [](const check::Suppressed& suppressed) {
    return Json{{"rule", suppressed.rule},
                {"message", valid_utf8(suppressed.message)},
                {"reason", valid_utf8(suppressed.reason)}};
  });
  json["not_checked"] = texts(report.not_checked);
  Json counts;
  counts["files"] = report.counts.files;
  counts["objects"] = report.counts.objects;
  counts["judged"] = report.counts.judged;
  counts["distributions"] = report.counts.distributions;
  json["counts"] = std::move(counts);
}

}  // namespace

std::string check_json(const std::vector<Report>& reports, const Tool& tool) {
  Json json;
  json["schema_version"] = 1;
  if (reports.size() == 1) {
    fill(reports.front(), tool, json);
    return dump_json(json);
  }
  json["reports"] = array_of(reports, [&](const Report& report) {
    Json one;
    one["schema_version"] = 1;
    fill(report, tool, one);
    return one;
  });
  return dump_json(json);
}

}  // namespace loadable::report
