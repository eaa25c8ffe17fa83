// SPDX-License-Identifier: Apache-2.0
#include "report/rules.h"

#include <algorithm>

#include "base/format.h"
#include "base/json.h"
#include "check/catalogue.h"

namespace loadable::report {

std::string rules_text(const Style& style) {
  std::size_t width = 0;
  for (const check::Rule& rule : check::catalogue()) width = std::max(width, rule.name.size());
  std::string text;
  for (const check::Rule& rule : check::catalogue()) {
    const std::string severity = format("{:<8}", check::to_string(rule.severity));
    text += format("{:<{}}  {:<9} {} {}\n", rule.name, width, check::to_string(rule.question),
                   paint(style, rule.severity, severity), rule.summary);
  }
  return text +
         "\nThe severity is that for a required provider at its highest; for others it is "
         "one step lower.\n`loadable explain RULE` tells more.\n";
}

std::string rules_json() {
  Json json;
  json["schema_version"] = 1;
  json["rules"] = Json::array();
  for (const check::Rule& rule : check::catalogue()) {
    Json entry;
    entry["name"] = rule.name;
    entry["verdict"] = check::to_string(rule.question);
    entry["severity"] = check::to_string(rule.severity);
    entry["summary"] = rule.summary;
    json["rules"].push_back(std::move(entry));
  }
  return dump_json(json);
}

}  // namespace loadable::report
