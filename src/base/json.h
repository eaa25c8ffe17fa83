// SPDX-License-Identifier: Apache-2.0
#pragma once
// The only door to JSON. Heavy: include it in .cc files only.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace loadable {

/// A JSON value whose objects keep the order in which their members were added.
using Json = nlohmann::ordered_json;

/// Parses a text. Errors: Malformed with the position; LimitReached when nested over 200 deep.
Result<Json> parse_json(std::string_view text);

/// The text of a value, indented by two spaces, with a newline at its end. Invalid UTF-8 in strings
/// becomes U+FFFD; it never throws.
std::string dump_json(const Json& value);

}  // namespace loadable
