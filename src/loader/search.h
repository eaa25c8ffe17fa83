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

struct SearchOptions {
  std::vector<Candidate>* trace = nullptr;  ///< every candidate is appended
  /// LD_PRELOAD in secure mode: only set-user-ID files in the directories, and no cache.
  bool needs_setuid = false;
};

/// _dl_map_object (elf/dl-load.c) up to the open file. `loader`: the object that asks, whose
/// tokens, RPATH and RUNPATH count.
SearchResult search_glibc(const Process::State& state, NameId name, ObjectIndex loader,
                          const SearchOptions& options);

}  // namespace loadable::loader
