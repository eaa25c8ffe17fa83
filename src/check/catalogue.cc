// SPDX-License-Identifier: Apache-2.0
#include "check/catalogue.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "check/embedded_rule_pages.h"

namespace loadable::check {
namespace {

constexpr auto kIntact = Question::Intact;
constexpr auto kLoadable = Question::Loadable;
constexpr auto kUsable = Question::Usable;
constexpr auto kIntent = Question::Intent;

constexpr std::array kRules = {
    Rule{"overwritten-file", kIntact, Severity::Error,
         "the bytes of another distribution lie where this one's belong"},
    Rule{"gutted-package", kIntact, Severity::Error,
         "a package lost its modules with the uninstall of another distribution"},
    Rule{"conflicting-distributions", kIntact, Severity::Error,
         "distributions that overwrite each other are installed together, or would be"},
    Rule{"version-skew", kIntact, Severity::Error,
         "the core and the provider of one package come from different releases"},
    Rule{"altered-file", kIntact, Severity::Note,
         "a file is sound, and its bytes are not those that were installed"},
    Rule{"stale-metadata", kIntact, Severity::Warning,
         "one distribution is installed several times in one place"},
    Rule{"unowned-library", kIntact, Severity::Error,
         "a library lies in a package, and no installed distribution lists it"},
    Rule{"missing-file", kIntact, Severity::Error,
         "a file that an installed distribution lists is gone"},
    Rule{"damaged-library", kIntact, Severity::Error,
         "a library is there and no loader would accept it"},
    Rule{"absent-library", kLoadable, Severity::Error,
         "a library that is needed is nowhere in the target"},
    Rule{"unreachable-library", kLoadable, Severity::Error,
         "a library lies in the target, but not where the object that needs it searches"},
    Rule{"family-mismatch", kLoadable, Severity::Error,
         "the target holds another major version of the library that is needed"},
    Rule{"shadowed-library", kLoadable, Severity::Error,
         "the search stops at another copy before it reaches the one that was meant"},
    Rule{"incomplete-library-set", kLoadable, Severity::Error,
         "a library that is shipped in pieces lacks some of them"},
    Rule{"mixed-library-set", kLoadable, Severity::Error,
         "the pieces of one library come from different releases"},
    Rule{"missing-symbol-version", kLoadable, Severity::Error,
         "a library that is found does not define a version that is asked of it"},
    Rule{"missing-symbol", kLoadable, Severity::Error,
         "a symbol that must be bound at load is defined by nothing in scope"},
    Rule{"wrong-interpreter", kLoadable, Severity::Error,
         "an extension module was built for another Python than the one that would import it"},
    Rule{"wrong-libc", kLoadable, Severity::Error,
         "an object was built for another C library than the one of the process"},
    Rule{"libc-too-old", kLoadable, Severity::Error,
         "the C library of the target is older than an object requires"},
    Rule{"executable-stack", kLoadable, Severity::Error,
         "a library asks for an executable stack, and the loader of this target refuses that"},
    Rule{"static-tls", kLoadable, Severity::Error,
         "a library needs more static thread-local storage than is left"},
    Rule{"cpu-too-old", kLoadable, Severity::Error,
         "an object needs instructions that the CPU of the process lacks"},
    Rule{"stale-loader-cache", kLoadable, Severity::Error,
         "the loader's cache does not agree with the files"},
    Rule{"mixed-cuda-majors", kLoadable, Severity::Error,
         "one process would load the libraries of two CUDA releases"},
    Rule{"loads-by-accident", kLoadable, Severity::Warning,
         "the provider loads, but only because of something that nobody stated"},
    Rule{"depends-on-caller-environment", kLoadable, Severity::Warning,
         "the verdict rests on variables of the shell that called loadable"},
    Rule{"searches-working-directory", kLoadable, Severity::Warning,
         "a search path has an element that means the working directory"},
    Rule{"driver-stub", kUsable, Severity::Error,
         "the search for the driver's library reaches a stub"},
    Rule{"driver-in-image", kUsable, Severity::Warning, "an image carries libraries of the driver"},
    Rule{"cpu-build", kIntent, Severity::Error,
         "a provider is required, and the build that is installed does not contain it"},
    Rule{"not-shipped", kIntent, Severity::Error,
         "a provider is required, and nothing of its family is installed"},
    Rule{"hard-family-dependency", kIntent, Severity::Note,
         "a project requires one member of a family by its plain name"},
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view to_string(Question question) {
  switch (question) {
    case Question::Intact:
      return "intact";
    case Question::Loadable:
      return "loadable";
    case Question::Usable:
      return "usable";
    case Question::Intent:
      return "intent";
  }
  return "";
}

std::span<const Rule> catalogue() { return kRules; }

const Rule* find_rule(std::string_view name) {
  const auto* found = std::find_if(kRules.begin(), kRules.end(),
                                   [&](const Rule& rule) { return rule.name == name; });
  return found == kRules.end() ? nullptr : found;
}

std::string nearest_word(std::string_view text, std::span<const std::string_view> candidates) {
  if (text.size() > 100) return {};  // no typing mistake is that long
  const std::size_t limit = std::clamp<std::size_t>(text.size() / 3, 1, 4);
  std::size_t best = limit + 1;  // what is farther is no suggestion
  std::string_view nearest;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(text, candidate);
    if (distance >= best) continue;
    best = distance;
    nearest = candidate;
  }
  return std::string(nearest);
}

std::string_view nearest_rule(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Rule& rule : kRules) names.push_back(rule.name);
  const Rule* rule = find_rule(nearest_word(name, names));
  return rule == nullptr ? std::string_view{} : rule->name;
}

std::string_view rule_page(std::string_view name) {
  for (const EmbeddedFile& file : embedded_rule_pages()) {
    if (file.name.size() == name.size() + 3 && file.name.starts_with(name)) return file.text;
  }
  return {};
}

}  // namespace loadable::check
