// SPDX-License-Identifier: Apache-2.0
#include "accel/opened_names.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "accel/knowledge.h"
#include "base/format.h"

namespace loadable::accel {
namespace {

constexpr std::uint64_t kMaxConstants = std::uint64_t{1} << 30;
constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kMaxName = 128;
constexpr std::uint64_t kMaxSections = 4096;
constexpr std::uint64_t kMaxSectionNames = std::uint64_t{1} << 20;

/// A part of the file.
struct Range {
  std::uint64_t offset = 0, size = 0;
};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '+';
}

bool is_printable(char c) { return c >= 0x20 && c < 0x7f; }

struct Section {
  std::uint64_t name = 0, offset = 0, size = 0;
};

std::optional<Section> read_section(ByteView table, std::uint64_t at, const elf::Header& header) {
  const Endian endian = header.endian();
  const auto name = load<std::uint32_t>(table, at, endian);
  if (!name) return std::nullopt;
  if (header.is_64bit()) {
    const auto offset = load<std::uint64_t>(table, at + 24, endian);
    const auto size = load<std::uint64_t>(table, at + 32, endian);
    if (!offset || !size) return std::nullopt;
    return Section{*name, *offset, *size};
  }
  const auto offset = load<std::uint32_t>(table, at + 16, endian);
  const auto size = load<std::uint32_t>(table, at + 20, endian);
  if (!offset || !size) return std::nullopt;
  return Section{*name, *offset, *size};
}

// Section headers are a hint here: whatever is odd about them, the segments are looked at instead.
std::vector<Range> constant_sections(ByteSource& source, const elf::Header& header) {
  const std::uint64_t entry = header.is_64bit() ? 64 : 40;
  if (header.shoff == 0 || header.shentsize != entry || header.shnum > kMaxSections ||
      header.shstrndx >= header.shnum) {
    return {};
  }
  const auto table = read_exactly(source, header.shoff, entry * header.shnum, entry * kMaxSections);
  if (!table) return {};
  const auto names = read_section(*table, entry * header.shstrndx, header);
  if (!names) return {};
  const auto strings = read_exactly(source, names->offset, names->size, kMaxSectionNames);
  if (!strings) return {};
  std::vector<Range> ranges;
  for (std::uint64_t i = 1; i < header.shnum; ++i) {
    const auto section = read_section(*table, entry * i, header);
    if (!section) return {};
    const auto name = load_string(*strings, section->name);
    if (name && (name->starts_with(".rodata") || name->starts_with(".lrodata"))) {
      ranges.push_back({section->offset, section->size});
    }
  }
  return ranges;
}

std::vector<Range> constant_segments(const elf::ElfObject& object) {
  std::vector<Range> ranges;
  const auto strings = object.file_offset(object.dynamic.strtab, object.dynamic.strsz);
  for (const elf::Segment& segment : object.segments) {
    if (segment.type != elf::PT_LOAD || (segment.flags & elf::PF_W) != 0) continue;
    const std::uint64_t end = checked_add(segment.offset, segment.filesz).value_or(0);
    if (strings && *strings >= segment.offset && *strings < end) {
      ranges.push_back({segment.offset, *strings - segment.offset});
      const std::uint64_t rest = std::min(end, *strings + object.dynamic.strsz);
      ranges.push_back({rest, end - rest});
    } else {
      ranges.push_back({segment.offset, segment.filesz});
    }
  }
  return ranges;
}

/// Finds the names in blocks of bytes.
class Scanner {
 public:
  /// Looks at each ".so" from `at` on. Returns where to go on once more bytes follow: before the
  /// end for a string that may not be over.
  std::size_t scan(std::string_view block, std::size_t at) {
    while (true) {
      at = block.find(".so", at);
      if (at == std::string_view::npos)
        return block.size() - std::min<std::size_t>(block.size(), 2);
      std::size_t end = at + 3;
      while (end < block.size() && is_name_character(block[end])) ++end;
      if (end == block.size() && end - at < kMaxName) return at;
      if (end < block.size() && block[end] == '\0') keep(block, at, end);
      at = end;
    }
  }
  std::vector<std::string> names;

 private:
  void keep(std::string_view block, std::size_t at, std::size_t end) {
    std::size_t begin = at;
    while (begin > 0 && is_name_character(block[begin - 1]) && end - begin < kMaxName) --begin;
    if (begin > 0 && is_printable(block[begin - 1])) return;  // a sentence or a path
    const std::string name(block.substr(begin, end - begin));
    if (name.starts_with("lib") && seen_.insert(name).second) names.push_back(name);
  }

  std::set<std::string> seen_;
};

// Each block begins with the last bytes of the one before, so that no name is cut.
Result<bool> scan_range(ByteSource& source, const Range& range, std::vector<std::byte>& buffer,
                        Scanner& scanner) {
  std::uint64_t at = range.offset;
  std::uint64_t left = range.size;
  std::size_t kept = 0;
  std::size_t next = 0;
  while (left > 0) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size() - kept));
    const auto read = source.read_at(at, std::span(buffer).subspan(kept, wanted));
    if (!read) return fail(read.error());
    if (*read == 0) break;  // the file ends here, and so do its names
    const std::string_view block = as_text(ByteView(buffer).first(kept + *read));
    next = scanner.scan(block, next);
    at += *read;
    left -= *read;
    const std::size_t begin = next > kMaxName ? next - kMaxName : 0;
    kept = block.size() - begin;
    std::memmove(buffer.data(), buffer.data() + begin, kept);
    next -= begin;
  }
  return true;
}

}  // namespace

Result<std::vector<std::string>> library_names(ByteSource& source, const elf::ElfObject& object) {
  std::vector<Range> ranges = constant_sections(source, object.header);
  if (ranges.empty()) ranges = constant_segments(object);
  std::uint64_t total = 0;
  for (const Range& range : ranges) {
    total = checked_add(total, std::min(range.size, source.size())).value_or(kMaxConstants + 1);
  }
  if (total > kMaxConstants) {
    return fail(ErrorCode::LimitReached,
                format("{} bytes of constants, wanted at most {}", total, kMaxConstants));
  }
  Scanner scanner;
  std::vector<std::byte> buffer(
      static_cast<std::size_t>(std::min<std::uint64_t>(total + 4 * kMaxName, kChunk)));
  for (const Range& range : ranges) {
    if (const auto scanned = scan_range(source, range, buffer, scanner); !scanned) {
      return fail(scanned.error());
    }
  }
  return std::move(scanner.names);
}

std::vector<std::string> OpenedNames::fitting(const loader::File& file,
                                              const std::string& pattern) {
  const std::string& path = file.physical.text();
  auto found = known_.find(path);
  if (found == known_.end()) {
    std::vector<std::string> names;
    if (file.object) {
      if (auto source = store_.walk().open(file.physical)) {
        if (auto read = library_names(**source, *file.object)) names = std::move(*read);
      }
    }
    found = known_.emplace(path, std::move(names)).first;
  }
  std::vector<std::string> chosen;
  for (const std::string& name : found->second) {
    if (fits(pattern, name)) chosen.push_back(name);
  }
  return chosen;
}

}  // namespace loadable::accel
