// SPDX-License-Identifier: Apache-2.0
#pragma once
// Environment::provided: what the host supplies at run time is no miss. Internal to this folder.

#include <string>
#include <string_view>

#include "loader/state.h"

namespace loadable::loader {

/// Does the environment cover a request of that name?
[[nodiscard]] bool is_provided(const Environment& environment, const std::string& name);

/// May an undefined symbol come from a library that is provided and absent? `version_file` is the
/// vn_file of its version; empty: it has none.
[[nodiscard]] bool may_be_provided(const Process::State& state, const std::string& symbol,
                                   const std::string& version_file);

}  // namespace loadable::loader
