// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lists of files (RECORD, conda's, installed-files.txt) held against the files that are there.

#include <string>
#include <string_view>

#include "inventory/inventory.h"
#include "inventory/path_table.h"
#include "inventory/row_paths.h"
#include "inventory/scan.h"
#include "python/conda_meta.h"
#include "python/record.h"
#include "tree/walk.h"

namespace loadable::inventory {

class FileLists {
 public:
  FileLists(tree::Walk& walk, ScanResult* scan, Inventory* inventory)
      : walk_(walk), scan_(*scan), inventory_(*inventory) {}

  /// All rows of a list in RECORD's form or dpkg's: the distribution's list_path says which.
  void read(std::string_view text, std::uint32_t distribution);
  void conda(const python::CondaPackage& package, std::uint32_t distribution);

 private:
  void start(std::uint32_t distribution);
  void record(std::string_view text, const RowPaths& paths);
  void md5sums(std::string_view text, const RowPaths& paths);
  /// False when the list is over its bounds and reading ends.
  bool add(const python::RecordRow& row, const RowPaths& paths);
  void claim(PathTable::Slot* slot, const std::string& path, const python::RecordRow& row);
  void note_directory(std::string_view path);
  void look_elsewhere(const python::RecordRow& row);
  void incident(std::string message);

  tree::Walk& walk_;
  ScanResult& scan_;
  Inventory& inventory_;
  // Of the list at hand:
  std::string list_;
  std::uint32_t distribution_ = 0;
  std::size_t rows_ = 0, outside_ = 0, missing_ = 0;
  bool is_outside_ = false;     ///< the row at hand
  std::string path_;            ///< of the row at hand
  std::string last_directory_;  ///< noted last: rows of one directory follow each other
};

}  // namespace loadable::inventory
