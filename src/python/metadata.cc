// SPDX-License-Identifier: Apache-2.0
#include "python/metadata.h"

#include <array>

namespace loadable::python {
namespace {

constexpr std::uint64_t kMaxHeaders = std::uint64_t{4} * 1024 * 1024;

std::string_view take_line(std::string_view* rest) {
  const std::size_t end = rest->find('\n');
  std::string_view line = rest->substr(0, end);
  rest->remove_prefix(end == std::string_view::npos ? rest->size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool is_field(std::string_view name, std::string_view lower) {
  if (name.size() != lower.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower[i]) return false;
  }
  return true;
}

void set_field(Metadata* metadata, std::string_view name, std::string_view value) {
  // The first of a field that is meant to be there once counts, as in importlib.metadata.
  const auto set_once = [&](std::string* field) {
    if (field->empty()) *field = value;
  };
  if (is_field(name, "name")) set_once(&metadata->name);
  if (is_field(name, "version")) set_once(&metadata->version);
  if (is_field(name, "metadata-version")) set_once(&metadata->metadata_version);
  if (is_field(name, "requires-python")) set_once(&metadata->requires_python);
  if (is_field(name, "requires-dist")) metadata->requires_dist.emplace_back(value);
  if (is_field(name, "provides-extra")) metadata->provides_extra.emplace_back(value);
}

// Do the headers end in this text, which begins at the start of a line?
bool has_empty_line(std::string_view text) {
  while (true) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    const std::string_view line = text.substr(0, end);
    if (line.empty() || line == "\r") return true;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Metadata parse_metadata(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Metadata metadata;
  std::string name, value;
  while (!text.empty()) {
    const std::string_view line = take_line(&text);
    if (line.empty()) break;
    if (line[0] == ' ' || line[0] == '\t') {
      const std::string_view more = trimmed(line);
      if (!value.empty() && !more.empty()) value += ' ';
      value += more;
      continue;
    }
    set_field(&metadata, name, value);
    name.clear();
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    name = trimmed(line.substr(0, colon));
    value = trimmed(line.substr(colon + 1));
  }
  set_field(&metadata, name, value);
  return metadata;
}

Result<Metadata> read_metadata(ByteSource& source) {
  constexpr std::size_t kBlock = std::size_t{16} * 1024;
  std::string text;
  std::size_t line = 0;  // where the first line that is not known to be complete begins
  while (true) {
    std::array<std::byte, kBlock> block{};
    auto count = source.read_at(text.size(), block);
    if (!count) return fail(std::move(count.error()));
    text += as_text(ByteView(block).first(*count));
    if (*count == 0 || has_empty_line(std::string_view(text).substr(line))) {
      return parse_metadata(text);
    }
    line = text.rfind('\n') + 1;  // npos + 1 is 0
    if (text.size() > kMaxHeaders) {
      return fail(ErrorCode::LimitReached, "metadata headers of more than 4 MiB");
    }
  }
}

}  // namespace loadable::python
