// SPDX-License-Identifier: Apache-2.0
#include "loader/conf.h"

#include <fnmatch.h>

#include <algorithm>

namespace loadable::loader {
namespace {

constexpr std::uint64_t kMaxFile = 1024 * 1024;
constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxFiles = 4096;
constexpr std::string_view kBlank = " \t\r\f\v";

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// The words after `include`, made absolute.
void add_includes(std::string_view words, const std::string& file, ConfText& conf) {
  while (!(words = trim(words)).empty()) {
    const std::string_view word = words.substr(0, words.find_first_of(kBlank));
    words.remove_prefix(word.size());
    std::string pattern(word);
    if (!pattern.starts_with('/')) pattern = file.substr(0, file.rfind('/') + 1) + pattern;
    conf.includes.push_back(std::move(pattern));
  }
}

void add_directory(std::string_view text, const std::string& file, std::size_t line,
                   ConfText& conf) {
  std::string_view path = trim(text.substr(0, text.find('=')));
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path.starts_with('/')) conf.directories.push_back({std::string(path), file, line});
}

bool is_word(std::string_view line, std::string_view word) {
  return line.starts_with(word) && line.size() > word.size() &&
         kBlank.find(line[word.size()]) != kBlank.npos;
}

class Reader {
 public:
  explicit Reader(tree::Walk& walk) : walk_(walk) {}

  void read(const std::string& file, int depth);
  std::vector<ConfDirectory> take() { return std::move(result_); }

 private:
  void match(const std::string& directory, const std::string& part, std::vector<std::string>& next);
  std::vector<std::string> expand(const std::string& pattern);

  tree::Walk& walk_;
  std::size_t files_ = 0;
  std::vector<ConfDirectory> result_;
};

void Reader::read(const std::string& file, int depth) {
  if (depth > kMaxDepth || ++files_ > kMaxFiles) return;
  const auto text = walk_.read_text(tree::Path(file), kMaxFile);
  if (!text) return;
  const ConfText conf = parse_conf_text(*text, file);
  for (const ConfDirectory& directory : conf.directories) {
    const bool is_known = std::any_of(result_.begin(), result_.end(), [&](const auto& each) {
      return each.path == directory.path;
    });
    if (!is_known) result_.push_back(directory);
  }
  for (const std::string& pattern : conf.includes) {
    for (const std::string& path : expand(pattern)) read(path, depth + 1);
  }
}

/// What one component of a pattern leads to from one directory, in the order of the names.
void Reader::match(const std::string& directory, const std::string& part,
                   std::vector<std::string>& next) {
  if (part.find_first_of("*?[") == part.npos) {
    next.push_back(directory + '/' + part);
    return;
  }
  const auto entries = walk_.list(tree::Path(directory.empty() ? "/" : directory));
  if (!entries) return;
  for (const tree::Entry& entry : *entries) {
    if (next.size() > kMaxFiles) return;
    if (fnmatch(part.c_str(), entry.name.c_str(), FNM_PERIOD) != 0) continue;
    next.push_back(directory + '/' + entry.name);
  }
}

/// Paths that fit a pattern, component by component.
std::vector<std::string> Reader::expand(const std::string& pattern) {
  std::vector<std::string> paths = {""};
  for (std::size_t at = 1; at <= pattern.size() && !paths.empty();) {
    const std::size_t end = std::min(pattern.find('/', at), pattern.size());
    const std::string part = pattern.substr(at, end - at);
    at = end + 1;
    if (part.empty()) continue;
    std::vector<std::string> next;
    for (const std::string& path : paths) match(path, part, next);
    paths = std::move(next);
  }
  return paths;
}

}  // namespace

ConfText parse_conf_text(std::string_view text, const std::string& file) {
  ConfText conf;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    line = trim(line.substr(0, line.find('#')));
    if (line.empty() || is_word(line, "hwcap")) continue;
    if (is_word(line, "include")) {
      add_includes(line.substr(7), file, conf);
    } else {
      add_directory(line, file, number, conf);
    }
  }
  return conf;
}

std::vector<ConfDirectory> read_conf(tree::Walk& walk) {
  Reader reader(walk);
  reader.read("/etc/ld.so.conf", 0);
  return reader.take();
}

}  // namespace loadable::loader
