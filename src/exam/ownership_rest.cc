// SPDX-License-Identifier: Apache-2.0
// What the ownership of files shows that concerns no provider.
#include <algorithm>

#include "base/format.h"
#include "exam/folder.h"
#include "exam/installation.h"
#include "exam/ownership.h"

namespace loadable::exam {
namespace {

/// Debian ships both forms of one version: only two of a form, or two versions, are a mistake.
bool counts_as_stale(const inventory::Inventory& inventory, const inventory::StaleMetadata& stale) {
  const inventory::Distribution& first = inventory.distributions[stale.distributions.front()];
  std::size_t wheels = 0;
  bool differ = false;
  for (const std::uint32_t index : stale.distributions) {
    const inventory::Distribution& one = inventory.distributions[index];
    differ = differ || one.version != first.version;
    if (one.kind == inventory::DistributionKind::DistInfo) ++wheels;
  }
  return differ || wheels > 1;
}

}  // namespace

using check::Subject;

void Ownership::add_other_overlaps(check::Subject& subject, std::size_t environment) {
  for (std::size_t i = 0; i < facts_.overlaps.size(); ++i) {
    const inventory::Overlap& overlap = facts_.overlaps[i];
    if (told_.overlaps[i] || environment_of(overlap.first) != environment) continue;
    const std::string family = family_of(overlap.first);
    const bool is_of_family = !family.empty() && family == family_of(overlap.second);
    // Equal content hurts only inside a family, where one of the two is a mistake.
    if (is_of_one_name(overlap) || (overlap.differing.empty() && !is_of_family)) continue;
    if (!has_room(subject)) continue;
    subject.ownership.overlaps.push_back(overlap_of(overlap, nullptr));
  }
}

void Ownership::add_rest(Subject& subject, std::size_t environment) {
  check::OwnershipFacts& facts = subject.ownership;
  add_other_overlaps(subject, environment);
  add_other_unlisted(subject, environment);
  for (std::size_t i = 0; i < facts_.losses.size(); ++i) {
    const inventory::Losses& losses = facts_.losses[i];
    if (told_.losses[i] || is_stale(losses.distribution)) continue;
    if (environment_of(losses.distribution) != environment) continue;
    if (!losses.gutted_packages.empty()) {
      facts.gutted.push_back(gutted_of(losses));
    } else if (scene_.options.hashes_all) {  // who slims an image on purpose does not ask
      facts.lost.push_back(lost_of(losses, true));
    }
  }
  for (std::size_t i = 0; i < facts_.altered.size(); ++i) {
    const inventory::AlteredFile& file = facts_.altered[i];
    if (told_.altered[i] || environment_of(file.distribution) != environment) continue;
    if (is_beside_unlisted(file.distribution)) continue;
    facts.altered.push_back(
        {file.path, member(file.distribution), file.recorded, file.found, false, {}});
  }
  add_hidden(facts, environment);
  add_stale(facts, environment);
}

void Ownership::add_hidden(check::OwnershipFacts& facts, std::size_t environment) {
  for (const inventory::HiddenModule& hidden : facts_.hidden) {
    if (environment_of(hidden.module_of) != environment) continue;
    facts.hidden.push_back({hidden.package,
                            hidden.module,
                            member(hidden.package_of),
                            member(hidden.module_of),
                            {},
                            {},
                            {}});
  }
}

void Ownership::add_stale(check::OwnershipFacts& facts, std::size_t environment) {
  for (const inventory::StaleMetadata& stale : facts_.stale) {
    if (stale.distributions.empty()) continue;
    if (environment_of(stale.distributions.front()) != environment) continue;
    check::StaleFacts one;
    for (const std::uint32_t index : stale.distributions) {
      one.members.push_back(member(index));
      one.metadata.push_back(scene_.inventory.distributions[index].metadata_path);
    }
    if (!counts_as_stale(scene_.inventory, stale)) continue;
    one.name = one.members.front().name;
    one.current = one.members.front().version;
    facts.stale.push_back(std::move(one));
  }
}

std::vector<Subject> Ownership::rest() {
  std::vector<Subject> subjects;
  std::vector<std::size_t> environments;
  for (std::size_t i = 0; i < scene_.inventory.environments.size(); ++i) environments.push_back(i);
  environments.push_back(kNowhere);
  for (const std::size_t environment : environments) {
    Subject subject;
    subject.weight = check::Weight::General;
    subject.target = scene_.options.shown_target;
    if (environment != kNowhere) subject.installation = installation_of(scene_, environment);
    add_rest(subject, environment);
    if (environment == 0) add_hidden_by_interpreter(scene_, subject.ownership.hidden);
    subjects.push_back(std::move(subject));
  }
  for (std::size_t i = 0; i < facts_.unowned.size(); ++i) {
    // Others are built in place, or downloaded by their package at run time.
    check::UnownedFacts facts = unowned_of(facts_.unowned[i]);
    if (told_.unowned[i] || facts.what.empty() || may_be_unlisted(facts.path)) continue;
    subjects.back().ownership.unowned.push_back(std::move(facts));
  }
  if (left_out_ > 0) {
    scene_.add_incident(
        scene_.target.path,
        format("{} further pairs of distributions share files, and are not told", left_out_));
  }
  return subjects;
}

}  // namespace loadable::exam
