// SPDX-License-Identifier: Apache-2.0
#include "elf/symbols.h"

#include <algorithm>
#include <limits>

#include "base/format.h"
#include "elf/image.h"
#include "elf/reader.h"

namespace loadable::elf {

namespace {

constexpr std::uint64_t kSymbolLimit = 16'000'000;
constexpr std::uint64_t kTableLimit = std::uint64_t{1} << 30;  // bytes; all lie in the file
constexpr std::uint64_t kChunk = 256 * 1024;
constexpr std::uint64_t kNameBytesLimit = std::uint64_t{512} << 20;  // many names may be one place
constexpr std::uint16_t kVersionMask = 0x7fff, kHiddenBit = 0x8000;

enum ReferenceKind : std::uint8_t { kData = 1, kSlot = 2, kCopy = 4, kStaticTls = 8 };

std::uint32_t copy_relocation(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
    case EM_386:
      return 5;
    case EM_AARCH64:
      return 1024;
    case EM_ARM:
      return 20;
    case EM_PPC64:
    case EM_PPC:
    case EM_SPARC:
    case EM_SPARCV9:
      return 19;
    case EM_S390:
      return 9;
    case EM_RISCV:
    case EM_LOONGARCH:
      return 4;
    default:
      return std::numeric_limits<std::uint32_t>::max();
  }
}

bool is_static_tls_relocation(std::uint16_t machine, std::uint32_t type) {
  switch (machine) {
    case EM_X86_64:
      return type == 18 || type == 23;
    case EM_386:
      return type == 14 || type == 37;
    case EM_AARCH64:
      return type == 1030;
    case EM_ARM:
      return type == 19;
    case EM_RISCV:
      return type == 10 || type == 11;
    default:
      return false;
  }
}

class SymbolReader {
 public:
  SymbolReader(ByteSource& source, const ElfObject& object) : source_(source), object_(object) {}

  Result<SymbolTable> run() {
    const Dynamic& dynamic = object_.dynamic;
    table_.has_hash = dynamic.hash != 0 || dynamic.gnu_hash != 0;
    if (auto done = read_all_relocations(); !done) return fail(std::move(done.error()));
    // Loaders look at DT_HASH only where there is no DT_GNU_HASH.
    if (auto done = dynamic.gnu_hash != 0 ? count_by_gnu_hash() : count_by_sysv_hash(); !done) {
      return fail(std::move(done.error()));
    }
    if (dynamic.symtab != 0) {
      if (auto done = read_strings(); !done) return fail(std::move(done.error()));
      if (auto done = read_symbol_table(); !done) return fail(std::move(done.error()));
      if (auto done = read_versions(); !done) return fail(std::move(done.error()));
    }
    return std::move(table_);
  }

 private:
  [[nodiscard]] bool is_64bit() const { return object_.header.is_64bit(); }
  [[nodiscard]] Endian endian() const { return object_.header.endian(); }
  [[nodiscard]] Fields fields(ByteView bytes) const { return {bytes, endian(), is_64bit()}; }

  Result<std::uint64_t> place(std::uint64_t address, std::uint64_t size, std::string_view tag) {
    const auto offset = object_.file_offset(address, size);
    if (!offset) {
      return fail(
          ErrorCode::Truncated,
          format("{}: {} bytes at address 0x{:x} are not all in the file", tag, size, address));
    }
    return *offset;
  }

  Result<std::vector<std::byte>> read(std::uint64_t address, std::uint64_t size,
                                      std::string_view tag) {
    const auto offset = place(address, size, tag);
    if (!offset) return fail(offset.error());
    return read_exactly(source_, *offset, size, kTableLimit);
  }

  Result<void> raise_count(std::uint64_t count, std::string_view reason) {
    if (count > kSymbolLimit) {
      return fail(ErrorCode::LimitReached,
                  format("{} symbols by {}, at most {} are read", count, reason, kSymbolLimit));
    }
    count_ = std::max(count_, count);
    return {};
  }

  Result<void> count_by_sysv_hash() {
    if (object_.dynamic.hash == 0) return {};
    // Words of 8 bytes on the two machines that chose so (glibc: Elf_Symndx).
    const bool wide =
        is_64bit() && (object_.header.machine == EM_S390 || object_.header.machine == EM_ALPHA);
    const std::uint64_t word = wide ? 8 : 4;
    const auto header = read(object_.dynamic.hash, 2 * word, "DT_HASH");
    if (!header) return fail(header.error());
    const Fields numbers = fields(*header);
    return raise_count(wide ? numbers.xword(8) : numbers.word(4), "DT_HASH");
  }

