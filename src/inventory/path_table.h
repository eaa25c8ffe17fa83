// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every path that the walk saw, as a 64-bit hash: 16 bytes a file instead of its name.

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
  static constexpr std::uint32_t kPlain = 0xFFFFFFFFU;   ///< a file that is no object
  static constexpr std::uint32_t kNobody = 0xFFFFFFFFU;  ///< no list names it (yet)

  struct Slot {
    std::uint64_t hash = 0;         ///< 0: free
    std::uint32_t value = 0;        ///< the number that it was inserted with
    std::uint32_t owner = kNobody;  ///< distribution whose list named it first
  };

  void insert(std::string_view path, std::uint32_t value) {
    constexpr std::size_t kLoadNumerator = 7, kLoadDenominator = 10, kFirst = 1024;
    if (slots_.empty()) slots_.resize(kFirst);
    if ((size_ + 1) * kLoadDenominator > slots_.size() * kLoadNumerator) grow();
    place(hash_of(path), value);
  }

  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view path) const {
    const std::size_t at = place_of(path);
    return at < slots_.size() ? std::optional(slots_[at].value) : std::nullopt;
  }

  /// The slot of a path, to note its owner; null: not there. Valid until the next insert().
  [[nodiscard]] Slot* find_slot(std::string_view path) {
    const std::size_t at = place_of(path);
    return at < slots_.size() ? &slots_[at] : nullptr;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static std::uint64_t hash_of(std::string_view path) {
    const std::uint64_t hash = std::hash<std::string_view>{}(path);
    return hash == 0 ? 1 : hash;
  }
  // Past the end: not there.
  [[nodiscard]] std::size_t place_of(std::string_view path) const {
    if (slots_.empty()) return 0;
    const std::uint64_t hash = hash_of(path);
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash == hash) return at;
      if (slots_[at].hash == 0) return slots_.size();
    }
  }
  void place(std::uint64_t hash, std::uint32_t value) {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].hash != 0 && slots_[at].hash != hash) at = (at + 1) & (slots_.size() - 1);
    if (slots_[at].hash == 0) ++size_;
    slots_[at] = {hash, value, kNobody};
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
