// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which subdirectories of a search directory glibc looks into first, and what it makes of the
// hardware bits of a cache entry. Depends on the release, the machine, the CPU and GLIBC_TUNABLES.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loader/process.h"

namespace loadable::loader {

struct Hwcaps {
  /// Relative directories in search order, each ending in `/`; the last one is empty: the search
  /// directory itself.
  std::vector<std::string> subdirs;
  /// Names of glibc-hwcaps subdirectories in order of preference (2.33 and later).
  std::vector<std::string> names;
  std::string platform;                  ///< $PLATFORM
  bool has_legacy = false;               ///< 2.36 and older: tls/, haswell/ …
  std::uint64_t legacy_bits = 0;         ///< of dl_hwcap, after the mask
  std::uint64_t platform_bit = 0;        ///< of cache entries; 0: the platform has none
  std::uint64_t platform_bits_mask = 0;  ///< all platform bits; 0 where the machine has none
  std::uint32_t isa_levels = 0;          ///< bit n: x86-64 level n+1 can run; all bits elsewhere
};

/// elf/dl-hwcaps.c and sysdeps/*/dl-procinfo, cpu_features.c of glibc 2.31 to 2.43.
[[nodiscard]] Hwcaps make_hwcaps(const Identity& identity, const Environment& environment);

}  // namespace loadable::loader