  /// The symbols end with the chain of the bucket that begins last.
  Result<void> count_by_gnu_hash() {
    const std::uint64_t address = object_.dynamic.gnu_hash;
    const auto header = read(address, 16, "DT_GNU_HASH");
    if (!header) return fail(header.error());
    const std::uint64_t buckets = fields(*header).word(0), first = fields(*header).word(4);
    const std::uint64_t bloom = std::uint64_t{fields(*header).word(8)} * (is_64bit() ? 8 : 4);
    const std::uint64_t buckets_at = address + 16 + bloom;
    const auto heads = read(buckets_at, buckets * 4, "DT_GNU_HASH");
    if (!heads) return fail(heads.error());
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < buckets; ++i) {
      last = std::max<std::uint64_t>(last, fields(*heads).word(i * 4));
    }
    if (last < first) return raise_count(last == 0 ? 1 : first, "DT_GNU_HASH");
    return count_chain(buckets_at + buckets * 4, first, last);
  }

  /// Only what is in the file: the zero fill behind it would be a chain without an end.
  Result<void> count_chain(std::uint64_t chains, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t start = chains + (last - first) * 4;
    const auto found = locate(object_.segments, object_.file_size, start);
    const std::uint64_t words = found ? found->in_file / 4 : 0;
    std::uint64_t chunk = 1024;  // a chain has a few entries
    for (std::uint64_t done = 0; done < words; chunk = std::min(4 * chunk, kChunk / 4)) {
      const std::uint64_t now = std::min(chunk, words - done);
      const auto bytes = read_exactly(source_, found->offset + done * 4, now * 4, kChunk);
      if (!bytes) return fail(bytes.error());
      for (std::uint64_t i = 0; i < now; ++i) {
        if ((fields(*bytes).word(i * 4) & 1) != 0) {
          return raise_count(last + done + i + 1, "DT_GNU_HASH");
        }
      }
      done += now;
      if (auto fits = raise_count(last + done, "DT_GNU_HASH"); !fits) return fits;
    }
    if (auto fits = raise_count(last + 1, "DT_GNU_HASH"); !fits) return fits;
    return fail(ErrorCode::Truncated,
                format("DT_GNU_HASH: the chain at address 0x{:x} does not end", start));
  }

  Result<void> read_all_relocations() {
    const Dynamic& dynamic = object_.dynamic;
    const auto own_size = [&](std::uint64_t address, std::uint64_t size) {
      // DT_RELASZ may count the entries of DT_JMPREL too, which then are its end.
      const bool overlaps = dynamic.jmprel != 0 && dynamic.pltrelsz <= size &&
                            dynamic.jmprel + dynamic.pltrelsz == address + size;
      return overlaps ? size - dynamic.pltrelsz : size;
    };
    if (dynamic.rel != 0) {
      auto done = read_relocations(dynamic.rel, own_size(dynamic.rel, dynamic.relsz), false,
                                   dynamic.relcount, "DT_REL");
      if (!done) return done;
    }
    if (dynamic.rela != 0) {
      auto done = read_relocations(dynamic.rela, own_size(dynamic.rela, dynamic.relasz), true,
                                   dynamic.relacount, "DT_RELA");
      if (!done) return done;
    }
    if (dynamic.jmprel == 0) return {};
    is_slot_table_ = true;
    return read_relocations(dynamic.jmprel, dynamic.pltrelsz, dynamic.pltrel != DT_REL, 0,
                            "DT_JMPREL");
  }

  Result<void> read_relocations(std::uint64_t address, std::uint64_t size, bool has_addend,
                                std::uint64_t relative, std::string_view tag) {
    const std::uint64_t entry = std::uint64_t{is_64bit() ? 8U : 4U} * (has_addend ? 3 : 2);
    const std::uint64_t count = size / entry;
    if (count == 0) return {};
    const auto offset = place(address, count * entry, tag);
    if (!offset) return fail(offset.error());
    const std::uint64_t per_chunk = kChunk / entry;
    // The first ones are relative and look nothing up; the loader trusts their number as well.
    if (const std::uint64_t rest = count - std::min(relative, count); rest * entry > kTableLimit) {
      return fail(
          ErrorCode::LimitReached,
          format("{}: {} relocations, at most {} bytes of them are read", tag, rest, kTableLimit));
    }
    for (std::uint64_t i = std::min(relative, count); i < count; i += per_chunk) {
      const std::uint64_t now = std::min(per_chunk, count - i);
      const auto bytes = read_exactly(source_, *offset + i * entry, now * entry, kChunk);
      if (!bytes) return fail(bytes.error());
      if (auto done = note_relocations(*bytes, entry, tag); !done) return done;
    }
    return {};
  }

