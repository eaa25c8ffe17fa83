// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "report/ldd_parts.h"

namespace loadable::report {
namespace {

using loader::Process;

class Text {
 public:
  Text(const Process& process, Colors colors) : process_(process), paint_(colors) {}
  std::string render(const LddSubject& subject);

 private:
  void add_head(const LddSubject& subject);
  void add_step(int step);
  void add_step_head(int step);
  void add_missing(const loader::Missing& missing);
  void add_failures(int step);
  [[nodiscard]] std::string failure_line(const loader::Failure& failure,
                                         const std::string& word) const;

  const Process& process_;
  Paint paint_;
  std::string out_;
};

void Text::add_head(const LddSubject& subject) {
  out_ += format("{} {}\n", paint_.bold(printable(subject.file)),
                 paint_.dim(format("({}, {})", printable(process_.interpreter()),
                                   process_.identity().to_string())));
}

/// The request that a dlopen step began with.
void Text::add_step_head(int step) {
  const auto& requests = process_.requests();
  const auto first = std::find_if(requests.begin(), requests.end(),
                                  [&](const auto& each) { return each.step == step; });
  if (first == requests.end()) return;
  const auto fails = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& each) { return each.step == step; });
  };
  std::string answer = printable(first->path);
  if (first->path.empty() || fails(process_.missing()) || fails(process_.failures())) {
    answer = paint_.red("fails");
  }
  out_ += format("dlopen {} => {} {}\n", printable(first->name), answer,
                 first->path.empty() ? std::string()
                                     : paint_.dim(format("({})", loader::to_string(first->rule))));
}

void Text::add_step(int step) {
  if (step > 0) add_step_head(step);
  for (const loader::LoadedObject& object : process_.objects()) {
    if (object.step != step || object.rule == loader::Rule::Program) continue;
    const std::string rule = paint_.dim(format("({})", loader::to_string(object.rule)));
    if (object.request == object.path) {
      out_ += format("  {} {}\n", printable(object.path), rule);
    } else {
      out_ += format("  {} => {} {}\n", printable(object.request), printable(object.path), rule);
    }
  }
  for (const loader::Missing& missing : process_.missing()) {
    if (missing.step == step) add_missing(missing);
  }
  add_failures(step);
}

void Text::add_missing(const loader::Missing& missing) {
  out_ += format("  {} => {}", printable(missing.name), paint_.red("not found"));
  if (!missing.requested_by.empty()) {
    out_ += format(", needed by {}", printable(missing.requested_by));
  }
  out_ += '\n';
  if (missing.request >= process_.requests().size()) return;
  out_ += search_lines(process_.requests()[missing.request].tried, paint_, "      ");
}

std::string Text::failure_line(const loader::Failure& failure, const std::string& word) const {
  const std::string object = printable(failure.object);
  std::string message = printable(failure.message);
  if (message.starts_with(object + ": ")) message.erase(0, object.size() + 2);
  return format("  {}: {}: {}\n", word, object, message);
}

void Text::add_failures(int step) {
  for (const loader::Failure& failure : process_.failures()) {
    if (failure.step != step) continue;
    out_ += failure_line(failure, paint_.red(format("error[{}]", loader::to_string(failure.kind))));
  }
  for (const loader::Failure& failure : process_.warnings()) {
    if (failure.step != step) continue;
    out_ += failure_line(failure,
                         paint_.yellow(format("warning[{}]", loader::to_string(failure.kind))));
  }
}

std::string Text::render(const LddSubject& subject) {
  add_head(subject);
  int last = 0;
  for (const auto& request : process_.requests()) last = std::max(last, request.step);
  for (int step = 0; step <= last; ++step) add_step(step);
  return out_;
}

}  // namespace

std::string render_ldd_text(const Process& process, const LddSubject& subject, Colors colors) {
  return Text(process, colors).render(subject);
}

}  // namespace loadable::report
