// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes /etc/ld.so.cache in its layouts, for tests.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "loader/cache.h"

namespace loadable::loader {

enum class CacheLayout : std::uint8_t { Old, OldAndNew, New };

class CacheWriter {
 public:
  explicit CacheWriter(CacheLayout layout, Endian endian = Endian::Little)
      : layout_(layout), endian_(endian) {}

  CacheWriter& add(std::string name, std::string path, std::int32_t flags = 0x303,
                   std::uint64_t hwcap = 0) {
    entries_.push_back({std::move(name), std::move(path), flags, hwcap});
    return *this;
  }
  /// Entries below glibc-hwcaps/NAME refer to these by index; sorted by name.
  CacheWriter& hwcaps(std::vector<std::string> names) {
    hwcaps_ = std::move(names);
    return *this;
  }
  static std::uint64_t named_hwcap(std::uint32_t index, std::uint64_t isa_level = 0) {
    return std::uint64_t{1} << 62U | isa_level << 32U | index;
  }

  std::string write() {
    std::stable_sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
      const int order = compare_cache_names(a.name, b.name);
      return order != 0 ? order > 0 : a.hwcap > b.hwcap;
    });
    std::string out;
    if (layout_ != CacheLayout::New) write_old(out);
    if (layout_ != CacheLayout::Old) write_new(out);
    return out;
  }

 private:
  template <class T>
  void put(std::string& out, T value) const {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      const std::size_t shift = endian_ == Endian::Little ? i : sizeof(T) - 1 - i;
      out.push_back(static_cast<char>(value >> (8 * shift)));
    }
  }

  void write_old(std::string& out) const {
    out += "ld.so-1.7.0";
    out.push_back('\0');
    put<std::uint32_t>(out, static_cast<std::uint32_t>(entries_.size()));
    std::string strings;
    for (const auto& entry : entries_) {
      put<std::uint32_t>(out, static_cast<std::uint32_t>(entry.flags));
      put<std::uint32_t>(out, static_cast<std::uint32_t>(strings.size()));
      strings += entry.name + '\0';
      put<std::uint32_t>(out, static_cast<std::uint32_t>(strings.size()));
      strings += entry.path + '\0';
    }
    if (layout_ == CacheLayout::Old) {
      out += strings;
    } else {
      out.resize((out.size() + 7) / 8 * 8);
    }
  }

  void write_new(std::string& out) const {
    const std::size_t start = out.size();
    const std::size_t table = 48 + entries_.size() * 24;
    std::string strings;
    std::string rows;
    for (const auto& entry : entries_) {
      put<std::uint32_t>(rows, static_cast<std::uint32_t>(entry.flags));
      put<std::uint32_t>(rows, static_cast<std::uint32_t>(table + strings.size()));
      strings += entry.name + '\0';
      put<std::uint32_t>(rows, static_cast<std::uint32_t>(table + strings.size()));
      strings += entry.path + '\0';
      put<std::uint32_t>(rows, 0);
      put<std::uint64_t>(rows, entry.hwcap);
    }
    std::vector<std::uint32_t> names;
    for (const auto& name : hwcaps_) {
      names.push_back(static_cast<std::uint32_t>(start + table + strings.size()));
      strings += name + '\0';
    }
    const std::size_t extension = (start + table + strings.size() + 3) / 4 * 4;
    out += "glibc-ld.so.cache1.1";
    put<std::uint32_t>(out, static_cast<std::uint32_t>(entries_.size()));
    put<std::uint32_t>(out, static_cast<std::uint32_t>(strings.size()));
    out.push_back(endian_ == Endian::Little ? 2 : 3);
    out.append(3, '\0');
    put<std::uint32_t>(out, hwcaps_.empty() ? 0 : static_cast<std::uint32_t>(extension));
    out.append(12, '\0');
    out += rows + strings;
    if (hwcaps_.empty()) return;
    out.resize(extension);
    put<std::uint32_t>(out, 0xeaa42174U);
    put<std::uint32_t>(out, 1);
    put<std::uint32_t>(out, 1);
    put<std::uint32_t>(out, 0);
    put<std::uint32_t>(out, static_cast<std::uint32_t>(extension + 24));
    put<std::uint32_t>(out, static_cast<std::uint32_t>(names.size() * 4));
    for (const std::uint32_t name : names) put<std::uint32_t>(out, name);
  }

  CacheLayout layout_;
  Endian endian_;
  std::vector<CacheEntry> entries_;
  std::vector<std::string> hwcaps_;
};

}  // namespace loadable::loader
