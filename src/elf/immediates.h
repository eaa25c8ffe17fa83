// SPDX-License-Identifier: Apache-2.0
#pragma once
// A string that x86-64 code stores piece by piece:
//
//   movabs $"libcudnn",%rax;  mov %rax,0xc0(%rsp);  movabs $"dnn.so.9",%rax;  mov %rax,0xc5(%rsp)
//
// Internal to src/elf. Not a disassembler: it looks for the encodings of these stores after the
// first piece (onnxruntime-gpu 1.28 to 1.31.1, g++; operands overlap, other stores lie between).

#include <cstddef>
#include <optional>
#include <string>

#include "base/bytes.h"

namespace loadable::elf {

struct BuiltName {
  std::string text;          ///< as far as it is known
  bool is_complete = false;  ///< its end is known too
};

/// How many bytes after the first piece are looked at.
inline constexpr std::size_t kBuiltNameReach = 128;

/// `code[at]` is the first byte of an 8-byte operand "lib…". Nothing if no `movabs` stands before
/// it or one of the eight characters cannot be in a name.
[[nodiscard]] std::optional<BuiltName> read_built_name(ByteView code, std::size_t at);

/// May the character be in the file name of a library?
[[nodiscard]] constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '+';
}

}  // namespace loadable::elf
