// SPDX-License-Identifier: Apache-2.0
#pragma once
// The walk itself: directories are listed, nothing is opened, few files are asked for their mode.

#include <functional>
#include <string>
#include <vector>

#include "inventory/inventory.h"
#include "inventory/path_table.h"
#include "tree/walk.h"

namespace loadable::inventory {

/// A `.dist-info` or `.egg-info` directory (or file).
struct InfoEntry {
  std::string directory;  ///< physical, that it lies in
  std::string name;
  bool is_directory = true;
};

struct ScanOptions {
  std::vector<std::string> roots;    ///< physical directories, none below another
  std::vector<std::string> exclude;  ///< patterns
  std::size_t max_entries = 0;
  bool finds_environments = false;  ///< note pyvenv.cfg, conda-meta/ and bin/python3.X
  bool stops_at_pseudo = false;     ///< ask each directory on another device what it is
  /// Told each regular file with a library's name as soon as it is seen. May be empty.
  std::function<void(const std::string&)> on_library;
};

struct ScanResult {
  PathTable paths;  ///< every file and link; the number is its index in objects, or kPlain
  std::vector<Object> objects;  ///< path; role is Executable or Library
  std::vector<LibraryName> libraries;
  std::vector<InfoEntry> infos;
  std::vector<std::string> venvs, conda_prefixes, interpreters;  ///< prefixes; programs
  std::vector<Incident> incidents;
  std::uint64_t entries = 0;
  bool is_complete = true;
};

ScanResult scan(const tree::Tree& tree, const ScanOptions& options);

}  // namespace loadable::inventory
