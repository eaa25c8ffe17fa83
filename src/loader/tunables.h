// SPDX-License-Identifier: Apache-2.0
#pragma once
// GLIBC_TUNABLES as far as it changes what is loaded.

#include <cstdint>
#include <optional>
#include <string>

#include "loader/process.h"

namespace loadable::loader {

struct Tunables {
  std::optional<std::uint64_t> hwcap_mask;  ///< glibc.cpu.hwcap_mask, LD_HWCAP_MASK
  std::string cpu_features;                 ///< glibc.cpu.hwcaps
  std::uint64_t optional_static_tls = 512;  ///< glibc.rtld.optional_static_tls, bytes
  std::uint64_t namespaces = 4;             ///< glibc.rtld.nns
  std::uint64_t execstack = 1;              ///< glibc.rtld.execstack (2.41 and later)
};

/// Reads `name=value:name=value…`. Unknown names and values that are no number are ignored, as
/// elf/dl-tunables.c does; in secure mode all are.
[[nodiscard]] Tunables parse_tunables(const Environment& environment);

}  // namespace loadable::loader
