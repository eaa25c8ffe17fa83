// SPDX-License-Identifier: Apache-2.0
#include "loader/symbols.h"

#include <algorithm>
#include <bit>

namespace loadable::loader {
namespace {

/// Definitions of one hash that are looked at where names were made to collide.
constexpr std::size_t kMaxOfOneHash = 1024;

/// Symbols that a lookup can come to: a value, or absolute, or thread-local; a known type.
bool can_be_found(const elf::Symbol& symbol) {
  if (symbol.value == 0 && symbol.section != elf::SHN_ABS && symbol.type != elf::STT_TLS) {
    return false;
  }
  // An importer of a thread-local variable is no definition of it.
  if (symbol.section == elf::SHN_UNDEF && symbol.value == 0) return false;
  switch (symbol.type) {
    case elf::STT_NOTYPE:
    case elf::STT_OBJECT:
    case elf::STT_FUNC:
    case elf::STT_COMMON:
    case elf::STT_TLS:
    case elf::STT_GNU_IFUNC:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool is_bindable(const elf::Symbol& symbol) {
  if (symbol.visibility == elf::STV_HIDDEN || symbol.visibility == elf::STV_INTERNAL) return false;
  return symbol.bind == elf::STB_GLOBAL || symbol.bind == elf::STB_WEAK ||
         symbol.bind == elf::STB_GNU_UNIQUE;
}

SymbolIndex::SymbolIndex(const elf::SymbolTable& table, const elf::ElfObject& object)
    : table_(&table) {
  add_versions(object);
  if (table.has_hash) add_definitions();
}

void SymbolIndex::add_versions(const elf::ElfObject& object) {
  const auto place = [&](std::uint16_t index) -> SymbolVersion& {
    const std::size_t at = index & 0x7fffU;
    if (versions_.size() <= at) versions_.resize(at + 1);
    return versions_[at];
  };
  for (const elf::NeededVersion& needed : object.needed_versions) {
    place(needed.index) = {needed.version, needed.file, needed.hash, (needed.index & 0x8000U) != 0};
  }
  for (const elf::DefinedVersion& defined : object.defined_versions) {
    SymbolVersion& version = place(defined.index);
    // The base version's name must not match a versioned reference.
    if ((defined.flags & elf::VER_FLG_BASE) == 0)
      version = {defined.version, {}, defined.hash, false};
  }
  has_versions_ = object.dynamic.versym != 0 && versions_.size() > 1;
}

void SymbolIndex::add_definitions() {
  std::size_t count = 0;
  for (const elf::Symbol& symbol : table_->symbols) count += can_be_found(symbol) ? 1 : 0;
  if (count == 0) return;
  slots_.resize(std::bit_ceil(count * 2));
  filter_.resize(std::bit_ceil(count / 4 + 1));
  const std::size_t mask = slots_.size() - 1;
  const std::size_t most = 64 * count + 4096;
  std::size_t steps = 0;
  for (std::uint32_t i = 1; i < table_->symbols.size(); ++i) {
    const elf::Symbol& symbol = table_->symbols[i];
    if (!can_be_found(symbol) || symbol.name.empty()) continue;
    const std::uint32_t hash = elf::gnu_hash(symbol.name);
    std::size_t at = hash & mask;
    for (; slots_[at].symbol != 0; at = (at + 1) & mask) ++steps;
    if (steps > most) return sort_definitions();
    slots_[at] = {hash, i};
    filter_[(hash / 64) & (filter_.size() - 1)] |=
        std::uint64_t{1} << (hash % 64) | std::uint64_t{1} << (hash >> 26U);
  }
}

void SymbolIndex::sort_definitions() {
  is_sorted_ = true;
  slots_.clear();
  for (std::uint32_t i = 1; i < table_->symbols.size(); ++i) {
    const elf::Symbol& symbol = table_->symbols[i];
    if (!can_be_found(symbol) || symbol.name.empty()) continue;
    slots_.push_back({elf::gnu_hash(symbol.name), i});
  }
  std::stable_sort(slots_.begin(), slots_.end(),
                   [](const Slot& one, const Slot& other) { return one.hash < other.hash; });
  filter_.assign(1, ~std::uint64_t{0});
}

template <class Visit>
void SymbolIndex::visit_hash(std::uint32_t hash, Visit visit) const {
  if (slots_.empty() || !may_define(hash)) return;
  if (is_sorted_) {
    auto slot = std::lower_bound(slots_.begin(), slots_.end(), hash,
                                 [](const Slot& one, std::uint32_t key) { return one.hash < key; });
    for (std::size_t n = 0; n < kMaxOfOneHash && slot != slots_.end() && slot->hash == hash; ++n) {
      if (visit(table_->symbols[slot->symbol])) return;
      ++slot;
    }
    return;
  }
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].symbol != 0; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && visit(table_->symbols[slots_[at].symbol])) return;
  }
}

const SymbolVersion* SymbolIndex::version_of(const elf::Symbol& symbol) const {
  if (!has_versions_ || symbol.version >= versions_.size()) return nullptr;
  const SymbolVersion& version = versions_[symbol.version];
  return version.hash != 0 ? &version : nullptr;
}

bool SymbolIndex::matches(const elf::Symbol& symbol, const SymbolQuery& query,
                          const elf::Symbol** versioned, int* count) const {
  if (query.type == LookupClass::Slot && symbol.section == elf::SHN_UNDEF) return false;
  if (!has_versions_) return true;
  if (query.version != nullptr) {
    static const SymbolVersion kNone;
    const SymbolVersion& own =
        symbol.version < versions_.size() ? versions_[symbol.version] : kNone;
    const bool is_same = own.hash == query.version->hash && own.name == query.version->name;
    if (is_same) return true;
    return !query.version->is_hidden && own.hash == 0 && !symbol.is_hidden_version;
  }
  // Unversioned: the base and the oldest version; else the only visible one (num_versions).
  if (symbol.version < 3) return true;
  if (!symbol.is_hidden_version && (*count)++ == 0) *versioned = &symbol;
  return false;
}

const elf::Symbol* SymbolIndex::find(const SymbolQuery& query) const {
  const elf::Symbol* versioned = nullptr;
  const elf::Symbol* found = nullptr;
  int count = 0;
  visit_hash(query.hash, [&](const elf::Symbol& symbol) {
    if (symbol.name != query.name || !matches(symbol, query, &versioned, &count)) return false;
    found = &symbol;
    return true;
  });
  if (found != nullptr) return found;
  return count == 1 ? versioned : nullptr;
}

namespace {

/// What find_any asks of a symbol of the right name.
bool is_any(const elf::Symbol& symbol, bool needs_definition) {
  if (symbol.is_hidden_version) return false;
  if (symbol.section == elf::SHN_UNDEF && needs_definition) return false;
  if (symbol.type == elf::STT_GNU_IFUNC) return false;
  return symbol.bind == elf::STB_GLOBAL || symbol.bind == elf::STB_WEAK ||
         symbol.bind == elf::STB_GNU_UNIQUE;
}

}  // namespace

bool defines_any(const elf::SymbolTable& table, std::string_view name) {
  if (!table.has_hash || table.symbols.empty() || name.empty()) return false;
  return std::any_of(table.symbols.begin() + 1, table.symbols.end(),
                     [&](const elf::Symbol& symbol) {
                       return symbol.name == name && can_be_found(symbol) && is_any(symbol, true);
                     });
}

const elf::Symbol* SymbolIndex::find_any(std::string_view name, std::uint32_t hash,
                                         bool needs_definition) const {
  const elf::Symbol* found = nullptr;
  visit_hash(hash, [&](const elf::Symbol& symbol) {
    if (symbol.name != name || !is_any(symbol, needs_definition)) return false;
    found = &symbol;
    return true;
  });
  return found;
}

}  // namespace loadable::loader
