// SPDX-License-Identifier: Apache-2.0
#include "inventory/distributions.h"

#include <algorithm>
#include <unordered_map>

#include "base/digest.h"
#include "base/json.h"
#include "inventory/debian.h"
#include "inventory/file_lists.h"
#include "python/conda_meta.h"
#include "python/dpkg.h"
#include "python/metadata.h"
#include "python/names.h"

namespace loadable::inventory {
namespace {

using tree::Path;
using tree::Walk;

constexpr std::uint64_t kMaxSmall = std::uint64_t{1} << 20U;

std::string first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  return std::string(text);
}

bool says_editable(std::string_view text) {
  const auto json = parse_json(text);
  if (!json || !json->is_object()) return false;
  const auto info = json->find("dir_info");
  return info != json->end() && info->is_object() && info->value("editable", Json(false)) == true;
}

/// Reads the metadata of one kind after another; what fails becomes an incident.
class Reader {
 public:
  Reader(Walk& walk, ScanResult* scan, Inventory* inventory)
      : walk_(walk), scan_(*scan), inventory_(*inventory), lists_(walk, scan, inventory) {}

  void run(const std::string& below) {
    find_site_directories();
    // In the order of site directory and name, so that owners come in the order of distributions.
    std::sort(scan_.infos.begin(), scan_.infos.end(), [](const InfoEntry& a, const InfoEntry& b) {
      return std::tie(a.directory, a.name) < std::tie(b.directory, b.name);
    });
    for (const InfoEntry& info : scan_.infos) {
      const auto site = site_directories_.find(info.directory);
      if (site != site_directories_.end()) {
        info_entry(info, site->second);
      } else if (info.directory == below) {
        info_entry(info, std::nullopt);
      }
    }
    for (std::uint32_t i = 0; i < inventory_.environments.size(); ++i) {
      const auto& environment = inventory_.environments[i];
      const bool is_conda = environment.kind == python::EnvironmentKind::Conda ||
                            environment.kind == python::EnvironmentKind::Bare;
      if (is_conda) conda_prefix(environment.prefix, i);
    }
  }

 private:
  void find_site_directories() {
    for (std::uint32_t i = 0; i < inventory_.environments.size(); ++i) {
      const auto& environment = inventory_.environments[i];
      for (const std::string& directory : environment.site_directories) {
        const auto [known, is_new] = site_directories_.emplace(directory, i);
        const Path prefix(inventory_.environments[known->second].prefix);
        const bool is_guest = !is_new && !Path(directory).is_within(prefix);
        if (is_guest && Path(directory).is_within(Path(environment.prefix))) known->second = i;
      }
    }
  }

  void incident(const Error& error, const std::string& path) {
    inventory_.incidents.push_back({path, error.message});
  }

  // What lies behind a link was not walked.
  bool is_there(const std::string& path) {
    return scan_.paths.find(path).has_value() || (is_linked_ && walk_.resolve(path));
  }

  // The whole of a file that may be absent; an incident where it is there and cannot be read.
  std::optional<std::string> text_of(const std::string& path, std::uint64_t limit) {
    if (!is_there(path)) return std::nullopt;
    auto text = walk_.read_text(Path(path), limit);
    if (!text) incident(text.error(), path);
    return text ? std::optional(std::move(*text)) : std::nullopt;
  }

  void metadata(const std::string& path, Distribution* distribution) {
    if (!is_there(path)) return;
    const auto source = walk_.open(Path(path));
    if (!source) return incident(source.error(), path);
    auto metadata = python::read_metadata(**source);
    if (!metadata) return incident(metadata.error(), path);
    if (!metadata->name.empty()) distribution->name = metadata->name;
    if (!metadata->version.empty()) distribution->version = metadata->version;
    distribution->requires_dist = std::move(metadata->requires_dist);
    distribution->provides_extra = std::move(metadata->provides_extra);
  }

  void info_entry(const InfoEntry& info, std::optional<std::uint32_t> environment);
  void add_with_list(Distribution distribution);
  std::string debian_list(const Distribution& distribution);
  void conda_prefix(const std::string& prefix, std::uint32_t environment);
  void note_supplied(const python::CondaPackage& package, const std::string& prefix,
                     std::uint32_t index);
  void conda_package(const std::string& prefix, const std::string& path, std::uint32_t environment);
  bool is_condas(const Distribution& other, const std::string& row,
                 const python::CondaPackage& package);

