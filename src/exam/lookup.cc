// SPDX-License-Identifier: Apache-2.0
#include "exam/lookup.h"

#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "inventory/collect.h"
#include "loader/accept.h"

namespace loadable::exam {
namespace {

constexpr std::uint64_t kCacheLimit = 256U << 20U;
constexpr std::size_t kCopiesLimit = 16;

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::string Lookup::defect(const std::string& path, const loader::Identity& identity) {
  const auto known = defects_.find(path);
  if (known != defects_.end()) return known->second;
  std::string reason;
  const auto file = scene_.store.open(path);
  if (!file) {
    // What this user may not read is not known to be damaged.
    const bool is_unread =
        file.error().code == ErrorCode::PermissionDenied || file.error().code == ErrorCode::Io;
    if (is_unread) scene_.add_incident(path, file.error().message);
    if (!is_unread) reason = file.error().message;
  } else {
    const loader::Verdict header = loader::verify_header(**file, identity);
    if (header.fate == loader::Fate::SkipClass) reason = "wrong ELF class";
    if (header.fate == loader::Fate::SkipMachine) reason = "built for another machine";
    if (header.fate == loader::Fate::Refuse) reason = header.message;
    if (header.fate == loader::Fate::Accept) {
      const auto refusal = loader::refuse_mapping(**file, identity, loader::Purpose::Dependency);
      if (refusal) reason = refusal->message;
    }
  }
  return defects_.emplace(path, std::move(reason)).first->second;
}

check::Copy Lookup::copy_of(const std::string& path, const loader::Identity& identity) {
  return {path, scene_.owner(path), defect(path, identity)};
}

std::vector<check::Copy> Lookup::copies(std::string_view name, const loader::Identity& identity,
                                        bool by_soname) {
  std::vector<check::Copy> result;
  if (name.find('/') != std::string_view::npos) return result;
  for (const inventory::LibraryName* library : scene_.inventory.find_library(name)) {
    if (result.size() == kCopiesLimit) break;
    result.push_back(copy_of(library->path, identity));
  }
  if (result.empty() && by_soname) {
    for (const std::string& path :
         inventory::find_by_soname(scene_.inventory, *scene_.target.walk, name)) {
      if (result.size() == kCopiesLimit) break;
      result.push_back(copy_of(path, identity));
    }
  }
  // A usable copy first: it is the one that remedies name.
  std::stable_partition(result.begin(), result.end(),
                        [](const check::Copy& copy) { return copy.defect.empty(); });
  return result;
}

std::vector<check::Copy> Lookup::other_majors(std::string_view name,
                                              const loader::Identity& identity) {
  std::vector<check::Copy> result;
  const accel::Soname parts = accel::split_soname(name);
  if (parts.stem.empty() || parts.version.empty()) return result;
  for (const inventory::LibraryName* library : scene_.inventory.libraries_beginning(parts.stem)) {
    if (result.size() == kCopiesLimit) break;
    if (!scene_.knowledge.is_other_major(name, library->name)) continue;
    check::Copy copy = copy_of(library->path, identity);
    if (copy.defect.empty()) result.push_back(std::move(copy));
  }
  return result;
}

std::vector<check::Gone> Lookup::gone(std::string_view name_or_path) const {
  std::vector<check::Gone> result;
  const bool is_path = name_or_path.find('/') != std::string_view::npos;
  const tree::Path wanted{std::string(is_path ? name_or_path : "/")};
  const std::string normal = is_path ? wanted.lexically_normal().text() : std::string{};
  for (const inventory::MissingFile& missing : scene_.inventory.missing) {
    const std::string_view path = missing.path;
    const bool matches = is_path
                             ? path == name_or_path || path == normal
                             : path.size() > name_or_path.size() && path.ends_with(name_or_path) &&
                                   path[path.size() - name_or_path.size() - 1] == '/';
    if (!matches) continue;
    result.push_back(
        {missing.path, scene_.inventory.distributions[missing.distribution].to_string()});
  }
  return result;
}

std::optional<loader::Cache> Lookup::read_cache(const loader::Identity& identity) const {
  if (identity.libc != loader::Libc::Glibc) return std::nullopt;
  auto text = scene_.target.walk->read_text(tree::Path("/etc/ld.so.cache"), kCacheLimit);
  if (!text) return std::nullopt;
  const Endian endian = identity.is_big_endian ? Endian::Big : Endian::Little;
  return loader::Cache(std::move(*text), endian);
}

const std::vector<std::string>& Lookup::cache_directories(const loader::Identity& identity) {
  if (cache_directories_) return *cache_directories_;
  std::vector<std::string>& directories = cache_directories_.emplace();
  const auto cache = read_cache(identity);
  if (!cache) return directories;
  for (const loader::CacheEntry& entry : cache->entries()) {
    directories.push_back(parent_of(entry.path));
  }
  std::sort(directories.begin(), directories.end());
  directories.erase(std::unique(directories.begin(), directories.end()), directories.end());
  return directories;
}

std::vector<std::string> Lookup::dead_cache_entries(const loader::Identity& identity,
                                                    std::size_t limit) {
  std::vector<std::string> dead;
  const auto cache = read_cache(identity);
  if (!cache) return dead;
  for (const loader::CacheEntry& entry : cache->entries()) {
    if (dead.size() == limit) break;
    const auto& found = scene_.target.walk->resolve(entry.path);
    if (found || found.error().code != ErrorCode::NotFound) continue;
    dead.push_back(format("it names {}, which is gone", quoted(entry.path)));
  }
  std::sort(dead.begin(), dead.end());
  dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
  return dead;
}

std::string Lookup::stale_cache(std::string_view name, const loader::Process& process,
                                const std::vector<loader::Candidate>& tried,
                                std::vector<check::Copy>& copies) {
  for (const loader::Candidate& candidate : tried) {
    if (candidate.rule == loader::Rule::Cache && !candidate.path.empty() &&
        candidate.outcome == loader::Outcome::Absent) {
      return format("it names {}, which is gone", quoted(candidate.path));
    }
  }
  if (name.find('/') != std::string_view::npos) return {};
  for (const std::string& directory : cache_directories(process.identity())) {
    const std::string path = directory + "/" + std::string(name);
    if (!scene_.target.walk->resolve(path)) continue;
    const bool is_known = std::any_of(copies.begin(), copies.end(),
                                      [&](const check::Copy& copy) { return copy.path == path; });
    if (!is_known) copies.push_back(copy_of(path, process.identity()));
    return format("{} was put there after the cache was written", quoted(path));
  }
  return {};
}

std::string Lookup::supplier(std::string_view name, int cuda) const {
  const std::vector<accel::PackageHint> hints = scene_.knowledge.packages_of(name);
  for (const accel::PackageHint& hint : hints) {
    if (hint.cuda == cuda || hint.cuda == 0) return hint.package;
  }
  return hints.empty() ? std::string{} : hints.back().package;
}

}  // namespace loadable::exam
