// SPDX-License-Identifier: Apache-2.0
#include "loader/types.h"

#include <array>

namespace loadable::loader {
namespace {

template <class Enum, std::size_t N>
std::string_view name_of(Enum value, const std::array<std::string_view, N>& names) {
  return names.at(static_cast<std::size_t>(value));
}

constexpr std::array<std::string_view, 11> kRules = {"program", "preload", "rpath",   "env",
                                                     "runpath", "cache",   "default", "path",
                                                     "name",    "soname",  "inode"};

constexpr std::array<std::string_view, 10> kOutcomes = {
    "found",         "absent",   "not-a-directory", "denied",       "wrong-class",
    "wrong-machine", "unusable", "unsearchable",    "not-in-cache", "disabled"};

constexpr std::array<std::string_view, 7> kFailures = {"version", "symbol",    "format", "type",
                                                       "tls",     "execstack", "isa"};

}  // namespace

std::string_view to_string(Rule rule) { return name_of(rule, kRules); }
std::string_view to_string(Outcome outcome) { return name_of(outcome, kOutcomes); }
std::string_view to_string(FailureKind kind) { return name_of(kind, kFailures); }

}  // namespace loadable::loader
