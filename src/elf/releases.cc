// SPDX-License-Identifier: Apache-2.0
#include "elf/releases.h"

#include <algorithm>

namespace loadable::elf {
namespace {

constexpr std::uint64_t kBlock = 1024 * 1024, kMost = 256 * kBlock;
constexpr std::uint64_t kOverlap = 64;  // longer than any release

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The release that begins a text and ends at a NUL; empty: none does.
std::string_view release_at(std::string_view text, std::string_view start) {
  std::size_t at = start.size();
  const auto skip_digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > begin && at - begin <= 4;
  };
  if (!skip_digits()) return {};
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("rc")) at += 2;
  if (rest.starts_with('a') || rest.starts_with('b')) at += 1;
  if (text.size() - at != rest.size() && !skip_digits()) return {};
  if (at < text.size() && text[at] == '+') ++at;
  return at < text.size() && text[at] == '\0' ? text.substr(0, at) : std::string_view();
}

void add_releases(std::string_view block, std::string_view start, std::vector<std::string>& found) {
  for (std::size_t at = block.find(start); at != block.npos; at = block.find(start, at + 1)) {
    if (at > 0 && (is_digit(block[at - 1]) || block[at - 1] == '.')) continue;
    const std::string_view release = release_at(block.substr(at), start);
    if (release.empty()) continue;
    if (std::find(found.begin(), found.end(), release) == found.end()) found.emplace_back(release);
  }
}

}  // namespace

Result<std::vector<std::string>> recover_releases(ByteSource& source, const ElfObject& object,
                                                  std::string_view series) {
  const std::string start = std::string(series) + ".";
  std::vector<std::string> found;
  std::string block;
  std::uint64_t left = kMost;
  for (const Segment& segment : object.segments) {
    if (segment.type != PT_LOAD || (segment.flags & PF_W) != 0) continue;
    if (segment.offset >= object.file_size) continue;
    std::uint64_t at = segment.offset;
    const std::uint64_t end = at + std::min(segment.filesz, object.file_size - at);
    while (at < end && left > 0) {
      block.resize(std::min({kBlock, end - at, left}));
      auto count = source.read_at(at, std::as_writable_bytes(std::span(block)));
      if (!count) return fail(std::move(count.error()));
      if (*count == 0) break;
      block.resize(*count);
      left -= *count;
      add_releases(block, start, found);
      if (at + *count >= end || *count <= kOverlap) break;
      at += *count - kOverlap;
    }
  }
  return found;
}

}  // namespace loadable::elf
