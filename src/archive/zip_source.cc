// SPDX-License-Identifier: Apache-2.0
#include "archive/zip_source.h"

#include <algorithm>
#include <cstring>

namespace loadable::archive {
namespace {

constexpr std::size_t kWindow = std::size_t{16} << 10;

WindowedSource& source_of(voidpf stream) { return *static_cast<WindowedSource*>(stream); }
WrittenText& text_of(voidpf stream) { return *static_cast<WrittenText*>(stream); }

/// Where a seek leads, or nothing when it overflows.
std::optional<std::uint64_t> seek_target(std::uint64_t position, std::uint64_t size,
                                         ZPOS64_T offset, int origin) {
  switch (origin) {
    case ZLIB_FILEFUNC_SEEK_SET:
      return offset;
    case ZLIB_FILEFUNC_SEEK_CUR:
      return checked_add(position, offset);
    case ZLIB_FILEFUNC_SEEK_END:
      return checked_add(size, offset);
    default:
      return std::nullopt;
  }
}

long report(std::optional<std::uint64_t> target, std::uint64_t* position) {
  if (!target) return -1;
  *position = *target;
  return 0;
}

// The signatures of the functions below are minizip's.

voidpf open_stream(voidpf opaque, const void* /*name*/, int /*mode*/) { return opaque; }
int close_stream(voidpf /*opaque*/, voidpf /*stream*/) { return 0; }

uLong read_source(voidpf /*opaque*/, voidpf stream, void* buffer, uLong size) {
  return source_of(stream).read({static_cast<std::byte*>(buffer), size});
}
ZPOS64_T tell_source(voidpf /*opaque*/, voidpf stream) { return source_of(stream).position; }
long seek_source(voidpf /*opaque*/, voidpf stream, ZPOS64_T offset, int origin) {
  WindowedSource& source = source_of(stream);
  return report(seek_target(source.position, source.source->size(), offset, origin),
                &source.position);
}
int error_of_source(voidpf /*opaque*/, voidpf stream) {
  const WindowedSource& source = source_of(stream);
  return source.error || source.ended_early ? 1 : 0;
}
uLong refuse_write(voidpf /*opaque*/, voidpf /*stream*/, const void* /*buffer*/, uLong /*size*/) {
  return 0;
}

uLong refuse_read(voidpf /*opaque*/, voidpf /*stream*/, void* /*buffer*/, uLong /*size*/) {
  return 0;
}
uLong write_text(voidpf /*opaque*/, voidpf stream, const void* buffer, uLong size) {
  WrittenText& text = text_of(stream);
  const std::string_view bytes(static_cast<const char*>(buffer), size);
  if (text.position > text.text.size()) text.text.resize(text.position);
  text.text.replace(text.position, std::min<std::size_t>(size, text.text.size() - text.position),
                    bytes);
  text.position += size;
  return size;
}
ZPOS64_T tell_text(voidpf /*opaque*/, voidpf stream) { return text_of(stream).position; }
long seek_text(voidpf /*opaque*/, voidpf stream, ZPOS64_T offset, int origin) {
  WrittenText& text = text_of(stream);
  return report(seek_target(text.position, text.text.size(), offset, origin), &text.position);
}
int error_of_text(voidpf /*opaque*/, voidpf /*stream*/) { return 0; }

}  // namespace

std::size_t WindowedSource::read(std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size() && !error) {
    const std::uint64_t behind = position - window_begin;
    if (position < window_begin || behind >= window.size()) {
      window.resize(kWindow);
      const auto got = source->read_at(position, window);
      if (!got) {
        error = got.error();
        window.clear();
        break;
      }
      window.resize(*got);
      window_begin = position;
      if (*got == 0) break;
      continue;
    }
    const std::size_t here = std::min<std::size_t>(out.size() - done, window.size() - behind);
    std::memcpy(out.data() + done, window.data() + behind, here);
    done += here;
    position += here;
  }
  ended_early = done < out.size();
  return done;
}

zlib_filefunc64_def reading_from(WindowedSource& source) {
  return {open_stream, read_source,  refuse_write,    tell_source,
          seek_source, close_stream, error_of_source, &source};
}

zlib_filefunc64_def writing_to(WrittenText& text) {
  return {open_stream, refuse_read,  write_text,    tell_text,
          seek_text,   close_stream, error_of_text, &text};
}

}  // namespace loadable::archive
