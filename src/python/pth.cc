// SPDX-License-Identifier: Apache-2.0
#include "python/pth.h"

#include <algorithm>
#include <iterator>

#include "base/format.h"

namespace loadable::python {
namespace {

constexpr std::size_t kMaxLines = 1000;
constexpr std::uint64_t kMaxFile = std::uint64_t{1} << 20U;

std::string_view without_end(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

/// Could the file say something that is not known? A broken link, a directory or a FIFO says
/// nothing: site.py passes it over, too.
bool is_unknown(const Error& error) {
  return error.code == ErrorCode::PermissionDenied || error.code == ErrorCode::Io ||
         error.code == ErrorCode::LimitReached;
}

}  // namespace

std::vector<std::string> parse_pth(std::string_view text, const tree::Path& site_directory) {
  std::vector<std::string> directories;
  while (!text.empty() && directories.size() < kMaxLines) {
    const std::size_t end = text.find('\n');
    const std::string_view line = without_end(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("import ") || line.starts_with("import\t")) continue;
    directories.push_back(line.starts_with('/') ? std::string(line)
                                                : site_directory.join(line).text());
  }
  return directories;
}

std::vector<std::string> pth_directories(tree::Walk& walk, const tree::Path& site_directory,
                                         std::vector<Unread>* unread) {
  std::vector<std::string> directories;
  const auto entries = walk.list(site_directory);
  if (!entries) return directories;
  for (const tree::Entry& entry : *entries) {
    if (!entry.name.ends_with(".pth") || entry.name.starts_with('.')) continue;
    const tree::Path file = site_directory.join(entry.name);
    const auto text = walk.read_text(file, kMaxFile);
    if (!text) {
      if (is_unknown(text.error())) unread->push_back({file.text(), text.error().message});
      continue;
    }
    std::vector<std::string> added = parse_pth(*text, site_directory);
    if (added.size() == kMaxLines) {
      unread->push_back(
          {file.text(), format("{} directories: what follows is not looked at", kMaxLines)});
    }
    std::move(added.begin(), added.end(), std::back_inserter(directories));
  }
  return directories;
}

}  // namespace loadable::python
