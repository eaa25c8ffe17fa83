// SPDX-License-Identifier: Apache-2.0
#include "loader/accept.h"

#include <algorithm>

namespace loadable::loader {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kAddressSpace = std::uint64_t{1} << 47U;
constexpr Version kPageAligned{2, 35, 0};  // p_align may be smaller or larger than a page
/// Until here a candidate whose ABI note names another system or a newer kernel is skipped.
constexpr Version kIgnoresAbiNote{2, 36, 0};
constexpr std::uint32_t kNewestKernelMajor = 9;
constexpr std::uint8_t kMaxAbiVersion = 4;  // LIBC_ABI_MAX of 2.36

/// e_machine as a loader of this byte order reads it, whatever EI_DATA says.
std::uint16_t machine_as_read(const elf::Header& header, const Identity& identity) {
  const bool is_big = header.data() == elf::ELFDATA2MSB;
  return is_big == identity.is_big_endian ? header.machine : __builtin_bswap16(header.machine);
}

std::uint32_t version_as_read(const elf::Header& header, const Identity& identity) {
  const bool is_big = header.data() == elf::ELFDATA2MSB;
  return is_big == identity.is_big_endian ? header.version : __builtin_bswap32(header.version);
}

bool is_osabi_valid(const elf::Header& header) {
  const std::uint8_t osabi = header.ident[elf::EI_OSABI];
  return osabi == elf::ELFOSABI_SYSV || osabi == elf::ELFOSABI_GNU;
}

bool is_abi_version_valid(const elf::Header& header) {
  const std::uint8_t version = header.ident[elf::EI_ABIVERSION];
  return version == 0 ||
         (header.ident[elf::EI_OSABI] == elf::ELFOSABI_GNU && version < kMaxAbiVersion);
}

bool has_padding(const elf::Header& header) {
  return std::any_of(header.ident.begin() + elf::EI_ABIVERSION + 1, header.ident.end(),
                     [](std::uint8_t byte) { return byte != 0; });
}

Verdict refuse(std::string message) { return {Fate::Refuse, std::move(message)}; }

/// The first defect of e_ident in the loader's order; `Accept` when there is none.
Verdict verify_ident(const elf::Header& header, const Identity& identity) {
  const std::uint8_t wanted_data = identity.is_big_endian ? elf::ELFDATA2MSB : elf::ELFDATA2LSB;
  const bool is_expected = header.has_magic() && header.elf_class() == identity.elf_class &&
                           header.data() == wanted_data && header.ident[elf::EI_VERSION] == 1 &&
                           is_osabi_valid(header) && is_abi_version_valid(header) &&
                           !has_padding(header);
  if (is_expected) return {};
  if (!header.has_magic()) return refuse("invalid ELF header");
  if (header.elf_class() != identity.elf_class) return {Fate::SkipClass, {}};
  if (identity.is_debian && machine_as_read(header, identity) != identity.machine) {
    return {Fate::SkipMachine, {}};
  }
  if (header.data() != wanted_data) {
    return refuse(identity.is_big_endian ? "ELF file data encoding not big-endian"
                                         : "ELF file data encoding not little-endian");
  }
  if (header.ident[elf::EI_VERSION] != 1) {
    return refuse("ELF file version ident does not match current one");
  }
  if (!is_osabi_valid(header)) return refuse("ELF file OS ABI invalid");
  if (!is_abi_version_valid(header)) return refuse("ELF file ABI version invalid");
  return refuse("nonzero padding in e_ident");
}

std::uint64_t segment_size(const Identity& identity) {
  return identity.elf_class == elf::ELFCLASS64 ? 56 : 32;
}

/// What the loop over the program headers finds wrong, in its order.
std::optional<Refusal> refuse_segments(const elf::ElfObject& object, const Identity& identity) {
  bool has_load = false;
  for (const elf::Segment& segment : object.segments) {
    if (segment.type != elf::PT_LOAD) continue;
    has_load = true;
    if (identity.version < kPageAligned) {
      if ((segment.align & (kPage - 1)) != 0) {
        return Refusal{FailureKind::Format, "ELF load command alignment not page-aligned"};
      }
      if (((segment.vaddr - segment.offset) & (segment.align - 1)) != 0) {
        return Refusal{FailureKind::Format, "ELF load command address/offset not properly aligned"};
      }
    } else if (((segment.vaddr - segment.offset) & (kPage - 1)) != 0) {
      return Refusal{FailureKind::Format, "ELF load command address/offset not page-aligned"};
    }
  }
  if (!has_load) return Refusal{FailureKind::Format, "object file has no loadable segments"};
  return std::nullopt;
}

bool has_dynamic_section(const elf::ElfObject& object) {
  bool has = false;
  for (const elf::Segment& segment : object.segments) {
    if (segment.type != elf::PT_DYNAMIC) continue;
    if (segment.filesz == 0) return false;
    has = segment.vaddr != 0;
  }
  return has;
}

/// mmap() refuses the whole when the last segment ends before the first begins, or beyond every
/// address.
bool can_map(const elf::ElfObject& object) {
  const elf::Segment* first = nullptr;
  const elf::Segment* last = nullptr;
  for (const elf::Segment& segment : object.segments) {
    if (segment.type != elf::PT_LOAD) continue;
    if (first == nullptr) first = &segment;
    last = &segment;
  }
  if (first == nullptr || last == nullptr) return false;
  const std::uint64_t start = first->vaddr & ~(kPage - 1);
  const std::uint64_t length = last->vaddr + last->memsz - start;
  return length != 0 && length < kAddressSpace;
}

}  // namespace

