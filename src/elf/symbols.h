// SPDX-License-Identifier: Apache-2.0
#pragma once
// The dynamic symbols of an object, as the loader's lookup sees them. Read on demand: the tables of
// a large library are megabytes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "elf/object.h"

namespace loadable::elf {

/// One dynamic symbol, defined or not. Names are views into SymbolTable's own bytes.
struct Symbol {
  std::string_view name;
  std::uint64_t value = 0, size = 0;
  std::uint16_t section = 0;  ///< SHN_UNDEF: a reference
  std::uint8_t bind = 0, type = 0, visibility = 0;
  std::uint16_t version = 1;  ///< DT_VERSYM index, 15 bits; 0 local, 1 global; 1 without DT_VERSYM
  bool is_hidden_version = false;  ///< bit 15 of DT_VERSYM
};

/// A symbol that a relocation asks for.
struct Reference {
  std::uint32_t symbol = 0;       ///< index into SymbolTable::symbols
  bool is_function_slot = false;  ///< from DT_JMPREL: bound late under RTLD_LAZY
  bool is_copy = false;           ///< R_*_COPY: looked up outside of the program
  bool is_static_tls = false;     ///< R_*_TPOFF: an offset in the static TLS area
};

class SymbolTable {
 public:
  std::vector<Symbol> symbols;        ///< by symbol index; [0] is the empty one
  std::vector<Reference> references;  ///< each symbol once per kind, in relocation order
  bool has_hash = false;  ///< without one (DT_HASH, DT_GNU_HASH) nothing can be found in it

  std::vector<std::byte>
      strings;  ///< DT_STRTAB; keep the object where it is: names point into this
};

/// Reads symbols, versions and the references of every relocation table (DT_RELA, DT_REL,
/// DT_JMPREL; DT_RELR has no symbols). The number of symbols comes from DT_HASH or DT_GNU_HASH as
/// loaders find it, at least the highest index that a relocation names. Errors: Truncated,
/// Malformed, LimitReached (over 16 million symbols).
Result<SymbolTable> read_symbols(ByteSource& source, const ElfObject& object);

/// The SysV hash of DT_HASH and of version names (gABI 5.2).
[[nodiscard]] std::uint32_t sysv_hash(std::string_view name);
/// The hash of DT_GNU_HASH.
[[nodiscard]] std::uint32_t gnu_hash(std::string_view name);

}  // namespace loadable::elf
