// SPDX-License-Identifier: Apache-2.0
#include "loader/hwcaps.h"

#include <algorithm>
#include <array>

#include "loader/tunables.h"

namespace loadable::loader {
namespace {

constexpr Version kNamedSubdirs{2, 33, 0};     // glibc-hwcaps/ came
constexpr Version kNoLegacySubdirs{2, 37, 0};  // tls/, haswell/ … went
constexpr unsigned kFirstPlatformBit = 48;     // _DL_FIRST_PLATFORM on x86

/// The names behind bits of dl_hwcap that glibc calls important, lowest bit first.
struct Legacy {
  std::vector<std::string> names;
  std::uint64_t bits = 0;
};

struct Feature {
  std::string_view name;
  CpuLevel level;
};

/// Features whose loss takes a level away (sysdeps/x86/dl-hwcaps_subdirs.c); GLIBC_TUNABLES spells
/// them like this, with or without `_Usable`.
constexpr std::array<Feature, 17> kFeatures = {{
    {"SSE3", CpuLevel::V2},
    {"SSSE3", CpuLevel::V2},
    {"SSE4_1", CpuLevel::V2},
    {"SSE4_2", CpuLevel::V2},
    {"POPCNT", CpuLevel::V2},
    {"AVX", CpuLevel::V3},
    {"AVX2", CpuLevel::V3},
    {"BMI1", CpuLevel::V3},
    {"BMI2", CpuLevel::V3},
    {"F16C", CpuLevel::V3},
    {"FMA", CpuLevel::V3},
    {"LZCNT", CpuLevel::V3},
    {"MOVBE", CpuLevel::V3},
    {"AVX512F", CpuLevel::V4},
    {"AVX512BW", CpuLevel::V4},
    {"AVX512CD", CpuLevel::V4},
    {"AVX512DQ", CpuLevel::V4},
}};

bool is_switched_off(std::string_view tunable, std::string_view feature) {
  for (std::size_t at = 0; at < tunable.size();) {
    const std::size_t comma = std::min(tunable.find(',', at), tunable.size());
    std::string_view item = tunable.substr(at, comma - at);
    at = comma + 1;
    if (!item.starts_with('-')) continue;
    item.remove_prefix(1);
    if (item.ends_with("_Usable")) item.remove_suffix(7);
    if (item == feature) return true;
  }
  return false;
}

CpuLevel lower(CpuLevel level) {
  return static_cast<CpuLevel>(static_cast<std::uint8_t>(level) - 1);
}

/// The level that the CPU still has after `glibc.cpu.hwcaps=-AVX2,…`.
CpuLevel level_after_tunables(CpuLevel level, std::string_view tunable) {
  for (const Feature& feature : kFeatures) {
    if (is_switched_off(tunable, feature.name)) level = std::min(level, lower(feature.level));
  }
  return level;
}

std::string x86_platform(const Environment& environment, CpuLevel level) {
  if (!environment.cpu.platform.empty()) {
    const bool needs_avx2 = environment.cpu.platform == "haswell";
    return needs_avx2 && level < CpuLevel::V3 ? "x86_64" : environment.cpu.platform;
  }
  return level >= CpuLevel::V3 ? "haswell" : "x86_64";
}

/// dl_hwcap & mask by name. The default mask is HWCAP_IMPORTANT (bits of sysdeps/x86/dl-hwcap.h).
Legacy x86_legacy(const std::string& platform, CpuLevel level, std::uint64_t mask) {
  constexpr std::uint64_t kX8664 = 2, kAvx512 = 4;
  std::uint64_t bits = kX8664;
  if (platform == "haswell" && level >= CpuLevel::V4) bits |= kAvx512;
  bits &= mask;
  Legacy legacy;
  legacy.bits = bits;
  if ((bits & kX8664) != 0) legacy.names.emplace_back("x86_64");
  if ((bits & kAvx512) != 0) legacy.names.emplace_back("avx512_1");
  return legacy;
}

/// Every combination of the names, most first, in the order of dl-hwcaps.c: as binary numbers
/// counted down, the last name being the highest bit and written first.
void add_combinations(const std::vector<std::string>& names, std::vector<std::string>& out) {
  for (std::size_t bits = (std::size_t{1} << names.size()) - 1; bits != 0; --bits) {
    std::string subdir;
    for (std::size_t i = names.size(); i-- > 0;) {
      if ((bits >> i & 1U) != 0) subdir.append(names[i]).push_back('/');
    }
    out.push_back(std::move(subdir));
  }
}

void add_named_subdirs(const Identity& identity, CpuLevel level, Hwcaps& result) {
  if (identity.version < kNamedSubdirs || identity.machine != elf::EM_X86_64) return;
  for (const auto& [name, needed] : {std::pair{"x86-64-v4", CpuLevel::V4},
                                     {"x86-64-v3", CpuLevel::V3},
                                     {"x86-64-v2", CpuLevel::V2}}) {
    if (level >= needed) result.names.emplace_back(name);
  }
  for (const auto& name : result.names) result.subdirs.push_back("glibc-hwcaps/" + name + "/");
}

Legacy legacy_of(const Identity& identity, CpuLevel level, const Tunables& tunables,
                 const Hwcaps& result) {
  const std::uint64_t mask = tunables.hwcap_mask.value_or(~std::uint64_t{0});
  if (identity.machine == elf::EM_X86_64) {
    return x86_legacy(result.platform, level, tunables.hwcap_mask.value_or(6));
  }
  if (identity.machine == elf::EM_AARCH64) {
    // HWCAP_IMPORTANT is HWCAP_ATOMICS (bit 8), which every ARMv8.1 CPU has.
    const std::uint64_t bits = std::uint64_t{1} << 8U & mask;
    return bits != 0 ? Legacy{{"atomics"}, bits} : Legacy{};
  }
  return {};
}

void add_legacy_subdirs(const Identity& identity, CpuLevel level, const Tunables& tunables,
                        Hwcaps& result) {
  Legacy legacy = legacy_of(identity, level, tunables, result);
  result.has_legacy = true;
  result.legacy_bits = legacy.bits;
  if (!result.platform.empty()) legacy.names.push_back(result.platform);
  legacy.names.emplace_back("tls");
  add_combinations(legacy.names, result.subdirs);
}

void set_platform_bits(const Identity& identity, Hwcaps& result) {
  if (identity.machine != elf::EM_X86_64) return;
  result.platform_bits_mask = std::uint64_t{15} << kFirstPlatformBit;
  if (result.platform == "haswell")
    result.platform_bit = std::uint64_t{1} << (kFirstPlatformBit + 2);
  if (result.platform == "xeon_phi")
    result.platform_bit = std::uint64_t{1} << (kFirstPlatformBit + 3);
}

std::string platform_of(const Identity& identity, const Environment& environment, CpuLevel level) {
  switch (identity.machine) {
    case elf::EM_X86_64:
      return x86_platform(environment, level);
    case elf::EM_AARCH64:
      return "aarch64";
    case elf::EM_386:
      return "i686";
    default:
      return "";
  }
}

}  // namespace

Hwcaps make_hwcaps(const Identity& identity, const Environment& environment) {
  Hwcaps result;
  const Tunables tunables = parse_tunables(environment);
  const CpuLevel level = level_after_tunables(environment.cpu.level, tunables.cpu_features);
  result.isa_levels = identity.machine == elf::EM_X86_64 ? (1U << static_cast<unsigned>(level)) - 1
                                                         : ~std::uint32_t{0};
  result.platform = platform_of(identity, environment, level);
  set_platform_bits(identity, result);
  add_named_subdirs(identity, level, result);
  if (identity.version < kNoLegacySubdirs) add_legacy_subdirs(identity, level, tunables, result);
  result.subdirs.emplace_back();
  return result;
}

}  // namespace loadable::loader
