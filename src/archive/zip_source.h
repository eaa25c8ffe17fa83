// SPDX-License-Identifier: Apache-2.0
#pragma once
// What minizip reads from and writes to: a ByteSource behind a window, and a string. Internal to
// this folder.

#include <minizip/ioapi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace loadable::archive {

/// minizip asks byte by byte; the window makes one read of that. Remembers the first error.
struct WindowedSource {
  explicit WindowedSource(std::unique_ptr<ByteSource> a_source) : source(std::move(a_source)) {}

  /// Copies up to `out.size()` bytes from `position` on, and moves it.
  std::size_t read(std::span<std::byte> out);

  std::unique_ptr<ByteSource> source;
  std::uint64_t position = 0;
  std::uint64_t window_begin = 0;
  std::vector<std::byte> window;
  std::optional<Error> error;
  bool ended_early = false;  ///< of the last read: minizip takes an end of the file for zeros
};

/// The functions by which minizip reads from `source`, which must outlive them.
[[nodiscard]] zlib_filefunc64_def reading_from(WindowedSource& source);

/// A file in memory that is being written.
struct WrittenText {
  std::string text;
  std::uint64_t position = 0;
};
[[nodiscard]] zlib_filefunc64_def writing_to(WrittenText& text);

}  // namespace loadable::archive
