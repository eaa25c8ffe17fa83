// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

#include <algorithm>

#include "base/format.h"

namespace loadable {
namespace {

std::optional<Error> check_range(const ByteSource& source, std::uint64_t offset,
                                 std::uint64_t length, std::uint64_t limit) {
  if (length > limit) {
    return Error{ErrorCode::LimitReached,
                 format("{} bytes wanted, at most {} are read", length, limit),
                 {},
                 std::nullopt,
                 nullptr};
  }
  const std::uint64_t size = source.size();
  if (offset > size || size - offset < length) {
    return Error{ErrorCode::Truncated,
                 format("{} bytes wanted, the file has {} bytes", length, size),
                 {},
                 offset,
                 {}};
  }
  return std::nullopt;
}

std::optional<Error> fill(ByteSource& source, std::uint64_t offset, std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    auto count = source.read_at(offset + done, bytes.subspan(done));
    if (!count) return std::move(count.error());
    if (*count == 0) {
      return Error{ErrorCode::Truncated,
                   format("{} bytes wanted, {} read", bytes.size(), done),
                   {},
                   offset,
                   {}};
    }
    done += *count;
  }
  return std::nullopt;
}

}  // namespace

ByteView as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<std::vector<std::byte>> read_exactly(ByteSource& source, std::uint64_t offset,
                                            std::uint64_t length, std::uint64_t limit) {
  if (auto error = check_range(source, offset, length, limit)) return fail(std::move(*error));
  std::vector<std::byte> bytes(length);
  if (auto error = fill(source, offset, bytes)) return fail(std::move(*error));
  return bytes;
}

Result<std::string> read_text(ByteSource& source, std::uint64_t limit) {
  const std::uint64_t length = source.size();
  if (auto error = check_range(source, 0, length, limit)) return fail(std::move(*error));
  std::string text(length, '\0');
  const auto bytes = std::as_writable_bytes(std::span(text));
  if (auto error = fill(source, 0, bytes)) return fail(std::move(*error));
  return text;
}

MemorySource::MemorySource(std::string_view text) {
  const ByteView view = as_bytes(text);
  bytes_.assign(view.begin(), view.end());
}

Result<std::size_t> MemorySource::read_at(std::uint64_t offset, std::span<std::byte> out) {
  if (offset >= bytes_.size()) return std::size_t{0};
  const std::size_t count = std::min(out.size(), bytes_.size() - static_cast<std::size_t>(offset));
  std::memcpy(out.data(), bytes_.data() + offset, count);
  return count;
}

std::optional<std::string_view> load_string(ByteView bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return std::nullopt;
  const std::string_view tail = as_text(bytes).substr(offset);
  const std::size_t end = tail.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return tail.substr(0, end);
}

std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

}  // namespace loadable
