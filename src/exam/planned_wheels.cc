// SPDX-License-Identifier: Apache-2.0
#include "exam/planned_wheels.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.h"
#include "exam/wheel.h"
#include "python/requirement_chain.h"
#include "python/version.h"

namespace loadable::exam {
namespace {

/// A wheel of a folder that an installer could take.
struct Candidate {
  Wheel wheel;
  std::string place;
};

/// Which wheel of one release speaks for it: greater is taken. As pip ranks tags: a build for the
/// platform before one for any, be that a stand-in.
int suits(const python::WheelName& name) {
  if (name.platform_tag == "any") return 2;
  const bool is_linux = name.platform_tag.find("linux") != std::string::npos;
  const bool is_x86_64 = name.platform_tag.find("x86_64") != std::string::npos;
  return is_linux && is_x86_64 ? 3 : (is_linux ? 1 : 0);
}

/// Is `a` taken before `b`? Of equals the one whose name is last: the newest interpreter's.
bool comes_before(const Candidate& a, const Candidate& b) {
  const auto order = python::compare_versions(a.wheel.version, b.wheel.version);
  if (order != 0) return order > 0;
  return std::forward_as_tuple(suits(a.wheel.file_name), a.place) >
         std::forward_as_tuple(suits(b.wheel.file_name), b.place);
}

Result<Wheel> read_one(tree::Walk& walk, const tree::Path& path) {
  auto source = walk.open(path);
  if (!source) return fail(source.error());
  auto archive = archive::ZipArchive::open(std::move(*source), std::string(path.name()));
  if (!archive) return fail(archive.error());
  return read_wheel(*archive, std::string(path.name()));
}

void take(WheelFacts& facts, const std::string& path, const std::string& place, Wheel wheel,
          std::map<std::string, Candidate>& chosen) {
  facts.members += wheel.members;
  for (const std::string& sentence : wheel.contradictions) {
    facts.incidents.push_back({path, sentence});
    facts.is_complete = false;
  }
  for (const std::string& sentence : wheel.oddities) facts.incidents.push_back({path, sentence});
  const std::string name = python::normalize_name(wheel.name);
  Candidate candidate{std::move(wheel), place};
  const auto found = chosen.find(name);
  if (found == chosen.end()) {
    chosen.emplace(name, std::move(candidate));
  } else if (comes_before(candidate, found->second)) {
    found->second = std::move(candidate);
  }
}

/// `wheels/x.whl` as the user would write it.
std::string place_below(const std::string& shown, std::string_view name) {
  return shown.ends_with('/') ? shown + std::string(name) : shown + "/" + std::string(name);
}

Result<void> read_folder(target::Target& target, WheelFacts& facts,
                         std::map<std::string, Candidate>& chosen) {
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
    take(facts, path.text(), place_below(target.shown, entry.name), std::move(*wheel), chosen);
  }
  return {};
}

std::string interpreter_of(const std::map<std::string, Candidate>& chosen) {
  constexpr int kWithoutAnyTag = 12;
  int newest = 0;
  for (const auto& [name, candidate] : chosen) {
    const std::string& tag = candidate.wheel.file_name.python_tag;
    if (!tag.starts_with("cp3") || tag.size() > 6) continue;
    int minor = 0;
    for (const char c : tag.substr(3)) minor = c >= '0' && c <= '9' ? minor * 10 + (c - '0') : 0;
    newest = std::max(newest, minor);
  }
  return format("3.{}", newest == 0 ? kWithoutAnyTag : newest);
}

/// Which wheel of the folder asks for which other.
void explain(const std::string& interpreter, std::vector<PlannedDistribution>& distributions) {
  const auto environment = python::MarkerEnvironment::for_interpreter(interpreter, "x86_64");
  std::vector<python::Requirer> all;
  for (const PlannedDistribution& planned : distributions) {
    all.push_back({planned.name, planned.version, planned.requires_dist});
  }
  for (PlannedDistribution& planned : distributions) {
    const auto chains = python::chains_to(planned.name, all, environment, 1);
    if (chains.empty()) continue;
    for (const python::ChainLink& link : chains.front()) planned.chain.push_back(link.to_string());
  }
}

}  // namespace

Result<WheelFacts> read_wheels(target::Target& target) {
  WheelFacts facts;
  std::map<std::string, Candidate> chosen;
  if (target.kind == target::Kind::Wheelhouse) {
    if (auto done = read_folder(target, facts, chosen); !done) return fail(done.error());
  } else {
    facts.wheels = 1;
    auto wheel = read_one(*target.walk, tree::Path(target.path));
    if (!wheel) return fail(wheel.error());
    take(facts, target.path, target.shown, std::move(*wheel), chosen);
  }
  facts.interpreter = interpreter_of(chosen);
  for (auto& [name, candidate] : chosen) {
    PlannedDistribution planned;
    planned.name = std::move(candidate.wheel.name);
    planned.version = std::move(candidate.wheel.version);
    planned.place = std::move(candidate.place);
    planned.requires_dist = std::move(candidate.wheel.requires_dist);
    planned.files = std::move(candidate.wheel.files);
    facts.distributions.push_back(std::move(planned));
  }
  explain(facts.interpreter, facts.distributions);
  return facts;
}

}  // namespace loadable::exam
