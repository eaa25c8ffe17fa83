// SPDX-License-Identifier: Apache-2.0
#pragma once
// The encoding of requirements files: UTF-8, or what a byte order mark says.

#include <string>
#include <string_view>

namespace loadable::python {

/// The text as UTF-8 without a byte order mark, as pip 26.3 decodes it (auto_decode): PowerShell
/// writes `pip freeze > requirements.txt` as UTF-16. What is no character becomes U+FFFD.
[[nodiscard]] std::string decoded(std::string_view text);

}  // namespace loadable::python
