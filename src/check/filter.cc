// SPDX-License-Identifier: Apache-2.0
#include "check/filter.h"

#include <algorithm>
#include <set>

#include "accel/knowledge.h"
#include "base/format.h"
#include "base/json.h"
#include "base/quote.h"

namespace loadable::check {
namespace {

KnownFinding identity_of(const Finding& finding) {
  KnownFinding known;
  known.rule = finding.rule;
  known.provider = finding.provider;
  if (!finding.locations.empty()) known.path = valid_utf8(finding.locations.front().path);
  for (const auto& [name, values] : finding.evidence.values) {
    if (name == "request" && !values.empty()) known.request = valid_utf8(values.front());
  }
  return known;
}

bool matches(const Ignore& ignore, const Finding& finding) {
  if (ignore.rule != "*" && ignore.rule != finding.rule) return false;
  if (ignore.path.empty()) return true;
  return std::any_of(
      finding.locations.begin(), finding.locations.end(),
      [&](const Location& location) { return accel::fits(ignore.path, location.path); });
}

/// Why a finding does not count; nothing: it does.
std::optional<std::string> excuse(const Filter& filter, const Finding& finding,
                                  const std::set<KnownFinding>& known) {
  const auto& select = filter.select;
  if (!select.empty() && std::find(select.begin(), select.end(), finding.rule) == select.end()) {
    return "not selected";
  }
  for (const Ignore& ignore : filter.ignore) {
    if (!ignore.expires.empty() && ignore.expires < filter.today) continue;
    if (!matches(ignore, finding)) continue;
    return ignore.reason.empty() ? "ignored" : ignore.reason;
  }
  if (known.contains(identity_of(finding))) return "in the baseline";
  return std::nullopt;
}

std::string text_at(const Json& json, const char* key) {
  const auto at = json.find(key);
  return at != json.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

void collect(const Json& report, std::vector<KnownFinding>& out) {
  const auto findings = report.find("findings");
  if (findings == report.end() || !findings->is_array()) return;
  for (const Json& finding : *findings) {
    if (!finding.is_object()) continue;
    KnownFinding known{text_at(finding, "rule"), text_at(finding, "provider"), {}, {}};
    const auto locations = finding.find("locations");
    if (locations != finding.end() && locations->is_array() && !locations->empty() &&
        locations->front().is_object()) {
      known.path = text_at(locations->front(), "path");
    }
    const auto evidence = finding.find("evidence");
    if (evidence != finding.end() && evidence->is_object()) {
      known.request = text_at(*evidence, "request");
    }
    out.push_back(std::move(known));
  }
}

}  // namespace

void apply(const Filter& filter, Report& report) {
  const std::set<KnownFinding> known =
      filter.baseline ? std::set<KnownFinding>(filter.baseline->begin(), filter.baseline->end())
                      : std::set<KnownFinding>{};
  std::vector<Finding> kept;
  for (Finding& finding : report.findings) {
    if (auto reason = excuse(filter, finding, known)) {
      report.suppressed.push_back({finding.rule, finding.message, std::move(*reason)});
    } else {
      kept.push_back(std::move(finding));
    }
  }
  report.findings = std::move(kept);
}

Result<std::vector<KnownFinding>> read_baseline(std::string_view json) {
  auto parsed = parse_json(json);
  if (!parsed) return fail(parsed.error());
  std::vector<KnownFinding> known;
  if (!parsed->is_object() || !text_at(*parsed, "schema_version").empty()) {
    return fail(ErrorCode::Malformed, "no report of `loadable check --format json`");
  }
  const auto reports = parsed->find("reports");
  if (reports != parsed->end() && reports->is_array()) {
    for (const Json& report : *reports) {
      if (report.is_object()) collect(report, known);
    }
    return known;
  }
  if (parsed->find("findings") == parsed->end()) {
    return fail(ErrorCode::Malformed,
                "no `findings` in it; wanted a report of `loadable check --format json`");
  }
  collect(*parsed, known);
  return known;
}

int exit_status(const std::vector<Report>& reports, Severity fail_on) {
  bool is_complete = true;
  for (const Report& report : reports) {
    is_complete = is_complete && report.is_complete;
    const bool fails =
        std::any_of(report.findings.begin(), report.findings.end(),
                    [&](const Finding& finding) { return finding.severity >= fail_on; });
    if (fails) return 1;
  }
  return is_complete ? 0 : 3;
}

Result<Severity> parse_severity(std::string_view text) {
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
    if (text == to_string(severity)) return severity;
  }
  return fail(ErrorCode::InvalidArgument,
              format("unknown severity {}; accepted: `error`, `warning`, `note`", quoted(text)));
}

}  // namespace loadable::check
