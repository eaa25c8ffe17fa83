// SPDX-License-Identifier: Apache-2.0
// What src/python makes of texts, for a script that compares it with other readers. Each line of
// standard input is a question as a JSON array, each line of standard output its answer:
//   ["version", A, B]   ["specifiers", TEXT, [VERSION…]]   ["requirement", TEXT]   ["record", TEXT]
//   ["marker", TEXT, {VARIABLE: VALUE}, [EXTRA…], [GROUP…]]   ["requires", TEXT]
#include <iostream>
#include <string>

#include "base/json.h"
#include "python/marker.h"
#include "python/metadata.h"
#include "python/record.h"
#include "python/requirement.h"
#include "python/specifier.h"
#include "python/version.h"

namespace loadable::python {
namespace {

Json describe(const Version& version) {
  return {{"text", version.to_string()},      {"release", version.release()},
          {"epoch", version.epoch()},         {"pre", version.is_prerelease()},
          {"post", version.is_postrelease()}, {"dev", version.is_devrelease()},
          {"local", version.local()},         {"public", version.without_local().to_string()}};
}

Json versions(const Json& question) {
  const auto a = Version::parse(question[1].get<std::string>());
  const auto b = Version::parse(question[2].get<std::string>());
  Json answer = {{"a", a ? describe(*a) : Json()}, {"b", b ? describe(*b) : Json()}};
  if (a && b) answer["order"] = *a < *b ? -1 : *a == *b ? 0 : 1;
  return answer;
}

Json clauses(const SpecifierSet& set) {
  Json texts = Json::array();
  for (const Specifier& clause : set.clauses()) texts.push_back(clause.to_string());
  return texts;
}

Json specifiers(const Json& question) {
  const auto set = SpecifierSet::parse(question[1].get<std::string>());
  if (!set) return nullptr;
  Json answer = {{"clauses", clauses(*set)}, {"names_prerelease", set->names_prerelease()}};
  for (const Json& text : question[2]) {
    const auto version = Version::parse(text.get<std::string>());
    answer["all"].push_back(version && set->contains(*version));
    answer["final"].push_back(version && set->contains(*version, false));
  }
  return answer;
}

Json marker(const Json& question) {
  const auto parsed = Marker::parse(question[1].get<std::string>());
  if (!parsed) return nullptr;
  MarkerEnvironment environment;
  for (const auto& [name, value] : question[2].items()) environment.variables[name] = value;
  for (const Json& extra : question[3]) environment.extras.insert(extra.get<std::string>());
  for (const Json& group : question[4]) environment.groups.insert(group.get<std::string>());
  return {{"text", parsed->to_string()},
          {"holds", parsed->holds(environment)},
          {"can_hold", parsed->can_hold(environment)}};
}

Json requirement(const Json& question) {
  const auto parsed = Requirement::parse(question[1].get<std::string>());
  if (!parsed) return nullptr;
  return {{"name", parsed->name},     {"normalized", parsed->normalized},
          {"extras", parsed->extras}, {"clauses", clauses(parsed->specifiers)},
          {"url", parsed->url},       {"marker", parsed->marker.to_string()}};
}

Json record(const Json& question) {
  const auto text = question[1].get<std::string>();
  RecordReader reader(text);
  RecordRow row;
  Json rows = Json::array();
  while (reader.next(&row)) {
    rows.push_back(
        {std::string(row.path), std::string(row.hash), row.size ? Json(*row.size) : Json()});
  }
  return rows;
}

Json answer(const Json& question) {
  const auto kind = question.at(0).get<std::string>();
  if (kind == "version") return versions(question);
  if (kind == "specifiers") return specifiers(question);
  if (kind == "marker") return marker(question);
  if (kind == "requirement") return requirement(question);
  if (kind == "record") return record(question);
  if (kind == "requires") return parse_requires_txt(question[1].get<std::string>());
  return "unknown kind of question";
}

}  // namespace
}  // namespace loadable::python

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto question = loadable::parse_json(line);
    if (!question) return 2;
    std::cout << loadable::python::answer(*question).dump() << '\n';
  }
  return 0;
}
