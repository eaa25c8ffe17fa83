// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {
namespace {

bool carries(const Member& member, const std::string& provider) {
  return std::find(member.carries.begin(), member.carries.end(), provider) != member.carries.end();
}

std::string shown(const Member& member) {
  return member.version.empty() ? quoted(member.name)
                                : format("{} {}", quoted(member.name), member.version);
}

std::string listed(const PlannedConflict& conflict) {
  std::string text;
  for (std::size_t i = 0; i < conflict.members.size(); ++i) {
    if (i > 0) text += i + 1 == conflict.members.size() ? " and " : ", ";
    text += shown(conflict.members[i]);
  }
  return text;
}

/// The member to keep: the one that carries the provider, exists for a GPU or was asked for by the
/// user himself, in that order.
std::size_t wanted_member(const Subject& subject, const PlannedConflict& conflict) {
  const auto first = [&](auto&& is_it) {
    const auto found = std::find_if(conflict.members.begin(), conflict.members.end(), is_it);
    return static_cast<std::size_t>(found - conflict.members.begin());
  };
  const std::size_t count = conflict.members.size();
  std::size_t at =
      first([&](const Member& m) { return carries(m, subject.provider) && m.states_intent; });
  if (at == count) at = first([&](const Member& m) { return carries(m, subject.provider); });
  if (at == count) at = first([](const Member& m) { return m.states_intent; });
  for (std::size_t i = 0; at == count && i < conflict.chains.size(); ++i) {
    if (conflict.chains[i].size() <= 1) at = i;
  }
  return at == count ? 0 : at;
}

Location place_of(const PlannedConflict& conflict, std::size_t i) {
  Location location;
  location.role = Role::Owner;
  location.distribution = conflict.members[i].version.empty() ? conflict.members[i].name
                                                              : conflict.members[i].to_string();
  location.path = i < conflict.places.size() ? conflict.places[i] : std::string{};
  const std::size_t colon = location.path.rfind(':');
  if (colon == std::string::npos || colon + 1 == location.path.size()) return location;
  int line = 0;
  for (const char c : location.path.substr(colon + 1)) {
    if (c < '0' || c > '9' || line > 100'000'000) return location;
    line = line * 10 + (c - '0');
  }
  location.line = line;
  location.path.resize(colon);
  return location;
}

void add_reasons(const PlannedConflict& conflict, Finding& finding) {
  for (std::size_t i = 0; i < conflict.members.size(); ++i) {
    if (i >= conflict.chains.size() || conflict.chains[i].empty()) continue;
    std::string text = quoted(conflict.members[i].name) + " is there because ";
    for (std::size_t j = 0; j < conflict.chains[i].size(); ++j) {
      text += (j == 0 ? "" : ", and ") + printable(conflict.chains[i][j]);
    }
    finding.notes.push_back(std::move(text));
  }
  for (const std::string& name : conflict.maybe_stand_in) {
    finding.notes.push_back(
        format("{} comes from no index: if its wheel is a stand-in (`loadable shim`), nothing is "
               "overwritten; the wheel is not at hand to tell",
               quoted(name)));
  }
}

/// Libraries first: they carry what a build is for.
void add_differing(const PlannedConflict& conflict, Finding& finding) {
  constexpr std::size_t kShown = 5;
  if (!conflict.has_wheels || conflict.differing.empty()) return;
  std::vector<std::string> paths = conflict.differing;
  std::stable_partition(paths.begin(), paths.end(), [](const std::string& path) {
    return file_name(path).find(".so") != std::string::npos;
  });
  finding.notes.push_back(
      "what differs: " + first_names(paths, kShown) +
      (paths.size() > kShown ? format(" and {} more", paths.size() - kShown) : ""));
}

void add_other_selections(const PlannedConflict& conflict, Finding& finding) {
  constexpr std::size_t kShown = 5;
  if (conflict.also.empty()) return;
  std::string text = "so they are";
  for (std::size_t i = 0; i < conflict.also.size() && i < kShown; ++i) {
    text += (i == 0 ? " " : "; ") + conflict.also[i];
  }
  if (conflict.also.size() > kShown) {
    text += format("; and in {} further selections", conflict.also.size() - kShown);
  }
  finding.notes.push_back(std::move(text));
  finding.evidence.values.push_back({"also", conflict.also});
}

void add_evidence(const PlannedConflict& conflict, Finding& finding) {
  auto& values = finding.evidence.values;
  std::vector<std::string> members;
  for (const Member& member : conflict.members) members.push_back(member.to_string());
  values.push_back({"members", members});
  if (!conflict.family.empty()) values.push_back({"family", {conflict.family}});
  if (!conflict.package.empty()) values.push_back({"package", {conflict.package}});
  values.push_back(
      {"selection", {conflict.selection.empty() ? "the default" : conflict.selection}});
  for (std::size_t i = 0; i < conflict.members.size() && i < conflict.chains.size(); ++i) {
    if (conflict.chains[i].empty()) continue;
    values.push_back({"why " + conflict.members[i].name, conflict.chains[i]});
  }
  if (!conflict.has_wheels) return;
  values.push_back({"shared", {format("{}", conflict.shared)}});
  values.push_back({"identical", {format("{}", conflict.identical)}});
  if (!conflict.differing.empty()) values.push_back({"differing", conflict.differing});
}

/// Stand-ins are made of a family's plain member, for one that can more.
bool can_stand_in(const PlannedConflict& conflict, std::size_t wanted) {
  const auto is_plain = [](const Member& member) {
    return member.builds_for.empty() && !member.states_intent;
  };
  for (std::size_t i = 0; i < conflict.members.size(); ++i) {
    if (is_plain(conflict.members[i]) == (i == wanted)) return false;
  }
  return true;
}

void add_remedies(const PlannedConflict& conflict, std::size_t wanted, Finding& finding) {
  if (conflict.family.empty()) return;
  FamilyConflict facts;
  facts.wanted = conflict.members[wanted].name;
  facts.wanted_version =
      conflict.members[wanted].version.empty() ? conflict.newest : conflict.members[wanted].version;
  facts.is_installed = false;
  facts.file = conflict.file;
  std::erase(facts.file.listed, facts.wanted);
  facts.choices = conflict.choices;
  facts.has_stand_in = can_stand_in(conflict, wanted);
  const Member& kept = conflict.members[wanted];
  facts.is_looked_up = kept.builds_for != "CUDA" && !kept.states_intent;
  for (std::size_t i = 0; i < conflict.members.size(); ++i) {
    if (i == wanted) continue;
    facts.unwanted.push_back(conflict.members[i].name);
    if (i >= conflict.chains.size() || conflict.chains[i].empty()) continue;
    const std::string& last = conflict.chains[i].back();
    const std::string requirer = last.substr(0, last.find(' '));
    if (conflict.chains[i].size() > 1) facts.requirers.push_back(requirer);
  }
  finding.remedies = family_remedies(facts, conflict.tools);
}

std::string message_of(const PlannedConflict& conflict) {
  std::string text = format("{} {} {}", listed(conflict),
                            conflict.members.size() == 2 ? "are both" : "are all", conflict.noun);
  if (!conflict.selection.empty()) text += " " + conflict.selection;
  if (conflict.has_wheels && conflict.family.empty()) {
    return text + format(", and {} of the {} files that both hold differ",
                         conflict.differing.size(), conflict.shared);
  }
  text += format(", and both install into {}", quoted(conflict.package + "/"));
  if (!conflict.has_wheels) return text;
  return text + format(": {} of {} common files differ", conflict.shared - conflict.identical,
                       conflict.shared);
}

/// Of wheels: nothing is overwritten, and one of the two is never imported.
void judge_hidden(const Subject& subject, const HiddenFacts& hidden, Rulings& out) {
  std::string where = subject.planned;
  if (!hidden.selection.empty()) where += " " + hidden.selection;
  Ruling ruling = plain_ruling(
      subject, "conflicting-distributions", Severity::Warning,
      format("{} and {} are both {}, and the package {} of the first would hide the module {} of "
             "the second: an import gives the package",
             shown(hidden.package_of), shown(hidden.module_of), where, quoted(hidden.package),
             quoted(hidden.module)));
  Finding& finding = ruling.finding;
  finding.locations.push_back(
      {hidden.module_place, hidden.module_of.to_string(), std::nullopt, Role::Shadowed});
  finding.locations.push_back(
      {hidden.package_place, hidden.package_of.to_string(), std::nullopt, Role::Owner});
  finding.evidence.values.push_back(
      {"members", {hidden.package_of.to_string(), hidden.module_of.to_string()}});
  finding.evidence.values.push_back({"package", {hidden.package}});
  finding.evidence.values.push_back({"module", {hidden.module}});
  ruling.order = kLast;
  out.push_back(std::move(ruling));
}

}  // namespace

