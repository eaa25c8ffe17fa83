// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {
namespace {

void judge_break(const Subject& subject, const Break& fault, Rulings& out) {
  const std::string lacks = fault.failure.kind == loader::FailureKind::Version
                                ? format("version {}", quoted(fault.failure.symbol))
                                : format("the symbol {}", quoted(fault.failure.symbol));
  Ruling ruling = break_ruling(
      subject, fault, "shadowed-library",
      format("{} cannot load: the search stops at {}, which lacks {}; {} has it", subject.title,
             quoted(fault.library_path), lacks, quoted(fault.better.front().path)));
  Finding& finding = ruling.finding;
  finding.locations.push_back(
      {fault.library_path, fault.library_distribution, std::nullopt, Role::Library});
  add_copies(finding, fault.better, Role::Shadowed);
  add_loader_path(finding, subject, fault.better);
  out.push_back(std::move(ruling));
}

}  // namespace

void shadowed_library(const Subject& subject, Rulings& out) {
  for (const Break& fault : subject.breaks) {
    const bool is_lookup = fault.failure.kind == loader::FailureKind::Version ||
                           fault.failure.kind == loader::FailureKind::Symbol;
    if (!is_lookup || fault.better.empty() || fault.is_libc_release || fault.follows_from_stub) {
      continue;
    }
    judge_break(subject, fault, out);
  }
  for (const Shadow& shadow : subject.shadows) {
    Ruling ruling = plain_ruling(
        subject, "shadowed-library",
        weigh(subject, shadow.breaks ? Severity::Error : Severity::Warning),
        format("{} gets {} from {}; the copy that was meant is {}", subject.title,
               quoted(shadow.request), quoted(shadow.chosen.path), quoted(shadow.meant.path)));
    ruling.order = kLast;
    ruling.reason = ruling.finding.message;
    ruling.finding.locations.push_back({shadow.consumer, {}, std::nullopt, Role::Consumer});
    add_copies(ruling.finding, {shadow.chosen}, Role::Library);
    add_copies(ruling.finding, {shadow.meant}, Role::Shadowed);
    ruling.finding.evidence.values.push_back({"rule", {shadow.rule}});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
