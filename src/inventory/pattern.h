// SPDX-License-Identifier: Apache-2.0
#pragma once
// Patterns of --exclude.

#include <string>
#include <string_view>
#include <vector>

namespace loadable::inventory {

/// `*` and `?` match within a component, `**` across components. A pattern without a slash is held
/// against the last component, one that begins with a slash against the whole path, any other
/// against every tail of whole components.
[[nodiscard]] bool matches_path(std::string_view pattern, std::string_view path);

[[nodiscard]] bool is_excluded(const std::vector<std::string>& patterns, std::string_view path);

}  // namespace loadable::inventory
