// SPDX-License-Identifier: Apache-2.0
// What surrounds the process, and the words in which the user states it.

#include <array>
#include <charconv>

#include "base/format.h"
#include "base/quote.h"
#include "loader/process.h"

namespace loadable::loader {
namespace {

/// Reads `12` off the front of `text`; nothing if it does not begin with a digit.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<Version> parse_version(std::string_view text) {
  Version version;
  const std::array<int*, 3> parts = {&version.major, &version.minor, &version.patch};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    *parts.at(i) = *number;
    if (text.empty()) return i == 0 ? std::nullopt : std::optional(version);
    if (text.front() != '.') return std::nullopt;
    text.remove_prefix(1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> Environment::variable(std::string_view name) const {
  // getenv() and the loaders take the first of several.
  for (const auto& [key, value] : variables) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::string Identity::to_string() const {
  const std::string_view name = libc == Libc::Glibc ? "glibc" : "musl";
  if (!is_version_known) return format("{} (version unknown)", name);
  if (version.patch != 0 || libc == Libc::Musl) {
    return format("{} {}.{}.{}", name, version.major, version.minor, version.patch);
  }
  return format("{} {}.{}", name, version.major, version.minor);
}

Result<std::pair<Libc, Version>> parse_libc(std::string_view text) {
  for (const auto& [name, libc] :
       {std::pair<std::string_view, Libc>{"glibc", Libc::Glibc}, {"musl", Libc::Musl}}) {
    if (!text.starts_with(name)) continue;
    std::string_view rest = text.substr(name.size());
    if (rest.empty() || (rest.front() != '-' && rest.front() != ' ')) break;
    if (const auto version = parse_version(rest.substr(1))) return std::pair{libc, *version};
    break;
  }
  return fail(
      ErrorCode::InvalidArgument,
      format("{} is no C library, wanted for example `glibc-2.36` or `musl-1.2.3`", quoted(text)));
}

Result<CpuLevel> parse_cpu(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, CpuLevel>, 5> kLevels = {
      {{"x86-64", CpuLevel::Baseline},
       {"x86-64-v1", CpuLevel::Baseline},
       {"x86-64-v2", CpuLevel::V2},
       {"x86-64-v3", CpuLevel::V3},
       {"x86-64-v4", CpuLevel::V4}}};
  for (const auto& [name, level] : kLevels) {
    if (name == text) return level;
  }
  return fail(ErrorCode::InvalidArgument,
              format("{} is no CPU level, wanted `x86-64-v1`, `x86-64-v2`, `x86-64-v3` or "
                     "`x86-64-v4`",
                     quoted(text)));
}

}  // namespace loadable::loader
