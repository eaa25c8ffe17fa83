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
#include "python/marker.h"
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
    std::vector<bool> overlaps, altered, losses, unowned, unlisted;
  };
  void add_overlaps(check::Subject& subject);
  void add_losses(check::Subject& subject);
  void add_altered(check::Subject& subject);
  void add_skew(check::Subject& subject);
  void add_unowned(check::Subject& subject);
  void add_unlisted(check::Subject& subject);
  void add_hidden(check::Subject& subject);
  void add_other_unlisted(check::Subject& subject, std::size_t environment);
  void add_hidden(check::OwnershipFacts& facts, std::size_t environment);
  void add_stale(check::OwnershipFacts& facts, std::size_t environment);
  [[nodiscard]] check::OverlapFacts overlap_of(const inventory::Overlap& overlap,
                                               const check::Subject* subject);
  [[nodiscard]] check::GuttedFacts gutted_of(const inventory::Losses& losses);
  [[nodiscard]] check::LostFacts lost_of(const inventory::Losses& losses,
                                         bool with_libraries) const;
  [[nodiscard]] check::UnownedFacts unowned_of(const std::string& path);
  void add_chains(std::uint32_t first, std::uint32_t second, check::OverlapFacts& facts);
  /// Is there room for one more finding about a pair? If not, it is counted.
  [[nodiscard]] bool has_room(const check::Subject& subject);
  void add_other_overlaps(check::Subject& subject, std::size_t environment);
  void add_rest(check::Subject& subject, std::size_t environment);

  [[nodiscard]] check::Member member(std::uint32_t distribution) const;
  [[nodiscard]] std::string family_of(std::uint32_t distribution) const;
  [[nodiscard]] std::size_t environment_of(std::uint32_t distribution) const;
  [[nodiscard]] const std::vector<python::ChainLink>& chain_to(std::uint32_t distribution);
  /// Of metadata that are stale: another one of the same name has the files.
  [[nodiscard]] bool is_stale(std::uint32_t distribution) const;
  /// An older list of the same distribution is stale-metadata's, unless files of both lie there.
  [[nodiscard]] bool is_of_one_name(const inventory::Overlap& overlap) const;
  [[nodiscard]] const std::vector<check::Witness>& witnesses(const std::string& family,
                                                             const std::string& package_dir);
  /// An installed wheel whose RECORD is gone, of a family whose members overwrite each other.
  [[nodiscard]] bool is_unlisted(std::uint32_t distribution) const;
  void find_unlisted();
  /// Its bytes may be those of a member that has no list.
  [[nodiscard]] bool is_beside_unlisted(std::uint32_t distribution) const;
  [[nodiscard]] check::OverlapFacts unlisted_of(std::pair<std::uint32_t, std::uint32_t> pair,
                                                const check::Subject* subject);
  /// Does a distribution without a list carry the provider whose library lies there?
  [[nodiscard]] bool may_be_unlisted(const std::string& path) const;
  /// What of a family the two members share, where they are of one that excludes them.
  void name_family(std::uint32_t first, std::uint32_t second, check::OverlapFacts& facts) const;
  /// The distribution whose bytes lie there: index, or nothing where that is not known.
  [[nodiscard]] std::optional<std::uint32_t> content_of(const std::string& path) const;

  Scene& scene_;
  inventory::OwnershipFacts facts_;
  /// Of each distribution that lacks some, sorted by path.
  std::map<std::uint32_t, std::vector<const inventory::MissingFile*>> missing_of_;
  /// By family and package: binaries are read once.
  std::map<std::pair<std::string, std::string>, std::vector<check::Witness>> witnesses_;
  /// Who requires what in an environment, and what that means for a distribution: asked often.
  struct Requirers {
    std::vector<python::Requirer> all;
    python::MarkerEnvironment markers;
  };
  const Requirers& requirers_of(std::size_t environment);
  std::map<std::size_t, Requirers> requirers_;
  std::map<std::uint32_t, std::vector<python::ChainLink>> chains_;
  std::size_t left_out_ = 0;  ///< pairs that were not told
  /// Members of one family in one site directory, of which one has no list of files.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> unlisted_pairs_;
  Told told_;
};

}  // namespace loadable::exam
