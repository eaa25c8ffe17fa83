// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "report/ldd.h"

namespace loadable::report {
namespace {

using loader::Process;

class Text {
 public:
  Text(const Process& process, Colors colors) : process_(process), colors_(colors) {}
  std::string render(const LddSubject& subject);

 private:
  void add_step(int step);
  void add_missing(const loader::Missing& missing);
  void add_failures(const std::vector<loader::Failure>& failures, std::string_view word,
                    std::string_view color);
  [[nodiscard]] std::string paint(std::string_view color, std::string_view text) const;

  const Process& process_;
  Colors colors_;
  std::string out_;
};

constexpr std::string_view kRed = "31;1", kYellow = "33;1", kDim = "2", kBold = "1";

std::string Text::paint(std::string_view color, std::string_view text) const {
  if (colors_ == Colors::Off) return std::string(text);
  return format("\x1b[{}m{}\x1b[0m", color, text);
}

void Text::add_step(int step) {
  for (const loader::LoadedObject& object : process_.objects()) {
    if (object.step != step || object.rule == loader::Rule::Program) continue;
    out_ += format("  {} => {}  {}\n", printable(object.request), printable(object.path),
                   paint(kDim, format("({})", loader::to_string(object.rule))));
  }
  for (const loader::Missing& missing : process_.missing()) {
    if (missing.step == step) add_missing(missing);
  }
}

void Text::add_missing(const loader::Missing& missing) {
  out_ += format("  {} => {}", printable(missing.name), paint(kRed, "not found"));
  if (!missing.requested_by.empty())
    out_ += format("  needed by {}", printable(missing.requested_by));
  out_ += '\n';
  if (missing.request >= process_.requests().size()) return;
  for (const loader::Candidate& tried : process_.requests()[missing.request].tried) {
    const std::string place = tried.path.empty() ? std::string("-") : printable(tried.path);
    out_ += format("      {:<8} {}: {}{}\n", loader::to_string(tried.rule), place,
                   loader::to_string(tried.outcome),
                   tried.detail.empty() ? std::string() : format(", {}", printable(tried.detail)));
  }
}

void Text::add_failures(const std::vector<loader::Failure>& failures, std::string_view word,
                        std::string_view color) {
  for (const loader::Failure& failure : failures) {
    out_ += format("{}: {}: {}\n",
                   paint(color, format("{}[{}]", word, loader::to_string(failure.kind))),
                   printable(failure.object), printable(failure.message));
  }
}

std::string Text::render(const LddSubject& subject) {
  out_ += format("{}  {}\n", paint(kBold, printable(subject.file)),
                 paint(kDim, format("({}, {})", printable(process_.interpreter()),
                                    process_.identity().to_string())));
  int last = 0;
  for (const auto& request : process_.requests()) last = std::max(last, request.step);
  for (int step = 0; step <= last; ++step) {
    if (step > 0) out_ += format("dlopen {}\n", step);
    add_step(step);
  }
  add_failures(process_.failures(), "error", kRed);
  add_failures(process_.warnings(), "warning", kYellow);
  return out_;
}

}  // namespace

std::string render_ldd_text(const Process& process, const LddSubject& subject, Colors colors) {
  return Text(process, colors).render(subject);
}

}  // namespace loadable::report
