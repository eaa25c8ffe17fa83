// SPDX-License-Identifier: Apache-2.0
#pragma once
// Symbol versions as glibc checks them when objects are mapped (elf/dl-version.c). Internal.

#include "loader/state.h"

namespace loadable::loader {

enum class VersionMode : std::uint8_t {
  Start,  ///< every object; also warns where a provider has no versions
  Dlopen  ///< only what the step loaded
};

/// Checks the DT_VERNEED of members from `first` on against their providers; adds failures (and
/// warnings). Returns the first failure's message; empty: none.
std::string check_versions(Process::State& state, ObjectIndex first, VersionMode mode);

}  // namespace loadable::loader
