// SPDX-License-Identifier: Apache-2.0
// PT_NOTE and PT_GNU_PROPERTY.
//
//   note:      namesz32 descsz32 type32 name[namesz] pad desc[descsz] pad   (padded to p_align 4,
//   8) property:  type32 datasz32 data[datasz] pad                  (padded to 8, in 32-bit objects
//   4)
//
// The owner "FDO" with type 0x407c0c0a is .note.dlopen (uapi-group.org, "ELF dlopen metadata").

#include <algorithm>

#include "base/format.h"
#include "elf/reader.h"

namespace loadable::elf {

namespace {

constexpr std::size_t kNoteLimit = 10'000;  // of all segments: notes are counted in tens
constexpr std::uint64_t kHeaderSize = 12;
constexpr std::uint64_t kNameLimit = 64;               // the longest known owner has 18 bytes
constexpr std::uint64_t kDescriptorLimit = 64 * 1024;  // of those that are read
constexpr std::size_t kDlopenNoteLimit = 256;

struct Note {
  std::string_view owner;
  std::uint32_t type = 0;
  std::uint64_t descriptor = 0, descriptor_size = 0;  // place in the file
};

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// What a property note says is kept only from the first one that is read, as glibc does
/// (2.36 sysdeps/x86/dl-prop.h): PT_GNU_PROPERTY before PT_NOTE.
void read_properties(const Reader& reader, ByteView descriptor) {
  const std::uint64_t alignment = reader.is_64bit() ? 8 : 4;
  const Fields fields(descriptor, reader.endian(), reader.is_64bit());
  const std::uint16_t machine = reader.object.header.machine;
  const bool is_x86 = machine == EM_X86_64 || machine == EM_386;
  std::uint64_t at = 0;
  std::uint32_t last_type = 0;
  while (descriptor.size() - at >= 8) {
    const std::uint32_t type = fields.word(at), size = fields.word(at + 4);
    at += 8;
    // Types are in ascending order; the first thing that is wrong ends the list.
    if (type < last_type || size > descriptor.size() - at) return;
    last_type = type;
    if (size == 4 && is_x86 && type == GNU_PROPERTY_X86_ISA_1_NEEDED) {
      reader.object.isa_needed = fields.word(at);
    }
    if (size == 4 && ((is_x86 && type == GNU_PROPERTY_X86_FEATURE_1_AND) ||
                      (machine == EM_AARCH64 && type == GNU_PROPERTY_AARCH64_FEATURE_1_AND))) {
      reader.object.features_1 = fields.word(at);
    }
    at = std::min<std::uint64_t>(align_up(at + size, alignment), descriptor.size());
  }
}

class NoteReader {
 public:
  explicit NoteReader(const Reader& reader) : reader_(reader) {}

  void read_segment(const Segment& segment) {
    const std::uint64_t size = reader_.image.size();
    if (segment.offset > size || size - segment.offset < segment.filesz) {
      reader_.tell(ErrorCode::Truncated, "PT_NOTE",
                   format("{} bytes at offset 0x{:x}, the file has {} bytes", segment.filesz,
                          segment.offset, size));
    }
    if (segment.offset >= size) return;
    const std::uint64_t end = segment.offset + std::min(segment.filesz, size - segment.offset);
    const std::uint64_t alignment = segment.align == 8 ? 8 : 4;
    std::uint64_t at = segment.offset;
    while (end - at >= kHeaderSize) {
      if (++notes_seen_ > kNoteLimit) {
        return reader_.tell(ErrorCode::LimitReached, "PT_NOTE",
                            format("more than {} notes, the others are not read", kNoteLimit));
      }
      const auto next = read_note(at, end, alignment);
      if (!next || reader_.image.failure()) return;
      at = *next;
    }
  }

 private:
  /// The place of the next note; nothing when there is none.
  std::optional<std::uint64_t> read_note(std::uint64_t at, std::uint64_t end,
                                         std::uint64_t alignment) {
    const std::uint64_t start = at;
    const auto header = reader_.image.at_offset(at, kHeaderSize);
    if (!header) return std::nullopt;
    const Fields fields(*header, reader_.endian(), reader_.is_64bit());
    const std::uint64_t name_size = fields.word(0), size = fields.word(4);
    const std::uint32_t type = fields.word(8);
    // Distances count from the note's begin: p_align 8 pads the header of 12 and the name to 8.
    const std::uint64_t descriptor = start + align_up(kHeaderSize + name_size, alignment);
    if (descriptor > end || end - descriptor < size) {
      reader_.tell(ErrorCode::Truncated, "PT_NOTE",
                   format("the note at offset 0x{:x} ends at 0x{:x}, its segment at 0x{:x}", start,
                          descriptor + size, end));
      return std::nullopt;
    }
    if (name_size > 0 && name_size <= kNameLimit) {
      if (const auto name = reader_.image.at_offset(start + kHeaderSize, name_size)) {
        const std::string owner(as_text(*name).substr(0, as_text(*name).find('\0')));
        take({owner, type, descriptor, size});
      }
    }
    const std::uint64_t next = descriptor + align_up(size, alignment);
    return next < end ? std::optional(next) : std::nullopt;
  }

  void take(const Note& note) {
    if (note.owner == "GNU") {
      take_gnu(note);
    } else if (note.owner == "FDO" && note.type == NT_FDO_DLOPEN_METADATA) {
      if (auto text = descriptor(note); text && notes().size() < kDlopenNoteLimit) {
        const std::string_view json = as_text(*text);
        notes().emplace_back(json.substr(0, json.find('\0')));
      }
    } else if (note.owner == "NVIDIA Corporation") {
      const auto text = descriptor(note);
      reader_.object.has_cuda_forward_compatibility_note |=
          text && as_text(*text).find("CUDA Version") != std::string_view::npos;
    }
  }

  void take_gnu(const Note& note) {
    ElfObject& object = reader_.object;
    if (note.type == NT_GNU_BUILD_ID && !object.build_id) {
      if (const auto bytes = descriptor(note))
        object.build_id.emplace(bytes->begin(), bytes->end());
    } else if (note.type == NT_GNU_ABI_TAG && note.descriptor_size >= 16 && !object.abi_tag) {
      if (const auto bytes = descriptor(note)) {
        const Fields fields(*bytes, reader_.endian(), reader_.is_64bit());
        object.abi_tag = {fields.word(0), fields.word(4), fields.word(8), fields.word(12)};
      }
    } else if (note.type == NT_GNU_PROPERTY_TYPE_0 && !has_properties_) {
      if (const auto bytes = descriptor(note)) {
        has_properties_ = true;
        read_properties(reader_, *bytes);
      }
    }
  }

  std::vector<std::string>& notes() { return reader_.object.dlopen_notes; }

  std::optional<ByteView> descriptor(const Note& note) {
    if (note.descriptor_size > kDescriptorLimit) {
      reader_.tell(ErrorCode::LimitReached, "PT_NOTE",
                   format("the note of \"{}\" has {} bytes, at most {} are read", note.owner,
                          note.descriptor_size, kDescriptorLimit));
      return std::nullopt;
    }
    return reader_.image.at_offset(note.descriptor, note.descriptor_size);
  }

  const Reader& reader_;
  bool has_properties_ = false;
  std::size_t notes_seen_ = 0;
};

}  // namespace

void read_notes(const Reader& reader) {
  NoteReader notes(reader);
  for (const std::uint32_t type : {PT_GNU_PROPERTY, PT_NOTE}) {
    for (const Segment& segment : reader.object.segments) {
      if (segment.type == type && !reader.image.failure()) notes.read_segment(segment);
    }
  }
}

}  // namespace loadable::elf
