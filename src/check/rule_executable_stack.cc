// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void executable_stack(const Subject& subject, Rulings& out) {
  for (const Break& fault : subject.breaks) {
    if (fault.failure.kind != loader::FailureKind::ExecStack) continue;
    Ruling ruling = break_ruling(subject, fault, "executable-stack",
                                 format("{} cannot load: {} asks for an executable stack, which "
                                        "the loader of this process refuses",
                                        subject.title, quoted(file_name(fault.failure.object))));
    ruling.finding.locations.push_back(
        {fault.failure.object, fault.distribution, std::nullopt, Role::Library});
    ruling.finding.remedies.push_back(
        {"clear-executable-stack",
         "upgrade the distribution, or clear the mark if the library does not need it",
         {format("patchelf --clear-execstack {}", shell_word(fault.failure.object))},
         {"changes the file; the next upgrade undoes it"},
         false});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
