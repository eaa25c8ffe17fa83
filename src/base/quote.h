// SPDX-License-Identifier: Apache-2.0
#pragma once
// How bytes of unknown origin become text that is safe to show.

#include <string>
#include <string_view>

namespace loadable {

/// The text with control bytes and invalid UTF-8 written as `\n`, `\t`, `\xHH` and a backslash as
/// `\\`, so that no name can move the terminal's cursor or forge a line of the report.
[[nodiscard]] std::string printable(std::string_view bytes);

/// printable() between backticks, the form in which messages name files, fields and commands.
[[nodiscard]] std::string quoted(std::string_view bytes);

/// The text as valid UTF-8 for JSON: invalid bytes become U+FFFD; everything else is kept.
[[nodiscard]] std::string valid_utf8(std::string_view bytes);

}  // namespace loadable
