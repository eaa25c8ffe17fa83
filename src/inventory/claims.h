// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the lists say of the files that matter: path -> rows. Internal to ownership.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inventory/inventory.h"
#include "inventory/row_paths.h"
#include "tree/walk.h"

namespace loadable::inventory {

struct ClaimRow {
  std::uint32_t distribution = 0;
  std::string hash;
  std::optional<std::uint64_t> size;
};

/// A file that is asked about, and the rows of all lists about it, by distribution.
struct ClaimedFile {
  std::string path;
  std::vector<ClaimRow> rows;
  bool is_gone = false;      ///< no file is there
  bool is_complete = false;  ///< its rows are known: the lists need not be read for it
  bool is_asked = false;     ///< its bytes decide a verdict
};

/// Collects claims, reading only the lists that can hold one.
class Claims {
 public:
  Claims(tree::Walk& walk, const Inventory& inventory) : walk_(walk), inventory_(inventory) {}

  /// Files that several lists name, there or gone.
  void want_shared();
  /// A file whose bytes decide something.
  void want_asked(std::string_view path);
  /// A file whose owner is asked for, not its bytes.
  void want_owner(const std::string& path);
  /// Every file of every list that has a hash there.
  void want_all() { wants_all_ = true; }

  /// Reads the lists. Sorted by path.
  std::vector<ClaimedFile> collect();
  /// Limits that were reached.
  std::vector<Incident> incidents;

 private:
  ClaimedFile* file(std::string_view path);
  ClaimedFile& wanted(const std::string& path);
  void read_list(std::uint32_t distribution);
  void join_supplied(ClaimedFile* file) const;

  tree::Walk& walk_;
  const Inventory& inventory_;
  std::vector<ClaimedFile> files_;
  std::unordered_map<std::string, std::size_t> by_path_;
  std::set<std::uint32_t> involved_;
  bool reads_all_ = false, wants_all_ = false;
};

/// The physical place of a file, its last component not followed; the text itself when no directory
/// is there.
[[nodiscard]] std::string physical_place(tree::Walk& walk, std::string_view path);

}  // namespace loadable::inventory
