// SPDX-License-Identifier: Apache-2.0
#include "report/ldd_parts.h"

#include "base/format.h"
#include "base/quote.h"

namespace loadable::report {
namespace {

using loader::Candidate;
using loader::Outcome;
using loader::Rule;

std::string rule_title(const Candidate& candidate) {
  const std::string owner = printable(candidate.owner);
  switch (candidate.rule) {
    case Rule::Rpath:
      return owner.empty() ? "DT_RPATH" : format("DT_RPATH of {}", owner);
    case Rule::Runpath:
      return owner.empty() ? "DT_RUNPATH" : format("DT_RUNPATH of {}", owner);
    case Rule::Env:
      return "LD_LIBRARY_PATH";
    case Rule::Cache:
      return "/etc/ld.so.cache";
    case Rule::Default:
      return "default directories";
    case Rule::Path:
      return "the path itself";
    default:
      return std::string(loader::to_string(candidate.rule));
  }
}

std::string outcome_words(const Candidate& candidate) {
  switch (candidate.outcome) {
    case Outcome::Found:
      return "found";
    case Outcome::Absent:
      return candidate.detail.empty() ? "not there" : candidate.detail;
    case Outcome::NotADirectory:
      return "a component is no directory";
    case Outcome::Denied:
      return "permission denied, the search goes on";
    case Outcome::WrongClass:
      return "built for another word size, passed over";
    case Outcome::WrongMachine:
      return "built for another machine, passed over";
    case Outcome::Unusable:
      return candidate.detail.empty() ? "unusable, the load ends here"
                                      : format("{}, the load ends here", candidate.detail);
    case Outcome::Unsearchable:
      return "cannot be opened, the rest of this list is given up";
    case Outcome::NotInCache:
      return candidate.detail.empty() ? "no entry of that name" : candidate.detail;
    case Outcome::Disabled:
      return format("not used: {}", candidate.detail);
  }
  return {};
}

}  // namespace

std::string Paint::wrap(std::string_view code, std::string_view text) const {
  if (!is_on_) return std::string(text);
  return format("\x1b[{}m{}\x1b[0m", code, text);
}

Json tried_json(const std::vector<Candidate>& tried) {
  Json json = Json::array();
  for (const Candidate& candidate : tried) {
    Json each;
    each["rule"] = std::string(loader::to_string(candidate.rule));
    each["path"] = candidate.path.empty() ? Json(nullptr) : Json(valid_utf8(candidate.path));
    each["outcome"] = std::string(loader::to_string(candidate.outcome));
    if (!candidate.detail.empty()) each["detail"] = valid_utf8(candidate.detail);
    if (!candidate.owner.empty()) each["owner"] = valid_utf8(candidate.owner);
    json.push_back(std::move(each));
  }
  return json;
}

std::string search_lines(const std::vector<Candidate>& tried, const Paint& paint,
                         std::string_view indent) {
  std::string out;
  std::string last;
  for (const Candidate& candidate : tried) {
    const std::string title = rule_title(candidate);
    const std::string words = printable(outcome_words(candidate));
    if (candidate.path.empty()) {
      out += format("{}{}: {}\n", indent, title, words);
      last.clear();
      continue;
    }
    if (title != last) out += format("{}{}\n", indent, title);
    last = title;
    out += format("{}  {}  {}\n", indent, printable(candidate.path), paint.dim(words));
  }
  return out;
}

}  // namespace loadable::report
