// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where else a library lies, and what became of it: the inventory's answers about one name.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "check/facts.h"
#include "exam/scene.h"
#include "loader/cache.h"
#include "loader/process.h"

namespace loadable::exam {

class Lookup {
 public:
  explicit Lookup(Scene& scene) : scene_(scene) {}

  /// Files of that name in the target; with `by_soname` also those that only say so in DT_SONAME.
  std::vector<check::Copy> copies(std::string_view name, const loader::Identity& identity,
                                  bool by_soname);
  /// The same library with another major.
  std::vector<check::Copy> other_majors(std::string_view name, const loader::Identity& identity);
  /// Files of that name, or at that path, which a distribution's list names and which are gone.
  [[nodiscard]] std::vector<check::Gone> gone(std::string_view name_or_path) const;
  /// Why a loader would refuse a file; empty: it would not.
  std::string defect(const std::string& path, const loader::Identity& identity);
  /// How /etc/ld.so.cache fails to tell about a library that it should know; empty: it does not.
  /// `tried` is the search; a copy that the cache does not know is added to `copies`.
  std::string stale_cache(std::string_view name, const loader::Process& process,
                          const std::vector<loader::Candidate>& tried,
                          std::vector<check::Copy>& copies);
  /// Entries of /etc/ld.so.cache whose files are gone, as sentences; at most `limit`.
  std::vector<std::string> dead_cache_entries(const loader::Identity& identity, std::size_t limit);
  /// A package that ships it for this CUDA major (0: not known); empty: not known.
  [[nodiscard]] std::string supplier(std::string_view name, int cuda) const;

 private:
  check::Copy copy_of(const std::string& path, const loader::Identity& identity);
  std::optional<loader::Cache> read_cache(const loader::Identity& identity) const;
  const std::vector<std::string>& cache_directories(const loader::Identity& identity);

  Scene& scene_;
  std::unordered_map<std::string, std::string> defects_;
  std::optional<std::vector<std::string>> cache_directories_;
};

}  // namespace loadable::exam
