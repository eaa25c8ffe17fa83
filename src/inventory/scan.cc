// SPDX-License-Identifier: Apache-2.0
#include "inventory/scan.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "inventory/pattern.h"
#include "inventory/roles.h"

namespace loadable::inventory {
namespace {

using tree::Entry;
using tree::Kind;
using tree::Path;

constexpr std::size_t kMaxPath = 4095;

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Directories of a root that its system fills at run time.
bool is_run_time_directory(std::string_view path) {
  static constexpr std::array<std::string_view, 4> kPaths = {"/proc", "/sys", "/dev", "/run"};
  return std::find(kPaths.begin(), kPaths.end(), path) != kPaths.end();
}

// Below these nothing is a program, and there are tens of thousands of files with odd names.
bool is_documentation(std::string_view path) {
  static constexpr std::array<std::string_view, 5> kSuffixes = {
      "/share/doc", "/share/man", "/share/locale", "/share/zoneinfo", "/share/icons"};
  return std::any_of(kSuffixes.begin(), kSuffixes.end(),
                     [&](std::string_view suffix) { return path.ends_with(suffix); });
}

bool is_info_directory(std::string_view path) {
  return path.ends_with(".dist-info") || path.ends_with(".egg-info");
}

bool is_python_program(std::string_view name) {
  constexpr std::string_view kPrefix = "python3.";
  if (!name.starts_with(kPrefix) || name.size() == kPrefix.size()) return false;
  name.remove_prefix(kPrefix.size());
  return name.find_first_not_of("0123456789") == std::string_view::npos;
}

/// A directory still to be listed.
struct Pending {
  std::string path;
  std::uint64_t device = 0;  ///< of the directory above; 0: not asked
  bool is_documentation = false;
};

class Scanner {
 public:
  Scanner(const tree::Tree& tree, const ScanOptions& options) : tree_(tree), options_(options) {}

  ScanResult run() {
    for (const std::string& root : options_.roots) pending_.push_back({root, 0, false});
    while (!pending_.empty() && result_.is_complete) {
      const Pending next = std::move(pending_.back());
      pending_.pop_back();
      directory(next);
    }
    return std::move(result_);
  }

 private:
  void directory(const Pending& here);
  void entry(const Pending& here, const Entry& entry, std::uint64_t device);
  void subdirectory(const Pending& here, const Entry& entry, std::uint64_t device);
  void file(const Pending& here, const Entry& entry);
  bool is_foreign_device(const Pending& here, std::uint64_t* device);
  void incident(std::string path, std::string message) {
    result_.incidents.push_back({std::move(path), std::move(message)});
  }

  const tree::Tree& tree_;
  const ScanOptions& options_;
  ScanResult result_;
  std::vector<Pending> pending_;
  std::string path_;            ///< of the entry at hand
  bool has_long_path_ = false;  ///< said already of the directory at hand
};

bool Scanner::is_foreign_device(const Pending& here, std::uint64_t* device) {
  if (!options_.stops_at_pseudo) return false;
  const Path path(here.path);
  const auto stat = tree_.stat(path);
  if (!stat) return false;
  *device = stat->id.device;
  return *device != here.device && tree_.is_pseudo(path);
}

void Scanner::directory(const Pending& here) {
  std::uint64_t device = 0;
  if (is_foreign_device(here, &device)) return;
  const auto entries = tree_.list(Path(here.path));
  if (!entries) {
    incident(here.path, entries.error().message);
    return;
  }
  has_long_path_ = false;
  for (const Entry& next : *entries) {
    if (++result_.entries > options_.max_entries) {
      incident(here.path,
               format("over {} entries: the rest is not looked at", options_.max_entries));
      result_.is_complete = false;
      return;
    }
    entry(here, next, device);
  }
}

void Scanner::entry(const Pending& here, const Entry& entry, std::uint64_t device) {
  path_.assign(here.path);
  if (path_.back() != '/') path_ += '/';
  path_ += entry.name;
  if (path_.size() > kMaxPath) {
    if (!has_long_path_) incident(here.path, "a path longer than 4,095 bytes lies below");
    has_long_path_ = true;
    return;
  }
  if (!options_.exclude.empty() && is_excluded(options_.exclude, path_)) return;
  if (is_info_directory(entry.name)) {
    result_.infos.push_back({here.path, entry.name, entry.kind == Kind::Directory});
  }
  if (entry.kind == Kind::Directory) {
    subdirectory(here, entry, device);
  } else if (entry.kind == Kind::Regular || entry.kind == Kind::Symlink) {
    file(here, entry);
  }
}

void Scanner::subdirectory(const Pending& here, const Entry& entry, std::uint64_t device) {
  if (holds_no_objects(entry.name)) return;
  if (options_.finds_environments) {
    if (entry.name == "conda-meta") result_.conda_prefixes.push_back(here.path);
    if (is_run_time_directory(path_)) return;
  }
  pending_.push_back({path_, device, here.is_documentation || is_documentation(path_)});
}

void Scanner::file(const Pending& here, const Entry& entry) {
  std::uint32_t number = PathTable::kPlain;
  const bool is_regular = entry.kind == Kind::Regular;
  if (is_library_name(entry.name)) {
    result_.libraries.push_back({entry.name, path_, !is_regular});
    if (is_regular) {
      number = static_cast<std::uint32_t>(result_.objects.size());
      result_.objects.push_back({path_, Role::Library, {}, {}, {}});
      if (options_.on_library) options_.on_library(path_);
    }
  } else if (is_regular && !here.is_documentation && !is_info_directory(here.path) &&
             may_be_program(entry.name)) {
    constexpr std::uint32_t kAnyExecute = 0111;
    const auto stat = tree_.stat(Path(path_));
    if (stat && (stat->mode & kAnyExecute) != 0) {
      number = static_cast<std::uint32_t>(result_.objects.size());
      result_.objects.push_back({path_, Role::Executable, {}, {}, {}});
    }
  }
  result_.paths.insert(path_, number);
  if (!options_.finds_environments) return;
  if (entry.name == "pyvenv.cfg") result_.venvs.push_back(here.path);
  if (is_regular && name_of(here.path) == "bin" && is_python_program(entry.name)) {
    result_.interpreters.push_back(path_);
  }
}

}  // namespace

ScanResult scan(const tree::Tree& tree, const ScanOptions& options) {
  return Scanner(tree, options).run();
}

}  // namespace loadable::inventory
