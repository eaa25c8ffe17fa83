// SPDX-License-Identifier: Apache-2.0
#pragma once
// One object's dynamic symbols, indexed for lookup as glibc matches them (elf/dl-lookup.c
// check_match). Internal.

#include <cstdint>
#include <string_view>
#include <vector>

#include "loader/store.h"

namespace loadable::loader {

/// A version as a lookup compares it (struct r_found_version).
struct SymbolVersion {
  std::string_view name, file;  ///< file: where the reference expects it; empty for definitions
  std::uint32_t hash = 0;       ///< 0: no version
  bool is_hidden = false;
};

/// Which relocation asks: it decides what an undefined entry with an address means, and whether
/// the program is looked at.
enum class LookupClass : std::uint8_t { Data, Slot, Copy };

struct SymbolQuery {
  std::string_view name;
  std::uint32_t hash = 0;                  ///< gnu_hash(name)
  const SymbolVersion* version = nullptr;  ///< null: unversioned
  LookupClass type = LookupClass::Data;
};

class SymbolIndex {
 public:
  SymbolIndex(const elf::SymbolTable& table, const elf::ElfObject& object);

  /// The definition that the loader would take from this object, or null.
  [[nodiscard]] const elf::Symbol* find(const SymbolQuery& query) const;
  /// The definition that musl would take: versions do not count, hidden ones are not seen.
  [[nodiscard]] const elf::Symbol* find_any(std::string_view name, std::uint32_t hash,
                                            bool needs_definition) const;
  /// Has it symbol versions at all (l_versyms)? Without, any version is accepted.
  [[nodiscard]] bool has_versions() const { return has_versions_; }
  /// The version that a symbol of this object asks for or has; null: none.
  [[nodiscard]] const SymbolVersion* version_of(const elf::Symbol& symbol) const;
  [[nodiscard]] const elf::SymbolTable& table() const { return *table_; }

 private:
  struct Slot {
    std::uint32_t hash = 0, symbol = 0;  ///< symbol 0: free
  };

  void add_versions(const elf::ElfObject& object);
  void add_definitions();
  void sort_definitions();
  /// Shows the definitions of a hash in the order of the table until `visit` returns true.
  template <class Visit>
  void visit_hash(std::uint32_t hash, Visit visit) const;
  /// False: no definition has this hash. Answers most questions from a few bytes, as the filter of
  /// DT_GNU_HASH does for the loader.
  [[nodiscard]] bool may_define(std::uint32_t hash) const {
    const std::uint64_t word = filter_[(hash / 64) & (filter_.size() - 1)];
    return (word >> (hash % 64) & word >> (hash >> 26U) & 1U) != 0;
  }
  [[nodiscard]] bool matches(const elf::Symbol& symbol, const SymbolQuery& query,
                             const elf::Symbol** versioned, int* count) const;

  const elf::SymbolTable* table_;
  std::vector<Slot> slots_;            ///< open addressing; or sorted, see is_sorted_
  bool is_sorted_ = false;             ///< names made to collide: by hash, looked up by halving
  std::vector<std::uint64_t> filter_;  ///< two bits for each definition; a power of two of words
  std::vector<SymbolVersion> versions_;
  bool has_versions_ = false;
};

/// SymbolIndex::find_any for a definition, without an index.
[[nodiscard]] bool defines_any(const elf::SymbolTable& table, std::string_view name);

/// Is a definition visible to others, and of a kind that binds?
[[nodiscard]] bool is_bindable(const elf::Symbol& symbol);

}  // namespace loadable::loader
