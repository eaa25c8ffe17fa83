// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void loads_by_accident(const Subject& subject, Rulings& out) {
  std::vector<Copy> answers;
  std::string variable;
  for (const WorkingDirectoryElement& element : subject.working_directory) {
    for (const std::string& path : element.answers) answers.push_back({path, {}, {}});
    if (!element.answers.empty() && variable.empty()) variable = element.variable;
  }
  if (answers.empty()) return;
  Ruling ruling =
      plain_ruling(subject, "loads-by-accident", weigh(subject, Severity::Warning),
                   format("{} finds {} only because the working directory is {}", subject.title,
                          quoted(file_name(answers.front().path)), quoted(subject.cwd)));
  ruling.order = kLast;
  ruling.reason = ruling.finding.message;
  ruling.finding.effect = "started from another directory, the provider does not load";
  ruling.finding.notes.push_back(format("{} of {} has an element that means the working directory",
                                        variable, "the search path"));
  add_copies(ruling.finding, answers, Role::Library);
  add_loader_path(ruling.finding, subject, answers);
  out.push_back(std::move(ruling));
}

}  // namespace loadable::check
