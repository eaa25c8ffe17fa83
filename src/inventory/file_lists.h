// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lists of files (RECORD, conda's, installed-files.txt) held against the files that are there.

#include <string>
#include <string_view>

#include "inventory/inventory.h"
#include "inventory/scan.h"
#include "python/record.h"
#include "tree/walk.h"

namespace loadable::inventory {

class FileLists {
 public:
  FileLists(tree::Walk& walk, ScanResult* scan, Inventory* inventory)
      : walk_(walk), scan_(*scan), inventory_(*inventory) {}

  /// All rows of a list in RECORD's form; `directory` is what relative paths start from.
  void record(std::string_view text, std::string_view directory, std::uint32_t distribution);
  /// One row.
  void add(const python::RecordRow& row, std::string_view directory, std::uint32_t distribution);

 private:
  void own(std::uint32_t object, const python::RecordRow& row, std::uint32_t distribution);
  void note_directory(std::string_view path, std::uint32_t distribution);
  void look_elsewhere(const python::RecordRow& row, std::uint32_t distribution);

  tree::Walk& walk_;
  ScanResult& scan_;
  Inventory& inventory_;
  std::string path_;            ///< of the row at hand
  std::string last_directory_;  ///< noted last: rows of one directory follow each other
};

}  // namespace loadable::inventory
