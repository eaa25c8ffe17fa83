// SPDX-License-Identifier: Apache-2.0
#include "exam/complete.h"

#include <algorithm>
#include <tuple>

namespace loadable::exam {
namespace {

bool is_at_or_below(const std::string& path, const std::string& directory) {
  if (!path.starts_with(directory)) return false;
  return path.size() == directory.size() || directory == "/" || path[directory.size()] == '/';
}

}  // namespace

void settle_completeness(const Scene& scene, check::Report& report) {
  report.is_complete = scene.is_complete;
  for (const inventory::Incident& incident : scene.inventory.incidents) {
    report.incidents.push_back({incident.path, incident.message});
  }
  report.incidents.insert(report.incidents.end(), scene.incidents.begin(), scene.incidents.end());
  const auto key = [](const check::Incident& incident) {
    return std::tie(incident.path, incident.message);
  };
  std::sort(report.incidents.begin(), report.incidents.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  report.incidents.erase(
      std::unique(report.incidents.begin(), report.incidents.end(),
                  [&](const auto& a, const auto& b) { return key(a) == key(b); }),
      report.incidents.end());
  const bool has_required = std::any_of(report.providers.begin(), report.providers.end(),
                                        [](const auto& provider) { return provider.is_required; });
  // Where something is required, a walk that was cut off may have missed it.
  if (has_required && !scene.inventory.is_complete) report.is_complete = false;
  for (const check::Incident& incident : report.incidents) {
    const bool matters =
        std::any_of(scene.rests_on.begin(), scene.rests_on.end(), [&](const std::string& path) {
          return is_at_or_below(incident.path, path) || is_at_or_below(path, incident.path);
        });
    if (matters) report.is_complete = false;
  }
}

}  // namespace loadable::exam
