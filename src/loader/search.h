// SPDX-License-Identifier: Apache-2.0
#pragma once
// glibc's ordered search for a name without a slash, and its opening of one with. Internal.

#include <vector>

#include "loader/state.h"

namespace loadable::loader {

/// Where a search ended.
struct SearchResult {
  Outcome outcome = Outcome::Absent;  ///< Found, Unusable (the load ends) or Absent (missing)
  Rule rule = Rule::Default;
  const Hit* hit = nullptr;               ///< for Found and Unusable
  bool saw_other_class = false;           ///< for Absent: the message is another
  ErrorCode error = ErrorCode::NotFound;  ///< of the last attempt
};

/// _dl_map_object (elf/dl-load.c) up to the open file. `loader`: the object that asks, whose
/// tokens, RPATH and RUNPATH count. Appends every candidate to `trace` unless it is null.
SearchResult search_glibc(const Process::State& state, NameId name, ObjectIndex loader,
                          std::vector<Candidate>* trace);

}  // namespace loadable::loader
