// SPDX-License-Identifier: Apache-2.0
#pragma once
// bytes -> ElfObject, normalised to 64 bit and host byte order, read as a loader reads: program
// headers and PT_DYNAMIC, never section headers. Judges nothing: what a loader refuses is the
// loader's business (src/loader); only what cannot be represented is an error here.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "elf/constants.h"

namespace loadable::elf {

/// Elf64_Ehdr / Elf32_Ehdr (gABI 4.1), widened.
struct Header {
  std::array<std::uint8_t, 16> ident{};
  std::uint16_t type = 0, machine = 0;
  std::uint32_t version = 0;
  std::uint64_t entry = 0, phoff = 0, shoff = 0;
  std::uint32_t flags = 0;
  std::uint16_t ehsize = 0, phentsize = 0, phnum = 0, shentsize = 0, shnum = 0, shstrndx = 0;

  [[nodiscard]] bool has_magic() const;
  [[nodiscard]] std::uint8_t elf_class() const { return ident[EI_CLASS]; }  ///< ELFCLASS32 or 64
  [[nodiscard]] std::uint8_t data() const { return ident[EI_DATA]; }
  [[nodiscard]] bool is_64bit() const { return ident[EI_CLASS] == ELFCLASS64; }
  [[nodiscard]] Endian endian() const {
    return ident[EI_DATA] == ELFDATA2MSB ? Endian::Big : Endian::Little;
  }
};

struct Segment {
  std::uint32_t type = 0, flags = 0;
  std::uint64_t offset = 0, vaddr = 0, paddr = 0, filesz = 0, memsz = 0, align = 0;
};

/// What PT_DYNAMIC says; where a tag comes twice, the last one counts, as in glibc and musl.
/// Strings are copied from DT_STRTAB as mapped: loaders do not look at DT_STRSZ, so a string past
/// it is told in ElfObject::defects and kept. One that lies nowhere or does not end is told and
/// left out.
struct Dynamic {
  std::vector<std::string> needed;             ///< DT_NEEDED, in file order, duplicates kept
  std::vector<std::string> auxiliary, filter;  ///< DT_AUXILIARY, DT_FILTER
  /// The tags of the three lists above in file order: the nth DT_NEEDED here is needed[n].
  std::vector<std::uint64_t> request_tags;
  std::optional<std::string> soname, rpath, runpath;
  std::uint64_t flags = 0, flags_1 = 0;  ///< DT_FLAGS, DT_FLAGS_1
  bool has_bind_now = false;             ///< DT_BIND_NOW, DF_BIND_NOW or DF_1_NOW
  bool has_textrel = false, has_symbolic = false, has_relr = false;
  bool has_static_tls = false;  ///< DF_STATIC_TLS
  /// Tables by virtual address and size; 0 where absent.
  std::uint64_t strtab = 0, strsz = 0, symtab = 0, syment = 0, hash = 0, gnu_hash = 0;
  std::uint64_t versym = 0, verdef = 0, verdefnum = 0, verneed = 0, verneednum = 0;
  std::uint64_t rela = 0, relasz = 0, relaent = 0, rel = 0, relsz = 0, relent = 0;
  std::uint64_t jmprel = 0, pltrelsz = 0, pltrel = 0, relr = 0, relrsz = 0, relrent = 0;
  std::uint64_t relacount = 0, relcount = 0;  ///< relative relocations at the start of the table
};

/// One vn_aux of DT_VERNEED.
struct NeededVersion {
  std::string file;     ///< vn_file: the soname of the provider
  std::string version;  ///< for example `GLIBC_2.34`
  std::uint32_t hash = 0;
  std::uint16_t flags = 0;  ///< VER_FLG_WEAK
  std::uint16_t index = 0;  ///< vna_other: the value in DT_VERSYM (15 bits)
};

/// One entry of DT_VERDEF.
struct DefinedVersion {
  std::string version;
  std::vector<std::string> parents;
  std::uint32_t hash = 0;
  std::uint16_t flags = 0;  ///< VER_FLG_BASE, VER_FLG_WEAK
  std::uint16_t index = 0;
};

/// An oddity that a loader survives, or that only some loaders do: told, not judged.
struct Defect {
  ErrorCode code = ErrorCode::Malformed;
  std::string field;    ///< for example `DT_SONAME`, `p_filesz of PT_LOAD 1`
  std::string message;  ///< value found and value wanted
};

struct ElfObject {
  Header header;
  std::uint64_t file_size = 0;
  std::vector<Segment> segments;
  std::optional<std::string> interpreter;  ///< PT_INTERP without its NUL
  bool has_dynamic = false;
  Dynamic dynamic;
  std::vector<NeededVersion> needed_versions;
  std::vector<DefinedVersion> defined_versions;
  std::optional<std::uint32_t> gnu_stack_flags;  ///< p_flags of PT_GNU_STACK; absent: none there
  std::uint64_t tls_size = 0, tls_align = 0;     ///< PT_TLS, memory bytes
  std::uint32_t isa_needed =
      0;  ///< GNU_PROPERTY_X86_ISA_1_NEEDED bits: 1 baseline, 2 v2, 4 v3, 8 v4
  std::uint32_t features_1 = 0;  ///< GNU_PROPERTY_{X86,AARCH64}_FEATURE_1_AND
  std::optional<std::vector<std::byte>> build_id;
  std::optional<std::array<std::uint32_t, 4>> abi_tag;  ///< NT_GNU_ABI_TAG: OS, major, minor, patch
  std::vector<std::string> dlopen_notes;                ///< JSON texts of `.note.dlopen`
  bool has_cuda_forward_compatibility_note = false;     ///< `.note.cuda.fwd_compatibility`
  std::vector<Defect> defects;

  /// Offset in the file of a virtual address, through PT_LOAD; nothing if no segment holds
  /// [address, address + length) in its file part.
  [[nodiscard]] std::optional<std::uint64_t> file_offset(std::uint64_t address,
                                                         std::uint64_t length) const;
  /// The first PT_LOAD that ends after the end of the file, if any: loaders map it all the same,
  /// and the process dies by SIGBUS when it touches the lost pages.
  [[nodiscard]] const Segment* truncated_segment() const;
  [[nodiscard]] bool is_pie() const { return (dynamic.flags_1 & DF_1_PIE) != 0; }
};

/// Reads the file header alone. Errors: Truncated (fewer than 16 bytes, or than the class needs).
/// A wrong magic is no error: ask has_magic().
Result<Header> read_header(ByteSource& source);

/// Reads headers, PT_INTERP, PT_DYNAMIC and its strings, version tables, notes and properties;
/// reads only the pages that hold them. Errors: Truncated, Malformed (no magic, class or data byte
/// unknown, program header table outside of the file, PT_DYNAMIC that lies nowhere), LimitReached
/// (over 1,000 PT_LOAD, 1 MiB of dynamic section, 100,000 version
/// entries, 64 MiB of strings in all).
Result<ElfObject> read_object(ByteSource& source);

/// Short name of e_machine: `x86_64`, `aarch64`, … or `machine 0x1234`.
[[nodiscard]] std::string machine_name(std::uint16_t machine);

}  // namespace loadable::elf
