// SPDX-License-Identifier: Apache-2.0
// PT_DYNAMIC: an array of (tag, value) that ends with DT_NULL (gABI 5.3). Loaders find it by its
// address, read until DT_NULL whatever p_memsz says, and let a later tag win over an earlier one
// (glibc 2.36 elf/get-dynamic-info.h, musl 1.2.3 ldso/dynlink.c decode_vec).

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "elf/reader.h"

namespace loadable::elf {

namespace {

constexpr std::uint64_t kDynamicLimit = 1024 * 1024;  // bytes
constexpr std::uint64_t kSmallTable = 1024;           // read in one piece up to here
constexpr std::uint64_t kGroup = 16 * 1024;           // and so much of a larger one

using Use = StringWish::Use;

const Segment* find_dynamic(const ElfObject& object) {
  const Segment* found = nullptr;
  for (const Segment& segment : object.segments) {
    // Empty in files of debug information (objcopy --only-keep-debug): as if absent
    // (glibc 2.36 elf/dl-load.c _dl_map_object_from_fd).
    if (segment.type == PT_DYNAMIC && segment.filesz != 0) found = &segment;
  }
  return found;
}

void note_string(std::vector<StringWish>& wishes, std::uint64_t tag, std::uint64_t value) {
  const auto add = [&](Use use) { wishes.push_back({use, value, 0}); };
  switch (tag) {
    case DT_NEEDED:
      return add(Use::Needed);
    case DT_AUXILIARY:
      return add(Use::Auxiliary);
    case DT_FILTER:
      return add(Use::Filter);
    case DT_SONAME:
      return add(Use::Soname);
    case DT_RPATH:
      return add(Use::Rpath);
    case DT_RUNPATH:
      return add(Use::Runpath);
    default:
      break;
  }
}

std::uint64_t* number_field(Dynamic& dynamic, std::uint64_t tag) {
  static constexpr std::pair<std::uint64_t, std::uint64_t Dynamic::*> kFields[] = {
      {DT_STRTAB, &Dynamic::strtab},
      {DT_STRSZ, &Dynamic::strsz},
      {DT_SYMTAB, &Dynamic::symtab},
      {DT_SYMENT, &Dynamic::syment},
      {DT_HASH, &Dynamic::hash},
      {DT_GNU_HASH, &Dynamic::gnu_hash},
      {DT_VERSYM, &Dynamic::versym},
      {DT_VERDEF, &Dynamic::verdef},
      {DT_VERDEFNUM, &Dynamic::verdefnum},
      {DT_VERNEED, &Dynamic::verneed},
      {DT_VERNEEDNUM, &Dynamic::verneednum},
      {DT_RELA, &Dynamic::rela},
      {DT_RELASZ, &Dynamic::relasz},
      {DT_RELAENT, &Dynamic::relaent},
      {DT_REL, &Dynamic::rel},
      {DT_RELSZ, &Dynamic::relsz},
      {DT_RELENT, &Dynamic::relent},
      {DT_JMPREL, &Dynamic::jmprel},
      {DT_PLTRELSZ, &Dynamic::pltrelsz},
      {DT_PLTREL, &Dynamic::pltrel},
      {DT_RELR, &Dynamic::relr},
      {DT_RELRSZ, &Dynamic::relrsz},
      {DT_RELRENT, &Dynamic::relrent},
      {DT_RELACOUNT, &Dynamic::relacount},
      {DT_RELCOUNT, &Dynamic::relcount},
      {DT_FLAGS, &Dynamic::flags},
      {DT_FLAGS_1, &Dynamic::flags_1},
  };
  for (const auto& [known, field] : kFields) {
    if (known == tag) return &(dynamic.*field);
  }
  return nullptr;
}

void note_entry(const Reader& reader, std::vector<StringWish>& wishes, std::uint64_t tag,
                std::uint64_t value) {
  Dynamic& dynamic = reader.object.dynamic;
  if (std::uint64_t* field = number_field(dynamic, tag)) *field = value;
  if (tag == DT_BIND_NOW) dynamic.has_bind_now = true;
  if (tag == DT_TEXTREL) dynamic.has_textrel = true;
  if (tag == DT_SYMBOLIC) dynamic.has_symbolic = true;
  if (tag == DT_RELR) dynamic.has_relr = true;
  note_string(wishes, tag, value);
}

void spread_flags(Dynamic& dynamic) {
  dynamic.has_bind_now |= (dynamic.flags & DF_BIND_NOW) != 0 || (dynamic.flags_1 & DF_1_NOW) != 0;
  dynamic.has_textrel |= (dynamic.flags & DF_TEXTREL) != 0;
  dynamic.has_symbolic |= (dynamic.flags & DF_SYMBOLIC) != 0;
  dynamic.has_static_tls = (dynamic.flags & DF_STATIC_TLS) != 0;
}

/// The entries are read from memory where PT_DYNAMIC is mapped, else from its place in the file.
struct EntrySource {
  const Segment& segment;
  bool is_mapped;

