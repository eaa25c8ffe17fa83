// SPDX-License-Identifier: Apache-2.0
#include "base/quote.h"
#include "report/ldd_parts.h"

namespace loadable::report {
namespace {

using loader::Process;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(valid_utf8(text));
}

Json object_json(const Process& process, const loader::LoadedObject& object) {
  Json json;
  json["request"] = valid_utf8(object.request);
  json["path"] = valid_utf8(object.path);
  json["soname"] = text_or_null(object.soname);
  json["requested_by"] = object.requested_by
                             ? Json(valid_utf8(process.objects()[*object.requested_by].path))
                             : Json(nullptr);
  json["rule"] = std::string(loader::to_string(object.rule));
  json["step"] = object.step;
  return json;
}

Json request_json(const loader::Request& request) {
  Json json;
  json["request"] = valid_utf8(request.name);
  json["requested_by"] = text_or_null(request.requester);
  json["path"] = text_or_null(request.path);
  json["rule"] =
      request.path.empty() ? Json(nullptr) : Json(std::string(loader::to_string(request.rule)));
  json["step"] = request.step;
  return json;
}

Json missing_json(const Process& process, const loader::Missing& missing) {
  Json json;
  json["request"] = valid_utf8(missing.name);
  json["requested_by"] = text_or_null(missing.requested_by);
  json["step"] = missing.step;
  json["tried"] = missing.request < process.requests().size()
                      ? tried_json(process.requests()[missing.request].tried)
                      : Json::array();
  return json;
}

Json failure_json(const loader::Failure& failure) {
  Json json;
  json["object"] = valid_utf8(failure.object);
  json["kind"] = std::string(loader::to_string(failure.kind));
  json["message"] = valid_utf8(failure.message);
  json["step"] = failure.step;
  if (!failure.requested_by.empty()) json["requested_by"] = valid_utf8(failure.requested_by);
  if (failure.kind == loader::FailureKind::Symbol) json["symbol"] = valid_utf8(failure.symbol);
  if (failure.kind == loader::FailureKind::Version) json["version"] = valid_utf8(failure.symbol);
  if (failure.requested_version) json["version"] = valid_utf8(*failure.requested_version);
  if (!failure.library.empty()) json["library"] = valid_utf8(failure.library);
  return json;
}

template <class Items, class Render>
Json array_of(const Items& items, Render render) {
  Json json = Json::array();
  for (const auto& item : items) json.push_back(render(item));
  return json;
}

}  // namespace

std::string render_ldd_json(const Process& process, const LddSubject& subject) {
  Json json;
  json["schema_version"] = 1;
  json["file"] = valid_utf8(subject.file);
  json["interpreter"] = valid_utf8(process.interpreter());
  json["libc"] = process.identity().to_string();
  const bool has_interpreter = process.has_interpreter();
  json["objects"] = has_interpreter
                        ? array_of(process.objects(),
                                   [&](const auto& object) { return object_json(process, object); })
                        : Json::array();
  json["requests"] = array_of(process.requests(), request_json);
  json["missing"] = array_of(process.missing(),
                             [&](const auto& missing) { return missing_json(process, missing); });
  json["failures"] = array_of(process.failures(), failure_json);
  json["warnings"] = array_of(process.warnings(), failure_json);
  return dump_json(json);
}

}  // namespace loadable::report
