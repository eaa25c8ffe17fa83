// SPDX-License-Identifier: Apache-2.0
#include "elf/object.h"

#include <algorithm>

#include "base/format.h"
#include "elf/image.h"
#include "elf/reader.h"

namespace loadable::elf {

namespace {

constexpr std::uint64_t kHeader32 = 52, kHeader64 = 64;
constexpr std::uint64_t kPhdr32 = 32, kPhdr64 = 56;
constexpr std::uint64_t kIdentSize = 16;
constexpr std::uint64_t kInterpreterLimit = 4096;  // PATH_MAX: more is ENOEXEC (Linux binfmt_elf)
constexpr std::size_t kDefectLimit = 100;
constexpr std::size_t kLoadLimit = 1000;  // every access looks through them; real objects have 10

std::uint64_t header_size(const Header& header) {
  return header.has_magic() && header.elf_class() == ELFCLASS32 ? kHeader32 : kHeader64;
}

/// `bytes` is what the file holds of its first 64 bytes.
Result<Header> decode_header(ByteView bytes) {
  Header header;
  if (bytes.size() < kIdentSize) {
    return fail(ErrorCode::Truncated, format("the file has {} bytes, the shortest ELF header {}",
                                             bytes.size(), kHeader32));
  }
  for (std::size_t i = 0; i < kIdentSize; ++i) {
    header.ident[i] = std::to_integer<std::uint8_t>(bytes[i]);
  }
  if (bytes.size() < header_size(header)) {
    return fail(ErrorCode::Truncated, format("the file has {} bytes, its ELF header {}",
                                             bytes.size(), header_size(header)));
  }
  if (!header.has_magic()) return header;
  const bool wide = header.is_64bit();
  const Fields fields(bytes, header.endian(), wide);
  header.type = fields.half(16);
  header.machine = fields.half(18);
  header.version = fields.word(20);
  header.entry = fields.addr(24, 24);
  header.phoff = fields.addr(28, 32);
  header.shoff = fields.addr(32, 40);
  const std::size_t at = wide ? 48 : 36;
  header.flags = fields.word(at);
  header.ehsize = fields.half(at + 4);
  header.phentsize = fields.half(at + 6);
  header.phnum = fields.half(at + 8);
  header.shentsize = fields.half(at + 10);
  header.shnum = fields.half(at + 12);
  header.shstrndx = fields.half(at + 14);
  return header;
}

std::optional<Error> check_ident(const Header& header) {
  if (!header.has_magic()) {
    return Error{ErrorCode::Malformed,
                 format("not an ELF file: it begins with {:02x} {:02x} {:02x} {:02x}",
                        header.ident[0], header.ident[1], header.ident[2], header.ident[3]),
                 {},
                 0,
                 {}};
  }
  if (header.elf_class() != ELFCLASS32 && header.elf_class() != ELFCLASS64) {
    return Error{ErrorCode::Malformed,
                 format("the ELF class is {}, 1 (32 bit) or 2 (64 bit) wanted", header.elf_class()),
                 {},
                 EI_CLASS,
                 {}};
  }
  if (header.data() != ELFDATA2LSB && header.data() != ELFDATA2MSB) {
    return Error{
        ErrorCode::Malformed,
        format("the byte order is {}, 1 (little endian) or 2 (big endian) wanted", header.data()),
        {},
        EI_DATA,
        {}};
  }
  return std::nullopt;
}

Segment decode_segment(ByteView bytes, const Header& header) {
  const Fields fields(bytes, header.endian(), header.is_64bit());
  Segment segment;
  segment.type = fields.word(0);
  segment.flags = fields.word(header.is_64bit() ? 4 : 24);
  segment.offset = fields.addr(4, 8);
  segment.vaddr = fields.addr(8, 16);
  segment.paddr = fields.addr(12, 24);
  segment.filesz = fields.addr(16, 32);
  segment.memsz = fields.addr(20, 40);
  segment.align = fields.addr(28, 48);
  return segment;
}

Result<void> read_segments(Image& image, ElfObject& object) {
  const Header& header = object.header;
  if (header.phnum == 0) return {};
  const std::uint64_t size = header.is_64bit() ? kPhdr64 : kPhdr32;
  if (header.phentsize < size) {
    return fail(ErrorCode::Malformed,
                format("e_phentsize is {}, {} wanted", header.phentsize, size));
  }
  const std::uint64_t table = std::uint64_t{header.phentsize} * header.phnum;
  if (header.phoff > image.size() || image.size() - header.phoff < table) {
    return fail(Error{ErrorCode::Malformed,
                      format("{} program headers of {} bytes at offset 0x{:x} lie outside of the "
                             "file of {} bytes",
                             header.phnum, header.phentsize, header.phoff, image.size()),
                      {},
                      header.phoff,
                      {}});
  }
  image.prefetch(header.phoff, table);
  object.segments.reserve(header.phnum);
  std::size_t loads = 0;
  for (std::uint64_t i = 0; i < header.phnum; ++i) {
    const auto bytes = image.at_offset(header.phoff + i * header.phentsize, size);
    if (!bytes) return {};  // the source failed, the caller sees it
    object.segments.push_back(decode_segment(*bytes, header));
    loads += object.segments.back().type == PT_LOAD ? 1 : 0;
    if (loads > kLoadLimit) {
      return fail(ErrorCode::LimitReached, format("more than {} PT_LOAD", kLoadLimit));
    }
  }
  return {};
}

void read_interpreter(const Reader& reader, const Segment& segment) {
  if (reader.object.interpreter) return;  // the kernel takes the first
  const std::uint64_t length = std::min(segment.filesz, kInterpreterLimit);
  const auto bytes = reader.image.at_offset(segment.offset, length);
  if (!bytes || length == 0) {
    return reader.tell(ErrorCode::Truncated, "PT_INTERP",
                       format("{} bytes at offset 0x{:x}, the file has {} bytes", segment.filesz,
                              segment.offset, reader.image.size()));
  }
  const std::string_view text = as_text(*bytes);
  const std::size_t end = text.find('\0');
  if (end == std::string_view::npos) {
    reader.tell(ErrorCode::Malformed, "PT_INTERP",
                format("no zero byte in its {} bytes", segment.filesz));
  }
  reader.object.interpreter = std::string(text.substr(0, end));
}

void read_other_segments(const Reader& reader) {
  ElfObject& object = reader.object;
  for (const Segment& segment : object.segments) {
    if (segment.type == PT_INTERP) read_interpreter(reader, segment);
    if (segment.type == PT_GNU_STACK) object.gnu_stack_flags = segment.flags;
    if (segment.type == PT_TLS) {
      object.tls_size = segment.memsz;
      object.tls_align = segment.align;
    }
  }
}

Result<void> read_parts(const Reader& reader) {
  std::vector<StringWish> wishes;
  read_other_segments(reader);
  if (auto done = read_dynamic_section(reader, wishes); !done) return done;
  if (auto done = read_version_tables(reader, wishes); !done) return done;
  read_strings(reader, wishes);
  read_notes(reader);
  return {};
}

}  // namespace

void Reader::tell(ErrorCode code, std::string_view field, std::string message) const {
  if (object.defects.size() >= kDefectLimit) return;
  object.defects.push_back({code, std::string(field), std::move(message)});
}

bool Header::has_magic() const {
  return ident[0] == 0x7f && ident[1] == 'E' && ident[2] == 'L' && ident[3] == 'F';
}

std::optional<std::uint64_t> ElfObject::file_offset(std::uint64_t address,
                                                    std::uint64_t length) const {
  const auto place = locate(segments, file_size, address);
  if (!place || place->in_file < length) return std::nullopt;
  return place->offset;
}

const Segment* ElfObject::truncated_segment() const {
  for (const Segment& segment : segments) {
    if (segment.type != PT_LOAD || segment.filesz == 0) continue;
    const auto end = checked_add(segment.offset, segment.filesz);
    if (!end || *end > file_size) return &segment;
  }
  return nullptr;
}

Result<Header> read_header(ByteSource& source) {
  std::array<std::byte, kHeader64> bytes{};
  std::size_t done = 0;
  while (done < bytes.size()) {
    auto count = source.read_at(done, std::span(bytes).subspan(done));
    if (!count) return fail(std::move(count.error()));
    if (*count == 0) break;
    done += *count;
  }
  return decode_header(ByteView(bytes).first(done));
}

Result<ElfObject> read_object(ByteSource& source) {
  Image image(source);
  ElfObject object;
  object.file_size = image.size();
  const auto first = image.at_offset(0, std::min(kHeader64, image.size()));
  if (image.failure()) return fail(*image.failure());
  auto header = decode_header(first.value_or(ByteView{}));
  if (!header) return fail(std::move(header.error()));
  object.header = *header;
  if (auto error = check_ident(object.header)) return fail(std::move(*error));
  if (auto done = read_segments(image, object); !done) return fail(std::move(done.error()));
  image.set_segments(object.segments);
  const auto parts = image.failure() ? Result<void>{} : read_parts({image, object});
  if (image.failure()) return fail(*image.failure());
  if (!parts) return fail(parts.error());
  return object;
}

std::string machine_name(std::uint16_t machine) {
  static constexpr std::pair<std::uint16_t, std::string_view> kNames[] = {
      {EM_SPARC, "sparc"},     {EM_386, "i386"},    {EM_68K, "m68k"},
      {EM_MIPS, "mips"},       {EM_PPC, "ppc"},     {EM_PPC64, "ppc64"},
      {EM_S390, "s390"},       {EM_ARM, "arm"},     {EM_SH, "sh"},
      {EM_SPARCV9, "sparcv9"}, {EM_IA_64, "ia64"},  {EM_X86_64, "x86_64"},
      {EM_AARCH64, "aarch64"}, {EM_RISCV, "riscv"}, {EM_LOONGARCH, "loongarch"},
      {EM_ALPHA, "alpha"},
  };
  for (const auto& [number, name] : kNames) {
    if (number == machine) return std::string(name);
  }
  return format("machine 0x{:04x}", machine);
}

}  // namespace loadable::elf
