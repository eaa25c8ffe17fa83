// SPDX-License-Identifier: Apache-2.0
// The owners of an environment's files, as JSON that a script can compare with its own count.
//   ownership_dump [--all] [--inventory] [--threads=N] [--also=PATH]… [--below] PATH
// PATH is a virtual environment, or with --below any directory, as an absolute path of this
// machine.
// --all hashes every file; --inventory stops before owners are asked for.
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/quote.h"
#include "inventory/collect.h"
#include "inventory/ownership.h"
#include "tree/tree.h"

namespace loadable {
namespace {

using inventory::Inventory;
using inventory::OwnershipFacts;

struct Words {
  inventory::OwnershipOptions options;
  std::string path;
  bool is_below = false, stops_early = false;
};

Words parse(int count, char** words) {
  Words parsed;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const std::string_view value = word.substr(word.find('=') + 1);
    if (word == "--all") {
      parsed.options.hashes_all = true;
    } else if (word == "--inventory") {
      parsed.stops_early = true;
    } else if (word == "--below") {
      parsed.is_below = true;
    } else if (word.starts_with("--threads=")) {
      std::from_chars(value.data(), value.data() + value.size(), parsed.options.threads);
    } else if (word.starts_with("--also=")) {
      parsed.options.also.emplace_back(value);
    } else {
      parsed.path = word;
    }
  }
  return parsed;
}

std::string_view word_of(inventory::Match match) {
  switch (match) {
    case inventory::Match::Same:
      return "same";
    case inventory::Match::Different:
      return "different";
    case inventory::Match::Gone:
      return "gone";
    case inventory::Match::Unreadable:
      return "unreadable";
    case inventory::Match::NotAsked:
      return "not asked";
    case inventory::Match::NotListed:
      return "not listed";
  }
  return "?";
}

Json overlaps_of(const Inventory& inventory, const OwnershipFacts& facts) {
  Json all = Json::array();
  const auto name = [&](std::uint32_t at) { return inventory.distributions[at].to_string(); };
  for (const auto& overlap : facts.overlaps) {
    Json files = Json::object();
    for (const auto& file : overlap.differing) {
      Json claims = Json::object();
      for (const auto& claim : file.claims) claims[name(claim.distribution)] = word_of(claim.match);
      files[valid_utf8(file.path)] = std::move(claims);
    }
    all.push_back({{"first", name(overlap.first)},
                   {"second", name(overlap.second)},
                   {"shared", overlap.shared},
                   {"identical", overlap.identical},
                   {"gone", overlap.gone},
                   {"of_first", overlap.of_first},
                   {"of_second", overlap.of_second},
                   {"of_neither", overlap.of_neither},
                   {"differing", std::move(files)}});
  }
  return all;
}

Json json_of(const Inventory& inventory, const OwnershipFacts& facts) {
  const auto name = [&](std::uint32_t at) { return inventory.distributions[at].to_string(); };
  Json altered = Json::array(), losses = Json::array(), stale = Json::array(),
       hidden = Json::array(), unowned = Json::array(), incidents = Json::array();
  for (const auto& file : facts.altered) {
    altered.push_back({{"path", valid_utf8(file.path)},
                       {"distribution", name(file.distribution)},
                       {"recorded", file.recorded},
                       {"found", file.found}});
  }
  for (const auto& row : facts.losses) {
    losses.push_back({{"distribution", name(row.distribution)},
                      {"listed", row.listed},
                      {"gone", row.gone},
                      {"gutted", row.gutted_packages}});
  }
  for (const auto& row : facts.stale) {
    Json names = Json::array();
    for (const auto distribution : row.distributions) names.push_back(name(distribution));
    stale.push_back(std::move(names));
  }
  for (const auto& row : facts.hidden) {
    hidden.push_back({{"package", row.package},
                      {"module", row.module},
                      {"package_of", name(row.package_of)},
                      {"module_of", name(row.module_of)}});
  }
  for (const auto& path : facts.unowned) unowned.push_back(valid_utf8(path));
  for (const auto* list : {&inventory.incidents, &facts.incidents}) {
    for (const auto& incident : *list) {
      incidents.push_back(
          {{"path", valid_utf8(incident.path)}, {"message", valid_utf8(incident.message)}});
    }
  }
  return {{"distributions", inventory.distributions.size()},
          {"files_hashed", facts.files_hashed},
          {"bytes_hashed", facts.bytes_hashed},
          {"overlaps", overlaps_of(inventory, facts)},
          {"altered", std::move(altered)},
          {"losses", std::move(losses)},
          {"stale", std::move(stale)},
          {"hidden", std::move(hidden)},
          {"unowned", std::move(unowned)},
          {"incidents", std::move(incidents)}};
}

int run(int count, char** arguments) {
  const Words words = parse(count, arguments);
  const auto root = tree::open_host_tree("/");
  if (!root || words.path.empty()) return 2;
  tree::Walk walk(**root);
  inventory::Scope scope;
  if (words.is_below) {
    scope.below = words.path;
  } else {
    auto environment = python::read_venv(walk, tree::Path(words.path));
    if (!environment) {
      std::fputs((environment.error().to_string() + "\n").c_str(), stderr);
      return 2;
    }
    scope.environments.push_back(std::move(*environment));
  }
  const Inventory inventory = inventory::collect(walk, std::move(scope));
  OwnershipFacts facts;
  if (!words.stops_early) facts = inventory::find_ownership(walk, inventory, words.options);
  std::fputs(dump_json(json_of(inventory, facts)).c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace loadable

int main(int count, char** arguments) { return loadable::run(count, arguments); }
