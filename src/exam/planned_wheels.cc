// SPDX-License-Identifier: Apache-2.0
#include "exam/planned_wheels.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.h"
#include "exam/wheel.h"
#include "python/requirement_chain.h"
#include "python/specifier.h"
#include "python/version.h"

namespace loadable::exam {
namespace {

/// Rows of all lists together: a folder of hundreds of large wheels has a million.
constexpr std::size_t kMostRows = 10'000'000;

/// A wheel that an installer could take.
struct Candidate {
  std::string normalized, place;
  WheelTags tags;
  std::string build;
  std::string requires_python;
  PlannedDistribution planned;
};

/// What was read, before anything is chosen.
struct Shelf {
  std::vector<Candidate> candidates;
  /// By name and tags: of two releases with the same tags the older one is never taken.
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::size_t rows = 0;
};

Result<Wheel> read_one(tree::Walk& walk, const tree::Path& path) {
  auto source = walk.open(path);
  if (!source) return fail(source.error());
  auto archive = archive::ZipArchive::open(std::move(*source), std::string(path.name()));
  if (!archive) return fail(archive.error());
  return read_wheel(*archive, std::string(path.name()));
}

/// Build tags count as numbers, then as text; none is the least.
bool is_older_build(const std::string& a, const std::string& b) {
  const auto number = [](const std::string& text) {
    std::size_t value = 0;
    for (const char c : text.substr(0, 9)) {
      if (c < '0' || c > '9') break;
      value = value * 10 + static_cast<std::size_t>(c - '0');
    }
    return value;
  };
  return std::forward_as_tuple(!a.empty(), number(a), a) <
         std::forward_as_tuple(!b.empty(), number(b), b);
}

bool is_older(const Candidate& a, const Candidate& b) {
  const auto order = python::compare_versions(a.planned.version, b.planned.version);
  if (order != 0) return order < 0;
  if (a.build != b.build) return is_older_build(a.build, b.build);
  return a.place < b.place;
}

void take(WheelFacts& facts, Shelf& shelf, const std::string& path, const std::string& place,
          Wheel wheel) {
  facts.members += wheel.members;
  for (const std::string& sentence : wheel.contradictions) {
    facts.incidents.push_back({path, sentence});
    facts.is_complete = false;
  }
  for (const std::string& sentence : wheel.oddities) facts.incidents.push_back({path, sentence});
  const python::WheelName& name = wheel.file_name;
  Candidate candidate{python::normalize_name(wheel.name), place, WheelTags(name), name.build,
                      std::move(wheel.requires_python),   {}};
  if (wheel.files && shelf.rows + wheel.files->size() > kMostRows) {
    facts.incidents.push_back(
        {path,
         format("the lists of the wheels have over {} rows: this one is not compared", kMostRows)});
    facts.is_complete = false;
    wheel.files.reset();
  }
  if (wheel.files) shelf.rows += wheel.files->size();
  candidate.planned.name = std::move(wheel.name);
  candidate.planned.version = std::move(wheel.version);
  candidate.planned.place = place;
  candidate.planned.requires_dist = std::move(wheel.requires_dist);
  candidate.planned.files = std::move(wheel.files);
  const std::string tags = name.python_tag + "-" + name.abi_tag + "-" + name.platform_tag;
  const auto [known, is_new] =
      shelf.known.try_emplace({candidate.normalized, tags}, shelf.candidates.size());
  if (is_new) {
    shelf.candidates.push_back(std::move(candidate));
  } else if (is_older(shelf.candidates[known->second], candidate)) {
    shelf.candidates[known->second] = std::move(candidate);
  }
}

/// `wheels/x.whl` as the user would write it.
std::string place_below(const std::string& shown, std::string_view name) {
  return shown.ends_with('/') ? shown + std::string(name) : shown + "/" + std::string(name);
}

Result<void> read_folder(target::Target& target, WheelFacts& facts, Shelf& shelf) {
  const auto entries = target.walk->list(tree::Path(target.path));
  if (!entries) return fail(entries.error());
  for (const tree::Entry& entry : *entries) {
    if (!entry.name.ends_with(".whl")) continue;
    ++facts.wheels;
    const tree::Path path = tree::Path(target.path).join(entry.name);
    auto wheel = read_one(*target.walk, path);
    if (!wheel) {
      Error error = wheel.error();
      if (error.subject == entry.name) error.subject.clear();
      facts.incidents.push_back({path.text(), error.to_string()});
      facts.is_complete = false;
      continue;
    }
    take(facts, shelf, path.text(), place_below(target.shown, entry.name), std::move(*wheel));
  }
  return {};
}

bool allows(const std::string& requires_python, const TaggedPython& python) {
  if (requires_python.empty()) return true;
  const auto specifiers = python::SpecifierSet::parse(requires_python);
  if (!specifiers) return true;  // pip takes it with a warning
  // Bounds such as `>=3.9.2` allow later patches of the release.
  for (const int patch : {0, 99}) {
    const auto version = python::Version::parse(format("{}.{}", python.release(), patch));
    if (version && specifiers->contains(*version)) return true;
  }
  return false;
}

/// For each name the wheel that an installer for these tags takes.
std::vector<std::size_t> chosen_for(const TagSet& set, const std::vector<Candidate>& all) {
  std::map<std::string_view, std::size_t> best;
  const auto comes_before = [&](const Candidate& a, const Candidate& b) {
    const auto order = python::compare_versions(a.planned.version, b.planned.version);
    if (order != 0) return order > 0;
    const int rank_of_a = a.tags.rank(set);
    const int rank_of_b = b.tags.rank(set);
    return rank_of_a != rank_of_b ? rank_of_a > rank_of_b : is_older(b, a);
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].tags.fits(set) || !allows(all[i].requires_python, set.python)) continue;
    const auto [place, is_new] = best.emplace(all[i].normalized, i);
    if (!is_new && comes_before(all[i], all[place->second])) place->second = i;
  }
  std::vector<std::size_t> chosen;
  for (const auto& [name, index] : best) chosen.push_back(index);
  return chosen;
}

