// SPDX-License-Identifier: Apache-2.0
#pragma once
// Symbol versions as glibc checks them when objects are mapped (elf/dl-version.c). Internal.

#include <optional>
#include <string>

#include "loader/state.h"

namespace loadable::loader {

enum class VersionMode : std::uint8_t {
  Start,  ///< every object; also warns where a provider has no versions
  Dlopen  ///< only what the step loaded
};

/// Whose versions count where a file's are needed.
struct VersionProvider {
  std::optional<ObjectIndex> object;
  bool is_absent = false;  ///< it is missing; a trace has a stand-in of that name
};

/// find_needed: the names under which objects were asked for, in the order of the link map, where
/// the stand-in of a miss may come first.
VersionProvider find_version_provider(const Process::State& state, const std::string& file);

/// Checks the DT_VERNEED of `objects`, in that order, against their providers; adds failures (and
/// warnings). Returns the first failure's message; empty: none.
std::string check_versions(Process::State& state, const ObjectList& objects, VersionMode mode);

}  // namespace loadable::loader
