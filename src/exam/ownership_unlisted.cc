// SPDX-License-Identifier: Apache-2.0
// Members of families whose list of files is gone: installed all the same, so that the next sync or
// uninstall of either meets the files of both.
#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/holds.h"
#include "base/quote.h"
#include "exam/ownership.h"

namespace loadable::exam {

using check::Subject;
using inventory::Distribution;

bool Ownership::is_unlisted(std::uint32_t distribution) const {
  const Distribution& one = scene_.inventory.distributions[distribution];
  const bool is_wheel = one.kind == inventory::DistributionKind::DistInfo && !one.is_editable;
  if (!is_wheel || one.has_list || one.supplied_by) return false;
  // An empty directory is what a removal by hand leaves, and no distribution.
  if (!scene_.target.walk->resolve(one.metadata_path + "/METADATA")) return false;
  const std::string family = family_of(distribution);
  const accel::DistributionFamilyRow* row =
      family.empty() ? nullptr : scene_.knowledge.distribution_family(family);
  return row != nullptr && row->is_exclusive;
}

void Ownership::find_unlisted() {
  constexpr std::size_t kMaxPairs = 100;
  const std::vector<Distribution>& all = scene_.inventory.distributions;
  std::vector<std::uint32_t> unlisted;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (!is_unlisted(i)) continue;
    const bool is_told =
        std::any_of(scene_.inventory.incidents.begin(), scene_.inventory.incidents.end(),
                    [&](const auto& incident) { return incident.path == all[i].list_path; });
    if (!is_told) {
      scene_.add_incident(all[i].list_path,
                          format("no list of files: which files are of {} {} is not known",
                                 quoted(all[i].name), printable(all[i].version)));
    }
    unlisted.push_back(i);
  }
  if (unlisted.empty()) return;
  std::map<std::pair<std::string, std::string>, std::vector<std::uint32_t>> members;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const std::string family = family_of(i);
    const bool is_wheel = all[i].kind == inventory::DistributionKind::DistInfo;
    if (is_wheel && !family.empty()) members[{all[i].site_directory, family}].push_back(i);
  }
  for (const std::uint32_t i : unlisted) {
    for (const std::uint32_t j : members[{all[i].site_directory, family_of(i)}]) {
      // Of two without a list: once.
      const bool is_told = j < i && std::binary_search(unlisted.begin(), unlisted.end(), j);
      const bool is_stand_in = all[j].has_list && all[j].listed == 0;
      if (is_told || is_stand_in || all[j].normalized == all[i].normalized) continue;
      if (unlisted_pairs_.size() >= kMaxPairs) {
        ++left_out_;
        continue;
      }
      unlisted_pairs_.emplace_back(std::min(i, j), std::max(i, j));
    }
  }
  std::sort(unlisted_pairs_.begin(), unlisted_pairs_.end());
  told_.unlisted.resize(unlisted_pairs_.size());
}

bool Ownership::is_beside_unlisted(std::uint32_t distribution) const {
  return std::any_of(unlisted_pairs_.begin(), unlisted_pairs_.end(), [&](const auto& pair) {
    return pair.first == distribution || pair.second == distribution;
  });
}

check::OverlapFacts Ownership::unlisted_of(std::pair<std::uint32_t, std::uint32_t> pair,
                                           const Subject* subject) {
  const auto [first, second] = pair;
  const std::vector<Distribution>& all = scene_.inventory.distributions;
  check::OverlapFacts facts;
  facts.state = check::OverlapState::Unlisted;
  facts.first = member(first);
  facts.second = member(second);
  name_family(first, second, facts);
  for (const std::uint32_t index : {first, second}) {
    if (!is_unlisted(index)) continue;
    facts.unlisted.push_back(all[index].to_string());
    facts.unlisted_metadata.push_back(all[index].metadata_path);
  }
  add_chains(first, second, facts);
  if (subject == nullptr || subject->instance.import_library.empty()) return facts;
  check::ContestedPath file;
  file.path = subject->instance.import_library;
  file.carries_provider = true;
  const auto content = content_of(file.path);
  if (content == first) facts.of_first = 1;
  if (content == second) facts.of_second = 1;
  file.is_known = content.has_value();
  if (content) file.owner = all[*content].to_string();
  facts.differing.push_back(std::move(file));
  facts.witnesses = witnesses(facts.family, subject->instance.package_dir);
  return facts;
}

void Ownership::add_unlisted(Subject& subject) {
  for (std::size_t i = 0; i < unlisted_pairs_.size(); ++i) {
    const auto [first, second] = unlisted_pairs_[i];
    if (environment_of(first) != subject.instance.environment) continue;
    const bool is_carried = holds(member(first).carries, subject.provider) ||
                            holds(member(second).carries, subject.provider);
    if (!is_carried) continue;
    if (subject.instance.is_companion && told_.unlisted[i]) continue;
    told_.unlisted[i] = true;
    if (has_room(subject)) {
      subject.ownership.overlaps.push_back(unlisted_of(unlisted_pairs_[i], &subject));
    }
  }
}

void Ownership::add_other_unlisted(Subject& subject, std::size_t environment) {
  for (std::size_t i = 0; i < unlisted_pairs_.size(); ++i) {
    if (told_.unlisted[i] || environment_of(unlisted_pairs_[i].first) != environment) continue;
    if (has_room(subject)) {
      subject.ownership.overlaps.push_back(unlisted_of(unlisted_pairs_[i], nullptr));
    }
  }
}

bool Ownership::may_be_unlisted(const std::string& path) const {
  for (const accel::ProviderRow& row : scene_.knowledge.providers) {
    const std::string below = "/" + row.package + "/" + row.provider_library;
    if (!path.ends_with(below)) continue;
    const std::string site = path.substr(0, path.size() - below.size());
    for (std::uint32_t i = 0; i < scene_.inventory.distributions.size(); ++i) {
      if (scene_.inventory.distributions[i].site_directory != site || !is_unlisted(i)) continue;
      if (holds(member(i).carries, row.id)) return true;
    }
  }
  return false;
}

}  // namespace loadable::exam