/// Which wheel of the folder asks for which other.
void explain(WheelSelection& selection) {
  const auto environment =
      environment_of(selection.tags.python.release(), selection.tags.platform.platform());
  std::vector<python::Requirer> all;
  for (const PlannedDistribution& planned : selection.distributions) {
    all.push_back({planned.name, planned.version, planned.requires_dist});
  }
  for (PlannedDistribution& planned : selection.distributions) {
    const auto chains = python::chains_to(planned.name, all, environment, 1);
    if (chains.empty()) continue;
    for (const python::ChainLink& link : chains.front()) planned.chain.push_back(link.to_string());
  }
}

/// Interpreters that take the same wheels are one selection.
void select(const Shelf& shelf, const TagSets& sets, WheelFacts& facts) {
  std::map<std::vector<std::size_t>, std::size_t> known;
  for (const TagSet& set : sets.sets) {
    const std::vector<std::size_t> chosen = chosen_for(set, shelf.candidates);
    if (chosen.empty()) continue;
    const auto [place, is_new] = known.emplace(chosen, facts.selections.size());
    if (is_new) {
      WheelSelection selection;
      selection.tags = set;
      for (const std::size_t index : chosen) {
        selection.distributions.push_back(shelf.candidates[index].planned);
      }
      explain(selection);
      facts.selections.push_back(std::move(selection));
    }
    facts.selections[place->second].sets.push_back(set.shown());
  }
}

std::size_t count_names(const Shelf& shelf) {
  std::size_t count = 0;
  const std::string* last = nullptr;
  for (const auto& [key, index] : shelf.known) {
    if (last == nullptr || *last != key.first) ++count;
    last = &key.first;
  }
  return count;
}

}  // namespace

std::string WheelSelection::shown() const {
  constexpr std::size_t kShown = 3;
  std::string text = "for ";
  for (std::size_t i = 0; i < sets.size() && i < kShown; ++i) {
    const bool is_last = i + 1 == sets.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + sets[i];
  }
  if (sets.size() > kShown) text += format(" and {} more", sets.size() - kShown);
  return text;
}

const std::vector<PlannedDistribution>& WheelFacts::distributions() const {
  static const std::vector<PlannedDistribution> kNone;
  return selections.empty() ? kNone : selections.front().distributions;
}

Result<WheelFacts> read_wheels(target::Target& target, const PlannedOptions& options) {
  WheelFacts facts;
  Shelf shelf;
  if (target.kind == target::Kind::Wheelhouse) {
    if (auto done = read_folder(target, facts, shelf); !done) return fail(done.error());
  } else {
    facts.wheels = 1;
    auto wheel = read_one(*target.walk, tree::Path(target.path));
    if (!wheel) return fail(wheel.error());
    take(facts, shelf, target.path, target.shown, std::move(*wheel));
  }
  std::vector<const WheelTags*> tags;
  for (const Candidate& candidate : shelf.candidates) tags.push_back(&candidate.tags);
  const auto sets = tag_sets(tags, options);
  if (!sets) return fail(sets.error());
  if (!sets->is_whole) {
    facts.incidents.push_back(
        {target.path, "the wheels are for more interpreters and platforms than are judged"});
    facts.is_complete = false;
  }
  facts.names = count_names(shelf);
  select(shelf, *sets, facts);
  return facts;
}

}  // namespace loadable::exam
