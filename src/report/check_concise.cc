// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "report/check.h"

namespace loadable::report {

std::string check_concise(const std::vector<check::Report>& reports, const Style& style) {
  std::string text;
  for (const check::Report& report : reports) {
    for (const check::Finding& finding : report.findings) {
      std::string place =
          finding.locations.empty() ? report.target_path : finding.locations.front().path;
      if (reports.size() == 1) place = shown_path(place, report.target_path);
      if (!finding.locations.empty() && finding.locations.front().line > 0) {
        place += format(":{}", finding.locations.front().line);
      }
      const std::string head = format("{}[{}]", check::to_string(finding.severity), finding.rule);
      text += format("{}: {} {}\n", printable(place), paint(style, finding.severity, head),
                     finding.message);
    }
    if (report.is_complete) continue;  // what could not be examined decided nothing
    for (const check::Incident& incident : report.incidents) {
      text +=
          format("{}: not examined: {}\n", printable(incident.path), printable(incident.message));
    }
  }
  return text;
}

}  // namespace loadable::report