  std::optional<ByteView> at(const Reader& reader, std::uint64_t delta, std::uint64_t size) const {
    if (is_mapped) return reader.image.at_address(reader.address(segment.vaddr, delta), size);
    if (delta >= segment.filesz || segment.filesz - delta < size) return std::nullopt;
    const auto offset = checked_add(segment.offset, delta);
    return offset ? reader.image.at_offset(*offset, size) : std::nullopt;
  }
};

Error lies_nowhere(const Reader& reader, const Segment& segment) {
  const std::uint64_t size = reader.image.size();
  for (const Segment& load : reader.object.segments) {
    if (load.type == PT_LOAD && segment.vaddr >= load.vaddr &&
        segment.vaddr - load.vaddr < load.filesz) {
      return Error{ErrorCode::Truncated,
                   format("the file of {} bytes ends before PT_DYNAMIC", size),
                   {},
                   segment.offset,
                   {}};
    }
  }
  return Error{ErrorCode::Malformed,
               format("PT_DYNAMIC lies nowhere: no PT_LOAD holds its address 0x{:x}, and the file "
                      "of {} bytes ends before its offset",
                      segment.vaddr, size),
               {},
               segment.offset,
               {}};
}

}  // namespace

Result<void> read_dynamic_section(const Reader& reader, std::vector<StringWish>& wishes) {
  const Segment* segment = find_dynamic(reader.object);
  if (segment == nullptr) return {};
  reader.object.has_dynamic = true;
  const std::uint64_t size = reader.is_64bit() ? 16 : 8;
  const EntrySource entries{
      *segment, locate(reader.object.segments, reader.image.size(), segment->vaddr).has_value()};
  if (entries.is_mapped) {
    reader.image.prefetch_address(segment->vaddr, segment->filesz);
  } else {
    reader.image.prefetch(segment->offset, segment->filesz);
  }
  for (std::uint64_t delta = 0;; delta += size) {
    if (delta >= kDynamicLimit) {
      return fail(ErrorCode::LimitReached,
                  format("PT_DYNAMIC goes on after {} bytes", kDynamicLimit));
    }
    const auto bytes = entries.at(reader, delta, size);
    if (!bytes) {
      if (reader.image.failure()) return {};
      if (delta == 0) return fail(lies_nowhere(reader, *segment));
      reader.tell(ErrorCode::Truncated, "PT_DYNAMIC",
                  format("no DT_NULL in its {} readable entries", delta / size));
      break;
    }
    const Fields fields(*bytes, reader.endian(), reader.is_64bit());
    const std::uint64_t tag = fields.addr(0, 0);
    if (tag == DT_NULL) break;
    note_entry(reader, wishes, tag, fields.addr(4, 8));
  }
  spread_flags(reader.object.dynamic);
  return {};
}

namespace {

std::string_view tag_name(Use use) {
  switch (use) {
    case Use::Needed:
      return "DT_NEEDED";
    case Use::Auxiliary:
      return "DT_AUXILIARY";
    case Use::Filter:
      return "DT_FILTER";
    case Use::Soname:
      return "DT_SONAME";
    case Use::Rpath:
      return "DT_RPATH";
    case Use::Runpath:
      return "DT_RUNPATH";
    case Use::NeededFile:
      return "vn_file";
    case Use::NeededVersion:
      return "vna_name";
    case Use::DefinedVersion:
    case Use::DefinedParent:
      return "vda_name";
  }
  return "DT_STRTAB";
}

/// Fetches what the wishes from `first` on need, as far as it lies close together.
void prefetch_group(const Reader& reader, const std::vector<StringWish>& sorted,
                    std::size_t& first) {
  constexpr std::uint64_t kGap = 1024, kTail = 256;
  const std::uint64_t start = sorted[first].offset;
  std::uint64_t end = start;
  while (first < sorted.size() && sorted[first].offset - end <= kGap &&
         sorted[first].offset - start <= kGroup) {
    end = sorted[first].offset;
    ++first;
  }
  const std::uint64_t strtab = reader.object.dynamic.strtab;
  reader.image.prefetch_address(reader.address(strtab, start), end - start + kTail);
}

void put(ElfObject& object, const StringWish& wish, std::string text) {
  Dynamic& dynamic = object.dynamic;
  switch (wish.use) {
    case Use::Needed:
      dynamic.needed.push_back(std::move(text));
      dynamic.request_tags.push_back(DT_NEEDED);
      break;
    case Use::Auxiliary:
      dynamic.auxiliary.push_back(std::move(text));
      dynamic.request_tags.push_back(DT_AUXILIARY);
      break;
    case Use::Filter:
      dynamic.filter.push_back(std::move(text));
      dynamic.request_tags.push_back(DT_FILTER);
      break;
    case Use::Soname:
      dynamic.soname = std::move(text);
      break;
    case Use::Rpath:
      dynamic.rpath = std::move(text);
      break;
    case Use::Runpath:
      dynamic.runpath = std::move(text);
      break;
    case Use::NeededFile:
      object.needed_versions[wish.index].file = std::move(text);
      break;
    case Use::NeededVersion:
      object.needed_versions[wish.index].version = std::move(text);
      break;
    case Use::DefinedVersion:
      object.defined_versions[wish.index].version = std::move(text);
      break;
    case Use::DefinedParent:
      object.defined_versions[wish.index].parents.push_back(std::move(text));
      break;
  }
}

}  // namespace

void read_strings(const Reader& reader, const std::vector<StringWish>& wishes) {
  const Dynamic& dynamic = reader.object.dynamic;
  if (dynamic.strsz > kSmallTable) {
    std::vector<StringWish> sorted = wishes;
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.offset < b.offset; });
    for (std::size_t next = 0; next < sorted.size();) prefetch_group(reader, sorted, next);
  } else if (!wishes.empty()) {
    reader.image.prefetch_address(dynamic.strtab, dynamic.strsz);
  }
  for (const StringWish& wish : wishes) {
    auto text = reader.image.string_at(reader.address(dynamic.strtab, wish.offset));
    if (reader.image.failure()) return;
    if (!text) {
      reader.tell(ErrorCode::Malformed, tag_name(wish.use),
                  format("the string at offset 0x{:x} of DT_STRTAB does not end in mapped memory",
                         wish.offset));
      continue;
    }
    if (wish.offset >= dynamic.strsz || dynamic.strsz - wish.offset <= text->size()) {
      reader.tell(
          ErrorCode::Malformed, tag_name(wish.use),
          format("the string at offset 0x{:x} of DT_STRTAB ends past its {} bytes (DT_STRSZ)",
                 wish.offset, dynamic.strsz));
    }
    put(reader.object, wish, std::move(*text));
  }
}

}  // namespace loadable::elf
