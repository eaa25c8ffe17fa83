// SPDX-License-Identifier: Apache-2.0
// /etc/ld.so.cache of any bytes, in both byte orders.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "loader/cache.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using loadable::loader::Cache;
  const std::string bytes(data, data + size);
  loadable::loader::Identity identity;
  identity.version = {2, 36, 0};
  identity.machine = loadable::elf::EM_X86_64;
  identity.elf_class = loadable::elf::ELFCLASS64;
  const auto hwcaps = loadable::loader::make_hwcaps(identity, {});
  for (const auto endian : {loadable::Endian::Little, loadable::Endian::Big}) {
    const Cache cache(bytes, endian);
    const auto entries = cache.entries();
    LOADABLE_ASSERT(entries.size() <= cache.size(), "entries are counted");
    LOADABLE_ASSERT(cache.size() <= size, "each entry has bytes");
    for (const auto* name : {"libc.so.6", "libx.so.10", "", "lib9.so"}) {
      static_cast<void>(cache.find(name, 0x303, hwcaps));
    }
    std::size_t asked = 0;
    for (const auto& entry : entries) {
      if (++asked > 64) break;
      static_cast<void>(cache.find(entry.name, entry.flags, hwcaps));
    }
  }
  return 0;
}
