// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/quote.h"
#include "report/check.h"
#include "report/search_text.h"

namespace loadable::report {
namespace {

using check::Finding;
using check::Report;
using check::Role;
using check::Severity;

constexpr std::size_t kConsumersShown = 3;

/// What the finding before it already showed, so that six libraries that are missing for one
/// reason do not print one search six times.
struct Before {
  const Finding* finding = nullptr;
  std::string search;
};

std::string at(const Report& report, const std::string& path) {
  return printable(shown_path(path, report.target_path));
}

std::string owned(const check::Location& location) {
  return location.distribution.empty() ? "" : format(" ({})", printable(location.distribution));
}

std::vector<const check::Location*> with_role(const Finding& finding, Role role) {
  std::vector<const check::Location*> list;
  for (const check::Location& location : finding.locations) {
    if (location.role == role) list.push_back(&location);
  }
  return list;
}

std::string evidence_value(const Finding& finding, std::string_view name) {
  for (const auto& [key, values] : finding.evidence.values) {
    if (key == name && !values.empty()) return values.front();
  }
  return {};
}

std::string consumers_text(const Report& report, const Finding& finding, const Style& style) {
  const auto consumers = with_role(finding, Role::Consumer);
  const std::string asked = evidence_value(finding, "asked_by");
  std::string text;
  for (std::size_t i = 0; i < consumers.size(); ++i) {
    if (!style.is_verbose && i == kConsumersShown && consumers.size() > kConsumersShown + 1) {
      text += format("      and {} more\n", consumers.size() - i);
      break;
    }
    const std::string needs = i > 0 || asked.empty() ? ""
                              : asked == "DT_NEEDED" ? "  needs it (DT_NEEDED)"
                                                     : "  opens it by name";
    text += format("  {} {}{}\n", i == 0 ? "-->" : "   ", at(report, consumers[i]->path), needs);
  }
  return text;
}

/// One place of a finding; `words` are those of its role.
std::string place_text(const Report& report, const Finding& finding,
                       const check::Location& location, const char* words) {
  const bool is_contest = finding.rule == "overwritten-file" || finding.rule == "version-skew";
  if (location.role == Role::Owner && is_contest) {
    const std::string owner =
        location.distribution.empty() ? "nobody known" : location.distribution;
    return format("   | of {}: {}\n", printable(owner), at(report, location.path));
  }
  const bool is_planned = location.line > 0;
  if (location.role == Role::Library && finding.rule == "family-mismatch") {
    words = "in this target: ";
  } else if (is_planned) {
    words = "named here: ";
  }
  return format("   | {}{}{}{}\n", words, at(report, location.path),
                is_planned ? format(":{}", location.line) : "", owned(location));
}

std::string places_text(const Report& report, const Finding& finding, const Style& style) {
  struct Words {
    Role role;
    const char* text;
  };
  const bool is_gap = !finding.evidence.search.empty();
  const std::array<Words, 4> words = {
      {{Role::Library, is_gap ? "it is in this target: " : "file: "},
       {Role::Removed, "it was here: "},
       {Role::Shadowed, "another copy: "},
       {Role::Owner, "belongs to: "}}};
  std::string text;
  for (const Words& word : words) {
    std::size_t shown = 0;
    const auto list = with_role(finding, word.role);
    for (const check::Location* location : list) {
      if (shown++ == 5 && !style.is_verbose) {
        text += format("   | and {} more\n", list.size() - 5);
        break;
      }
      text += place_text(report, finding, *location, word.text);
    }
  }
  return text;
}

/// A command as it must be typed: only what a terminal would take for control is escaped.
std::string command_text(const std::string& command) {
  std::string without = command;
  std::erase(without, '\\');
  return printable(without) == without ? command : printable(command);
}

std::string remedies_text(const Finding& finding, const Style& style) {
  std::string text;
  for (const check::Remedy& remedy : finding.remedies) {
    text += format("   = fix{}: {}\n", remedy.is_proven ? ", proven" : "", printable(remedy.title));
    for (const std::string& command : remedy.commands) {
      text += format("       {}\n", bold(style, command_text(command)));
    }
    if (!style.is_verbose) continue;
    for (const std::string& effect : remedy.side_effects) {
      text += format("       ({})\n", printable(effect));
    }
  }
  return text;
}

bool same_remedies(const Finding& a, const Finding& b) {
  return std::equal(a.remedies.begin(), a.remedies.end(), b.remedies.begin(), b.remedies.end(),
                    [](const check::Remedy& x, const check::Remedy& y) {
                      return x.id == y.id && (x.commands == y.commands || x.id == "loader-path");
                    });
}

std::string finding_text(const Report& report, const Finding& finding, const Style& style,
                         Before& before) {
  const std::string head = format("{}[{}]", check::to_string(finding.severity), finding.rule);
  std::string text =
      format("{}: {}\n", paint(style, finding.severity, head), bold(style, finding.message));
  if (finding.severity == Severity::Note && !style.is_verbose) {
    before = {};
    return text;
  }
  const Finding* last = before.finding;
  const bool is_like_last = last != nullptr && last->rule == finding.rule &&
                            last->provider == finding.provider && !finding.provider.empty();
  text += consumers_text(report, finding, style);
  const std::string search = search_text(finding.evidence.search, report.target_path, style);
  if (!search.empty()) {
    text += is_like_last && search == before.search
                ? std::string("   | searched in the same places as the one above\n")
                : "   | searched, in this order\n" + search;
  }
  text += places_text(report, finding, style);
  for (const std::string& note : finding.notes) text += format("   | {}\n", note);
  const bool repeats = is_like_last && last->effect == finding.effect;
  if (!finding.effect.empty() && !repeats) text += format("   = effect: {}\n", finding.effect);
  if (is_like_last && same_remedies(*last, finding)) {
    if (!finding.remedies.empty()) text += "   = fix: the same as above\n";
  } else {
    text += remedies_text(finding, style);
  }
  before = {&finding, search};
  return text + "\n";
}

std::string pad(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : text + std::string(width - text.size(), ' ');
}

std::string verdict_cell(const Style& style, check::Verdict verdict) {
  const std::string cell = pad(std::string(check::to_string(verdict)), 9);
  if (verdict == check::Verdict::No) return paint(style, Severity::Error, cell);
  if (verdict == check::Verdict::Partly) return paint(style, Severity::Warning, cell);
  return cell;
}

std::string reasons_text(const check::ProviderReport& provider, const Style& style) {
  const std::array<std::pair<const char*, check::Verdict>, 5> verdicts = {
      {{"shipped", provider.verdicts.shipped},
       {"intact", provider.verdicts.intact},
       {"loadable", provider.verdicts.loadable},
       {"usable", provider.verdicts.usable},
       {"used", provider.verdicts.used}}};
  std::string text;
  for (const auto& [name, verdict] : verdicts) {
    const bool is_plain = verdict == check::Verdict::Yes || verdict == check::Verdict::Unknown;
    if (is_plain && !style.is_verbose && std::string_view(name) != "loadable") continue;
    for (const auto& [key, reason] : provider.reasons) {
      if (key == name) text += format("  {}: {}\n", name, reason);
    }
  }
  for (const check::Loss& loss : provider.losses) {
    text += format("  lost: {}{}\n", quoted(loss.library),
                   loss.effect.empty() ? "" : ": " + loss.effect);
  }
  if (!provider.expected_at_run_time.empty()) {
    text += "  expected from the host at run time:";
    for (const std::string& name : provider.expected_at_run_time) text += " " + quoted(name);
    text += "\n";
  }
  return text;
}

std::string table_text(const Report& report, const Style& style) {
  if (report.providers.empty()) return "no accelerator provider is installed or required here\n";
  std::size_t width = 8;
  for (const check::ProviderReport& provider : report.providers) {
    width = std::max(width, provider.id.size());
  }
  std::string text =
      bold(style, pad("provider", width + 2) + "shipped  intact   loadable usable   used") + "\n";
  for (const check::ProviderReport& provider : report.providers) {
    text += pad(provider.id, width + 2);
    text += verdict_cell(style, provider.verdicts.shipped);
    text += verdict_cell(style, provider.verdicts.intact);
    text += verdict_cell(style, provider.verdicts.loadable);
    text += verdict_cell(style, provider.verdicts.usable);
    text += verdict_cell(style, provider.verdicts.used);
    if (!provider.distribution.empty()) {
      text += provider.distribution + (provider.version.empty() ? "" : " " + provider.version);
      text += ", ";
    }
    text += provider.is_required ? "required\n" : "not required\n";
    text += reasons_text(provider, style);
  }
  return text;
}

std::string plural(std::size_t count, const char* word) {
  return format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// What it means that things could not be examined.
std::string consequence_of_incidents(const Report& report) {
  const bool is_required =
      std::any_of(report.providers.begin(), report.providers.end(),
                  [](const check::ProviderReport& provider) { return provider.is_required; });
  if (report.is_complete) return is_required ? ", none that a required provider rests on" : "";
  const char* them = report.incidents.size() == 1 ? "it" : "them";
  return (is_required ? format("; a required provider rests on {}", them) : std::string{}) +
         ": the examination is not complete";
}

std::string summary_text(const Report& report, const Style& style) {
  std::array<std::size_t, 3> counts{};
  for (const Finding& finding : report.findings) {
    ++counts[static_cast<std::size_t>(finding.severity)];
  }
  // Of what is not installed only names are judged.
  constexpr std::array<std::string_view, 5> kPlanned = {"lock", "requirements", "project", "wheel",
                                                        "wheelhouse"};
  const bool is_planned =
      std::find(kPlanned.begin(), kPlanned.end(), report.target_kind) != kPlanned.end() &&
      report.counts.objects == 0 && report.counts.judged == 0;
  std::string text = format("{}, {}, {}; {} judged", plural(counts[2], "error"),
                            plural(counts[1], "warning"), plural(counts[0], "note"),
                            is_planned ? plural(report.counts.distributions, "distribution")
                                       : plural(report.counts.judged, "object"));
  if (!report.suppressed.empty()) text += format("; {} suppressed", report.suppressed.size());
  text += "\n";
  if (!report.incidents.empty()) {
    text += format("{} could not be examined{}\n", plural(report.incidents.size(), "thing"),
                   consequence_of_incidents(report));
    const std::size_t limit = style.is_verbose ? report.incidents.size() : std::size_t{5};
    for (std::size_t i = 0; i < std::min(limit, report.incidents.size()); ++i) {
      text += format("  {}: {}\n", at(report, report.incidents[i].path),
                     printable(report.incidents[i].message));
    }
  } else if (!report.is_complete) {
    text += "the examination is not complete\n";
  }
  for (const std::string& sentence : report.not_checked) {
    text += format("not checked: {}\n", sentence);
  }
  return text;
}

std::string head_text(const Report& report) {
  std::string text = format("{} {}", report.target_kind, printable(report.target_path));
  if (!report.root.empty()) text += format(" in root {}", printable(report.root));
  for (const std::string& path : report.sources) {
    if (path != report.target_path) text += format("\n  read: {}", at(report, path));
  }
  for (const check::EnvironmentReport& environment : report.environments) {
    if (environment.interpreter.empty() && environment.libc.empty()) {
      text += format("\n  for Python {} on {}", environment.python, report.machine);
      continue;
    }
    text += format(
        "\n  {}{}{}",
        environment.interpreter.empty() ? "no interpreter" : printable(environment.interpreter),
        environment.libc.empty() ? "" : ", " + environment.libc,
        environment.python.empty() ? "" : ", Python " + environment.python);
    if (environment.libc.empty()) {
      text += "\n  this interpreter cannot be started here: nothing that it loads was judged";
    }
    for (const auto& [name, value] : environment.variables) {
      text += format("\n  {}={}", printable(name), printable(value));
    }
    if (environment.cwd) text += format("\n  working directory {}", printable(*environment.cwd));
  }
  return text + "\n\n";
}

}  // namespace

std::string check_full(const std::vector<Report>& reports, const Style& style) {
  std::string text;
  for (const Report& report : reports) {
    if (!style.is_quiet) text += head_text(report);
    Before before;
    bool last_was_note = false;
    for (const Finding& finding : report.findings) {
      text += finding_text(report, finding, style, before);
      last_was_note = finding.severity == Severity::Note && !style.is_verbose;
    }
    if (last_was_note && !style.is_quiet) text += "\n";
    if (style.is_quiet) continue;
    text += table_text(report, style) + "\n" + summary_text(report, style);
    if (&report != &reports.back()) text += "\n";
  }
  return text;
}

}  // namespace loadable::report