  Result<void> note_relocations(ByteView bytes, std::uint64_t entry, std::string_view tag) {
    const std::uint32_t copy = copy_relocation(object_.header.machine);
    const Fields numbers = fields(bytes);
    for (std::uint64_t at = 0; at < bytes.size(); at += entry) {
      const std::uint64_t info = numbers.addr(at + 4, at + 8);
      const std::uint64_t symbol = is_64bit() ? info >> 32 : info >> 8;
      const std::uint32_t type = static_cast<std::uint32_t>(is_64bit() ? info : info & 0xff);
      if (symbol == 0 || type == 0) continue;
      const bool is_tls = is_static_tls_relocation(object_.header.machine, type);
      const ReferenceKind kind = is_slot_table_ ? kSlot
                                 : type == copy ? kCopy
                                 : is_tls       ? kStaticTls
                                                : kData;
      if (auto fits = raise_count(symbol + 1, tag); !fits) return fits;
      if (seen_.size() <= symbol) seen_.resize(std::max(symbol + 1, 2 * seen_.size()), 0);
      if ((seen_[symbol] & kind) != 0) continue;
      seen_[symbol] |= kind;
      table_.references.push_back(
          {static_cast<std::uint32_t>(symbol), kind == kSlot, kind == kCopy, kind == kStaticTls});
    }
    return {};
  }

  Result<void> read_strings() {
    const Dynamic& dynamic = object_.dynamic;
    const auto found = locate(object_.segments, object_.file_size, dynamic.strtab);
    if (dynamic.strtab == 0 || !found || found->in_file == 0) {
      return fail(ErrorCode::Truncated,
                  format("DT_STRTAB: address 0x{:x} is not in the file", dynamic.strtab));
    }
    auto bytes =
        read_exactly(source_, found->offset, std::min(dynamic.strsz, found->in_file), kTableLimit);
    if (!bytes) return fail(std::move(bytes.error()));
    table_.strings = std::move(*bytes);
    return {};
  }

  Result<void> read_symbol_table() {
    const std::uint64_t entry = is_64bit() ? 24 : 16;
    const auto bytes = read(object_.dynamic.symtab, count_ * entry, "DT_SYMTAB");
    if (!bytes) return fail(bytes.error());
    const Fields numbers = fields(*bytes);
    table_.symbols.resize(count_);
    std::uint64_t name_bytes = 0;
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t at = i * entry;
      const std::uint64_t info_at = at + (is_64bit() ? 4 : 12);
      Symbol& symbol = table_.symbols[i];
      // A name outside of the table is left empty: no lookup can ask for it.
      symbol.name = load_string(table_.strings, numbers.word(at)).value_or(std::string_view());
      name_bytes += symbol.name.size();
      if (name_bytes > kNameBytesLimit) {
        return fail(ErrorCode::LimitReached,
                    format("the names of {} symbols are longer than {} bytes in all", count_,
                           kNameBytesLimit));
      }
      const auto info = std::to_integer<std::uint8_t>((*bytes)[info_at]);
      symbol.bind = info >> 4;
      symbol.type = info & 15;
      symbol.visibility = std::to_integer<std::uint8_t>((*bytes)[info_at + 1]) & 3;
      symbol.section = numbers.half(info_at + 2);
      symbol.value = numbers.addr(at + 4, at + 8);
      symbol.size = numbers.addr(at + 8, at + 16);
    }
    return {};
  }

  Result<void> read_versions() {
    if (object_.dynamic.versym == 0) return {};
    const auto bytes = read(object_.dynamic.versym, count_ * 2, "DT_VERSYM");
    if (!bytes) return fail(bytes.error());
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint16_t value = fields(*bytes).half(i * 2);
      table_.symbols[i].version = value & kVersionMask;
      table_.symbols[i].is_hidden_version = (value & kHiddenBit) != 0;
    }
    return {};
  }

  ByteSource& source_;
  const ElfObject& object_;
  SymbolTable table_;
  std::uint64_t count_ = 1;
  bool is_slot_table_ = false;
  std::vector<std::uint8_t> seen_;
};

}  // namespace

Result<SymbolTable> read_symbols(ByteSource& source, const ElfObject& object) {
  return SymbolReader(source, object).run();
}

std::uint32_t sysv_hash(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<std::uint8_t>(c);
    hash ^= (hash >> 24) & 0xf0;
    hash &= 0x0fffffff;
  }
  return hash;
}

std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<std::uint8_t>(c);
  return hash;
}

}  // namespace loadable::elf