  Walk& walk_;
  ScanResult& scan_;
  Inventory& inventory_;
  FileLists lists_;
  bool is_linked_ = false;  ///< the dist-info at hand
  std::unordered_map<std::string, std::uint32_t> site_directories_;
  /// Site directory -> metadata path -> .md5sums; read when a directory's first distribution asks.
  std::unordered_map<std::string, std::unordered_map<std::string, std::string>> debian_lists_;
};

void Reader::info_entry(const InfoEntry& info, std::optional<std::uint32_t> environment) {
  auto name = python::parse_info_name(info.name);
  if (!name) return;
  Distribution distribution;
  distribution.kind = name->kind == python::InfoKind::DistInfo ? DistributionKind::DistInfo
                                                               : DistributionKind::EggInfo;
  distribution.name = std::move(name->name);
  distribution.version = std::move(name->version);
  distribution.site_directory = info.directory;
  distribution.metadata_path = Path(info.directory).join(info.name).text();
  distribution.environment = environment;
  const std::string& base = distribution.metadata_path;
  // A store of packages may link whole directories.
  if (!info.is_directory) {
    const auto& found = walk_.resolve(base);
    is_linked_ = found && found->stat.kind == tree::Kind::Directory;
  }
  const bool is_wheel = distribution.kind == DistributionKind::DistInfo;
  if (!info.is_directory && !is_linked_) {
    metadata(base, &distribution);  // distutils wrote the metadata as one file
  } else if (is_wheel) {
    metadata(base + "/METADATA", &distribution);
    if (const auto text = text_of(base + "/INSTALLER", kMaxSmall)) {
      distribution.installer = first_line(*text);
    }
    if (const auto text = text_of(base + "/direct_url.json", kMaxSmall)) {
      distribution.is_editable = says_editable(*text);
    }
    distribution.list_path = base + "/RECORD";
  } else {
    metadata(base + "/PKG-INFO", &distribution);
    // Older setuptools writes requirements into a file of their own alone.
    if (distribution.requires_dist.empty()) {
      if (const auto text = text_of(base + "/requires.txt", kMaxSmall)) {
        distribution.requires_dist = python::parse_requires_txt(*text);
      }
    }
    distribution.list_path = base + "/installed-files.txt";
  }
  distribution.normalized = python::normalize_name(distribution.name);
  add_with_list(std::move(distribution));
  is_linked_ = false;
}

// Debian's packages: dpkg's sums are of the files as they were installed. A RECORD among them is of
// the time before `strip` and before scripts were moved.
void Reader::add_with_list(Distribution distribution) {
  std::optional<std::string> list;
  if (const std::string sums = debian_list(distribution); !sums.empty()) {
    auto text = walk_.read_text(Path(sums), kMaxListBytes);
    if (!text) incident(text.error(), sums);
    if (text) {
      list = std::move(*text);
      distribution.list_path = sums;
    }
  } else if (!distribution.list_path.empty()) {
    list = text_of(distribution.list_path, kMaxListBytes);
  }
  distribution.has_list = list.has_value();
  const auto index = static_cast<std::uint32_t>(inventory_.distributions.size());
  inventory_.distributions.push_back(std::move(distribution));
  if (list) lists_.read(*list, index);
}

std::string Reader::debian_list(const Distribution& distribution) {
  const std::string& site = distribution.site_directory;
  if (!distribution.installer.empty() || !is_debian_site(site)) return {};
  const auto [known, is_new] = debian_lists_.try_emplace(site);
  if (is_new) known->second = find_debian_lists(walk_, site);
  const auto found = known->second.find(distribution.metadata_path);
  return found == known->second.end() ? std::string() : found->second;
}

void Reader::conda_prefix(const std::string& prefix, std::uint32_t environment) {
  const Path directory = Path(prefix).join("conda-meta");
  const auto entries = walk_.list(directory);
  if (!entries) return incident(entries.error(), directory.text());
  for (const tree::Entry& entry : *entries) {
    if (entry.name.ends_with(".json")) {
      conda_package(prefix, directory.join(entry.name).text(), environment);
    }
  }
}

void Reader::conda_package(const std::string& prefix, const std::string& path,
                           std::uint32_t environment) {
  const auto text = text_of(path, kMaxListBytes);
  if (!text) return;
  auto package = python::parse_conda_meta(*text);
  if (!package) return incident(package.error(), path);
  Distribution distribution;
  distribution.kind = DistributionKind::Conda;
  distribution.name = std::move(package->name);
  distribution.version = std::move(package->version);
  distribution.normalized = python::normalize_name(distribution.name);
  distribution.site_directory = prefix;
  distribution.metadata_path = distribution.list_path = path;
  distribution.environment = environment;
  distribution.installer = "conda";
  distribution.requires_dist = std::move(package->depends);
  distribution.has_list = true;
  const auto index = static_cast<std::uint32_t>(inventory_.distributions.size());
  inventory_.distributions.push_back(std::move(distribution));
  note_supplied(*package, prefix, index);
  lists_.conda(*package, index);
}

// Does the list that lies there have the hash that conda recorded? `pip install --force-reinstall`
// puts a dist-info of its own into the same place.
bool Reader::is_condas(const Distribution& other, const std::string& row,
                       const python::CondaPackage& package) {
  const std::string list = row.substr(0, row.rfind('/') + 1) + "RECORD";
  const auto recorded =
      std::find_if(package.files.begin(), package.files.end(),
                   [&](const python::CondaFile& file) { return file.path == list; });
  if (recorded == package.files.end() || recorded->sha256.empty() || !other.has_list) return true;
  const auto text = walk_.read_text(Path(other.list_path), kMaxListBytes);
  return !text || to_hex(digest_of(*text, DigestKind::Sha256)) == recorded->sha256;
}

// conda lists the dist-info that it brought, and the same modules: one thing, not two.
void Reader::note_supplied(const python::CondaPackage& package, const std::string& prefix,
                           std::uint32_t index) {
  for (const python::CondaFile& file : package.files) {
    const bool is_metadata = file.path.ends_with("/METADATA") || file.path.ends_with("/PKG-INFO");
    if (!is_metadata && !file.path.ends_with(".egg-info")) continue;
    const auto& found = walk_.resolve(Path(prefix).join(file.path));
    if (!found) continue;
    const std::string& text = found->physical.text();
    for (Distribution& other : inventory_.distributions) {
      const bool is_its =
          text == other.metadata_path || Path(text).parent().text() == other.metadata_path;
      if (is_its && other.kind != DistributionKind::Conda && is_condas(other, file.path, package)) {
        other.supplied_by = index;
      }
    }
  }
}

}  // namespace

void read_distributions(Walk& walk, const std::string& below, ScanResult* scan,
                        Inventory* inventory) {
  Reader(walk, scan, inventory).run(below);
}

}  // namespace loadable::inventory
