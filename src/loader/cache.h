// SPDX-License-Identifier: Apache-2.0
#pragma once
// /etc/ld.so.cache as the loader reads it: a sorted table, searched by halves, in the byte order of
// the machine. Three layouts (elf/dl-cache.h of glibc): the old one (`ld.so-1.7.0`), the old one
// with the new one behind it, the new one alone (`glibc-ld.so.cache1.1`, with an extension block
// that names the glibc-hwcaps subdirectories).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "loader/hwcaps.h"

namespace loadable::loader {

struct CacheEntry {
  std::string name, path;
  std::int32_t flags = 0;
  std::uint64_t hwcap = 0;
};

class Cache {
 public:
  /// No cache: nothing is ever found in it.
  Cache() = default;
  /// A file that the loader would not use (magic, size, byte order) becomes an empty cache with a
  /// rejection(). Never fails.
  Cache(std::string bytes, Endian endian);

  /// The one path that the loader would try for a soname, or nothing. `flags` is the machine's
  /// _DL_CACHE_DEFAULT_ID.
  [[nodiscard]] std::optional<std::string> find(std::string_view name, std::int32_t flags,
                                                const Hwcaps& hwcaps) const;
  /// Every entry whose strings lie inside of the file, in table order.
  [[nodiscard]] std::vector<CacheEntry> entries() const;
  [[nodiscard]] std::size_t size() const { return count_; }
  /// Why the loader ignores the file; empty when it does not.
  [[nodiscard]] const std::string& rejection() const { return rejection_; }

 private:
  struct Entry {
    std::int32_t flags = 0;
    std::uint32_t key = 0, value = 0;
    std::uint64_t hwcap = 0;
  };

  void use_new(std::uint64_t offset);
  [[nodiscard]] std::uint32_t word(std::uint64_t offset) const;
  [[nodiscard]] Entry entry(std::size_t index) const;
  [[nodiscard]] bool is_string(std::uint32_t offset) const { return offset < strings_size_; }
  [[nodiscard]] std::string_view string(std::uint32_t offset) const;
  [[nodiscard]] std::uint32_t priority_of(std::uint64_t hwcap, const Hwcaps& hwcaps) const;
  [[nodiscard]] std::optional<std::string> best_from(std::size_t first, std::string_view name,
                                                     std::int32_t flags,
                                                     const Hwcaps& hwcaps) const;
  void read_extensions(std::uint64_t header);

  std::string bytes_;
  Endian endian_ = Endian::Little;
  std::size_t count_ = 0;
  std::uint64_t table_ = 0, entry_size_ = 0;      ///< offset of the first entry
  std::uint64_t strings_ = 0, strings_size_ = 0;  ///< offsets in entries count from strings_
  std::vector<std::uint32_t> hwcap_strings_;      ///< offsets from the start of the file
  std::string rejection_;
};

/// Compares as ldconfig sorts: digits by number (_dl_cache_libcmp). <0, 0, >0.
[[nodiscard]] int compare_cache_names(std::string_view a, std::string_view b);

/// _DL_CACHE_DEFAULT_ID of a machine: the flags that an entry must have.
[[nodiscard]] std::int32_t cache_flags_of(const Identity& identity);

}  // namespace loadable::loader
