// SPDX-License-Identifier: Apache-2.0
#include "loader/tunables.h"

#include <charconv>

namespace loadable::loader {
namespace {

/// As _dl_strtoul: decimal, 0x… or 0… .
std::optional<std::uint64_t> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.starts_with('0')) {
    base = 8;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void apply(std::string_view name, std::string_view text, Tunables& tunables) {
  if (name == "glibc.cpu.hwcaps") {
    tunables.cpu_features = text;
    return;
  }
  const auto value = parse_number(text);
  if (!value) return;
  if (name == "glibc.cpu.hwcap_mask") tunables.hwcap_mask = *value;
  if (name == "glibc.rtld.optional_static_tls") tunables.optional_static_tls = *value;
  if (name == "glibc.rtld.nns" && *value >= 1 && *value <= 16) tunables.namespaces = *value;
  if (name == "glibc.rtld.execstack" && *value <= 2) tunables.execstack = *value;
}

}  // namespace

Tunables parse_tunables(const Environment& environment) {
  Tunables tunables;
  if (environment.is_secure) return tunables;
  if (const auto mask = environment.variable("LD_HWCAP_MASK")) {
    apply("glibc.cpu.hwcap_mask", *mask, tunables);
  }
  std::string_view rest = environment.variable("GLIBC_TUNABLES").value_or("");
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals != item.npos) apply(item.substr(0, equals), item.substr(equals + 1), tunables);
  }
  return tunables;
}

}  // namespace loadable::loader
