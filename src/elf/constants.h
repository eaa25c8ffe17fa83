// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers of the ELF specification (gABI, its GNU extensions, the psABIs) under their own
// names. <elf.h> is never included: its macros would clash with these.

#include <cstdint>

namespace loadable::elf {

inline constexpr std::uint8_t EI_CLASS = 4, EI_DATA = 5, EI_VERSION = 6, EI_OSABI = 7,
                              EI_ABIVERSION = 8;
inline constexpr std::uint8_t ELFCLASS32 = 1, ELFCLASS64 = 2, ELFDATA2LSB = 1, ELFDATA2MSB = 2;
inline constexpr std::uint8_t ELFOSABI_SYSV = 0, ELFOSABI_GNU = 3;

inline constexpr std::uint16_t ET_REL = 1, ET_EXEC = 2, ET_DYN = 3, ET_CORE = 4;
inline constexpr std::uint16_t EM_SPARC = 2, EM_386 = 3, EM_68K = 4, EM_MIPS = 8, EM_PPC = 20,
                               EM_SH = 42, EM_SPARCV9 = 43, EM_IA_64 = 50, EM_ALPHA = 0x9026,
                               EM_PPC64 = 21, EM_S390 = 22, EM_ARM = 40, EM_X86_64 = 62,
                               EM_AARCH64 = 183, EM_RISCV = 243, EM_LOONGARCH = 258;

inline constexpr std::uint32_t PT_NULL = 0, PT_LOAD = 1, PT_DYNAMIC = 2, PT_INTERP = 3, PT_NOTE = 4,
                               PT_PHDR = 6, PT_TLS = 7, PT_GNU_EH_FRAME = 0x6474e550,
                               PT_GNU_STACK = 0x6474e551, PT_GNU_RELRO = 0x6474e552,
                               PT_GNU_PROPERTY = 0x6474e553;
inline constexpr std::uint32_t PF_X = 1, PF_W = 2, PF_R = 4;

inline constexpr std::uint64_t DT_NULL = 0, DT_NEEDED = 1, DT_PLTRELSZ = 2, DT_HASH = 4,
                               DT_STRTAB = 5, DT_SYMTAB = 6, DT_RELA = 7, DT_RELASZ = 8,
                               DT_RELAENT = 9, DT_STRSZ = 10, DT_SYMENT = 11, DT_SONAME = 14,
                               DT_RPATH = 15, DT_SYMBOLIC = 16, DT_REL = 17, DT_RELSZ = 18,
                               DT_RELENT = 19, DT_PLTREL = 20, DT_DEBUG = 21, DT_TEXTREL = 22,
                               DT_JMPREL = 23, DT_BIND_NOW = 24, DT_RUNPATH = 29, DT_FLAGS = 30,
                               DT_RELRSZ = 35, DT_RELR = 36, DT_RELRENT = 37,
                               DT_GNU_HASH = 0x6ffffef5, DT_VERSYM = 0x6ffffff0,
                               DT_RELACOUNT = 0x6ffffff9, DT_RELCOUNT = 0x6ffffffa,
                               DT_FLAGS_1 = 0x6ffffffb, DT_VERDEF = 0x6ffffffc,
                               DT_VERDEFNUM = 0x6ffffffd, DT_VERNEED = 0x6ffffffe,
                               DT_VERNEEDNUM = 0x6fffffff, DT_AUXILIARY = 0x7ffffffd,
                               DT_FILTER = 0x7fffffff;

inline constexpr std::uint64_t DF_ORIGIN = 1, DF_SYMBOLIC = 2, DF_TEXTREL = 4, DF_BIND_NOW = 8,
                               DF_STATIC_TLS = 16;
inline constexpr std::uint64_t DF_1_NOW = 1, DF_1_GLOBAL = 2, DF_1_NODELETE = 8, DF_1_NOOPEN = 0x40,
                               DF_1_ORIGIN = 0x80, DF_1_INTERPOSE = 0x400, DF_1_NODEFLIB = 0x800,
                               DF_1_PIE = 0x08000000;

inline constexpr std::uint16_t SHN_UNDEF = 0, SHN_ABS = 0xfff1, SHN_COMMON = 0xfff2;
inline constexpr std::uint8_t STB_LOCAL = 0, STB_GLOBAL = 1, STB_WEAK = 2, STB_GNU_UNIQUE = 10;
inline constexpr std::uint8_t STT_NOTYPE = 0, STT_OBJECT = 1, STT_FUNC = 2, STT_SECTION = 3,
                              STT_FILE = 4, STT_COMMON = 5, STT_TLS = 6, STT_GNU_IFUNC = 10;
inline constexpr std::uint8_t STV_DEFAULT = 0, STV_INTERNAL = 1, STV_HIDDEN = 2, STV_PROTECTED = 3;

inline constexpr std::uint16_t VER_FLG_BASE = 1, VER_FLG_WEAK = 2;
inline constexpr std::uint32_t NT_GNU_ABI_TAG = 1, NT_GNU_BUILD_ID = 3, NT_GNU_PROPERTY_TYPE_0 = 5,
                               NT_FDO_DLOPEN_METADATA = 0x407c0c0a;
inline constexpr std::uint32_t GNU_PROPERTY_X86_FEATURE_1_AND = 0xc0000002,
                               GNU_PROPERTY_X86_ISA_1_NEEDED = 0xc0008002,
                               GNU_PROPERTY_AARCH64_FEATURE_1_AND = 0xc0000000;

}  // namespace loadable::elf
