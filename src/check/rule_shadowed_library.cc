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

/// Copies that were chosen and do no harm that can be seen: one finding for all of them.
void judge_shadows(const Subject& subject, Rulings& out) {
  const Shadow& first = subject.shadows.front();
  const std::size_t others = subject.shadows.size() - 1;
  Ruling ruling = plain_ruling(
      subject, "shadowed-library", weigh(subject, Severity::Warning),
      format("{} gets {} from {}, not the copy of {}{}", subject.title, quoted(first.request),
             quoted(first.chosen.path), first.meant.distribution,
             others == 0 ? std::string{} : format("; so it is with {} more", others)));
  ruling.order = kLast;
  ruling.reason = ruling.finding.message;
  Finding& finding = ruling.finding;
  finding.effect = "another release than the one that was installed with the provider runs";
  std::vector<std::string> requests;
  for (const Shadow& shadow : subject.shadows) {
    requests.push_back(shadow.request);
    if (!shadow.consumer.empty()) {
      finding.locations.push_back({shadow.consumer, {}, std::nullopt, Role::Consumer});
    }
    add_copies(finding, {shadow.chosen}, Role::Library);
    add_copies(finding, {shadow.meant}, Role::Shadowed);
  }
  finding.evidence.values.push_back({"requests", std::move(requests)});
  finding.evidence.values.push_back({"rule", {first.rule}});
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
  if (!subject.shadows.empty()) judge_shadows(subject, out);
}

}  // namespace loadable::check
