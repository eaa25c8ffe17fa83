// SPDX-License-Identifier: Apache-2.0
#include "inventory/file_lists.h"

#include "inventory/roles.h"

namespace loadable::inventory {
namespace {

// Compiled files come and go with every run of the program.
bool is_compiled(std::string_view path) { return path.ends_with(".pyc"); }

bool needs_normal_form(std::string_view path) {
  return path.starts_with('.') || path.find("/.") != std::string_view::npos ||
         path.find("//") != std::string_view::npos;
}

// Debian's packages move scripts out of the places that RECORD names (`../scripts/pip`).
bool is_moved_by_debian(const Distribution& distribution, std::string_view path) {
  const std::string& site = distribution.site_directory;
  return site.starts_with("/usr/lib/python3") && site.ends_with("/dist-packages") &&
         !path.starts_with(site);
}

}  // namespace

void FileLists::record(std::string_view text, std::string_view directory,
                       std::uint32_t distribution) {
  python::RecordReader reader(text);
  python::RecordRow row;
  while (reader.next(&row)) add(row, directory, distribution);
}

void FileLists::own(std::uint32_t object, const python::RecordRow& row,
                    std::uint32_t distribution) {
  auto& owners = scan_.objects[object].owners;
  // A list may name a file twice.
  if (!owners.empty() && owners.back().distribution == distribution) return;
  owners.push_back({distribution, std::string(row.hash), row.size});
}

void FileLists::note_directory(std::string_view path, std::uint32_t distribution) {
  const std::string_view directory = path.substr(0, path.rfind('/'));
  if (directory == last_directory_) return;
  last_directory_ = directory;
  inventory_.directories.emplace(directory, distribution);
}

void FileLists::add(const python::RecordRow& row, std::string_view directory,
                    std::uint32_t distribution) {
  if (is_compiled(row.path)) return;
  if (row.path.starts_with('/')) {
    path_ = row.path;
  } else {
    path_.assign(directory);
    if (path_.back() != '/') path_ += '/';
    path_ += row.path;
  }
  if (needs_normal_form(row.path)) path_ = tree::Path(path_).lexically_normal().text();
  const auto known = scan_.paths.find(path_);
  if (!known) return look_elsewhere(row, distribution);
  note_directory(path_, distribution);
  if (*known != PathTable::kPlain) own(*known, row, distribution);
}

// Not among the files that were seen: behind a linked directory, outside of what was walked, or
// gone.
void FileLists::look_elsewhere(const python::RecordRow& row, std::uint32_t distribution) {
  const auto& found = walk_.resolve(path_);
  if (found) {
    const auto known = scan_.paths.find(found->physical.text());
    note_directory(found->physical.text(), distribution);
    if (known && *known != PathTable::kPlain) own(*known, row, distribution);
    return;
  }
  const ErrorCode code = found.error().code;
  if (code != ErrorCode::NotFound && code != ErrorCode::NotADirectory) return;
  // A link that leads nowhere is there all the same.
  if (walk_.resolve_parent(tree::Path(path_))) return;
  if (is_moved_by_debian(inventory_.distributions[distribution], path_)) return;
  inventory_.missing.push_back({path_, distribution, std::string(row.hash), row.size});
}

}  // namespace loadable::inventory
