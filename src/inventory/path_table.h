// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every path that the walk saw, as a 64-bit hash: 12 bytes a file instead of its name.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace loadable::inventory {

/// A set of paths with a number each. Two paths with one hash are taken for one: a list could then
/// hide that one file is missing, at odds of 1 in 10^11 for a tree of 10,000 files.
class PathTable {
 public:
  static constexpr std::uint32_t kPlain = 0xFFFFFFFFU;  ///< a file that is no object

  void insert(std::string_view path, std::uint32_t value) {
    constexpr std::size_t kLoadNumerator = 7, kLoadDenominator = 10, kFirst = 1024;
    if (slots_.empty()) slots_.resize(kFirst);
    if ((size_ + 1) * kLoadDenominator > slots_.size() * kLoadNumerator) grow();
    place(hash_of(path), value);
  }

  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view path) const {
    if (slots_.empty()) return std::nullopt;
    const std::uint64_t hash = hash_of(path);
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash == hash) return slots_[at].value;
      if (slots_[at].hash == 0) return std::nullopt;
    }
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;  ///< 0: free
    std::uint32_t value = 0;
  };

  static std::uint64_t hash_of(std::string_view path) {
    const std::uint64_t hash = std::hash<std::string_view>{}(path);
    return hash == 0 ? 1 : hash;
  }
  void place(std::uint64_t hash, std::uint32_t value) {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].hash != 0 && slots_[at].hash != hash) at = (at + 1) & (slots_.size() - 1);
    if (slots_[at].hash == 0) ++size_;
    slots_[at] = {hash, value};
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    size_ = 0;
    for (const Slot& slot : old) {
      if (slot.hash != 0) place(slot.hash, slot.value);
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace loadable::inventory