void conflicting_distributions(const Subject& subject, Rulings& out) {
  for (const PlannedConflict& conflict : subject.conflicts) {
    const bool is_about_provider =
        !subject.provider.empty() &&
        std::any_of(conflict.members.begin(), conflict.members.end(),
                    [&](const Member& member) { return carries(member, subject.provider); });
    const Severity severity =
        is_about_provider ? weigh(subject, Severity::Error) : Severity::Warning;
    Ruling ruling =
        plain_ruling(subject, "conflicting-distributions", severity, message_of(conflict));
    ruling.reason = format("{} overwrite each other", listed(conflict));
    if (is_about_provider) ruling.impact.intact = Verdict::No;
    Finding& finding = ruling.finding;
    finding.effect = is_about_provider
                         ? format(
                               "the last one written wins, file by file, and no installer says "
                               "so: {} is there or not by chance",
                               subject.title)
                         : "the last one written wins, file by file; uninstalling either takes the "
                           "common files along";
    for (std::size_t i = 0; i < conflict.members.size(); ++i) {
      finding.locations.push_back(place_of(conflict, i));
    }
    add_differing(conflict, finding);
    add_reasons(conflict, finding);
    add_evidence(conflict, finding);
    add_other_selections(conflict, finding);
    add_remedies(conflict, wanted_member(subject, conflict), finding);
    out.push_back(std::move(ruling));
  }
  if (subject.planned.empty()) return;
  for (const HiddenFacts& hidden : subject.ownership.hidden) judge_hidden(subject, hidden, out);
}

}  // namespace loadable::check
