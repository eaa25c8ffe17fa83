// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace loadable::cli {

/// The release, for example `0.1.0`.
[[nodiscard]] std::string_view program_version();
/// What `--version` prints, with the date of the knowledge.
[[nodiscard]] std::string version_text();

}  // namespace loadable::cli
