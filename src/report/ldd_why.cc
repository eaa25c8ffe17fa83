// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "base/json.h"
#include "base/quote.h"
#include "report/ldd_parts.h"
#include "report/why.h"

namespace loadable::report {
namespace {

using loader::Outcome;

std::string answer_of(const loader::Request& request, const Paint& paint) {
  if (request.path.empty()) return paint.red("not found");
  return format("{} {}", printable(request.path),
                paint.dim(format("({})", loader::to_string(request.rule))));
}

std::string head(const loader::Process& process, const WhySubject& subject, const Paint& paint) {
  return format("{} in the process of {} {}\n", paint.bold(printable(subject.name)),
                printable(subject.program),
                paint.dim(format("({}, {})", printable(process.interpreter()),
                                 process.identity().to_string())));
}

}  // namespace

std::string render_why_text(const loader::Process& process, const WhySubject& subject,
                            Colors colors) {
  const Paint paint(colors);
  std::string out = head(process, subject, paint);
  for (const loader::Request& request : subject.requests) {
    const std::string who =
        request.requester.empty() ? "the program" : printable(request.requester);
    out += format("\nasked by {}\n", who);
    out += search_lines(request.tried, paint, "  ");
    out += format("  => {}\n", answer_of(request, paint));
  }
  if (!subject.notes.empty()) out += '\n';
  for (const std::string& note : subject.notes) out += format("note: {}\n", printable(note));
  return out;
}

std::string render_why_json(const loader::Process& process, const WhySubject& subject) {
  Json json;
  json["schema_version"] = 1;
  json["program"] = valid_utf8(subject.program);
  json["name"] = valid_utf8(subject.name);
  json["interpreter"] = valid_utf8(process.interpreter());
  json["libc"] = process.identity().to_string();
  Json requests = Json::array();
  for (const loader::Request& request : subject.requests) {
    Json each;
    each["requested_by"] =
        request.requester.empty() ? Json(nullptr) : Json(valid_utf8(request.requester));
    each["path"] = request.path.empty() ? Json(nullptr) : Json(valid_utf8(request.path));
    each["rule"] =
        request.path.empty() ? Json(nullptr) : Json(std::string(loader::to_string(request.rule)));
    each["tried"] = tried_json(request.tried);
    requests.push_back(std::move(each));
  }
  json["requests"] = std::move(requests);
  Json notes = Json::array();
  for (const std::string& note : subject.notes) notes.push_back(valid_utf8(note));
  json["notes"] = std::move(notes);
  return dump_json(json);
}

}  // namespace loadable::report
