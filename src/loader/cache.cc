// SPDX-License-Identifier: Apache-2.0
#include "loader/cache.h"

#include <algorithm>

#include "base/format.h"

namespace loadable::loader {
namespace {

constexpr std::string_view kOldMagic = "ld.so-1.7.0";
constexpr std::string_view kNewMagic = "glibc-ld.so.cache1.1";
constexpr std::uint64_t kOldHeader = 16, kOldEntry = 12, kNewHeader = 48, kNewEntry = 24;
constexpr std::uint32_t kExtensionMagic = 0xeaa42174U;
constexpr std::uint32_t kHwcapsTag = 1;
// Bits of file_entry_new.hwcap.
constexpr std::uint64_t kExtensionBit = std::uint64_t{1} << 62U;
constexpr std::uint64_t kIsaLevelMask = 1023;
constexpr std::uint64_t kTlsBit = std::uint64_t{1} << 63U;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads digits at `at` as the loader does, in 32 bits that may wrap.
std::int32_t take_digits(std::string_view text, std::size_t& at) {
  std::uint32_t value = 0;
  while (at < text.size() && is_digit(text[at])) {
    value = value * 10 + static_cast<std::uint32_t>(text[at++] - '0');
  }
  return static_cast<std::int32_t>(value);
}

bool is_named_hwcap(std::uint64_t hwcap) {
  return (hwcap >> 32U & ~kIsaLevelMask) == kExtensionBit >> 32U;
}

}  // namespace

int compare_cache_names(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size()) {
    const char right = j < b.size() ? b[j] : '\0';
    if (is_digit(a[i])) {
      if (!is_digit(right)) return 1;
      const std::int32_t x = take_digits(a, i);
      const std::int32_t y = take_digits(b, j);
      if (x != y) return x < y ? -1 : 1;
    } else if (is_digit(right)) {
      return -1;
    } else if (a[i] != right) {
      return a[i] < right ? -1 : 1;
    } else {
      ++i;
      ++j;
    }
  }
  return j < b.size() ? -1 : 0;
}

std::int32_t cache_flags_of(const Identity& identity) {
  switch (identity.machine) {
    case elf::EM_X86_64:
      return identity.elf_class == elf::ELFCLASS64 ? 0x303 : 0x803;
    case elf::EM_AARCH64:
      return 0xa03;
    case elf::EM_PPC64:
      return 0x503;
    case elf::EM_S390:
      return identity.elf_class == elf::ELFCLASS64 ? 0x403 : 3;
    case elf::EM_ARM:
      return 0x903;
    case elf::EM_RISCV:
      return 0x1003;
    case elf::EM_LOONGARCH:
      return 0x1103;
    default:
      return 3;
  }
}

Cache::Cache(std::string bytes, Endian endian) : bytes_(std::move(bytes)), endian_(endian) {
  const std::string_view text = bytes_;
  if (text.starts_with(kNewMagic) && text.size() > kNewHeader) {
    use_new(0);
    return;
  }
  if (!text.starts_with(kOldMagic) || text.size() <= kOldHeader) {
    rejection_ = "no cache of a known format";
    return;
  }
  const std::uint64_t count = word(12);
  if ((text.size() - kOldHeader) / kOldEntry < count) {
    rejection_ = format("the table of {} entries does not fit into {} bytes", count, text.size());
    return;
  }
  const std::uint64_t end = kOldHeader + count * kOldEntry;
  const std::uint64_t next = (end + 7) / 8 * 8;  // ALIGN_CACHE
  if (next + kNewHeader <= text.size() && text.substr(next).starts_with(kNewMagic)) {
    use_new(next);
    return;
  }
  count_ = count;
  table_ = kOldHeader;
  entry_size_ = kOldEntry;
  strings_ = end;
  strings_size_ = text.size() - end;
}

void Cache::use_new(std::uint64_t offset) {
  const std::uint64_t count = word(offset + 20);
  const auto flags = static_cast<std::uint8_t>(bytes_[offset + 28]);
  const unsigned wanted = endian_ == Endian::Little ? 2 : 3;
  if (flags != 0 && (flags & 3U) != wanted) {
    rejection_ = "written for another byte order";
    return;
  }
  const std::uint64_t room = bytes_.size() - offset - kNewHeader;
  if (room / kNewEntry < count) {
    // Alone, such a file is refused. Behind an old table the loader does not look, and reads past
    // the end of its mapping.
    rejection_ = format("the table of {} entries does not fit into {} bytes", count, bytes_.size());
    return;
  }
  count_ = count;
  table_ = offset + kNewHeader;
  entry_size_ = kNewEntry;
  strings_ = offset;
  strings_size_ = bytes_.size();
  read_extensions(offset);
}

void Cache::read_extensions(std::uint64_t header) {
  const std::uint64_t directory = word(header + 32);
  if (directory == 0 || directory % 4 != 0 || directory + 8 > bytes_.size()) return;
  if (word(directory) != kExtensionMagic) return;
  const std::uint64_t count = word(directory + 4);
  if (count > (bytes_.size() - directory - 8) / 16) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t section = directory + 8 + i * 16;
    const std::uint64_t offset = word(section + 8);
    const std::uint64_t size = word(section + 12);
    // One section that lies outside makes the loader forget all.
    if (offset + size > bytes_.size()) return hwcap_strings_.clear();
    if (word(section) != kHwcapsTag) continue;
    if (offset % 4 != 0 || size % 4 != 0) return hwcap_strings_.clear();
    hwcap_strings_.clear();
    for (std::uint64_t at = 0; at < size; at += 4) hwcap_strings_.push_back(word(offset + at));
  }
}

