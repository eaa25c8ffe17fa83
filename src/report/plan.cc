// SPDX-License-Identifier: Apache-2.0
#include "report/plan.h"

#include <algorithm>

#include "base/format.h"
#include "base/json.h"
#include "base/quote.h"
#include "report/ldd_parts.h"

namespace loadable::report {
namespace {

using accel::Necessity;
using accel::ProviderRun;
using accel::StepRun;
using loader::Request;

bool is_loaded(const StepRun& step) { return step.result.succeeded || step.result.is_provided; }

/// Something that is there already answers: nothing was searched.
bool is_known_name(const Request& request) {
  return request.rule == loader::Rule::Name || request.rule == loader::Rule::Soname;
}

std::vector<const Request*> requests_of(const ProviderRun& run, int first, int last) {
  std::vector<const Request*> requests;
  for (const Request& request : run.process->requests()) {
    if (request.step >= first && request.step <= last) requests.push_back(&request);
  }
  return requests;
}

/// The interpreter's start is of interest only where it fails.
std::vector<const Request*> misses_of_start(const ProviderRun& run) {
  std::vector<const Request*> requests = requests_of(run, 0, 0);
  std::erase_if(requests, [](const Request* request) { return !request->path.empty(); });
  return requests;
}

bool is_expected(const ProviderRun& run, const std::string& name) {
  const auto holds = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return holds(run.expected_at_run_time) || holds(run.provided_elsewhere);
}

std::string request_text(const ProviderRun& run, const Request& request, const Paint& paint) {
  const std::string who = request.requester.empty() ? "the program" : printable(request.requester);
  std::string text =
      format("  {} {}\n", paint.bold(printable(request.name)), paint.dim("asked by " + who));
  if (is_known_name(request) && !request.path.empty()) {
    return text + format("    => {} {}\n", printable(request.path), paint.dim("(loaded already)"));
  }
  text += search_lines(request.tried, paint, "    ");
  if (!request.path.empty()) {
    return text + format("    => {} {}\n", printable(request.path),
                         paint.dim(format("({})", loader::to_string(request.rule))));
  }
  const bool is_driver = is_expected(run, request.name);
  return text + format("    => {}\n",
                       is_driver ? "expected from the host at run time" : paint.red("not found"));
}

std::string failures_text(const ProviderRun& run, int first, int last, const Paint& paint) {
  std::string text;
  for (const loader::Failure& failure : run.process->failures()) {
    if (failure.step < first || failure.step > last) continue;
    text += format("  {}\n", paint.red(printable(failure.object + ": " + failure.message)));
  }
  return text;
}

std::string step_state(const StepRun& step) {
  if (step.was_skipped) return "not tried, since an earlier step failed";
  if (step.is_expected_absence) return "only the host's libraries lack";
  if (is_loaded(step)) return "loaded";
  switch (step.necessity) {
    case Necessity::Optional:
      return "fails, and can be done without";
    case Necessity::Function:
      return "fails, and the provider loads all the same";
    default:
      return "fails";
  }
}

std::string step_text(const ProviderRun& run, const StepRun& step, const Paint& paint) {
  const bool is_failure = !step.was_skipped && !is_loaded(step) && !step.is_expected_absence &&
                          step.necessity != Necessity::Optional;
  const std::string title =
      step.what.empty() ? loadable::quoted(step.request) : printable(step.what);
  std::string state = step_state(step);
  if (!step.effect.empty() && is_failure) state += ": " + printable(step.effect);
  std::string text = format("\n{}: {}\n", paint.bold(title), is_failure ? paint.red(state) : state);
  if (step.was_skipped) return text;
  for (const Request* request : requests_of(run, step.first_step, step.last_step)) {
    text += request_text(run, *request, paint);
  }
  return text + failures_text(run, step.first_step, step.last_step, paint);
}

Json request_json(const Request& request) {
  Json json;
  json["request"] = valid_utf8(request.name);
  json["requested_by"] =
      request.requester.empty() ? Json(nullptr) : Json(valid_utf8(request.requester));
  const bool is_found = !request.path.empty();
  json["path"] = is_found ? Json(valid_utf8(request.path)) : Json(nullptr);
  json["rule"] = is_found ? Json(std::string(loader::to_string(request.rule))) : Json(nullptr);
  json["step"] = request.step;
  json["tried"] = tried_json(request.tried);
  return json;
}

Json step_json(const ProviderRun& run, const StepRun& step) {
  Json json;
  json["id"] = step.id;
  json["what"] = valid_utf8(step.what);
  json["request"] = valid_utf8(step.request);
  json["caller"] = step.caller.empty() ? Json(nullptr) : Json(valid_utf8(step.caller));
  json["skipped"] = step.was_skipped;
  json["succeeded"] = step.result.succeeded;
  json["expected_absence"] = step.is_expected_absence;
  Json requests = Json::array();
  Json failures = Json::array();
  if (!step.was_skipped) {
    for (const Request* request : requests_of(run, step.first_step, step.last_step)) {
      requests.push_back(request_json(*request));
    }
    for (const loader::Failure& failure : run.process->failures()) {
      if (failure.step < step.first_step || failure.step > step.last_step) continue;
      failures.push_back({{"object", valid_utf8(failure.object)},
                          {"kind", std::string(loader::to_string(failure.kind))},
                          {"message", valid_utf8(failure.message)},
                          {"step", failure.step}});
    }
  }
  json["requests"] = std::move(requests);
  json["failures"] = std::move(failures);
  return json;
}

}  // namespace

bool is_plan_loaded(const ProviderRun& run) {
  if (!run.process->has_interpreter() || !misses_of_start(run).empty()) return false;
  return std::all_of(run.steps.begin(), run.steps.end(), [](const StepRun& step) {
    return is_loaded(step) || step.is_preload || step.is_expected_absence ||
           step.necessity == Necessity::Optional;
  });
}

std::string render_plan_text(const ProviderRun& run, Colors colors) {
  const Paint paint(colors);
  const loader::Process& process = *run.process;
  std::string text = format("{} of {} {} in the process of {} {}\n", paint.bold(run.instance.id),
                            printable(run.instance.distribution), printable(run.instance.version),
                            printable(process.program()),
                            paint.dim(format("({}, {})", printable(process.interpreter()),
                                             process.identity().to_string())));
  const std::vector<const Request*> start = misses_of_start(run);
  const std::string failures = failures_text(run, 0, 0, paint);
  if (!process.has_interpreter() || !start.empty() || !failures.empty()) {
    text += format("\n{}: {}\n", paint.bold("start of the interpreter"), paint.red("fails"));
    if (!process.has_interpreter() && failures.empty()) {
      text += format("  {}\n", paint.red(loadable::quoted(process.interpreter()) + ": not there"));
    }
    for (const Request* request : start) text += request_text(run, *request, paint);
    text += failures;
    if (!process.has_interpreter()) return text;
  }
  for (const StepRun& step : run.steps) text += step_text(run, step, paint);
  return text;
}

std::string render_plan_json(const ProviderRun& run) {
  Json json;
  json["schema_version"] = 1;
  json["program"] = valid_utf8(run.process->program());
  json["name"] = run.instance.id;
  json["interpreter"] = valid_utf8(run.process->interpreter());
  json["libc"] = run.process->identity().to_string();
  json["distribution"] = valid_utf8(run.instance.distribution);
  json["version"] = valid_utf8(run.instance.version);
  json["loaded"] = is_plan_loaded(run);
  Json expected = Json::array();
  for (const std::string& name : run.expected_at_run_time) expected.push_back(valid_utf8(name));
  json["expected_at_run_time"] = std::move(expected);
  Json start = Json::array();
  for (const Request* request : misses_of_start(run)) start.push_back(request_json(*request));
  json["requests"] = std::move(start);
  Json steps = Json::array();
  for (const StepRun& step : run.steps) steps.push_back(step_json(run, step));
  json["steps"] = std::move(steps);
  return dump_json(json);
}

}  // namespace loadable::report
