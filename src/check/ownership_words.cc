// SPDX-License-Identifier: Apache-2.0
#include "check/ownership_words.h"

#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "check/family_remedies.h"
#include "check/remedies.h"

namespace loadable::check {
namespace {

bool carries(const Member& member, const std::string& provider) {
  return std::find(member.carries.begin(), member.carries.end(), provider) != member.carries.end();
}

/// `onnxruntime_gpu`, `onnxruntime-gpu` -> `onnxruntime-gpu`.
std::string plain(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c == '_' || c == '.') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// Whose commands end a conflict, the one that lasts first: of those who installed the members.
std::vector<PackageTool> tools_of(const Subject& subject, const Sides& sides) {
  const auto came_by = [&](std::string_view tool) {
    const auto is_it = [&](const Member& member) {
      return plain(member.installer).starts_with(tool);
    };
    return is_it(*sides.carrier) || is_it(*sides.other);
  };
  std::vector<PackageTool> tools;
  if (came_by("uv")) tools = {PackageTool::Uv, PackageTool::UvPip};
  if (came_by("poetry")) tools.push_back(PackageTool::Poetry);
  if (came_by("pdm")) tools.push_back(PackageTool::Pdm);
  if (came_by("conda")) tools.push_back(PackageTool::Conda);
  const bool is_uvs = subject.installation.is_uvs && !subject.installation.has_pip;
  if (!is_uvs && (tools.empty() || !came_by("uv") || came_by("pip"))) {
    tools.push_back(PackageTool::Pip);
  }
  if (is_uvs && !came_by("uv")) tools.push_back(PackageTool::UvPip);
  return tools;
}

}  // namespace

Sides sides_of(const Subject& subject, const OverlapFacts& overlap) {
  Sides sides;
  const bool first = carries(overlap.first, subject.provider);
  const bool second = carries(overlap.second, subject.provider);
  sides.both_carry = first && second;
  // Of no provider: the one whose build can more is the one that has something to lose.
  const bool second_is_more =
      overlap.first.builds_for.empty() && !overlap.second.builds_for.empty();
  const bool swaps = first == second ? !first && second_is_more : second;
  sides.carrier = swaps ? &overlap.second : &overlap.first;
  sides.other = swaps ? &overlap.first : &overlap.second;
  sides.carrier_chain = swaps ? &overlap.second_chain : &overlap.first_chain;
  sides.other_chain = swaps ? &overlap.first_chain : &overlap.second_chain;
  sides.other_requirer = swaps ? overlap.first_requirer : overlap.second_requirer;
  sides.of_carrier = swaps ? overlap.of_second : overlap.of_first;
  sides.of_other = swaps ? overlap.of_first : overlap.of_second;
  return sides;
}

std::string shown(const Member& member) {
  return format("{} {}", quoted(member.name), member.version);
}

std::string build_of_other(const Sides& sides, const OverlapFacts& overlap) {
  const Member& other = *sides.other;
  const bool differs = sides.carrier->builds_for != other.builds_for;
  if (overlap.family.empty() || !differs) return "of " + quoted(other.name);
  if (other.builds_for.empty()) return "the CPU build";
  return format("the {} build of {}", other.builds_for, quoted(other.name));
}

std::string files(std::size_t count) {
  return format("{} {}", count, count == 1 ? "file" : "files");
}

std::string files_are(std::size_t count) { return files(count) + (count == 1 ? " is" : " are"); }

std::string why_there(const Member& member, const std::vector<std::string>& chain) {
  if (chain.empty()) {
    return format("nothing that is installed requires {}: it was asked for by name",
                  quoted(member.name));
  }
  std::string text = quoted(member.name) + " is here because ";
  for (std::size_t i = 0; i < chain.size(); ++i) text += (i == 0 ? "" : ", and ") + chain[i];
  return text;
}

bool speaks_against(const Witness& witness, const Member& member) {
  if (!witness.member.empty()) return plain(witness.member) != plain(member.name);
  const bool is_its_own = member.builds_for.starts_with(witness.capability);
  return is_its_own != witness.has;
}

void add_overlap_evidence(Finding& finding, const OverlapFacts& overlap) {
  auto& values = finding.evidence.values;
  values.push_back({"members", {overlap.first.to_string(), overlap.second.to_string()}});
  values.push_back({"shared", {format("{}", overlap.shared)}});
  values.push_back({"identical", {format("{}", overlap.identical)}});
  values.push_back({"of_first", {format("{}", overlap.of_first)}});
  values.push_back({"of_second", {format("{}", overlap.of_second)}});
  if (overlap.of_neither > 0) values.push_back({"of_neither", {format("{}", overlap.of_neither)}});
  if (overlap.gone > 0) values.push_back({"gone", {format("{}", overlap.gone)}});
  std::vector<std::string> files;
  std::vector<std::string> hashes;
  for (const ContestedPath& file : overlap.differing) {
    const std::string owner = file.is_gone         ? "gone"
                              : !file.is_known     ? "not known"
                              : file.owner.empty() ? "nobody's"
                                                   : file.owner;
    files.push_back(file.path + ": " + owner);
    if (file.first_hash.empty() && file.second_hash.empty()) continue;
    hashes.push_back(format("{}: {} {}, {} {}", file.path, overlap.first.name, file.first_hash,
                            overlap.second.name, file.second_hash));
  }
  values.push_back({"files", std::move(files)});
  if (!hashes.empty()) values.push_back({"hashes", std::move(hashes)});
}

void add_contested(Finding& finding, const OverlapFacts& overlap) {
  for (const bool carries_provider : {true, false}) {
    for (const ContestedPath& file : overlap.differing) {
      if (file.carries_provider != carries_provider) continue;
      finding.locations.push_back({file.path, file.owner, std::nullopt, Role::Owner});
    }
  }
}

void add_witnesses(Finding& finding, const Sides& sides, const OverlapFacts& overlap) {
  std::vector<std::string> all;
  std::vector<std::string> seen;
  for (const Witness& witness : overlap.witnesses) {
    all.push_back(format("{}: {}", witness.path, witness.says));
    const auto file = std::find_if(overlap.differing.begin(), overlap.differing.end(),
                                   [&](const auto& one) { return one.path == witness.path; });
    if (file == overlap.differing.end() || !file->is_known || file->owner.empty()) continue;
    if (std::find(seen.begin(), seen.end(), witness.path) != seen.end()) continue;
    seen.push_back(witness.path);
    const bool is_carriers = file->owner == sides.carrier->to_string();
    const Member& owner = is_carriers ? *sides.carrier : *sides.other;
    finding.notes.push_back(
        speaks_against(witness, owner)
            ? format(
                  "the file itself disagrees with the hashes: {} {}, although its bytes are of {}",
                  quoted(file_name(witness.path)), witness.says, owner.to_string())
            : format("the file itself agrees: {} {}", quoted(file_name(witness.path)),
                     witness.says));
  }
  if (!all.empty()) finding.evidence.values.push_back({"witnesses", std::move(all)});
}

void add_family_remedies(Finding& finding, const Subject& subject, const Sides& sides) {
  FamilyConflict conflict;
  conflict.wanted = sides.carrier->name;
  conflict.wanted_version = sides.carrier->version;
  conflict.unwanted = {sides.other->name};
  if (!sides.other_requirer.empty()) conflict.requirers = {sides.other_requirer};
  conflict.installation = subject.installation;
  conflict.file.folder = subject.installation.project;
  conflict.file.tables = subject.installation.project_tables;
  // Stand-ins are made of a family's plain member, for one that can more.
  const bool is_more = !sides.carrier->builds_for.empty() || sides.carrier->states_intent;
  conflict.has_stand_in = is_more && sides.other->builds_for.empty() && !sides.other->states_intent;
  conflict.is_looked_up = sides.carrier->builds_for != "CUDA" && !sides.carrier->states_intent;
  const bool has_project = !conflict.file.folder.empty();
  for (const PackageTool tool : tools_of(subject, sides)) {
    FamilyConflict here = conflict;
    const bool is_of_project =
        tool == PackageTool::Uv || tool == PackageTool::Poetry || tool == PackageTool::Pdm;
    if (is_of_project && !has_project) continue;
    // The others are pasted anywhere.
    if (!is_of_project) here.file = {};
    for (Remedy& remedy : family_remedies(here, tool))
      finding.remedies.push_back(std::move(remedy));
  }
}

bool is_gutted(const Subject& subject, std::string_view distribution) {
  const auto& gutted = subject.ownership.gutted;
  return std::any_of(gutted.begin(), gutted.end(), [&](const GuttedFacts& facts) {
    return facts.member.to_string() == distribution;
  });
}

}  // namespace loadable::check
