// SPDX-License-Identifier: Apache-2.0
#include "python/extension_tags.h"

#include <algorithm>

#include "base/format.h"

namespace loadable::python {
namespace {

constexpr std::string_view kCpython = "cpython-";
constexpr std::string_view kSuffix = ".so";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// `cpython-313t-x86_64-linux-gnu` -> `313`, `t`, `x86_64-linux-gnu`.
struct Tag {
  std::string_view release, flags, machine;
};

Tag parts_of(std::string_view text) {
  if (!text.starts_with(kCpython)) return {};
  text.remove_prefix(kCpython.size());
  const std::size_t dash = std::min(text.find('-'), text.size());
  Tag tag;
  if (dash < text.size()) tag.machine = text.substr(dash + 1);
  text = text.substr(0, dash);
  const auto letter = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = static_cast<std::size_t>(letter - text.begin());
  tag.release = text.substr(0, digits);
  tag.flags = text.substr(digits);
  return tag;
}

std::string release_of(const Environment& environment) {
  return format("{}{}", environment.major, environment.minor);
}

/// The one tag of the modules in lib-dynload; a folder of two releases tells nothing.
std::string soabi_of_modules(tree::Walk& walk, const Environment& environment) {
  if (environment.lib_dynload.empty()) return {};
  const auto entries = walk.list(tree::Path(environment.lib_dynload));
  if (!entries) return {};
  std::string found;
  for (const tree::Entry& entry : *entries) {
    const std::string_view text = extension_tag(entry.name);
    const Tag tag = parts_of(text);
    if (tag.machine.empty() || tag.release != release_of(environment)) continue;
    if (!found.empty() && found != text) return {};
    found = text;
  }
  return found;
}

/// `_sysconfigdata_t_linux_x86_64-linux-gnu.py`: flags, platform, machine.
std::string soabi_of_configuration(tree::Walk& walk, const Environment& environment) {
  constexpr std::string_view kHead = "_sysconfigdata_";
  constexpr std::string_view kPlatform = "_linux_";
  constexpr std::string_view kTail = ".py";
  if (environment.standard_library.empty()) return {};
  const auto entries = walk.list(tree::Path(environment.standard_library));
  if (!entries) return {};
  for (const tree::Entry& entry : *entries) {
    std::string_view name = entry.name;
    if (!name.starts_with(kHead) || !name.ends_with(kTail)) continue;
    name.remove_prefix(kHead.size());
    name.remove_suffix(kTail.size());
    const std::size_t at = name.find(kPlatform);
    if (at == std::string_view::npos) continue;
    const std::string_view flags = name.substr(0, at);
    const std::string_view machine = name.substr(at + kPlatform.size());
    // conda adds `_sysconfigdata_x86_64_conda_cos6_linux_gnu.py`: of a compiler, no flags.
    if (flags.find_first_not_of("dmt") != std::string_view::npos || machine.empty()) continue;
    return format("{}{}{}-{}", kCpython, release_of(environment), flags, machine);
  }
  return {};
}

}  // namespace

std::string_view extension_tag(std::string_view path) {
  if (!path.ends_with(kSuffix)) return {};
  path.remove_suffix(kSuffix.size());
  path.remove_prefix(path.rfind('/') + 1);
  const std::size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
}

std::string find_soabi(tree::Walk& walk, const Environment& environment) {
  if (environment.major == 0) return {};
  std::string found = soabi_of_modules(walk, environment);
  return found.empty() ? soabi_of_configuration(walk, environment) : found;
}

bool imports_tag(const Environment& environment, std::string_view tag) {
  if (tag.empty() || tag == "abi3t") return true;
  const Tag own = parts_of(environment.soabi);
  if (tag == "abi3") return own.flags.find('t') == std::string_view::npos;
  if (!tag.starts_with(kCpython)) return false;
  if (environment.major == 0) return true;
  const Tag asked = parts_of(tag);
  if (asked.release != release_of(environment)) return false;
  if (own.machine.empty() || asked.machine.empty() || tag == environment.soabi) return true;
  // A debug build takes release builds too (ALT_SOABI, since 3.8).
  std::string flags(own.flags);
  std::erase(flags, 'd');
  return asked.machine == own.machine && asked.flags == flags;
}

std::vector<std::string> extension_suffixes(const Environment& environment) {
  std::vector<std::string> suffixes;
  if (!environment.soabi.empty()) {
    suffixes.push_back("." + environment.soabi + ".so");
  } else if (environment.major != 0) {
    suffixes.push_back(format(".{}{}-….so", kCpython, release_of(environment)));
  }
  if (imports_tag(environment, "abi3")) suffixes.emplace_back(".abi3.so");
  suffixes.emplace_back(kSuffix);
  return suffixes;
}

}  // namespace loadable::python
