// SPDX-License-Identifier: Apache-2.0
#include "elf/image.h"

#include <algorithm>
#include <iterator>

#include "base/format.h"

namespace loadable::elf {

namespace {

// Page caches are cold, and what is wanted of one place is small: copying pages took a tenth of the
// time of a check.
constexpr std::uint64_t kBlock = 1024;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kPrefetchLimit = 64 * 1024;
constexpr std::uint64_t kReadLimit = 1024 * 1024;
constexpr std::uint64_t kStringBytesLimit = 64 * 1024 * 1024;
constexpr std::size_t kBlocksKept = 32;

bool holds(const Segment& segment, std::uint64_t address) {
  return segment.type == PT_LOAD && address >= segment.vaddr &&
         address - segment.vaddr < std::max(segment.memsz, segment.filesz);
}

}  // namespace

std::optional<Place> locate(std::span<const Segment> segments, std::uint64_t file_size,
                            std::uint64_t address) {
  for (std::size_t i = segments.size(); i-- > 0;) {
    const Segment& segment = segments[i];
    if (!holds(segment, address)) continue;
    const std::uint64_t delta = address - segment.vaddr;
    const std::uint64_t memory = std::max(segment.memsz, segment.filesz) - delta;
    if (delta >= segment.filesz) return Place{0, 0, memory};
    const auto offset = checked_add(segment.offset, delta);
    if (!offset) return std::nullopt;
    const std::uint64_t wanted = segment.filesz - delta;
    const std::uint64_t there = *offset < file_size ? std::min(wanted, file_size - *offset) : 0;
    if (there == wanted) return Place{*offset, wanted, memory};
    const std::uint64_t page_rest = (kPage - file_size % kPage) % kPage;
    const std::uint64_t past_end = *offset > file_size ? *offset - file_size : 0;
    if (past_end >= page_rest) {
      if (there == 0) return std::nullopt;
      return Place{*offset, there, there};
    }
    return Place{*offset, there, std::min(memory, there + page_rest - past_end)};
  }
  return std::nullopt;
}

void Image::set_segments(std::span<const Segment> segments) {
  loads_.clear();
  std::copy_if(segments.begin(), segments.end(), std::back_inserter(loads_),
               [](const Segment& segment) { return segment.type == PT_LOAD; });
}

bool Image::read_block(std::uint64_t offset, std::uint64_t length) {
  if (failure_ || offset >= size_) return false;
  length = std::min(std::max(length, kBlock), size_ - offset);
  if (blocks_.size() < kBlocksKept) {
    blocks_.emplace_back();
    next_victim_ = blocks_.size() - 1;
  } else {
    next_victim_ = (next_victim_ + 1) % kBlocksKept;
  }
  Block& block = blocks_[next_victim_];
  last_hit_ = next_victim_;
  block.offset = offset;
  block.size = 0;
  if (block.capacity < length) {
    block.memory = std::make_unique_for_overwrite<std::byte[]>(length);
    block.capacity = length;
  }
  std::size_t& done = block.size;
  while (done < length) {
    auto count =
        source_.read_at(offset + done, std::span(block.memory.get() + done, length - done));
    if (!count) {
      failure_ = std::move(count.error());
      break;
    }
    if (*count == 0) break;  // somebody truncates the file at this moment
    done += *count;
  }
  return !failure_;
}

std::optional<ByteView> Image::cached(std::uint64_t offset, std::uint64_t length) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::size_t at = (last_hit_ + i) % blocks_.size();
    const Block& block = blocks_[at];
    if (offset < block.offset || offset - block.offset > block.size) continue;
    const std::uint64_t start = offset - block.offset;
    if (block.size - start < length) continue;
    last_hit_ = at;
    return block.bytes().subspan(start, length);
  }
  return std::nullopt;
}

std::optional<ByteView> Image::at_offset(std::uint64_t offset, std::uint64_t length) {
  if (length > kReadLimit || offset > size_ || size_ - offset < length) return std::nullopt;
  if (auto view = cached(offset, length)) return view;
  if (!read_block(offset, length)) return std::nullopt;
  return cached(offset, length);
}

std::optional<ByteView> Image::at_address(std::uint64_t address, std::uint64_t length) {
  const auto place = locate(loads_, size_, address);
  if (!place || place->in_memory < length || length > kReadLimit) return std::nullopt;
  if (place->in_file >= length) return at_offset(place->offset, length);
  scratch_.assign(length, std::byte{0});
  if (place->in_file > 0) {
    const auto part = at_offset(place->offset, place->in_file);
    if (!part) return std::nullopt;
    std::copy(part->begin(), part->end(), scratch_.begin());
  }
  return ByteView(scratch_);
}

ByteView Image::cached_tail(std::uint64_t offset) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[(last_hit_ + i) % blocks_.size()];
    if (offset < block.offset || offset - block.offset >= block.size) continue;
    return block.bytes().subspan(offset - block.offset);
  }
  return {};
}

bool Image::append_piece(std::uint64_t address, std::string& text, bool& ended) {
  const auto place = locate(loads_, size_, address);
  if (!place || place->in_memory == 0) return false;
  if (place->in_file == 0) {  // zero fill
    ended = true;
    return true;
  }
  ByteView piece = cached_tail(place->offset);
  if (piece.empty()) {
    if (!read_block(place->offset, std::clamp<std::uint64_t>(text.size(), kBlock, kPrefetchLimit)))
      return false;
    piece = cached_tail(place->offset);
  }
  const std::string_view seen = as_text(piece).substr(0, place->in_file);
  const std::size_t end = seen.find('\0');
  ended = end != std::string_view::npos;
  text.append(seen.substr(0, end));
  return !seen.empty();
}

std::optional<std::string> Image::string_at(std::uint64_t address) {
  std::string text;
  bool ended = false;
  while (!ended) {
    const auto at = checked_add(address, text.size());
    if (failure_ || !at || !append_piece(*at, text, ended)) return std::nullopt;
    if (string_bytes_ + text.size() > kStringBytesLimit) {
      failure_ = Error{
          ErrorCode::LimitReached,
          format("the strings of the object are longer than {} bytes in all", kStringBytesLimit),
          {},
          {},
          {}};
      return std::nullopt;
    }
  }
  string_bytes_ += text.size() + 1;
  return text;
}

void Image::prefetch(std::uint64_t offset, std::uint64_t length) {
  if (offset >= size_) return;
  length = std::min({length, size_ - offset, kPrefetchLimit});
  if (!cached(offset, length)) read_block(offset, length);
}

void Image::prefetch_address(std::uint64_t address, std::uint64_t length) {
  const auto place = locate(loads_, size_, address);
  if (place && place->in_file > 0) prefetch(place->offset, std::min(length, place->in_file));
}

}  // namespace loadable::elf
