// SPDX-License-Identifier: Apache-2.0
#include "inventory/debian.h"

#include "inventory/collect.h"
#include "python/dpkg.h"

namespace loadable::inventory {
namespace {

using tree::Path;
using tree::Walk;

constexpr std::uint64_t kMaxFile = std::uint64_t{256} << 20U;
constexpr std::string_view kDatabase = "/var/lib/dpkg";

// status, and the one file a package of distroless images.
std::vector<Path> status_files(Walk& walk) {
  const Path directory{std::string(kDatabase)};
  std::vector<Path> files = {directory.join("status")};
  const Path parts = directory.join("status.d");
  if (const auto entries = walk.list(parts)) {
    for (const tree::Entry& entry : *entries) {
      if (!entry.name.ends_with(".md5sums")) files.push_back(parts.join(entry.name));
    }
  }
  return files;
}

// Has the text that line?
bool has_line(std::string_view text, std::string_view line) {
  for (std::size_t at = text.find(line); at != std::string_view::npos;
       at = text.find(line, at + 1)) {
    const std::size_t end = at + line.size();
    const bool begins = at == 0 || text[at - 1] == '\n';
    if (begins && (end == text.size() || text[end] == '\n')) return true;
  }
  return false;
}

}  // namespace

void read_debian(Walk& walk, Inventory* inventory) {
  for (const Path& file : status_files(walk)) {
    if (!walk.resolve(file)) continue;
    const auto text = walk.read_text(file, kMaxFile);
    if (!text) {
      inventory->incidents.push_back({file.text(), text.error().message});
      continue;
    }
    for (python::DebianPackage& package : python::parse_dpkg_status(*text)) {
      Distribution distribution;
      distribution.kind = DistributionKind::Debian;
      distribution.name = std::move(package.name);
      distribution.version = std::move(package.version);
      distribution.normalized = distribution.name;
      distribution.site_directory = "/";
      distribution.metadata_path = file.text();
      distribution.installer = "dpkg";
      inventory->distributions.push_back(std::move(distribution));
    }
  }
}

bool is_debian_site(std::string_view site) {
  return site.starts_with("/usr/lib/python3") && site.ends_with("/dist-packages");
}

std::unordered_map<std::string, std::string> find_debian_lists(Walk& walk,
                                                               const std::string& site) {
  constexpr std::string_view kList = ".list";
  std::unordered_map<std::string, std::string> lists;
  const Path directory = Path(std::string(kDatabase)).join("info");
  const auto entries = walk.list(directory);
  if (!entries) return lists;
  for (const tree::Entry& entry : *entries) {
    if (!entry.name.starts_with("python3-") || !entry.name.ends_with(kList)) continue;
    const std::string stem = entry.name.substr(0, entry.name.size() - kList.size());
    const std::string sums = directory.join(stem + ".md5sums").text();
    const auto text = walk.read_text(directory.join(entry.name), kMaxFile);
    if (!text || !walk.resolve(sums)) continue;
    python::for_each_dpkg_path(*text, [&](std::string_view path) {
      const bool is_info = path.ends_with(".dist-info") || path.ends_with(".egg-info");
      if (is_info && path.substr(0, path.rfind('/')) == site) {
        lists.emplace(std::string(path), sums);
      }
    });
  }
  return lists;
}

std::optional<std::string> find_debian_owner(Walk& walk, std::string_view path) {
  constexpr std::string_view kUsr = "/usr", kSuffix = ".list";
  const std::string_view other = path.starts_with("/usr/") ? path.substr(kUsr.size()) : path;
  const std::string merged =
      path.starts_with("/usr/") ? std::string(path) : "/usr" + std::string(path);
  const Path directory = Path(std::string(kDatabase)).join("info");
  const auto entries = walk.list(directory);
  if (!entries) return std::nullopt;
  for (const tree::Entry& entry : *entries) {
    if (!entry.name.ends_with(kSuffix)) continue;
    const auto text = walk.read_text(directory.join(entry.name), kMaxFile);
    if (!text || (!has_line(*text, other) && !has_line(*text, merged))) continue;
    const std::string_view name = entry.name;
    return std::string(name.substr(0, std::min(name.find(':'), name.size() - kSuffix.size())));
  }
  return std::nullopt;
}

}  // namespace loadable::inventory
