// SPDX-License-Identifier: Apache-2.0
#include "exam/ownership.h"

#include <algorithm>

#include "accel/providers.h"
#include "accel/witness.h"
#include "base/holds.h"
#include "check/remedies.h"
#include "elf/object.h"
#include "python/marker.h"

namespace loadable::exam {
namespace {

using accel::ProviderInstance;
using check::Subject;
using inventory::Claim;
using inventory::Match;

constexpr std::size_t kLostShown = 20;
/// Pairs of distributions that are told one by one, of one provider or of one environment.
constexpr std::size_t kOverlapsTold = 100;

bool carries(const ProviderInstance& instance, const std::string& path) {
  return !path.empty() && (path == instance.import_library || path == instance.provider_library);
}

/// Files whose bytes decide a verdict, for all environments.
std::vector<std::string> deciding_files(const Scene& scene) {
  std::vector<std::string> files;
  for (const std::vector<ProviderInstance>& instances : scene.instances) {
    for (const ProviderInstance& instance : instances) {
      for (const std::string& path :
           {instance.import_library, instance.provider_library, instance.shared_library}) {
        if (!path.empty() && !holds(files, path)) files.push_back(path);
      }
    }
  }
  return files;
}

inventory::OwnershipFacts look(Scene& scene) {
  inventory::OwnershipOptions options;
  options.hashes_all = scene.options.hashes_all;
  options.threads = std::max<std::size_t>(1, scene.options.threads);
  options.also = deciding_files(scene);
  options.progress = [&scene](std::uint64_t done, std::uint64_t total) {
    scene.tell("MB hashed", static_cast<std::size_t>(done >> 20),
               static_cast<std::size_t>(total >> 20));
  };
  return inventory::find_ownership(*scene.target.walk, scene.inventory, options);
}

const Claim* claim_of(const inventory::ContestedFile& file, std::uint32_t distribution) {
  const auto found = std::find_if(file.claims.begin(), file.claims.end(), [&](const Claim& claim) {
    return claim.distribution == distribution;
  });
  return found == file.claims.end() ? nullptr : &*found;
}

/// `onnxruntime` of `/site/onnxruntime/capi/x.so` below `/site`; a module's file name; empty: not
/// below it.
std::string package_of(const std::string& path, const std::string& site) {
  if (!path.starts_with(site + "/")) return {};
  const std::size_t begin = site.size() + 1;
  return path.substr(begin, path.find('/', begin) - begin);
}

std::vector<std::string> sentences(const std::vector<python::ChainLink>& chain) {
  std::vector<std::string> list;
  for (const python::ChainLink& link : chain) list.push_back(link.to_string());
  return list;
}

check::ContestedPath contested(const inventory::ContestedFile& file, const Claim& first,
                               const Claim& second, const inventory::Inventory& inventory) {
  check::ContestedPath path;
  path.path = file.path;
  path.first_hash = first.hash;
  path.second_hash = second.hash;
  for (const Claim* claim : {&first, &second}) {
    if (claim->match == Match::Same) {
      path.owner = inventory.distributions[claim->distribution].to_string();
    }
    if (claim->match == Match::Gone) path.is_gone = true;
    if (claim->match == Match::Unreadable || claim->match == Match::NotAsked) path.is_known = false;
  }
  if (!path.owner.empty()) path.is_known = true;
  return path;
}

check::OverlapState state_of(const check::OverlapFacts& facts) {
  if (facts.gone > 0 && facts.gone * 2 > facts.shared) return check::OverlapState::Gutted;
  if (facts.differing.empty()) return check::OverlapState::Identical;
  if (facts.of_first > 0 && facts.of_second > 0) return check::OverlapState::Mixed;
  if (facts.of_first == 0 && facts.of_second == 0) return check::OverlapState::Unknown;
  return check::OverlapState::Overwritten;
}

}  // namespace

Ownership::Ownership(Scene& scene) : scene_(scene), facts_(look(scene)) {
  for (const inventory::Incident& incident : facts_.incidents) {
    scene_.add_incident(incident.path, incident.message);
  }
  told_.overlaps.resize(facts_.overlaps.size());
  told_.altered.resize(facts_.altered.size());
  told_.losses.resize(facts_.losses.size());
  told_.unowned.resize(facts_.unowned.size());
  for (const inventory::MissingFile& missing : scene_.inventory.missing) {
    missing_of_[missing.distribution].push_back(&missing);
  }
  find_unlisted();
}

check::Member Ownership::member(std::uint32_t distribution) const {
  const inventory::Distribution& installed = scene_.inventory.distributions[distribution];
  check::Member member;
  member.name = installed.name;
  member.version = installed.version;
  member.installer =
      installed.kind == inventory::DistributionKind::Conda ? "conda" : installed.installer;
  const accel::DistributionRow* row =
      scene_.knowledge.distribution(installed.normalized, installed.version);
  if (row == nullptr) return member;
  member.carries = row->providers;
  member.builds_for = row->builds_for;
  member.states_intent = !row->intends.empty();
  return member;
}

std::string Ownership::family_of(std::uint32_t distribution) const {
  const inventory::Distribution& installed = scene_.inventory.distributions[distribution];
  const accel::DistributionRow* row =
      scene_.knowledge.distribution(installed.normalized, installed.version);
  return row == nullptr ? std::string{} : row->family;
}

std::size_t Ownership::environment_of(std::uint32_t distribution) const {
  const auto& environment = scene_.inventory.distributions[distribution].environment;
  return environment ? *environment : kNowhere;
}

const Ownership::Requirers& Ownership::requirers_of(std::size_t environment) {
  const auto [known, is_new] = requirers_.try_emplace(environment);
  Requirers& requirers = known->second;
  if (!is_new) return requirers;
  for (const inventory::Distribution& one : scene_.inventory.distributions) {
    if (one.environment != environment) continue;
    requirers.all.push_back({one.name, one.version, one.requires_dist});
  }
  const python::Environment& interpreter = scene_.inventory.environments[environment];
  const auto program = scene_.store.open(interpreter.program);
  const bool is_known = program && (*program)->header;
  requirers.markers = python::MarkerEnvironment::for_interpreter(
      interpreter.version, is_known ? elf::machine_name((*program)->header->machine) : "x86_64");
  return requirers;
}

const std::vector<python::ChainLink>& Ownership::chain_to(std::uint32_t distribution) {
  const auto [known, is_new] = chains_.try_emplace(distribution);
  const std::size_t environment = environment_of(distribution);
  if (!is_new || environment == kNowhere) return known->second;
  const Requirers& requirers = requirers_of(environment);
  const std::string& name = scene_.inventory.distributions[distribution].normalized;
  auto chains = python::chains_to(name, requirers.all, requirers.markers, 1);
  if (!chains.empty()) known->second = std::move(chains.front());
  return known->second;
}

bool Ownership::has_room(const Subject& subject) {
  if (subject.ownership.overlaps.size() < kOverlapsTold) return true;
  ++left_out_;
  return false;
}

const std::vector<check::Witness>& Ownership::witnesses(const std::string& family,
                                                        const std::string& package_dir) {
  const auto [known, is_new] = witnesses_.try_emplace({family, package_dir});
  if (!is_new) return known->second;
  for (accel::Testimony& one :
       accel::hear_witnesses(scene_.knowledge, scene_.store, family, package_dir)) {
    known->second.push_back({std::move(one.path), std::move(one.says), std::move(one.member),
                             std::move(one.capability), one.has});
  }
  return known->second;
}

check::OverlapFacts Ownership::overlap_of(const inventory::Overlap& overlap,
                                          const Subject* subject) {
  check::OverlapFacts facts;
  facts.first = member(overlap.first);
  facts.second = member(overlap.second);
  facts.shared = overlap.shared;
  facts.identical = overlap.identical;
  facts.gone = overlap.gone;
  facts.of_first = overlap.of_first;
  facts.of_second = overlap.of_second;
  facts.of_neither = overlap.of_neither;
  const std::string& site = scene_.inventory.distributions[overlap.first].site_directory;
  facts.is_stray = !overlap.differing.empty();
  for (const inventory::ContestedFile& file : overlap.differing) {
    const Claim* first = claim_of(file, overlap.first);
    const Claim* second = claim_of(file, overlap.second);
    if (first == nullptr || second == nullptr) continue;
    facts.differing.push_back(contested(file, *first, *second, scene_.inventory));
    facts.differing.back().carries_provider =
        subject != nullptr && carries(subject->instance, file.path);
    facts.is_stray = facts.is_stray && file.path.starts_with(site + "/") &&
                     scene_.knowledge.is_stray(file.path.substr(site.size() + 1));
    if (facts.package.empty()) facts.package = package_of(file.path, site);
  }
  facts.state = state_of(facts);
  name_family(overlap.first, overlap.second, facts);
  if (!facts.family.empty() || subject != nullptr) {
    add_chains(overlap.first, overlap.second, facts);
  }
  if (!facts.family.empty() && !facts.differing.empty()) {
    facts.witnesses = witnesses(facts.family, site + "/" + facts.package);
  }
  return facts;
}

void Ownership::name_family(std::uint32_t first, std::uint32_t second,
                            check::OverlapFacts& facts) const {
  const std::string family = family_of(first);
  if (family.empty() || family != family_of(second)) return;
  const accel::DistributionFamilyRow* row = scene_.knowledge.distribution_family(family);
  if (row == nullptr || !row->is_exclusive) return;
  facts.family = family;
  facts.what = row->what;
  facts.package = row->packages.front();
}

void Ownership::add_chains(std::uint32_t first, std::uint32_t second, check::OverlapFacts& facts) {
  const auto& first_chain = chain_to(first);
  const auto& second_chain = chain_to(second);
  facts.first_chain = sentences(first_chain);
  facts.second_chain = sentences(second_chain);
  if (!first_chain.empty()) facts.first_requirer = first_chain.back().requirer;
  if (!second_chain.empty()) facts.second_requirer = second_chain.back().requirer;
}

bool Ownership::is_stale(std::uint32_t distribution) const {
  return std::any_of(facts_.stale.begin(), facts_.stale.end(),
                     [&](const inventory::StaleMetadata& stale) {
                       const auto& all = stale.distributions;
                       const auto found = std::find(all.begin(), all.end(), distribution);
                       return found != all.end() && found != all.begin();
                     });
}

bool Ownership::is_of_one_name(const inventory::Overlap& overlap) const {
  const auto& all = scene_.inventory.distributions;
  const bool is_mixed = overlap.of_first > 0 && overlap.of_second > 0;
  // conda and pip know nothing of each other: either one's next update meets the other's files.
  using inventory::DistributionKind;
  const bool is_condas = (all[overlap.first].kind == DistributionKind::Conda) !=
                         (all[overlap.second].kind == DistributionKind::Conda);
  if (is_condas && !overlap.differing.empty()) return false;
  return all[overlap.first].normalized == all[overlap.second].normalized && !is_mixed;
}

void Ownership::add_overlaps(Subject& subject) {
  for (std::size_t i = 0; i < facts_.overlaps.size(); ++i) {
    const inventory::Overlap& overlap = facts_.overlaps[i];
    if (environment_of(overlap.first) != subject.instance.environment) continue;
    if (is_of_one_name(overlap)) continue;
    const inventory::Inventory& all = scene_.inventory;
    const bool is_carried = holds(member(overlap.first).carries, subject.provider) ||
                            holds(member(overlap.second).carries, subject.provider);
    const bool supplies = holds(subject.suppliers, all.distributions[overlap.first].to_string()) ||
                          holds(subject.suppliers, all.distributions[overlap.second].to_string());
    const bool touches =
        std::any_of(overlap.differing.begin(), overlap.differing.end(),
                    [&](const auto& file) { return carries(subject.instance, file.path); });
    if (!is_carried && !touches && !(supplies && !overlap.differing.empty())) continue;
    // A companion needs only what concerns itself: the rest is its provider's to tell.
    if (subject.instance.is_companion && !is_carried && !touches) continue;
    told_.overlaps[i] = true;
    if (!has_room(subject)) continue;
    subject.ownership.overlaps.push_back(overlap_of(overlap, &subject));
  }
}

check::GuttedFacts Ownership::gutted_of(const inventory::Losses& losses) {
  check::GuttedFacts facts;
  facts.member = member(losses.distribution);
  facts.listed = losses.listed;
  facts.gone = losses.gone;
  facts.packages = losses.gutted_packages;
  facts.site_directory = scene_.inventory.distributions[losses.distribution].site_directory;
  facts.import_fails = std::all_of(
      facts.packages.begin(), facts.packages.end(),
      [&](const std::string& path) { return !scene_.target.walk->resolve(path).has_value(); });
  const std::string family = family_of(losses.distribution);
  if (family.empty()) return facts;
  const auto& normalized = scene_.inventory.distributions[losses.distribution].normalized;
  for (const accel::DistributionRow& row : scene_.knowledge.distributions) {
    const bool is_other = row.family == family && row.name != normalized && row.is_verified;
    if (is_other && row.name.find('*') == std::string::npos) {
      facts.probable_culprits.push_back(row.name);
    }
  }
  return facts;
}

void Ownership::add_losses(Subject& subject) {
  for (std::size_t i = 0; i < facts_.losses.size(); ++i) {
    const inventory::Losses& losses = facts_.losses[i];
    const inventory::Distribution& loser = scene_.inventory.distributions[losses.distribution];
    if (loser.environment != subject.instance.environment) continue;
    if (!holds(member(losses.distribution).carries, subject.provider)) continue;
    if (is_stale(losses.distribution)) continue;
    if (!losses.gutted_packages.empty()) {
      told_.losses[i] = true;
      subject.ownership.gutted.push_back(gutted_of(losses));
      continue;
    }
    told_.losses[i] = true;
    subject.ownership.lost.push_back(lost_of(losses, false));
  }
}

check::LostFacts Ownership::lost_of(const inventory::Losses& losses, bool with_libraries) const {
  const inventory::Distribution& loser = scene_.inventory.distributions[losses.distribution];
  check::LostFacts lost;
  lost.by = loser.to_string();
  const auto files = missing_of_.find(losses.distribution);
  if (files == missing_of_.end()) return lost;
  for (const inventory::MissingFile* missing : files->second) {
    if (missing->path.starts_with(loser.metadata_path + "/")) continue;
    const bool is_library = check::file_name(missing->path).find(".so") != std::string::npos;
    if (is_library && !with_libraries) continue;
    ++lost.count;
    if (lost.files.size() < kLostShown) lost.files.push_back(missing->path);
  }
  return lost;
}

void Ownership::add_altered(Subject& subject) {
  for (std::size_t i = 0; i < facts_.altered.size(); ++i) {
    const inventory::AlteredFile& file = facts_.altered[i];
    const std::string owner = scene_.inventory.distributions[file.distribution].to_string();
    const bool is_own = carries(subject.instance, file.path) ||
                        file.path == subject.instance.shared_library ||
                        holds(subject.suppliers, owner) ||
                        holds(member(file.distribution).carries, subject.provider);
    const bool is_told = subject.instance.is_companion && told_.altered[i];
    if (!is_own || (is_told && !carries(subject.instance, file.path))) continue;
    if (is_beside_unlisted(file.distribution)) continue;  // told with that member
    told_.altered[i] = true;
    check::AlteredFacts facts{file.path,
                              member(file.distribution),
                              file.recorded,
                              file.found,
                              carries(subject.instance, file.path),
                              {}};
    if (facts.carries_provider) {
      facts.witnesses = witnesses(family_of(file.distribution), subject.instance.package_dir);
      std::erase_if(facts.witnesses, [&](const auto& one) { return one.path != file.path; });
    }
    subject.ownership.altered.push_back(std::move(facts));
  }
}

std::optional<std::uint32_t> Ownership::content_of(const std::string& path) const {
  for (const inventory::Overlap& overlap : facts_.overlaps) {
    for (const inventory::ContestedFile& file : overlap.differing) {
      if (file.path != path) continue;
      for (const Claim& claim : file.claims) {
        if (claim.match == Match::Same) return claim.distribution;
      }
      return std::nullopt;
    }
  }
  const bool is_altered =
      std::any_of(facts_.altered.begin(), facts_.altered.end(),
                  [&](const inventory::AlteredFile& file) { return file.path == path; });
  const bool is_unread =
      std::any_of(facts_.incidents.begin(), facts_.incidents.end(),
                  [&](const inventory::Incident& incident) { return incident.path == path; });
  const inventory::Object* object = scene_.inventory.find_object(path);
  if (is_altered || is_unread || object == nullptr || object->owners.empty()) return std::nullopt;
  // Without a hash in the list nobody compared anything.
  if (object->owners.front().hash.empty()) return std::nullopt;
  return object->owners.front().distribution;
}

void Ownership::add_hidden(Subject& subject) {
  const ProviderInstance& instance = subject.instance;
  if (instance.hidden_by.empty()) return;
  const auto owner_of = [&](const std::string& path) {
    const inventory::Distribution* owner = scene_.inventory.owner_of(path);
    if (owner == nullptr) return check::Member{};
    return member(static_cast<std::uint32_t>(owner - scene_.inventory.distributions.data()));
  };
  const bool is_module = instance.hidden_by.ends_with(".py");
  subject.ownership.hidden.push_back(
      {instance.hidden_by,
       instance.package_dir,
       owner_of(is_module ? instance.hidden_by : instance.hidden_by + "/__init__.py"),
       owner_of(instance.package_dir + "/__init__.py"),
       {},
       {},
       {}});
}

void Ownership::add_skew(Subject& subject) {
  const ProviderInstance& instance = subject.instance;
  const auto core = content_of(instance.import_library);
  const auto provider = content_of(instance.provider_library);
  subject.ownership.is_hashed = core.has_value() && provider.has_value();
  subject.ownership.is_fully_hashed = subject.ownership.is_hashed && scene_.options.hashes_all;
  if (!core || !provider || *core == *provider) return;
  check::SkewFacts skew{instance.import_library, instance.provider_library, member(*core),
                        member(*provider)};
  // A core without the provider is another defect: overwritten, or a left-over library.
  if (!holds(skew.core_of.carries, instance.id)) return;
  if (skew.core_of.version == skew.provider_of.version) return;
  subject.ownership.skews.push_back(std::move(skew));
}

check::UnownedFacts Ownership::unowned_of(const std::string& path) {
  check::UnownedFacts facts;
  facts.path = path;
  for (const accel::ProviderRow& row : scene_.knowledge.providers) {
    const std::string ending = "/" + row.package + "/" + row.provider_library;
    if (path.ends_with(ending)) {
      facts.package = row.package;
      facts.what = row.what;
    }
  }
  return facts;
}

void Ownership::add_unowned(Subject& subject) {
  for (std::size_t i = 0; i < facts_.unowned.size(); ++i) {
    if (facts_.unowned[i] != subject.instance.provider_library) continue;
    told_.unowned[i] = true;
    if (may_be_unlisted(facts_.unowned[i])) continue;
    check::UnownedFacts facts = unowned_of(facts_.unowned[i]);
    facts.carries_provider = true;
    const accel::ProviderRow* row = scene_.knowledge.provider(subject.provider);
    for (const inventory::Distribution& one : scene_.inventory.distributions) {
      if (one.environment != subject.instance.environment || row == nullptr) continue;
      const accel::DistributionRow* known =
          scene_.knowledge.distribution(one.normalized, one.version);
      if (known != nullptr && known->family == row->family) facts.installed.push_back(one.name);
    }
    subject.ownership.unowned.push_back(std::move(facts));
  }
}

void Ownership::add_to(std::size_t environment, std::vector<Subject>& providers) {
  for (Subject& subject : providers) {
    if (!subject.instance.is_shipped || subject.instance.environment != environment) continue;
    add_overlaps(subject);
    add_unlisted(subject);
    add_hidden(subject);
    add_losses(subject);
    add_altered(subject);
    add_skew(subject);
    add_unowned(subject);
  }
}

}  // namespace loadable::exam
