// SPDX-License-Identifier: Apache-2.0
#include "elf/names.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "elf/immediates.h"

namespace loadable::elf {

namespace {

constexpr std::uint64_t kBlock = 1024 * 1024;
constexpr std::uint64_t kFirstBlock = 4096;  // after device code: often more of it follows
constexpr std::size_t kLeft = 16;            // context kept before a place
constexpr std::size_t kRight = 512;          // and after it
constexpr std::size_t kLongestName = 255;    // NAME_MAX
constexpr std::size_t kFatBinaryHeader = 16;
constexpr std::string_view kFatBinaryMagic = "\x50\xed\x55\xba";  // 0xba55ed50, little endian

/// A part of the file to look at.
struct Range {
  std::uint64_t begin = 0, end = 0;
  bool is_code = false;
};

std::vector<Range> ranges_of(const ElfObject& object) {
  const auto strings = object.file_offset(object.dynamic.strtab, 1);
  std::vector<Range> ranges;
  for (const Segment& segment : object.segments) {
    if (segment.type != PT_LOAD || (segment.flags & PF_W) != 0) continue;
    if (segment.offset >= object.file_size) continue;
    const std::uint64_t end =
        segment.offset + std::min(segment.filesz, object.file_size - segment.offset);
    Range range{segment.offset, end, (segment.flags & PF_X) != 0};
    if (strings && *strings >= range.begin && *strings < end) {
      ranges.push_back({range.begin, *strings, range.is_code});
      range.begin = *strings + std::min(object.dynamic.strsz, end - *strings);
    }
    ranges.push_back(range);
  }
  return ranges;
}

/// Does text go on to the left? A string may also begin right behind numbers of a table.
bool is_text(char c) { return c == '\t' || c == '\n' || (c >= 0x20 && c < 0x7f); }

class NameScanner {
 public:
  NameScanner(ByteSource& source, const ElfObject& object, const NameLimits& limits)
      : source_(source), object_(object), limits_(limits) {}

  Result<std::vector<RecoveredName>> run() {
    for (const Range& range : ranges_of(object_)) {
      if (auto done = scan(range); !done) return fail(std::move(done.error()));
    }
    std::stable_sort(names_.begin(), names_.end(),
                     [](const auto& a, const auto& b) { return a.offset < b.offset; });
    return std::move(names_);
  }

 private:
  /// Goes through the range block by block; a block overlaps the one before, so that every place
  /// is looked at once, with what stands around it.
  Result<void> scan(const Range& range) {
    std::uint64_t next = range.begin;  // the first place not looked at yet
    std::uint64_t block = kBlock;
    while (next < range.end) {
      const std::uint64_t start = next - std::min<std::uint64_t>(kLeft, next - range.begin);
      const std::uint64_t size = std::min(block, range.end - start);
      if (auto done = read_block(start, size); !done) return done;
      const bool is_last = start + block_.size() >= range.end || block_.size() < size;
      const std::uint64_t stop = start + block_.size() - (is_last ? 0 : kRight);
      if (stop <= next) return {};
      next = scan_block(range, start, next, stop);
      if (block_.size() < size) return {};  // the file is shorter now
      block = next > stop ? kFirstBlock : std::min(2 * block, kBlock);
      if (names_.size() > limits_.names) {
        return fail(ErrorCode::LimitReached,
                    format("more than {} names of libraries", limits_.names));
      }
    }
    return {};
  }

  Result<void> read_block(std::uint64_t start, std::uint64_t size) {
    bytes_read_ += size;
    if (bytes_read_ > limits_.bytes) {
      return fail(ErrorCode::LimitReached,
                  format("more than {} bytes to look for names in", limits_.bytes));
    }
    block_.resize(size);
    std::size_t done = 0;
    while (done < size) {
      auto count = source_.read_at(start + done, std::span(block_).subspan(done));
      if (!count) return fail(std::move(count.error()));
      if (*count == 0) break;
      done += *count;
    }
    block_.resize(done);
    return {};
  }

  /// Looks at the places [next, stop) of the block; returns the first place to look at afterwards,
  /// which lies past `stop` when device code is passed over.
  std::uint64_t scan_block(const Range& range, std::uint64_t start, std::uint64_t next,
                           std::uint64_t stop) {
    while (next < stop) {
      const auto device_code = find_device_code(range, start, next, stop);
      scan_places(range, start, next, device_code ? device_code->first : stop);
      if (!device_code) return stop;
      next = device_code->second;
    }
    return next;
  }

