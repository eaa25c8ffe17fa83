// SPDX-License-Identifier: Apache-2.0
// Of a release that the knowledge does not know: names in the provider's own file that the plan of
// the nearest older release does not explain.

#include <algorithm>

#include "accel/plan_runner.h"
#include "elf/names.h"

namespace loadable::accel {

std::vector<std::string> unexplained_names(const Knowledge& knowledge, const StepNames& expected,
                                           ByteSource& source, const elf::ElfObject& object) {
  elf::NameLimits limits;
  for (const FamilyRow& row : knowledge.families) {
    limits.known_stems.push_back(row.stem.substr(0, row.stem.find(".so")));
  }
  const auto recovered = elf::recover_names(source, object, limits);
  if (!recovered) return {"(" + recovered.error().message + ")"};
  const auto is_explained = [&](const std::string& name) {
    const auto holds = [&name](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    return holds(object.dynamic.needed) || holds(expected) || knowledge.is_driver(name) ||
           std::any_of(knowledge.known_names.begin(), knowledge.known_names.end(),
                       [&](const KnownNameRow& row) { return fits(row.name, name); });
  };
  std::vector<std::string> names;
  for (const elf::RecoveredName& found : *recovered) {
    if (found.origin == elf::NameOrigin::Mention) continue;
    std::string name = found.name;
    // Of a stem the version is not known: it is explained by any step or need of its library.
    if (found.origin == elf::NameOrigin::Stem) {
      const auto begins = [&name](const std::string& known) { return known.starts_with(name); };
      if (std::any_of(expected.begin(), expected.end(), begins) ||
          std::any_of(object.dynamic.needed.begin(), object.dynamic.needed.end(), begins)) {
        continue;
      }
    }
    if (is_explained(name)) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

void PlanRunner::explain_names() {
  const auto file = store_.open(run_.instance.provider_library);
  if (!file || !(*file)->object) return;
  auto source = store_.walk().open((*file)->physical);
  if (!source) return;
  StepNames expected;
  for (const StepRow& row : knowledge_.steps) {
    if (!row.applies(run_.instance.id, run_.instance.plan_release, cuda_)) continue;
    for (const std::string& name : row.names) {
      if (auto request = expanded(name, cuda_, {})) expected.push_back(*request);
    }
  }
  run_.instance.unexplained = unexplained_names(knowledge_, expected, **source, *(*file)->object);
}

}  // namespace loadable::accel
