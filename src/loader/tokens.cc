// SPDX-License-Identifier: Apache-2.0
#include "loader/tokens.h"

#include <algorithm>
#include <array>

namespace loadable::loader {
namespace {

enum class Token : unsigned char { Origin, Platform, Lib };

struct Match {
  Token token = Token::Origin;
  std::size_t length = 0;  ///< without the dollar, with braces; 0: no token
};

bool continues_identifier(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// The token that begins after a dollar. glibc's is_dst also refuses `${ORIGIN}` when an
/// identifier character stands where the closing brace should, and nothing else.
Match match_token(std::string_view after_dollar) {
  constexpr std::array<std::pair<std::string_view, Token>, 3> kTokens = {
      {{"ORIGIN", Token::Origin}, {"PLATFORM", Token::Platform}, {"LIB", Token::Lib}}};
  const bool is_braced = after_dollar.starts_with('{');
  const std::string_view text = after_dollar.substr(is_braced ? 1 : 0);
  for (const auto& [name, token] : kTokens) {
    if (!text.starts_with(name)) continue;
    const char next = text.size() > name.size() ? text[name.size()] : '\0';
    if (is_braced ? next != '}' : continues_identifier(next)) continue;
    return {token, name.size() + (is_braced ? 2 : 0)};
  }
  return {};
}

std::optional<std::string_view> value_of(Token token, const TokenValues& values) {
  if (token == Token::Origin) return values.origin;
  return token == Token::Platform ? values.platform : values.lib;
}

}  // namespace

bool has_token(std::string_view text) {
  for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    if (match_token(text.substr(at + 1)).length != 0) return true;
  }
  return false;
}

std::optional<std::string> expand_tokens(std::string_view text, const TokenValues& values) {
  std::string result;
  bool must_be_trusted = false;
  for (std::size_t at = 0; at < text.size();) {
    const Match match = text[at] == '$' ? match_token(text.substr(at + 1)) : Match{};
    if (match.length == 0) {
      result.push_back(text[at++]);
      continue;
    }
    const std::size_t end = at + 1 + match.length;
    if (match.token == Token::Origin && values.is_secure) {
      const bool is_first_component = at == 0 && (end == text.size() || text[end] == '/');
      if (!is_first_component) return std::nullopt;
      must_be_trusted = values.is_program;
    }
    const auto value = value_of(match.token, values);
    if (!value) return std::nullopt;
    result.append(*value);
    at = end;
  }
  if (must_be_trusted && values.trusted_dirs != nullptr &&
      !is_trusted_path(result, *values.trusted_dirs)) {
    return std::nullopt;
  }
  return result;
}

bool is_trusted_path(std::string_view path, const std::vector<std::string>& trusted_dirs) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, slash - at);
    at = slash + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  std::string normal = "/";
  for (const auto part : parts) normal.append(part).push_back('/');
  return std::any_of(trusted_dirs.begin(), trusted_dirs.end(),
                     [&](const std::string& dir) { return normal.starts_with(dir); });
}

}  // namespace loadable::loader