  /// The next container of device code: magic32, version16 1, header size16 16, size64, content.
  /// Compressed machine code holds no names and is most of a large library.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> find_device_code(const Range& range,
                                                                          std::uint64_t start,
                                                                          std::uint64_t next,
                                                                          std::uint64_t stop) {
    const std::string_view text = as_text(block_);
    for (std::size_t at = next - start;; ++at) {
      at = text.find(kFatBinaryMagic, at);
      if (at == std::string_view::npos || start + at >= stop) return std::nullopt;
      const auto version = load<std::uint32_t>(block_, at + 4, Endian::Little);
      const auto size = load<std::uint64_t>(block_, at + 8, Endian::Little);
      if (version != 0x00100001U || !size) continue;
      const std::uint64_t begin = start + at;
      const std::uint64_t rest = range.end - begin;
      if (rest < kFatBinaryHeader || *size > rest - kFatBinaryHeader) continue;
      return std::pair(begin, begin + kFatBinaryHeader + *size);
    }
  }

  void scan_places(const Range& range, std::uint64_t start, std::uint64_t next,
                   std::uint64_t stop) {
    const std::string_view text = as_text(block_);
    for (std::size_t at = next - start;; ++at) {
      at = text.find("lib", at);
      if (at == std::string_view::npos || start + at >= stop) return;
      if (range.is_code && object_.header.machine == EM_X86_64) look_at_code(start, at);
      look_at_text(start, at);
    }
  }

  void look_at_code(std::uint64_t start, std::size_t at) {
    const auto built = read_built_name(block_, at);
    if (!built) return;
    const std::size_t suffix = built->text.find(".so");
    if (built->is_complete && suffix != std::string::npos) {
      return add(built->text, NameOrigin::Immediate, start + at);
    }
    if (built->is_complete) return;
    if (suffix != std::string::npos) {
      return add(built->text.substr(0, suffix), NameOrigin::Stem, start + at);
    }
    // The longest known stem that agrees with all that was found.
    const std::string* best = nullptr;
    for (const std::string& stem : limits_.known_stems) {
      const std::size_t common = std::min(stem.size(), built->text.size());
      if (common < 8 || stem.compare(0, common, built->text, 0, common) != 0) continue;
      if (best == nullptr || stem.size() < best->size()) best = &stem;
    }
    if (best != nullptr) add(*best, NameOrigin::Stem, start + at);
  }

  void look_at_text(std::uint64_t start, std::size_t at) {
    const std::string_view text = as_text(block_);
    const char before = at > 0 ? text[at - 1] : '\0';
    if (is_name_character(before)) return;
    const std::string_view rest = text.substr(at, kLongestName + 1);
    const auto end = std::find_if_not(rest.begin(), rest.end(),
                                      [](char c) { return is_name_character(c) || c == '%'; });
    std::string_view name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    if (name.size() > kLongestName) return;
    const bool ends = name.size() < rest.size() && rest[name.size()] == '\0';
    const std::size_t length = name.size();
    while (name.ends_with('.')) name.remove_suffix(1);  // of a sentence
    const std::size_t suffix = name.find(".so");
    if (suffix == std::string_view::npos || suffix <= 3) return;
    const std::string_view version = name.substr(suffix + 3);
    if (!version.empty() && version.front() != '.') return;
    const bool is_whole = !is_text(before) && ends && name.size() == length;
    add(std::string(name), is_whole ? NameOrigin::Literal : NameOrigin::Mention, start + at);
  }

  void add(const std::string& name, NameOrigin origin, std::uint64_t offset) {
    if (seen_.emplace(name, origin).second) names_.push_back({name, origin, offset});
  }

  ByteSource& source_;
  const ElfObject& object_;
  const NameLimits& limits_;
  std::vector<std::byte> block_;
  std::uint64_t bytes_read_ = 0;
  std::vector<RecoveredName> names_;
  std::set<std::pair<std::string, NameOrigin>> seen_;
};

}  // namespace

Result<std::vector<RecoveredName>> recover_names(ByteSource& source, const ElfObject& object,
                                                 const NameLimits& limits) {
  return NameScanner(source, object, limits).run();
}

}  // namespace loadable::elf
