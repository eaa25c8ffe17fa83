// SPDX-License-Identifier: Apache-2.0
#pragma once
// ELF objects from a description, in memory: small enough to be unit-test fixtures, right enough
// that the real loaders take them. They have program headers and no section headers, and hold no
// code. One PT_LOAD (read, write) holds everything but `segments`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "elf/constants.h"

namespace loadable::testing {

/// How relocations refer to a symbol. Auto: an undefined function gets a slot of DT_JMPREL, an
/// undefined object or TLS symbol a relocation of DT_RELA or DT_REL, a defined symbol none.
enum class Reference : std::uint8_t { Auto, None, FunctionSlot, Data, Copy };

struct ElfSymbol {
  std::string name;
  bool is_defined = true;
  std::string version;  ///< of `versions` where defined, of `version_file` where not; may be empty
  std::string version_file;        ///< soname of the provider, for an undefined symbol
  bool is_hidden_version = false;  ///< name@VERSION instead of name@@VERSION
  std::uint8_t bind = elf::STB_GLOBAL, type = elf::STT_FUNC, visibility = elf::STV_DEFAULT;
  std::uint64_t size = 8;
  Reference reference = Reference::Auto;
};

/// A defined symbol; an undefined one; an undefined one with a version.
[[nodiscard]] ElfSymbol defines(std::string name, std::string version = {});
[[nodiscard]] ElfSymbol wants(std::string name);
[[nodiscard]] ElfSymbol wants(std::string name, std::string version, std::string file);

/// DT_VERDEF. The base entry (index 1, named by the soname) is put before the first by itself.
struct ElfVersion {
  std::string name;
  std::vector<std::string> parents = {};
  std::uint16_t flags = 0;
  std::optional<std::uint32_t> hash = {};  ///< the right one if not given
};

/// DT_VERNEED. What undefined symbols name is added by itself.
struct ElfNeededVersion {
  std::string file, version;
  std::uint16_t flags = 0;                 ///< elf::VER_FLG_WEAK
  std::optional<std::uint32_t> hash = {};  ///< the right one if not given
};

struct ElfNote {
  std::string owner;
  std::uint32_t type = 0;
  std::string descriptor;  ///< bytes
};

/// A further PT_LOAD, on a page of its own.
struct ElfSegment {
  std::uint32_t flags = elf::PF_R;
  std::string content;
};

enum class HashStyle : std::uint8_t { Gnu, Sysv, Both, None };

struct ElfSpec {
  std::uint8_t elf_class = elf::ELFCLASS64, data = elf::ELFDATA2LSB, osabi = elf::ELFOSABI_SYSV;
  std::uint8_t abi_version = 0;
  std::uint16_t machine = elf::EM_X86_64, type = elf::ET_DYN;
  std::uint32_t header_flags = 0;

  std::optional<std::string> interp = {}, soname = {}, rpath = {}, runpath = {};
  std::vector<std::string> needed = {}, auxiliary = {}, filter = {};
  std::uint64_t flags = 0, flags_1 = 0;  ///< DT_FLAGS, DT_FLAGS_1; absent where 0
  bool has_dynamic = true;
  /// Put at the end of the dynamic section as they are.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> more_dynamic = {};

  std::vector<ElfSymbol> symbols = {};
  std::vector<ElfVersion> versions = {};
  std::vector<ElfNeededVersion> needed_versions = {};
  HashStyle hash = HashStyle::Gnu;
  std::uint32_t relative_relocations = 0;  ///< so many, told in DT_RELACOUNT
  bool has_relr = false;                   ///< a DT_RELR table of one entry

  std::uint64_t tls_size = 0, tls_align = 8;
  bool uses_static_tls = false;  ///< DF_STATIC_TLS and a relocation that takes an offset in it
  std::optional<std::uint32_t> gnu_stack = elf::PF_R | elf::PF_W;  ///< p_flags; no header if empty
  std::uint32_t isa_needed = 0;        ///< x86 ISA bits of a property note; no note if 0
  bool property_in_note_only = false;  ///< under PT_NOTE without PT_GNU_PROPERTY
  std::vector<ElfNote> notes = {};
  std::vector<ElfSegment> segments = {};

  std::uint64_t string_padding = 0;               ///< so many bytes at the end of the string table
  std::uint64_t page = 0x1000;                    ///< p_align of the segments
  std::optional<std::uint64_t> truncate_at = {};  ///< the file ends here
};

/// Where the parts of a built file are: offsets in it, 0 where absent. For tests that damage them.
struct ElfLayout {
  std::uint64_t base = 0;  ///< address of offset 0 (0x400000 for ET_EXEC)
  std::uint64_t phdr = 0, interp = 0, notes = 0, notes_size = 0, property = 0, hash = 0,
                gnu_hash = 0, dynsym = 0, dynstr = 0, dynstr_size = 0, versym = 0, verdef = 0,
                verneed = 0, rela = 0, jmprel = 0, relr = 0, got = 0, dynamic = 0, data = 0,
                end = 0;
  /// Types of the program headers, in order.
  std::vector<std::uint32_t> phdr_types;
};

struct BuiltElf {
  std::vector<std::byte> bytes;
  ElfLayout layout;
};

[[nodiscard]] BuiltElf build_elf_with_layout(const ElfSpec& spec);
[[nodiscard]] std::vector<std::byte> build_elf(const ElfSpec& spec);

/// Bytes of an object that has only a soname, needs and a search path: what most trees are made of.
[[nodiscard]] std::vector<std::byte> simple_library(std::string soname,
                                                    std::vector<std::string> needed = {},
                                                    std::optional<std::string> runpath = {});

/// NT_GNU_ABI_TAG for Linux `major.minor.patch`, in little endian.
[[nodiscard]] ElfNote abi_tag_note(std::uint32_t major, std::uint32_t minor, std::uint32_t patch);
[[nodiscard]] ElfNote build_id_note(std::string bytes);
[[nodiscard]] ElfNote dlopen_note(std::string json);

/// Writes `value` with `width` bytes (1, 2, 4, 8) at `offset`, in the byte order of the file.
void poke(std::vector<std::byte>& bytes, std::uint64_t offset, std::uint64_t value, int width);

}  // namespace loadable::testing