std::uint32_t Cache::word(std::uint64_t offset) const {
  return load<std::uint32_t>(as_bytes(bytes_), offset, endian_).value_or(0);
}

Cache::Entry Cache::entry(std::size_t index) const {
  const std::uint64_t at = table_ + index * entry_size_;
  Entry result{static_cast<std::int32_t>(word(at)), word(at + 4), word(at + 8), 0};
  if (entry_size_ == kNewEntry) {
    result.hwcap = load<std::uint64_t>(as_bytes(bytes_), at + 16, endian_).value_or(0);
  }
  return result;
}

std::string_view Cache::string(std::uint32_t offset) const {
  const std::string_view text = bytes_;
  const std::uint64_t at = strings_ + offset;
  if (at >= text.size()) return {};
  const std::string_view rest = text.substr(at);
  return rest.substr(0, rest.find('\0'));
}

std::uint32_t Cache::priority_of(std::uint64_t hwcap, const Hwcaps& hwcaps) const {
  const auto index = static_cast<std::uint32_t>(hwcap);
  if (index >= hwcap_strings_.size()) return 0;
  const std::string_view text = bytes_;
  const std::uint32_t offset = hwcap_strings_[index];
  if (offset >= text.size()) return 0;
  const std::string_view rest = text.substr(offset);
  const std::string_view name = rest.substr(0, rest.find('\0'));
  const auto found = std::find(hwcaps.names.begin(), hwcaps.names.end(), name);
  if (found == hwcaps.names.end()) return 0;
  return static_cast<std::uint32_t>(found - hwcaps.names.begin()) + 1;
}

std::optional<std::string> Cache::find(std::string_view name, std::int32_t flags,
                                       const Hwcaps& hwcaps) const {
  std::size_t left = 0;
  std::size_t right = count_;  // one past
  while (left < right) {
    // The loader's middle of [left, right-1].
    std::size_t middle = (left + right - 1) / 2;
    const std::uint32_t key = entry(middle).key;
    if (!is_string(key)) return std::nullopt;
    const int order = compare_cache_names(name, string(key));
    if (order < 0) {  // the table is sorted from high to low
      left = middle + 1;
      continue;
    }
    if (order > 0) {
      right = middle;
      continue;
    }
    while (middle > 0 && is_string(entry(middle - 1).key) &&
           compare_cache_names(name, string(entry(middle - 1).key)) == 0) {
      --middle;
    }
    return best_from(middle, name, flags, hwcaps);
  }
  return std::nullopt;
}

namespace {

/// Does this CPU have the ISA level that an entry of a glibc-hwcaps subdirectory asks for?
bool has_isa_level(std::uint64_t hwcap, const Hwcaps& hwcaps) {
  const auto isa = static_cast<unsigned>(hwcap >> 32U & kIsaLevelMask);
  return isa < 32 && (hwcaps.isa_levels >> isa & 1U) != 0;
}

/// An entry without such a subdirectory: the bits of legacy ones must be those of this CPU.
bool is_legacy_usable(std::uint64_t hwcap, const Hwcaps& hwcaps) {
  const std::uint64_t excluded = ~(hwcaps.legacy_bits | hwcaps.platform_bits_mask | kTlsBit);
  if (!hwcaps.has_legacy && hwcap != 0) return false;
  if ((hwcap & excluded) != 0) return false;
  const std::uint64_t platform = hwcap & hwcaps.platform_bits_mask;
  return platform == 0 || platform == hwcaps.platform_bit;
}

}  // namespace

std::optional<std::string> Cache::best_from(std::size_t first, std::string_view name,
                                            std::int32_t flags, const Hwcaps& hwcaps) const {
  std::optional<std::string> best;
  std::uint32_t best_priority = 0;
  for (std::size_t i = first; i < count_; ++i) {
    const Entry candidate = entry(i);
    if (!is_string(candidate.key) || compare_cache_names(name, string(candidate.key)) != 0) break;
    if (candidate.flags != flags || !is_string(candidate.value)) continue;
    if (is_named_hwcap(candidate.hwcap)) {
      if (!has_isa_level(candidate.hwcap, hwcaps)) continue;
      const std::uint32_t priority = priority_of(candidate.hwcap, hwcaps);
      if (priority == 0 || (best && priority >= best_priority)) continue;
      best_priority = priority;
      best = string(candidate.value);
      continue;
    }
    if (best) break;
    if (!is_legacy_usable(candidate.hwcap, hwcaps)) continue;
    return std::string(string(candidate.value));
  }
  return best;
}

std::vector<CacheEntry> Cache::entries() const {
  std::vector<CacheEntry> result;
  for (std::size_t i = 0; i < count_; ++i) {
    const Entry each = entry(i);
    if (!is_string(each.key) || !is_string(each.value)) continue;
    result.push_back(
        {std::string(string(each.key)), std::string(string(each.value)), each.flags, each.hwcap});
  }
  return result;
}

}  // namespace loadable::loader
