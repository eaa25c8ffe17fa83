// SPDX-License-Identifier: Apache-2.0
#include "testing/elf_writer.h"

#include "base/bytes.h"

namespace loadable::testing {

void Writer::number(std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) {
    const int shift = 8 * (is_big_ ? width - 1 - i : i);
    bytes_.push_back(static_cast<std::byte>((value >> shift) & 0xff));
  }
}

void Writer::text(std::string_view text) {
  const ByteView view = as_bytes(text);
  bytes_.insert(bytes_.end(), view.begin(), view.end());
}

std::uint64_t Writer::align(std::uint64_t alignment) {
  bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
  return bytes_.size();
}

std::uint64_t StringTable::add(const std::string& text) {
  const auto [place, is_new] = places_.try_emplace(text, text_.size());
  if (is_new) text_.append(text).push_back('\0');
  return place->second;
}

}  // namespace loadable::testing
