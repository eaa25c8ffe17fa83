// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {
namespace {

struct BuiltFor {
  std::string release;  ///< `3.12`; empty: no CPython
  bool is_free_threaded = false, is_debug = false;
  std::string machine;  ///< `x86_64-linux-gnu`
};

/// `cpython-313t-x86_64-linux-gnu`.
BuiltFor built_for(std::string_view tag) {
  constexpr std::string_view kCpython = "cpython-";
  BuiltFor result;
  if (!tag.starts_with(kCpython)) return result;
  tag.remove_prefix(kCpython.size());
  const std::size_t dash = std::min(tag.find('-'), tag.size());
  if (dash < tag.size()) result.machine = tag.substr(dash + 1);
  tag = tag.substr(0, dash);
  const std::size_t digits = std::min(tag.find_first_not_of("0123456789"), tag.size());
  const std::string_view flags = tag.substr(digits);
  result.is_free_threaded = flags.find('t') != std::string_view::npos;
  result.is_debug = flags.find('d') != std::string_view::npos;
  if (digits >= 2) result.release = format("{}.{}", tag.substr(0, 1), tag.substr(1, digits - 1));
  return result;
}

std::string in_words(const BuiltFor& built) {
  std::string text = built.is_free_threaded ? "the free-threaded " : "";
  if (built.is_debug) text += "a debug build of ";
  return text + "CPython " + built.release;
}

/// Is the file no module of this process anyway, whatever its name? Then that is the cause.
bool is_explained(const Subject& subject) {
  const std::string& module = subject.instance.import_library;
  const bool is_broken =
      std::any_of(subject.breaks.begin(), subject.breaks.end(), [&](const Break& fault) {
        return fault.failure.object == module && fault.failure.kind == loader::FailureKind::Format;
      });
  return is_broken || std::any_of(subject.gaps.begin(), subject.gaps.end(), [&](const Gap& gap) {
           const GapCause cause = classify(gap);
           return cause == GapCause::WrongLibc ||
                  (gap.request == module && cause == GapCause::Damaged);
         });
}

std::string reason_of(const accel::ProviderInstance& instance) {
  if (instance.foreign_tag.empty()) {
    return format("it lies in {}, where Python {} does not look", quoted(instance.unsearched_site),
                  instance.python);
  }
  const std::string& own = instance.suffixes.front();  // `.cpython-311-x86_64-linux-gnu.so`
  const BuiltFor built = built_for(instance.foreign_tag);
  const BuiltFor wanted = built_for(std::string_view(own).substr(1, own.size() - 4));
  const bool is_same_build = built.release == wanted.release &&
                             built.is_free_threaded == wanted.is_free_threaded &&
                             built.is_debug == wanted.is_debug;
  if (built.release.empty()) {
    return format("its extension module is for {}, and the interpreter is CPython {}",
                  quoted(instance.foreign_tag), instance.python);
  }
  if (is_same_build) {
    return format("its extension module is for {}, and the interpreter is for {}",
                  quoted(built.machine), quoted(wanted.machine));
  }
  return format("its extension module is for {}, and the interpreter is {}{}", in_words(built),
                wanted.is_free_threaded ? "the free-threaded Python " : "Python ", instance.python);
}

std::string suffixes_in_words(const std::vector<std::string>& suffixes) {
  std::string text;
  for (const std::string& suffix : suffixes) text += (text.empty() ? "" : ", ") + quoted(suffix);
  return text;
}

}  // namespace

void wrong_interpreter(const Subject& subject, Rulings& out) {
  const accel::ProviderInstance& instance = subject.instance;
  if (instance.foreign_tag.empty() && instance.unsearched_site.empty()) return;
  if (is_explained(subject)) return;
  std::string reason = reason_of(instance);
  Ruling ruling = plain_ruling(subject, "wrong-interpreter", weigh(subject, Severity::Error),
                               format("{} cannot be imported: {}", subject.title, reason));
  ruling.reason = std::move(reason);
  ruling.impact.loadable = Verdict::No;
  ruling.finding.effect = "the import fails: the interpreter finds no such module";
  ruling.finding.locations.push_back({instance.import_library,
                                      instance.distribution + " " + instance.version, std::nullopt,
                                      Role::Library});
  if (!instance.foreign_tag.empty()) {
    const std::string name = file_name(instance.import_library);
    ruling.finding.notes.push_back(format("the interpreter looks for {} followed by {}",
                                          quoted(name.substr(0, name.find('.'))),
                                          suffixes_in_words(instance.suffixes)));
  }
  ruling.finding.notes.emplace_back(
      "packages come from another interpreter's environment (a virtual environment or "
      "site-packages that was copied, a base interpreter that was upgraded): make the environment "
      "again with the interpreter that will run");
  ruling.finding.evidence.values.emplace_back("suffixes", instance.suffixes);
  ruling.finding.evidence.values.emplace_back("python", std::vector<std::string>{instance.python});
  add_reinstall(ruling.finding, subject,
                {{instance.import_library, instance.distribution + " " + instance.version}});
  out.push_back(std::move(ruling));
}

}  // namespace loadable::check
