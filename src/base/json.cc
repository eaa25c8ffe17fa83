// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include "base/format.h"

namespace loadable {
namespace {

constexpr int kMaxDepth = 200;

// Brackets outside of strings, counted before parsing: the parser itself recurses.
bool is_nested_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  if (is_nested_too_deep(text)) {
    return fail(ErrorCode::LimitReached, format("JSON nested deeper than {} levels", kMaxDepth));
  }
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorCode::Malformed, format("no valid JSON: {}", error.what()));
  }
}

std::string dump_json(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace loadable
