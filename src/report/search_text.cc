// SPDX-License-Identifier: Apache-2.0
#include "report/search_text.h"

#include <algorithm>

#include "base/format.h"
#include "base/quote.h"

namespace loadable::report {
namespace {

constexpr std::size_t kDirectoriesShown = 3;

struct Group {
  std::string title;
  std::string outcome;
  std::vector<std::string> directories;
};

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(0, std::max<std::size_t>(slash, 1));
}

/// glibc looks into `glibc-hwcaps/x86-64-v3` and, before 2.37, into `tls`, `haswell` and so on
/// before the directory itself: one place to the reader.
bool is_cpu_subdirectory(const std::string& directory, const std::string& parent) {
  if (directory.size() <= parent.size() || !directory.starts_with(parent)) return false;
  const std::string rest = directory.substr(parent.size());
  const std::string first = rest.substr(1, rest.find('/', 1) - 1);
  for (const char* name :
       {"glibc-hwcaps", "tls", "haswell", "avx512_1", "x86_64", "xeon_phi", "atomics", "aarch64"}) {
    if (first == name) return true;
  }
  return false;
}

std::string title_of(const check::SearchRow& row, const std::string& base) {
  const std::string of = row.owner.empty() ? "" : " of " + printable(shown_path(row.owner, base));
  if (row.rule == "rpath") return "RPATH" + of;
  if (row.rule == "runpath") return "RUNPATH" + of;
  if (row.rule == "env") return "LD_LIBRARY_PATH";
  if (row.rule == "cache") return "/etc/ld.so.cache";
  if (row.rule == "default") return "default directories";
  if (row.rule == "path") return "the path itself";
  return row.rule;
}

std::string outcome_of(const check::SearchRow& row) {
  if (row.outcome == "absent") return "not there";
  if (row.rule == "cache" && row.path.empty()) {
    return row.detail.empty() ? "no entry of that name" : row.detail;
  }
  if (row.path.empty() && !row.detail.empty()) return row.detail;
  return row.detail.empty() ? row.outcome : row.outcome + ": " + row.detail;
}

std::vector<Group> groups_of(const std::vector<check::SearchRow>& rows, const std::string& base) {
  std::vector<Group> groups;
  for (const check::SearchRow& row : rows) {
    const std::string title = title_of(row, base);
    const std::string outcome = outcome_of(row);
    if (groups.empty() || groups.back().title != title || groups.back().outcome != outcome) {
      groups.push_back({title, outcome, {}});
    }
    if (row.path.empty()) continue;
    std::vector<std::string>& directories = groups.back().directories;
    const std::string directory = directory_of(row.path);
    std::erase_if(directories, [&](const std::string& earlier) {
      return earlier == directory || is_cpu_subdirectory(earlier, directory);
    });
    directories.push_back(directory);
  }
  return groups;
}

std::string pad(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

}  // namespace

std::string search_text(const std::vector<check::SearchRow>& rows, const std::string& base,
                        const Style& style) {
  std::string text;
  for (const Group& group : groups_of(rows, base)) {
    std::string places;
    std::size_t shown = 0;
    for (const std::string& directory : group.directories) {
      if (!style.is_verbose && shown == kDirectoriesShown) {
        places += format(" and {} more", group.directories.size() - shown);
        break;
      }
      places += (shown++ == 0 ? "" : ", ") + printable(shown_path(directory, base));
    }
    text += format("   |   {} {}{}{}\n", pad(group.title, 22), places, places.empty() ? "" : ": ",
                   printable(group.outcome));
  }
  return text;
}

}  // namespace loadable::report
