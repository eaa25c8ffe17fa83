// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who owns the files that verdicts rest on: inventory's facts of paths and hashes, the families of
// the tables and the chains of requirements, as facts for the rules.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "check/facts.h"
#include "exam/scene.h"
#include "inventory/ownership.h"
#include "python/requirement_chain.h"

namespace loadable::exam {

/// The environment of what lies in none.
inline constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

class Ownership {
 public:
  /// Looks at the whole target: hashes what is contested and what carries a provider, all with
  /// --integrity full. Incidents go to the scene.
  explicit Ownership(Scene& scene);

  /// Adds to the providers of one environment what concerns them.
  void add_to(std::size_t environment, std::vector<check::Subject>& providers);
  /// What concerns no provider, one subject for each environment that has something, and one for
  /// what lies in none.
  [[nodiscard]] std::vector<check::Subject> rest();

 private:
  struct Told {
    std::vector<bool> overlaps, altered, losses, unowned;
  };
  void add_overlaps(check::Subject& subject);
  void add_losses(check::Subject& subject);
  void add_altered(check::Subject& subject);
  void add_skew(check::Subject& subject);
  void add_unowned(check::Subject& subject);
  [[nodiscard]] check::OverlapFacts overlap_of(const inventory::Overlap& overlap,
                                               const check::Subject* subject);
  [[nodiscard]] check::GuttedFacts gutted_of(const inventory::Losses& losses);
  [[nodiscard]] check::LostFacts lost_of(const inventory::Losses& losses,
                                         bool with_libraries) const;
  [[nodiscard]] check::UnownedFacts unowned_of(const std::string& path);
  void add_chains(const inventory::Overlap& overlap, check::OverlapFacts& facts) const;
  void add_other_overlaps(check::Subject& subject, std::size_t environment);
  void add_rest(check::Subject& subject, std::size_t environment);

  [[nodiscard]] check::Member member(std::uint32_t distribution) const;
  [[nodiscard]] std::string family_of(std::uint32_t distribution) const;
  [[nodiscard]] std::size_t environment_of(std::uint32_t distribution) const;
  [[nodiscard]] std::vector<python::ChainLink> chain_to(std::uint32_t distribution) const;
  /// Of metadata that are stale: another one of the same name has the files.
  [[nodiscard]] bool is_stale(std::uint32_t distribution) const;
  /// An older list of the same distribution is stale-metadata's, unless files of both lie there.
  [[nodiscard]] bool is_of_one_name(const inventory::Overlap& overlap) const;
  [[nodiscard]] const std::vector<check::Witness>& witnesses(const std::string& family,
                                                             const std::string& package_dir);
  /// The distribution whose bytes lie there: index, or nothing where that is not known.
  [[nodiscard]] std::optional<std::uint32_t> content_of(const std::string& path) const;

  Scene& scene_;
  inventory::OwnershipFacts facts_;
  /// By family and package: binaries are read once.
  std::map<std::pair<std::string, std::string>, std::vector<check::Witness>> witnesses_;
  Told told_;
};

}  // namespace loadable::exam
