// SPDX-License-Identifier: Apache-2.0
// Specifiers, markers and requirements: what is taken has a normal form that means the same.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "base/bytes.h"
#include "python/marker.h"
#include "python/requirement.h"
#include "python/specifier.h"

using namespace loadable;  // NOLINT: a fuzz target is its own program

namespace {

void try_specifiers(std::string_view text) {
  const auto set = python::SpecifierSet::parse(text);
  if (!set) return;
  const std::string normal = set->to_string();
  const auto again = python::SpecifierSet::parse(normal);
  LOADABLE_ASSERT(again.has_value(), "the normal form is a specifier set");
  LOADABLE_ASSERT(again->to_string() == normal, "the normal form is final");
  for (const char* version : {"1.0", "1.0a1", "1.0.post1+x", "2!0.dev0"}) {
    const auto parsed = python::Version::parse(version);
    const bool is_in = set->contains(*parsed);
    LOADABLE_ASSERT(is_in == again->contains(*parsed), "the normal form allows the same");
    LOADABLE_ASSERT(is_in || !set->contains(*parsed, false),
                    "fewer are allowed without pre-releases");
  }
}

// Literals are written without escapes, as `packaging` does: not all can be read again.
bool has_escapes(std::string_view normal) {
  for (const char c : normal) {
    if (c == '\\' || static_cast<unsigned char>(c) < 0x20) return true;
  }
  return false;
}

void try_marker(std::string_view text) {
  const auto marker = python::Marker::parse(text);
  if (!marker) return;
  auto environment = python::MarkerEnvironment::for_interpreter("3.11.7", "x86_64");
  const std::string normal = marker->to_string();
  for (const bool has_extras : {false, true}) {
    if (has_extras) environment.extras = {"gpu", "x"};
    const bool holds = marker->holds(environment);
    LOADABLE_ASSERT(!holds || marker->can_hold(environment), "what holds can hold");
    if (has_escapes(normal)) continue;
    const auto again = python::Marker::parse(normal);
    LOADABLE_ASSERT(again.has_value(), "the normal form is a marker");
    LOADABLE_ASSERT(again->to_string() == normal, "the normal form is final");
    LOADABLE_ASSERT(again->holds(environment) == holds, "the normal form means the same");
  }
}

void try_requirement(std::string_view text) {
  const auto requirement = python::Requirement::parse(text);
  if (!requirement) return;
  LOADABLE_ASSERT(!requirement->normalized.empty(), "a requirement has a name");
  for (const std::string& extra : requirement->extras) {
    // `packaging` takes the name `x_`, whose normal form `x-` is no name.
    if (extra.ends_with('-')) return;
  }
  const auto again = python::Requirement::parse(requirement->to_string());
  LOADABLE_ASSERT(again.has_value(), "the text is a requirement");
  LOADABLE_ASSERT(again->to_string() == requirement->to_string(), "the text is final");
  LOADABLE_ASSERT(again->extras == requirement->extras && again->url == requirement->url &&
                      again->normalized == requirement->normalized,
                  "the text means the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = as_text(std::as_bytes(std::span(data, size)));
  try_specifiers(text);
  try_marker(text);
  try_requirement(text);
  return 0;
}
