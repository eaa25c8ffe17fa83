// SPDX-License-Identifier: Apache-2.0
#include "inventory/claims.h"

#include <algorithm>

#include "base/format.h"

namespace loadable::inventory {
namespace {

constexpr std::size_t kMaxFiles = 2'000'000;

}  // namespace

std::string physical_place(tree::Walk& walk, std::string_view path) {
  const auto found = walk.resolve_parent(tree::Path(std::string(path)));
  if (found) return found->physical.text();
  const tree::Path whole{std::string(path)};
  const auto& parent = walk.resolve(whole.parent());
  return parent ? parent->physical.join(whole.name()).text() : whole.text();
}

ClaimedFile* Claims::file(std::string_view path) {
  // A lookup without a copy would need a hash that is transparent; rows are read one at a time.
  const auto known = by_path_.find(std::string(path));
  return known == by_path_.end() ? nullptr : &files_[known->second];
}

ClaimedFile& Claims::wanted(const std::string& path) {
  const auto [known, is_new] = by_path_.emplace(path, files_.size());
  if (is_new) files_.push_back({path, {}, false, false, false});
  return files_[known->second];
}

void Claims::want_shared() {
  for (const SharedFile& shared : inventory_.shared) {
    wanted(shared.path);
    for (const std::uint32_t owner : {shared.first, shared.other}) {
      involved_.insert(owner);
      const auto& supplier = inventory_.distributions[owner].supplied_by;
      if (supplier) involved_.insert(*supplier);
    }
  }
  const auto& missing = inventory_.missing;
  for (std::size_t at = 0; at < missing.size();) {
    std::size_t end = at + 1;
    while (end < missing.size() && missing[end].path == missing[at].path) ++end;
    if (end - at > 1) {
      ClaimedFile& gone = wanted(physical_place(walk_, missing[at].path));
      gone.is_gone = gone.is_complete = true;
      for (; at < end; ++at) {
        const MissingFile& row = missing[at];
        gone.rows.push_back({row.distribution, row.hash, row.size});
      }
    }
    at = end;
  }
}

void Claims::want_asked(std::string_view path) {
  const std::string place = physical_place(walk_, path);
  ClaimedFile& asked = wanted(place);
  asked.is_asked = true;
  if (asked.is_complete) return;
  const Object* object = inventory_.find_object(place);
  if (object == nullptr) {
    reads_all_ = true;
    return;
  }
  asked.is_complete = true;
  for (const Ownership& owner : object->owners) {
    asked.rows.push_back({owner.distribution, owner.hash, owner.size});
  }
}

void Claims::want_owner(const std::string& path) {
  wanted(path);
  reads_all_ = true;
}

void Claims::read_list(std::uint32_t distribution) {
  for_each_listed(walk_, inventory_, distribution, [&](const ListedFile& listed) {
    ClaimedFile* known = file(listed.path);
    if (known == nullptr) {
      if (!wants_all_ || listed.hash.empty() || files_.size() >= kMaxFiles) return;
      known = &wanted(std::string(listed.path));
    }
    if (known->is_complete) return;
    // A list may name a file twice; the first row counts.
    if (!known->rows.empty() && known->rows.back().distribution == distribution) return;
    known->rows.push_back({distribution, std::string(listed.hash), listed.size});
  });
}

// A conda package and the dist-info that it brought are one owner, by the name of the latter, with
// the hash of the former.
void Claims::join_supplied(ClaimedFile* file) const {
  for (ClaimRow& row : file->rows) {
    const auto supplier = inventory_.distributions[row.distribution].supplied_by;
    if (!supplier) continue;
    const auto conda =
        std::find_if(file->rows.begin(), file->rows.end(),
                     [&](const ClaimRow& other) { return other.distribution == *supplier; });
    if (conda == file->rows.end()) continue;
    if (!conda->hash.empty()) {
      row.hash = conda->hash;
      row.size = conda->size;
    }
    conda->distribution = row.distribution;
  }
  // Now doubled rows follow from the above.
  std::stable_sort(file->rows.begin(), file->rows.end(), [](const ClaimRow& a, const ClaimRow& b) {
    return a.distribution < b.distribution;
  });
  const auto rest = std::unique(
      file->rows.begin(), file->rows.end(),
      [](const ClaimRow& a, const ClaimRow& b) { return a.distribution == b.distribution; });
  file->rows.erase(rest, file->rows.end());
}

std::vector<ClaimedFile> Claims::collect() {
  for (std::uint32_t i = 0; i < inventory_.distributions.size(); ++i) {
    if (reads_all_ || wants_all_ || involved_.contains(i)) read_list(i);
  }
  if (files_.size() >= kMaxFiles) {
    incidents.push_back(
        {"", format("over {} listed files: the rest is not compared with its hashes", kMaxFiles)});
  }
  for (ClaimedFile& file : files_) join_supplied(&file);
  std::sort(files_.begin(), files_.end(),
            [](const ClaimedFile& a, const ClaimedFile& b) { return a.path < b.path; });
  return std::move(files_);
}

}  // namespace loadable::inventory
