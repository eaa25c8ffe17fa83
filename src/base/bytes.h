// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checked access to untrusted bytes: a source that is read in part, and a cursor over a block.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace loadable {

using ByteView = std::span<const std::byte>;

/// The bytes of a string, without a copy.
[[nodiscard]] ByteView as_bytes(std::string_view text);
/// The bytes as text, without a copy and without a check of encoding.
[[nodiscard]] std::string_view as_text(ByteView bytes);

/// Something that is read in part, such as a file. Nothing is mapped: another process may truncate
/// the file at any time, and then a read ends early, which is an error and not a signal.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Size in bytes when it was opened.
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Reads up to `out.size()` bytes at `offset`; returns how many (0 at or past the end).
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) = 0;
};

/// Reads exactly `length` bytes at `offset`. Errors: Truncated (fewer bytes there), LimitReached
/// (`length` over `limit`), whatever the source reports.
Result<std::vector<std::byte>> read_exactly(ByteSource& source, std::uint64_t offset,
                                            std::uint64_t length, std::uint64_t limit);

/// Reads all of a source as text. Errors: LimitReached (over `limit` bytes), the source's own.
Result<std::string> read_text(ByteSource& source, std::uint64_t limit);

/// A source over bytes in memory, which it owns.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  explicit MemorySource(std::string_view text);
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override;

 private:
  std::vector<std::byte> bytes_;
};

enum class Endian : std::uint8_t { Little, Big };

/// The unsigned integer at `offset`, or nothing if it does not lie wholly inside.
template <class T>
[[nodiscard]] std::optional<T> load(ByteView bytes, std::uint64_t offset, Endian endian) {
  static_assert(std::is_unsigned_v<T>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  const bool swap = (endian == Endian::Big) != (std::endian::native == std::endian::big);
  if constexpr (sizeof(T) == 2) {
    return swap ? __builtin_bswap16(value) : value;
  } else if constexpr (sizeof(T) == 4) {
    return swap ? __builtin_bswap32(value) : value;
  } else if constexpr (sizeof(T) == 8) {
    return swap ? __builtin_bswap64(value) : value;
  } else {
    return value;
  }
}

/// The NUL-terminated string at `offset`, without the NUL; nothing if it does not end inside.
[[nodiscard]] std::optional<std::string_view> load_string(ByteView bytes, std::uint64_t offset);

/// a + b, or nothing on overflow.
[[nodiscard]] std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b);
/// a * b, or nothing on overflow.
[[nodiscard]] std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b);

}  // namespace loadable
