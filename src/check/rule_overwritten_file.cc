// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "base/holds.h"
#include "base/quote.h"
#include "check/ownership_words.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {
namespace {

enum class Outcome : std::uint8_t {
  Lost,    ///< the file that carries the provider is the other's
  Partly,  ///< only other files are
  Won,     ///< all that differs is the carrier's
  Unclear  ///< bytes of neither, or not known
};

/// Does the file that carries the provider say that it is no build of that member?
bool denies(const OverlapFacts& overlap, const std::string& path, const Member& carrier) {
  return std::any_of(overlap.witnesses.begin(), overlap.witnesses.end(), [&](const Witness& one) {
    return one.path == path && speaks_against(one, carrier);
  });
}

Outcome outcome_of(const OverlapFacts& overlap, const Sides& sides) {
  bool is_unclear = overlap.of_neither > 0;
  for (const ContestedPath& file : overlap.differing) {
    // Where both carry the provider, either one's file does.
    if (!file.carries_provider || file.is_gone || sides.both_carry) continue;
    if (file.owner == sides.carrier->to_string()) continue;
    if (!file.owner.empty() || denies(overlap, file.path, *sides.carrier)) return Outcome::Lost;
    is_unclear = true;
  }
  if (sides.of_other > 0) return Outcome::Partly;
  return is_unclear || sides.of_carrier == 0 ? Outcome::Unclear : Outcome::Won;
}

/// One name twice is conda's and pip's: who brought which tells them apart.
std::string told(const Member& member, const Member& other) {
  const bool is_one_name = member.name == other.name && !member.installer.empty();
  return is_one_name ? format("{} of {}", shown(member), member.installer) : shown(member);
}

std::string identical_text(const OverlapFacts& overlap) {
  if (overlap.identical == 0) return "";
  const bool is_rest = overlap.identical + overlap.differing.size() == overlap.shared;
  return format(" ({} {} {} identical)", is_rest ? "the other" : "of the others", overlap.identical,
                overlap.identical == 1 ? "is" : "are");
}

/// The contested file that tells the most: the extension module, else a library, else the first.
const ContestedPath* telling(const OverlapFacts& overlap, const Member& owner) {
  const ContestedPath* best = nullptr;
  const auto weight = [](const ContestedPath& file) {
    const bool is_library = file_name(file.path).find(".so") != std::string::npos;
    return file.carries_provider ? 2 : is_library ? 1 : 0;
  };
  for (const ContestedPath& file : overlap.differing) {
    if (file.owner != owner.to_string()) continue;
    if (best == nullptr || weight(file) > weight(*best)) best = &file;
  }
  return best;
}

std::string count_text(const OverlapFacts& overlap, const Sides& sides) {
  if (sides.of_carrier > 0 && sides.of_other > 0) {
    return format("{} owns {} and {} owns {} of the {} that they share{}",
                  told(*sides.other, *sides.carrier), sides.of_other,
                  told(*sides.carrier, *sides.other), sides.of_carrier, files(overlap.shared),
                  identical_text(overlap));
  }
  return format("{} owns {} of the {} it shares with {}{}", told(*sides.other, *sides.carrier),
                sides.of_other, files(overlap.shared), told(*sides.carrier, *sides.other),
                identical_text(overlap));
}

std::string lost_message(const Subject& subject, const OverlapFacts& overlap, const Sides& sides) {
  std::string text = count_text(overlap, sides);
  const auto lost = std::find_if(
      overlap.differing.begin(), overlap.differing.end(), [&](const ContestedPath& file) {
        return file.carries_provider && file.owner != sides.carrier->to_string();
      });
  return text + format(": {} is {}; {} is gone", quoted(file_name(lost->path)),
                       build_of_other(sides, overlap), subject.title);
}

std::string partly_message(const OverlapFacts& overlap, const Sides& sides) {
  std::string text = count_text(overlap, sides);
  if (const ContestedPath* file = telling(overlap, *sides.other)) {
    text += format(
        ": {} is {}", quoted(file_name(file->path)),
        sides.of_carrier == 0 ? build_of_other(sides, overlap) : "of " + quoted(sides.other->name));
  }
  const bool loses_build = !overlap.family.empty() && !sides.carrier->builds_for.empty() &&
                           sides.carrier->builds_for != sides.other->builds_for;
  if (loses_build && sides.of_carrier == 0) {
    text += format("; what {} has for {} is gone", quoted(sides.carrier->name),
                   sides.carrier->builds_for);
  }
  return text;
}

std::string won_message(const Subject& subject, const OverlapFacts& overlap, const Sides& sides) {
  const std::string kept = subject.provider.empty() || sides.both_carry
                               ? "that order is luck"
                               : subject.title + " is there now";
  return format(
      "{} owns {} in which it differs from {} (of {} that both install): {}, "
      "and the next sync or upgrade may turn it",
      told(*sides.carrier, *sides.other),
      sides.of_carrier == 1 ? "the one file" : format("all {} files", sides.of_carrier),
      told(*sides.other, *sides.carrier), overlap.shared, kept);
}

std::string unclear_message(const OverlapFacts& overlap, const Sides& sides) {
  return format(
      "{} and {} share {}, of which {} differ; {} of these are nobody's or could "
      "not be told",
      told(*sides.carrier, *sides.other), told(*sides.other, *sides.carrier), files(overlap.shared),
      overlap.differing.size(), overlap.differing.size() - sides.of_carrier - sides.of_other);
}

/// Does the file that carries the provider say that it is of that member?
bool affirms(const OverlapFacts& overlap, const Member& carrier) {
  return std::any_of(overlap.differing.begin(), overlap.differing.end(), [&](const auto& file) {
    return file.owner == carrier.to_string() ||
           (file.owner.empty() && !denies(overlap, file.path, carrier) &&
            std::any_of(overlap.witnesses.begin(), overlap.witnesses.end(),
                        [&](const Witness& one) { return one.path == file.path; }));
  });
}

std::string unlisted_message(const Subject& subject, const OverlapFacts& overlap,
                             const Sides& sides, Outcome outcome) {
  const bool lacks_both = overlap.unlisted.size() > 1;
  const std::string lists =
      lacks_both ? "the lists of files of both are"
                 : format("the list of files of {} is",
                          quoted(overlap.unlisted.front() == sides.carrier->to_string()
                                     ? sides.carrier->name
                                     : sides.other->name));
  const std::string start =
      format("{} and {} are both installed into {}, and {} gone: ", shown(*sides.carrier),
             shown(*sides.other), quoted(overlap.package), lists);
  if (outcome == Outcome::Lost) {
    return start + format("{} is {}; {} is gone", quoted(file_name(overlap.differing.front().path)),
                          build_of_other(sides, overlap), subject.title);
  }
  const bool is_there = !subject.provider.empty() && affirms(overlap, *sides.carrier);
  return start +
         (is_there ? subject.title + " is there now" : "whose files lie there is not known") +
         ", and the next sync or upgrade may turn it";
}

/// pip and uv refuse to uninstall what has no list: its metadata go first.
void tell_of_lists(const OverlapFacts& overlap, Finding& finding) {
  finding.evidence.values.push_back({"unlisted", overlap.unlisted});
  std::vector<std::string> commands;
  for (std::size_t i = 0; i < overlap.unlisted_metadata.size(); ++i) {
    finding.locations.push_back(
        {overlap.unlisted_metadata[i], overlap.unlisted[i], std::nullopt, Role::Owner});
    commands.push_back(format("rm -r {}", shell_word(overlap.unlisted_metadata[i])));
  }
  finding.notes.emplace_back(
      "pip and uv refuse to uninstall a distribution without a list (RECORD): remove its metadata "
      "first");
  for (Remedy& remedy : finding.remedies) {
    remedy.commands.insert(remedy.commands.begin(), commands.begin(), commands.end());
  }
}

/// What the file that carries the provider shows, where lists do not tell.
Outcome unlisted_outcome(const Subject& subject, const OverlapFacts& overlap, const Sides& sides) {
  const bool is_of_provider = !subject.provider.empty() && !sides.both_carry;
  return is_of_provider && outcome_of(overlap, sides) == Outcome::Lost ? Outcome::Lost
                                                                       : Outcome::Unclear;
}

/// conda and pip each installed it: one of them has to go.
void keep_condas(Finding& finding, const Subject& subject, const Sides& sides) {
  const std::string name = shell_word(sides.carrier->name);
  const std::string& prefix = subject.installation.prefix;
  const std::string into = prefix.empty() ? "" : "-p " + shell_word(prefix) + " ";
  finding.remedies.push_back(
      {"keep-condas",
       "keep conda's: remove pip's, then have conda put its files back",
       {format("{} uninstall -y {}", pip_command(subject.installation), name),
        format("conda install {}--force-reinstall {}", into, name)},
       {"or leave pip's and never update it by conda"},
       false});
}

void finish(const Subject& subject, const OverlapFacts& overlap, const Sides& sides,
            Ruling& ruling) {
  Finding& finding = ruling.finding;
  add_contested(finding, overlap);
  add_overlap_evidence(finding, overlap);
  add_witnesses(finding, sides, overlap);
  if (!overlap.family.empty() || !subject.provider.empty()) {
    finding.notes.push_back(why_there(*sides.other, *sides.other_chain));
    if (!sides.carrier_chain->empty()) {
      finding.notes.push_back(why_there(*sides.carrier, *sides.carrier_chain));
    }
    std::vector<std::string> chain = *sides.other_chain;
    if (!chain.empty()) finding.evidence.values.push_back({"chain", std::move(chain)});
  }
  if (sides.carrier->version != sides.other->version && sides.of_other > 0 &&
      !overlap.family.empty()) {
    finding.notes.push_back(format("they are of different releases, {} and {}",
                                   sides.other->version, sides.carrier->version));
  }
  if (sides.carrier->name == sides.other->name) return keep_condas(finding, subject, sides);
  if (!overlap.family.empty()) add_family_remedies(finding, subject, sides);
}

void judge_overlap(const Subject& subject, const OverlapFacts& overlap, Rulings& out) {
  const Sides sides = sides_of(subject, overlap);
  const Outcome outcome = outcome_of(overlap, sides);
  const bool is_of_provider = !subject.provider.empty();
  const Severity caution =
      overlap.is_stray || subject.weight == Weight::Companion ? Severity::Note : Severity::Warning;
  Ruling ruling = plain_ruling(subject, "overwritten-file", caution, {});
  Finding& finding = ruling.finding;
  switch (outcome) {
    case Outcome::Lost:
      finding.severity = weigh(subject, Severity::Error);
      finding.message = lost_message(subject, overlap, sides);
      finding.effect = subject.effect;
      ruling.impact.intact = Verdict::No;
      ruling.impact.loadable = Verdict::No;
      ruling.reason =
          format("{} is {}, not that of {}", quoted(file_name(subject.instance.import_library)),
                 build_of_other(sides, overlap), shown(*sides.carrier));
      break;
    case Outcome::Partly:
      finding.message = partly_message(overlap, sides);
      ruling.impact.intact = Verdict::Partly;
      ruling.reason = format("{} of its files are of {}", sides.of_other, shown(*sides.other));
      break;
    case Outcome::Won:
      finding.message = won_message(subject, overlap, sides);
      break;
    case Outcome::Unclear:
      finding.message = unclear_message(overlap, sides);
      ruling.impact.intact = Verdict::Partly;
      ruling.reason = format("files that it shares with {} are not its own", shown(*sides.other));
      break;
  }
  // Of two suppliers nobody knows here which one is meant; what it breaks shows in the process.
  const bool is_about_it = is_of_provider && !sides.carrier->carries.empty();
  if (!is_about_it && outcome != Outcome::Lost) ruling.impact = {};
  finish(subject, overlap, sides, ruling);
  out.push_back(std::move(ruling));
}

/// A member without a list of files: installed all the same, whatever its files are.
void judge_unlisted(const Subject& subject, const OverlapFacts& overlap, Rulings& out) {
  const Sides sides = sides_of(subject, overlap);
  const Outcome outcome = unlisted_outcome(subject, overlap, sides);
  const Severity caution = subject.weight == Weight::Companion ? Severity::Note : Severity::Warning;
  Ruling ruling = plain_ruling(subject, "overwritten-file",
                               outcome == Outcome::Lost ? weigh(subject, Severity::Error) : caution,
                               unlisted_message(subject, overlap, sides, outcome));
  if (outcome == Outcome::Lost) {
    ruling.finding.effect = subject.effect;
    ruling.impact.intact = Verdict::No;
    ruling.impact.loadable = Verdict::No;
    ruling.reason =
        format("{} is {}, not that of {}", quoted(file_name(subject.instance.import_library)),
               build_of_other(sides, overlap), shown(*sides.carrier));
  }
  finish(subject, overlap, sides, ruling);
  tell_of_lists(overlap, ruling.finding);
  out.push_back(std::move(ruling));
}

/// A file of one owner whose bytes are not its list's, and which says that it is another build.
void judge_altered(const Subject& subject, const AlteredFacts& file, Rulings& out) {
  if (!file.carries_provider || subject.provider.empty()) return;
  // Another build in the place of one that never had the provider takes nothing away.
  if (!holds(file.member.carries, subject.provider)) return;
  const auto denial =
      std::find_if(file.witnesses.begin(), file.witnesses.end(),
                   [&](const Witness& one) { return speaks_against(one, file.member); });
  if (denial == file.witnesses.end()) return;
  Ruling ruling = plain_ruling(
      subject, "overwritten-file", weigh(subject, Severity::Error),
      format("{} is not the file of {}: it {}, so it is another build; {} is gone",
             quoted(file_name(file.path)), shown(file.member), denial->says, subject.title));
  ruling.impact.intact = Verdict::No;
  ruling.impact.loadable = Verdict::No;
  ruling.reason =
      format("{} is not the file of {}", quoted(file_name(file.path)), shown(file.member));
  Finding& finding = ruling.finding;
  finding.effect = subject.effect;
  finding.locations.push_back({file.path, file.member.to_string(), std::nullopt, Role::Library});
  finding.evidence.values.push_back({"members", {file.member.to_string()}});
  finding.evidence.values.push_back({"files", {file.path + ": nobody's"}});
  finding.evidence.values.push_back({"recorded", {file.recorded}});
  finding.evidence.values.push_back({"found", {file.found}});
  std::vector<std::string> said;
  for (const Witness& one : file.witnesses) said.push_back(format("{}: {}", one.path, one.says));
  finding.evidence.values.push_back({"witnesses", std::move(said)});
  add_reinstall(finding, subject, {{file.path, file.member.to_string()}});
  out.push_back(std::move(ruling));
}

std::string hidden_message(const HiddenFacts& hidden) {
  const std::string module = quoted(file_name(hidden.module));
  // Of the interpreter itself, behind a folder of `pip install --target`.
  if (hidden.package_of.name.empty()) {
    return format(
        "{}, which the interpreter has behind this folder, hides the directory {} of {}, "
        "which has no `__init__`: an import gives the former alone",
        quoted(hidden.package), module, shown(hidden.module_of));
  }
  const bool is_package = !hidden.package.ends_with(".so");
  return format("the {} {} of {} hides the module {} of {}: an import gives the {}",
                is_package ? "package" : "module", quoted(file_name(hidden.package)),
                shown(hidden.package_of), module, shown(hidden.module_of),
                is_package ? "package" : "first of them, by the suffix of its name");
}

std::string whose(const Member& member) {
  return member.name.empty() ? "of no distribution" : "of " + shown(member);
}

/// The import gives a package of an earlier directory, so that the provider's is never loaded.
void judge_hidden_provider(const Subject& subject, const HiddenFacts& hidden, Rulings& out) {
  Ruling ruling = plain_ruling(
      subject, "overwritten-file", weigh(subject, Severity::Error),
      format("an import gives {} {}, which comes before {} on sys.path: {} is never reached",
             quoted(hidden.package), whose(hidden.package_of), quoted(hidden.module),
             subject.title));
  ruling.finding.effect = subject.effect;
  ruling.impact.loadable = Verdict::No;
  ruling.reason = format("an import gives {} instead", quoted(hidden.package));
  ruling.finding.notes.emplace_back(
      "remove the package that comes first, or its directory from sys.path (PYTHONPATH, a .pth "
      "file)");
  ruling.finding.locations.push_back(
      {hidden.package, hidden.package_of.name.empty() ? "" : hidden.package_of.to_string(),
       std::nullopt, Role::Owner});
  ruling.finding.locations.push_back(
      {hidden.module, hidden.module_of.name.empty() ? "" : hidden.module_of.to_string(),
       std::nullopt, Role::Shadowed});
  std::vector<std::string> members;
  for (const Member* member : {&hidden.package_of, &hidden.module_of}) {
    if (!member->name.empty()) members.push_back(member->to_string());
  }
  ruling.finding.evidence.values.push_back({"members", std::move(members)});
  out.push_back(std::move(ruling));
}

void judge_hidden(const Subject& subject, const HiddenFacts& hidden, Rulings& out) {
  if (!subject.provider.empty()) return judge_hidden_provider(subject, hidden, out);
  const bool is_known = !hidden.package_of.name.empty();
  Ruling ruling =
      plain_ruling(subject, "overwritten-file", Severity::Warning, hidden_message(hidden));
  ruling.finding.locations.push_back(
      {hidden.module, hidden.module_of.to_string(), std::nullopt, Role::Shadowed});
  ruling.finding.locations.push_back(
      {hidden.package, is_known ? hidden.package_of.to_string() : "", std::nullopt, Role::Owner});
  std::vector<std::string> members = {hidden.module_of.to_string()};
  if (is_known) members.insert(members.begin(), hidden.package_of.to_string());
  ruling.finding.evidence.values.push_back({"members", std::move(members)});
  ruling.order = kLast;
  out.push_back(std::move(ruling));
}

}  // namespace

void overwritten_file(const Subject& subject, Rulings& out) {
  for (const OverlapFacts& overlap : subject.ownership.overlaps) {
    // Equal bytes are no conflict, and files that are gone are gutted-package's.
    if (overlap.state == OverlapState::Identical || overlap.state == OverlapState::Gutted) continue;
    if (overlap.state == OverlapState::Unlisted) {
      judge_unlisted(subject, overlap, out);
      continue;
    }
    judge_overlap(subject, overlap, out);
  }
  for (const AlteredFacts& file : subject.ownership.altered) judge_altered(subject, file, out);
  if (!subject.planned.empty()) return;  // nothing is installed: conflicting-distributions'
  for (const HiddenFacts& hidden : subject.ownership.hidden) judge_hidden(subject, hidden, out);
}

}  // namespace loadable::check
