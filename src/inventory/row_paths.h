// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the rows of a distribution's list lie, and which of them point out of its environment.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "inventory/inventory.h"
#include "python/record.h"
#include "tree/walk.h"

namespace loadable::inventory {

/// Bounds for one list: the largest real one (a conda package of 12,000 files) is a hundredth.
inline constexpr std::uint64_t kMaxListBytes = std::uint64_t{64} << 20U;
inline constexpr std::size_t kMaxListRows = 1'000'000;

/// The prefix of a site directory by its name: `/v` of `/v/lib/python3.11/site-packages`. The
/// directory itself when it has another form (`pip install --target`).
[[nodiscard]] std::string prefix_of_site(std::string_view site);

/// Is that a compiled file? They come and go with every run of the program.
[[nodiscard]] bool is_compiled(std::string_view path);

/// How a list is written, by its name.
enum class ListForm : std::uint8_t { Record, Conda, Md5sums };
[[nodiscard]] ListForm form_of_list(std::string_view list_path);

/// Turns the rows of one distribution's list into paths. Refers to the inventory's texts.
class RowPaths {
 public:
  RowPaths(const Inventory& inventory, std::uint32_t distribution);

  /// The absolute path of a row, without `.`, `..` and doubled slashes. False: it points out of the
  /// environment (neither its prefix, nor the prefix of the site directory, nor that directory).
  bool place(std::string_view row, std::string* path) const;
  /// Is a row of no interest, wherever it points? Compiled files; of Debian's packages what is not
  /// a module (documentation, which images leave out).
  [[nodiscard]] bool passes_over(std::string_view row) const;

 private:
  std::string site_;                   ///< of Debian's lists: what lies elsewhere is not judged
  std::string base_;                   ///< that relative rows start from, with a slash behind
  std::vector<std::string> confines_;  ///< with a slash behind
  bool is_target_folder_ = false;
};

/// A row of a list, at its place.
struct ListedFile {
  std::string_view path;  ///< inside the root, the directory physical where it exists
  std::string_view hash;  ///< as in Ownership; empty: not recorded
  std::optional<std::uint64_t> size;
};

/// Reads a distribution's list once more and calls `file` for each row but compiled files and those
/// that point out of the environment (the inventory has incidents of them). Nothing is done for
/// distributions without a list.
void for_each_listed(tree::Walk& walk, const Inventory& inventory, std::uint32_t distribution,
                     const std::function<void(const ListedFile&)>& file);

}  // namespace loadable::inventory
