// SPDX-License-Identifier: Apache-2.0
// requires.txt of setuptools: requirements line by line, in sections `[extra]`, `[extra:marker]`
// and
// `[:marker]` (setuptools.command.egg_info; read by importlib.metadata.Distribution.requires).

#include "base/format.h"
#include "python/blanks.h"
#include "python/metadata.h"

namespace loadable::python {
namespace {

constexpr std::size_t kMaxResult = std::size_t{8} << 20U;

std::string_view take_line(std::string_view* rest) {
  const std::size_t end = rest->find_first_of("\r\n");
  const std::string_view line = rest->substr(0, end);
  rest->remove_prefix(end == std::string_view::npos ? rest->size() : end + 1);
  return without_blanks(line);
}

std::string_view without_brackets(std::string_view text) {
  const auto is_bracket = [](char c) { return c == '[' || c == ']'; };
  while (!text.empty() && is_bracket(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_bracket(text.back())) text.remove_suffix(1);
  return text;
}

std::string marker_of(std::string_view section) {
  const std::size_t colon = section.find(':');
  const std::string_view extra = section.substr(0, colon);
  const std::string_view marker =
      colon == std::string_view::npos ? std::string_view{} : section.substr(colon + 1);
  if (extra.empty()) return std::string(marker);
  const std::string condition = format("extra == \"{}\"", extra);
  return marker.empty() ? condition : format("({}) and {}", marker, condition);
}

std::string joined(std::string_view line, std::string_view marker) {
  if (marker.empty()) return std::string(line);
  const std::size_t own = line.find(';');
  const bool is_url = line.find('@') != std::string_view::npos;
  // A semicolon may be part of a URL; behind a blank it begins a marker.
  if (own != std::string_view::npos && (!is_url || (own > 0 && is_blank(line[own - 1])))) {
    return format("{}; ({}) and ({})", line.substr(0, own), without_blanks(line.substr(own + 1)),
                  marker);
  }
  return format("{}{}; {}", line, is_url ? " " : "", marker);
}

}  // namespace

std::vector<std::string> parse_requires_txt(std::string_view text) {
  std::vector<std::string> lines;
  std::string marker;
  std::size_t size = 0;
  while (!text.empty() && size < kMaxResult) {
    const std::string_view line = take_line(&text);
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with('[') && line.ends_with(']')) {
      marker = marker_of(without_brackets(line));
      continue;
    }
    size += line.size() + marker.size();
    if (size < kMaxResult) lines.push_back(joined(line, marker));
  }
  return lines;
}

}  // namespace loadable::python