Outcome outcome_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::NotFound:
      return Outcome::Absent;
    case ErrorCode::NotADirectory:
      return Outcome::NotADirectory;
    case ErrorCode::PermissionDenied:
      return Outcome::Denied;
    default:
      return Outcome::Unsearchable;
  }
}

Verdict verify_header(const File& file, const Identity& identity) {
  const std::uint64_t wanted = identity.elf_class == elf::ELFCLASS64 ? 64 : 52;
  if (file.first_bytes < wanted) return refuse("file too short");
  if (!file.header) return refuse("file too short");
  const elf::Header& header = *file.header;
  if (Verdict verdict = verify_ident(header, identity); verdict.fate != Fate::Accept) {
    return verdict;
  }
  if (version_as_read(header, identity) != 1) {
    return refuse("ELF file version does not match current one");
  }
  if (header.machine != identity.machine) return {Fate::SkipMachine, {}};
  if (header.type != elf::ET_DYN && header.type != elf::ET_EXEC) {
    return refuse("only ET_DYN and ET_EXEC can be loaded");
  }
  if (header.phentsize != segment_size(identity)) {
    return refuse("ELF file's phentsize not the expected size");
  }
  const auto end = checked_add(header.phoff, header.phnum * segment_size(identity));
  if (!end || *end > file.first_bytes) return refuse("cannot read file data");
  if (identity.version < kIgnoresAbiNote && file.object && file.object->abi_tag) {
    const auto& [system, major, minor, patch] = *file.object->abi_tag;
    if (system != 0 || major > kNewestKernelMajor) return {Fate::SkipMachine, {}};
  }
  return {};
}

std::optional<Refusal> refuse_mapping(const File& file, const Identity& identity, Purpose purpose) {
  if (!file.object) return Refusal{FailureKind::Format, file.object.error().to_string()};
  const elf::ElfObject& object = *file.object;
  if (auto refusal = refuse_segments(object, identity)) return refusal;
  if (object.header.type != elf::ET_DYN) {
    return Refusal{FailureKind::Type, "cannot dynamically load executable"};
  }
  if (!has_dynamic_section(object)) {
    return Refusal{FailureKind::Format, "object file has no dynamic section"};
  }
  if (!can_map(object)) {
    return Refusal{FailureKind::Format, "failed to map segment from shared object"};
  }
  if (object.is_pie()) {
    return Refusal{FailureKind::Type, "cannot dynamically load position-independent executable"};
  }
  if (purpose == Purpose::Dlopen && (object.dynamic.flags_1 & elf::DF_1_NOOPEN) != 0) {
    return Refusal{FailureKind::Type, "shared object cannot be dlopen()ed"};
  }
  return std::nullopt;
}

bool wants_executable_stack(const File& file, const Identity& identity) {
  if (!file.object) return false;
  if (file.object->gnu_stack_flags) return (*file.object->gnu_stack_flags & elf::PF_X) != 0;
  return identity.machine != elf::EM_AARCH64 && identity.machine != elf::EM_RISCV &&
         identity.machine != elf::EM_LOONGARCH;
}

}  // namespace loadable::loader
