// SPDX-License-Identifier: Apache-2.0
#include "inventory/file_lists.h"

#include "base/format.h"
#include "base/quote.h"
#include "inventory/debian.h"
#include "inventory/roles.h"
#include "python/dpkg.h"

namespace loadable::inventory {
namespace {

constexpr std::size_t kMaxMissing = 100'000, kMaxShared = 1'000'000;
constexpr std::size_t kNamedOutside = 3;  // rows out of the environment that are named each

bool is_own_metadata(const Distribution& distribution, std::string_view path) {
  const std::string& own = distribution.metadata_path;
  return path.starts_with(own) && (path.size() == own.size() || path[own.size()] == '/');
}

// A path in a message: a list may hold one of a megabyte.
std::string shown(std::string_view path) {
  constexpr std::size_t kShown = 200;
  return printable(path.substr(0, kShown)) + (path.size() > kShown ? "…" : "");
}

bool is_one_thing(const std::vector<Distribution>& all, std::uint32_t a, std::uint32_t b) {
  return all[a].supplied_by == b || all[b].supplied_by == a;
}

}  // namespace

void FileLists::incident(std::string message) {
  inventory_.incidents.push_back({list_, std::move(message)});
}

void FileLists::start(std::uint32_t distribution) {
  list_ = inventory_.distributions[distribution].list_path;
  distribution_ = distribution;
  rows_ = outside_ = missing_ = 0;
  last_directory_.clear();
}

void FileLists::read(std::string_view text, std::uint32_t distribution) {
  start(distribution);
  const RowPaths paths(inventory_, distribution);
  if (form_of_list(list_) == ListForm::Md5sums) return md5sums(text, paths);
  record(text, paths);
}

void FileLists::md5sums(std::string_view text, const RowPaths& paths) {
  python::for_each_dpkg_md5sum(text, [&](std::string_view path, std::string_view md5) {
    if (rows_ <= kMaxListRows) add({path, md5, {}}, paths);
  });
}

void FileLists::record(std::string_view text, const RowPaths& paths) {
  python::RecordReader reader(text);
  python::RecordRow row;
  while (reader.next(&row)) {
    if (!add(row, paths)) return;
    if (is_outside_ && ++outside_ <= kNamedOutside) {
      incident(format("line {}: `{}` points out of the environment, and is not looked at",
                      reader.line(), shown(row.path)));
    }
  }
  if (outside_ > kNamedOutside) {
    incident(format("{} further rows point out of the environment", outside_ - kNamedOutside));
  }
}

void FileLists::conda(const python::CondaPackage& package, std::uint32_t distribution) {
  start(distribution);
  const RowPaths paths(inventory_, distribution);
  for (const python::CondaFile& file : package.files) {
    const std::string_view hash = file.is_link ? std::string_view{} : file.sha256;
    if (!add({file.path, hash, file.size}, paths)) return;
    if (is_outside_ && ++outside_ <= kNamedOutside) {
      incident(
          format("`{}` points out of the environment, and is not looked at", shown(file.path)));
    }
  }
  if (outside_ > kNamedOutside) {
    incident(format("{} further files point out of the environment", outside_ - kNamedOutside));
  }
}

void FileLists::claim(PathTable::Slot* slot, const std::string& path,
                      const python::RecordRow& row) {
  if (slot->value != PathTable::kPlain) {
    auto& owners = scan_.objects[slot->value].owners;
    // A list may name a file twice.
    if (owners.empty() || owners.back().distribution != distribution_) {
      owners.push_back({distribution_, std::string(row.hash), row.size});
    }
  }
  if (slot->owner == PathTable::kNobody) slot->owner = distribution_;
  if (slot->owner == distribution_) return;
  if (is_one_thing(inventory_.distributions, slot->owner, distribution_)) return;
  if (inventory_.shared.size() < kMaxShared) {
    inventory_.shared.push_back({path, slot->owner, distribution_});
    if (inventory_.shared.size() == kMaxShared) {
      incident(
          format("over {} files are named by several lists: the rest is not compared", kMaxShared));
    }
  }
}

void FileLists::note_directory(std::string_view path) {
  const std::string_view directory = path.substr(0, path.rfind('/'));
  if (directory == last_directory_) return;
  last_directory_ = directory;
  inventory_.directories.emplace(directory, distribution_);
}

bool FileLists::add(const python::RecordRow& row, const RowPaths& paths) {
  is_outside_ = false;
  if (++rows_ > kMaxListRows) {
    incident(format("over {} rows: the rest is not looked at", kMaxListRows));
    return false;
  }
  if (paths.passes_over(row.path)) return true;
  is_outside_ = !paths.place(row.path, &path_);
  if (is_outside_) return true;
  Distribution& distribution = inventory_.distributions[distribution_];
  if (!is_own_metadata(distribution, path_)) ++distribution.listed;
  PathTable::Slot* slot = scan_.paths.find_slot(path_);
  if (slot == nullptr) {
    look_elsewhere(row);
    return true;
  }
  note_directory(path_);
  claim(slot, path_, row);
  return true;
}

// Not among the files that were seen: behind a linked directory, outside of what was walked, or
// gone.
void FileLists::look_elsewhere(const python::RecordRow& row) {
  if (missing_ >= kMaxMissing) return;
  const auto& found = walk_.resolve(path_);
  if (found) {
    const auto parent = walk_.resolve_parent(tree::Path(path_));
    const std::string physical = parent ? parent->physical.text() : found->physical.text();
    note_directory(physical);
    PathTable::Slot* slot = scan_.paths.find_slot(physical);
    if (slot == nullptr) slot = scan_.paths.find_slot(found->physical.text());
    if (slot != nullptr) claim(slot, physical, row);
    return;
  }
  const ErrorCode code = found.error().code;
  if (code != ErrorCode::NotFound && code != ErrorCode::NotADirectory) return;
  // A link that leads nowhere is there all the same.
  if (walk_.resolve_parent(tree::Path(path_))) return;
  // Debian's packages move scripts out of the places that RECORD names (`../scripts/pip`).
  const std::string& site = inventory_.distributions[distribution_].site_directory;
  if (is_debian_site(site) && !path_.starts_with(site)) return;
  // pip --target keeps a `bin/` that is there, and leaves the launchers of a second call out.
  const bool is_left_out = prefix_of_site(site) == site && path_.starts_with(site + "/bin/");
  if (is_left_out) return;
  inventory_.missing.push_back({path_, distribution_, std::string(row.hash), row.size});
  if (++missing_ == kMaxMissing) {
    incident(format("over {} listed files are gone: the rest is not looked for", kMaxMissing));
  }
}

}  // namespace loadable::inventory
