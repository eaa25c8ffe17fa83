// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "python/lock.h"
#include "python/specifier.h"
#include "python/version.h"

namespace loadable::python {

std::vector<std::string> releases_for(std::string requires_python) {
  if (requires_python.starts_with('^') || requires_python.starts_with('~')) {
    const bool is_pep440 = requires_python.starts_with("~=");
    if (!is_pep440) requires_python = ">=" + requires_python.substr(1);  // poetry's
  }
  const auto specifiers = SpecifierSet::parse(requires_python);
  std::vector<std::string> releases;
  if (!specifiers || specifiers->empty()) return releases;
  for (int minor = 8; minor <= 15; ++minor) {
    // Bounds such as `>=3.11.4` allow later patches of the release.
    for (const int patch : {0, 99}) {
      const auto version = Version::parse(format("3.{}.{}", minor, patch));
      if (!version || !specifiers->contains(*version)) continue;
      releases.push_back(format("3.{}", minor));
      break;
    }
  }
  return releases;
}

}  // namespace loadable::python
