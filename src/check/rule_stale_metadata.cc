// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "check/ownership_words.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {
namespace {

std::string message_of(const StaleFacts& facts, const std::vector<std::string>& versions) {
  const bool differ = std::any_of(versions.begin(), versions.end(),
                                  [&](const std::string& one) { return one != versions.front(); });
  if (!differ) {
    std::vector<std::string> names;
    for (const std::string& path : facts.metadata) names.push_back(file_name(path));
    return format(
        "{} {} is installed {} times in one place, as {}: uninstalling one takes the "
        "files of the other along",
        quoted(facts.name), facts.current, facts.members.size(), first_names(names, names.size()));
  }
  return format("{} is installed {} times in one place, as {}{}", quoted(facts.name),
                facts.members.size(), first_names(versions, versions.size()),
                facts.current.empty() ? ": which one counts is chance"
                                      : format("; the files are of {}", facts.current));
}

/// Installers remove one of them at a time.
Remedy remedy_of(const Subject& subject, const StaleFacts& facts) {
  Remedy remedy{
      "reinstall", "remove it as often as it is there, then install it again", {}, {}, false};
  const Installation& place = subject.installation;
  const Member& first = facts.members.front();
  const Installer by = installer_of(place, first.to_string());
  for (std::size_t i = 0; i < facts.members.size(); ++i) {
    remedy.commands.push_back(remove_command(place, by, {facts.name}));
  }
  const std::string version = facts.current.empty() ? first.version : facts.current;
  for (std::string& command : reinstall_commands(place, {facts.name + " " + version})) {
    remedy.commands.push_back(std::move(command));
  }
  return remedy;
}

}  // namespace

void stale_metadata(const Subject& subject, Rulings& out) {
  for (const StaleFacts& facts : subject.ownership.stale) {
    std::vector<std::string> versions;
    for (const Member& member : facts.members) versions.push_back(member.version);
    Ruling ruling =
        plain_ruling(subject, "stale-metadata", Severity::Warning, message_of(facts, versions));
    ruling.order = kLast;
    Finding& finding = ruling.finding;
    for (std::size_t i = 0; i < facts.members.size(); ++i) {
      finding.locations.push_back(
          {facts.metadata[i], facts.members[i].to_string(), std::nullopt, Role::Owner});
    }
    finding.effect = "pip, uv and importlib.metadata may each take another one for the truth";
    finding.evidence.values.push_back({"members", {facts.members.front().to_string()}});
    finding.evidence.values.push_back({"versions", versions});
    finding.remedies.push_back(remedy_of(subject, facts));
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
