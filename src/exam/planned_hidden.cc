// SPDX-License-Identifier: Apache-2.0
// Modules that an import would not find, because a package of another wheel has their name.

#include <map>
#include <string_view>

#include "base/quote.h"
#include "exam/planned.h"

namespace loadable::exam {
namespace {

bool is_module(std::string_view name) { return name.ends_with(".py") || name.ends_with(".so"); }

check::Member member_of(const PlannedDistribution& planned) {
  check::Member member;
  member.name = printable(planned.name);
  member.version = printable(planned.version);
  return member;
}

/// Packages right in the site directory: `attr` of `attr/__init__.py`, and who brings it first.
std::map<std::string_view, const PlannedDistribution*> packages_of(const Plan& plan) {
  std::map<std::string_view, const PlannedDistribution*> packages;
  for (const PlannedDistribution& planned : plan.distributions) {
    if (!planned.files) continue;
    for (const PlannedFile& file : *planned.files) {
      const std::string_view path = file.path;
      const std::size_t slash = path.find('/');
      if (slash == 0 || slash == path.npos) continue;
      const std::string_view inside = path.substr(slash + 1);
      if (inside.starts_with("__init__.") && is_module(inside) && inside.find('/') == inside.npos) {
        packages.emplace(path.substr(0, slash), &planned);
      }
    }
  }
  return packages;
}

}  // namespace

std::vector<check::HiddenFacts> find_planned_hidden(const Plan& plan) {
  constexpr std::size_t kMost = 100;
  std::vector<check::HiddenFacts> all;
  const auto packages = packages_of(plan);
  for (const PlannedDistribution& planned : plan.distributions) {
    if (!planned.files) continue;
    for (const PlannedFile& file : *planned.files) {
      const std::string_view path = file.path;
      if (path.find('/') != path.npos || !is_module(path) || all.size() >= kMost) continue;
      const auto package = packages.find(path.substr(0, path.find('.')));
      // Who brings both means it.
      if (package == packages.end() || package->second == &planned) continue;
      check::HiddenFacts hidden;
      hidden.package = printable(package->first) + "/";
      hidden.module = printable(path);
      hidden.package_of = member_of(*package->second);
      hidden.module_of = member_of(planned);
      hidden.package_place = package->second->place;
      hidden.module_place = planned.place;
      hidden.selection = plan.selection;
      all.push_back(std::move(hidden));
    }
  }
  return all;
}

}  // namespace loadable::exam
