// SPDX-License-Identifier: Apache-2.0
#include "check/ruling.h"

#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"

namespace loadable::check {
namespace {

using accel::Necessity;

Severity lower(Severity severity) {
  return severity == Severity::Error ? Severity::Warning : Severity::Note;
}

bool is_asked(const Subject& subject, const std::string& loss) {
  return !loss.empty() && std::find(subject.asked_losses.begin(), subject.asked_losses.end(),
                                    loss) != subject.asked_losses.end();
}

std::vector<SearchRow> search_rows(const std::vector<loader::Candidate>& tried) {
  std::vector<SearchRow> rows;
  rows.reserve(tried.size());
  for (const loader::Candidate& candidate : tried) {
    rows.push_back({std::string(loader::to_string(candidate.rule)), candidate.path,
                    std::string(loader::to_string(candidate.outcome)), candidate.owner,
                    candidate.detail});
  }
  return rows;
}

void add_consumers(Finding& finding, const std::vector<std::string>& consumers) {
  for (const std::string& path : consumers) {
    if (!path.empty()) finding.locations.push_back({path, {}, std::nullopt, Role::Consumer});
  }
}

std::string gap_message(const Subject& subject, const Gap& gap) {
  switch (gap.necessity) {
    case Necessity::Function:
      return format("{} loads, but cannot open {} when it needs it", subject.title,
                    quoted(file_name(gap.request)));
    case Necessity::Optional:
      return format("{} does not find {}, which it can do without", subject.title,
                    quoted(file_name(gap.request)));
    case Necessity::Import:
      if (!subject.provider.empty()) {
        return format("the import fails, and with it {}: {} cannot be loaded", subject.title,
                      quoted(file_name(gap.request)));
      }
      break;
    case Necessity::Provider:
    case Necessity::Abort:
      break;
  }
  return format("{} cannot load {}", subject.title, quoted(file_name(gap.request)));
}

}  // namespace

GapCause classify(const Gap& gap) {
  const bool has_usable = std::any_of(gap.copies.begin(), gap.copies.end(),
                                      [](const Copy& copy) { return copy.defect.empty(); });
  if (gap.is_provided) return GapCause::Provided;
  if (gap.is_unreadable) return GapCause::Unreadable;
  if (gap.is_foreign_libc) return GapCause::WrongLibc;
  if (gap.refused || (!gap.copies.empty() && !has_usable)) return GapCause::Damaged;
  if (!gap.gone.empty()) {
    return gap.set.empty() ? GapCause::MissingFile : GapCause::IncompleteSet;
  }
  if (!gap.stale_cache.empty()) return GapCause::StaleCache;
  if (has_usable) return GapCause::Unreachable;
  if (!gap.set.empty()) return GapCause::IncompleteSet;
  return gap.other_majors.empty() ? GapCause::Absent : GapCause::FamilyMismatch;
}

Severity weigh(const Subject& subject, Severity highest) {
  switch (subject.weight) {
    case Weight::Required:
      return highest;
    case Weight::Offered:
    case Weight::General:
      return lower(highest);
    case Weight::Companion:
    case Weight::Optional:
      return Severity::Note;
  }
  return highest;
}

Severity weigh(const Subject& subject, const Gap& gap) {
  Severity severity = Severity::Error;
  const bool was_shipped = !gap.copies.empty() || !gap.gone.empty() || !gap.set.empty();
  if (gap.necessity == Necessity::Function && !was_shipped && !is_asked(subject, gap.loss)) {
    severity = Severity::Warning;
  }
  if (!gap.is_verified) severity = Severity::Warning;
  if (gap.necessity == Necessity::Optional) severity = Severity::Note;
  return weigh(subject, severity);
}

Severity weigh(const Subject& subject, const Break& fault) {
  Severity severity = fault.is_verified ? Severity::Error : Severity::Warning;
  if (fault.necessity == Necessity::Optional) severity = Severity::Note;
  return weigh(subject, severity);
}

Verdict loadable_after(Necessity necessity) {
  switch (necessity) {
    case Necessity::Import:
    case Necessity::Provider:
    case Necessity::Abort:
      return Verdict::No;
    case Necessity::Function:
      return Verdict::Partly;
    case Necessity::Optional:
      break;
  }
  return Verdict::Yes;
}

void add_copies(Finding& finding, const std::vector<Copy>& copies, Role role) {
  for (const Copy& copy : copies) {
    finding.locations.push_back({copy.path, copy.distribution, std::nullopt, role});
  }
}

Ruling plain_ruling(const Subject& subject, std::string_view rule, Severity severity,
                    std::string message) {
  Ruling ruling;
  ruling.finding.rule = std::string(rule);
  ruling.finding.severity = severity;
  ruling.finding.message = std::move(message);
  ruling.finding.provider = subject.provider;
  if (!subject.provider.empty()) ruling.finding.providers = {subject.provider};
  return ruling;
}

Ruling gap_ruling(const Subject& subject, const Gap& gap, std::string_view rule,
                  std::string_view reason) {
  Ruling ruling = plain_ruling(subject, rule, weigh(subject, gap), gap_message(subject, gap));
  ruling.order = gap.order;
  ruling.reason = format("{} {}", quoted(file_name(gap.request)), reason);
  ruling.impact.loadable = loadable_after(gap.necessity);
  if (gap.necessity == Necessity::Function)
    ruling.losses.push_back({file_name(gap.request), gap.effect});
  Finding& finding = ruling.finding;
  finding.effect = gap.effect;
  add_consumers(finding, gap.consumers);
  finding.evidence.values.push_back({"request", {file_name(gap.request)}});
  if (gap.request.find('/') != std::string::npos) {
    finding.evidence.values.push_back({"path", {gap.request}});
  }
  finding.evidence.values.push_back(
      {"asked_by", {gap.is_declared ? "DT_NEEDED" : "opened by name at run time"}});
  if (!gap.follows.empty()) finding.evidence.values.push_back({"follows", gap.follows});
  finding.evidence.search = search_rows(gap.tried);
  return ruling;
}

Ruling break_ruling(const Subject& subject, const Break& fault, std::string_view rule,
                    std::string message) {
  Ruling ruling = plain_ruling(subject, rule, weigh(subject, fault), std::move(message));
  ruling.order = fault.order;
  ruling.reason = format("{}: {}", quoted(file_name(fault.failure.object)), fault.failure.message);
  ruling.impact.loadable = loadable_after(fault.necessity);
  if (fault.necessity == Necessity::Function) {
    ruling.losses.push_back({file_name(fault.failure.object), fault.effect});
  }
  Finding& finding = ruling.finding;
  finding.effect = fault.effect;
  std::vector<std::string> consumers = fault.consumers;
  if (consumers.empty()) {
    consumers.push_back(fault.failure.requested_by.empty() ? fault.failure.object
                                                           : fault.failure.requested_by);
  }
  add_consumers(finding, consumers);
  finding.evidence.values.push_back({"loader_message", {fault.failure.message}});
  return ruling;
}

}  // namespace loadable::check
