// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bytes of an object, by offset in its file and by address as a loader would see them mapped.
// Internal to src/elf. Reads small pieces and keeps the last ones: most objects need three reads.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "elf/object.h"

namespace loadable::elf {

/// Where the bytes at an address come from.
struct Place {
  std::uint64_t offset = 0;     ///< in the file
  std::uint64_t in_file = 0;    ///< so many bytes from there are in the file
  std::uint64_t in_memory = 0;  ///< so many bytes are mapped; those past `in_file` are zero
};

/// The place of `address`. Where segments overlap the last one holds it, because loaders map them
/// in order, each over the earlier ones (mmap MAP_FIXED). Pages wholly past the end of the file
/// are not there (reading them is SIGBUS); the rest of its last page reads as zero.
[[nodiscard]] std::optional<Place> locate(std::span<const Segment> segments,
                                          std::uint64_t file_size, std::uint64_t address);

class Image {
 public:
  explicit Image(ByteSource& source) : source_(source), size_(source.size()) {}

  /// From now on addresses are found through the PT_LOADs of these.
  void set_segments(std::span<const Segment> segments);
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// The bytes at a file offset; nothing if they are not all there or the source failed (see
  /// failure()). The view is good until the next call. `length` is at most 1 MiB.
  std::optional<ByteView> at_offset(std::uint64_t offset, std::uint64_t length);
  /// The bytes at an address, as mapped: past p_filesz they are zero.
  std::optional<ByteView> at_address(std::uint64_t address, std::uint64_t length);
  /// The string at an address, without its NUL; nothing if it does not end in mapped memory.
  std::optional<std::string> string_at(std::uint64_t address);

  /// Reads ahead in one piece; `length` is cut to the file and to 64 KiB.
  void prefetch(std::uint64_t offset, std::uint64_t length);
  void prefetch_address(std::uint64_t address, std::uint64_t length);

  /// The error of the source, or of the limit on strings: everything after it came back empty.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

 private:
  struct Block {
    std::uint64_t offset = 0;
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0, capacity = 0;
    [[nodiscard]] ByteView bytes() const { return {memory.get(), size}; }
  };

  std::optional<ByteView> cached(std::uint64_t offset, std::uint64_t length);
  [[nodiscard]] ByteView cached_tail(std::uint64_t offset) const;
  bool read_block(std::uint64_t offset, std::uint64_t length);
  bool append_piece(std::uint64_t address, std::string& text, bool& ended);

  ByteSource& source_;
  std::uint64_t size_;
  std::vector<Segment> loads_;
  std::vector<Block> blocks_;
  std::size_t last_hit_ = 0;
  std::size_t next_victim_ = 0;
  std::vector<std::byte> scratch_;
  std::uint64_t string_bytes_ = 0;
  std::optional<Error> failure_;
};

}  // namespace loadable::elf
