// SPDX-License-Identifier: Apache-2.0
#include "loader/provided.h"

#include <fnmatch.h>

#include <algorithm>

namespace loadable::loader {
namespace {

bool fits(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

}  // namespace

bool is_provided(const Environment& environment, const std::string& name) {
  return std::any_of(environment.provided.begin(), environment.provided.end(),
                     [&](const Provided& row) { return fits(row.library, name); });
}

bool may_be_provided(const Process::State& state, const std::string& symbol,
                     const std::string& version_file) {
  const auto& rows = state.session->environment.provided;
  return std::any_of(state.provided.begin(), state.provided.end(), [&](const Missing& absent) {
    if (!version_file.empty() && version_file == absent.name) return true;
    return std::any_of(rows.begin(), rows.end(), [&](const Provided& row) {
      return fits(row.library, absent.name) &&
             std::any_of(row.symbols.begin(), row.symbols.end(),
                         [&](const std::string& pattern) { return fits(pattern, symbol); });
    });
  });
}

}  // namespace loadable::loader
