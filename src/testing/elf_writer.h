// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes of an ELF file in its class and byte order, and its string table. Internal to the builder.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "testing/elf_builder.h"

namespace loadable::testing {

class Writer {
 public:
  Writer(bool is_64bit, bool is_big) : is_64bit_(is_64bit), is_big_(is_big) {}

  [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }
  [[nodiscard]] bool is_64bit() const { return is_64bit_; }
  void number(std::uint64_t value, int width);
  void byte(std::uint64_t value) { number(value, 1); }
  void half(std::uint64_t value) { number(value, 2); }
  void word(std::uint64_t value) { number(value, 4); }
  void xword(std::uint64_t value) { number(value, 8); }
  void addr(std::uint64_t value) { number(value, is_64bit_ ? 8 : 4); }
  void text(std::string_view text);
  void zeros(std::uint64_t count) { bytes_.resize(bytes_.size() + count); }
  /// Pads to a multiple of `alignment` and returns the size reached.
  std::uint64_t align(std::uint64_t alignment);
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  bool is_64bit_, is_big_;
  std::vector<std::byte> bytes_;
};

class StringTable {
 public:
  StringTable() : text_(1, '\0') {}
  std::uint64_t add(const std::string& text);
  void pad(std::uint64_t count) { text_.append(count, 'p').push_back('\0'); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::map<std::string, std::uint64_t> places_;
};

/// Symbols in file order, with the numbers that the tables need. Undefined ones come first, then
/// the defined ones in the order of their GNU hash buckets, as DT_GNU_HASH demands.
struct SymbolRow {
  ElfSymbol symbol;
  std::uint64_t name = 0;     ///< in the string table
  std::uint16_t version = 1;  ///< for DT_VERSYM
  std::uint32_t gnu_hash = 0, sysv_hash = 0;
};

/// All that is known before addresses are.
struct Tables {
  StringTable strings;
  std::vector<SymbolRow> symbols;   ///< [0] is the empty one
  std::uint32_t first_defined = 1;  ///< symoffset of DT_GNU_HASH
  std::uint32_t buckets = 1;
  std::vector<ElfVersion> versions;  ///< with the base entry
  std::vector<std::pair<std::string, std::vector<ElfNeededVersion>>> needed_versions;
  bool has_versions = false;
};

[[nodiscard]] Tables make_tables(const ElfSpec& spec);

void write_sysv_hash(Writer& out, const Tables& tables);
void write_gnu_hash(Writer& out, const Tables& tables);
void write_versym(Writer& out, const Tables& tables);
void write_verdef(Writer& out, Tables& tables);
void write_verneed(Writer& out, Tables& tables);

[[nodiscard]] std::uint32_t hash_of_version(std::string_view name);

/// Relocation numbers of a machine.
struct RelocationTypes {
  std::uint32_t copy = 5, data = 6, slot = 7, relative = 8, tls_module = 16, tls_offset = 18;
  bool has_addend = true;  ///< DT_RELA instead of DT_REL
};
[[nodiscard]] RelocationTypes relocation_types(std::uint16_t machine);

}  // namespace loadable::testing
