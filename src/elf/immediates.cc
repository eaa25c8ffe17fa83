// SPDX-License-Identifier: Apache-2.0
// Encodings: Intel 64 manual, volume 2: REX prefix 0100WRXB, ModRM mod(2) reg(3) rm(3), SIB.
#include "elf/immediates.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace loadable::elf {

namespace {

constexpr std::size_t kWalk = 110;     // as measured: enough for every provider of onnxruntime-gpu
constexpr std::int64_t kLongest = 64;  // characters

std::uint8_t at_or_zero(ByteView code, std::size_t at) {
  return at < code.size() ? std::to_integer<std::uint8_t>(code[at]) : std::uint8_t{0};
}

/// A memory operand `disp(base)` without an index.
struct Operand {
  int base = 0;
  std::int64_t displacement = 0;
  int reg = 0;             ///< the other operand, or the opcode's extension
  std::size_t length = 0;  ///< bytes of ModRM, SIB and displacement
};

std::optional<Operand> read_operand(ByteView code, std::size_t at, std::uint8_t rex) {
  const std::uint8_t modrm = at_or_zero(code, at);
  const int mod = modrm >> 6, rm = modrm & 7;
  Operand operand;
  operand.reg = ((modrm >> 3) & 7) | ((rex & 4) != 0 ? 8 : 0);
  operand.length = 1;
  int base = rm;
  if (mod == 3 || (mod == 0 && rm == 5)) return std::nullopt;
  if (rm == 4) {
    const std::uint8_t sib = at_or_zero(code, at + 1);
    if (((sib >> 3) & 7) != 4 || (rex & 2) != 0) return std::nullopt;  // has an index
    base = sib & 7;
    if (mod == 0 && base == 5) return std::nullopt;
    ++operand.length;
  }
  operand.base = base | ((rex & 1) != 0 ? 8 : 0);
  if (mod == 1) {
    const std::int64_t value = at_or_zero(code, at + operand.length);
    operand.displacement = value < 0x80 ? value : value - 0x100;
    operand.length += 1;
  } else if (mod == 2) {
    const auto value = load<std::uint32_t>(code, at + operand.length, Endian::Little);
    if (!value) return std::nullopt;
    operand.displacement = static_cast<std::int32_t>(*value);
    operand.length += 4;
  }
  return operand;
}

/// What is known of the string: characters by their distance from its first one.
class Pieces {
 public:
  void put(std::int64_t at, std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i) {
      const std::int64_t place = at + i;
      if (place < 0 || place >= kLongest) continue;
      const auto index = static_cast<std::size_t>(place);
      if (known_[index]) continue;  // what was stored first is nearest to the head
      known_[index] = true;
      text_[index] = static_cast<char>((value >> (8 * i)) & 0xff);
    }
  }

  /// `length` is what the code stored as the size of the std::string, or 0.
  [[nodiscard]] BuiltName read(std::uint64_t length) const {
    BuiltName name;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (!known_[i]) {
        name.is_complete = length != 0 && name.text.size() == length;
        return name;
      }
      if (text_[i] == '\0') {
        name.is_complete = true;
        return name;
      }
      if (!is_name_character(text_[i])) return name;
      name.text += text_[i];
      if (name.text.size() == length) {
        name.is_complete = true;
        return name;
      }
    }
    return name;
  }

 private:
  std::array<char, kLongest> text_{};
  std::array<bool, kLongest> known_{};
};

/// Looks at the bytes after the head and collects what they store beside it.
class Walk {
 public:
  Walk(ByteView code, std::size_t at, int reg, std::uint64_t head)
      : code_(code), at_(at), head_register_(reg) {
    set(reg, head);
    pieces_.put(0, head, 8);
  }

  BuiltName run() {
    const std::size_t end = std::min(code_.size(), at_ + kWalk);
    std::size_t next = at_ + 8;
    while (next < end) next += std::max<std::size_t>(step(next), 1);
    return pieces_.read(length_);
  }

 private:
  void set(int reg, std::uint64_t value) {
    registers_[static_cast<std::size_t>(reg)] = value;
    is_set_[static_cast<std::size_t>(reg)] = true;
  }

  /// Length of the instruction at `at` if it is one of those sought, else 0.
  std::size_t step(std::size_t at) {
    const std::size_t start = at;
    const bool is_16bit = at_or_zero(code_, at) == 0x66;
    if (is_16bit) ++at;
    std::uint8_t rex = at_or_zero(code_, at);
    if ((rex & 0xf0) == 0x40) {
      ++at;
    } else {
      rex = 0;
    }
    const std::uint8_t opcode = at_or_zero(code_, at++);
    const int width = (rex & 8) != 0 ? 8 : is_16bit ? 2 : 4;
    if (opcode >= 0xb8 && opcode <= 0xbf && !is_16bit) {
      return load_register((opcode & 7) | ((rex & 1) != 0 ? 8 : 0), at, width, at - start);
    }
    if (opcode == 0x89) return store_register(at, rex, width, at - start);
    if (opcode == 0xc7) return store_immediate(at, rex, width, at - start);
    if (opcode == 0xc6 && !is_16bit) return store_immediate(at, rex, 1, at - start);
    return 0;
  }

  [[nodiscard]] std::optional<std::uint64_t> immediate(std::size_t at, int width) const {
    if (width == 8) return load<std::uint64_t>(code_, at, Endian::Little);
    if (width == 4) return load<std::uint32_t>(code_, at, Endian::Little);
    if (width == 2) return load<std::uint16_t>(code_, at, Endian::Little);
    return load<std::uint8_t>(code_, at, Endian::Little);
  }

  std::size_t load_register(int reg, std::size_t at, int width, std::size_t prefix) {
    const auto value = immediate(at, width);
    if (!value) return 0;
    set(reg, *value);
    return prefix + static_cast<std::size_t>(width);
  }

  std::size_t store_register(std::size_t at, std::uint8_t rex, int width, std::size_t prefix) {
    const auto operand = read_operand(code_, at, rex);
    if (!operand) return 0;
    const auto reg = static_cast<std::size_t>(operand->reg);
    if (!is_set_[reg]) return 0;
    if (!has_place_ && operand->reg == head_register_ && width == 8) {
      has_place_ = true;
      base_ = operand->base;
      place_ = operand->displacement;
    } else {
      store(*operand, registers_[reg], width);
    }
    return prefix + operand->length;
  }

  std::size_t store_immediate(std::size_t at, std::uint8_t rex, int width, std::size_t prefix) {
    const auto operand = read_operand(code_, at, rex);
    if (!operand || (operand->reg & 7) != 0) return 0;
    const int encoded = std::min(width, 4);
    const auto value = immediate(at + operand->length, encoded);
    if (!value) return 0;
    store(*operand, *value, width);
    return prefix + operand->length + static_cast<std::size_t>(encoded);
  }

  void store(const Operand& operand, std::uint64_t value, int width) {
    if (!has_place_ || operand.base != base_) return;
    // libstdc++'s std::string: pointer, size, then the characters themselves.
    const std::int64_t distance = operand.displacement - place_;
    if (distance == -8 && width == 8 && value < kLongest) length_ = value;
    pieces_.put(distance, value, width);
  }

  ByteView code_;
  std::size_t at_;
  std::array<std::uint64_t, 16> registers_{};
  std::array<bool, 16> is_set_{};
  int head_register_ = 0;
  bool has_place_ = false;
  int base_ = 0;
  std::int64_t place_ = 0;
  std::uint64_t length_ = 0;
  Pieces pieces_;
};

}  // namespace

std::optional<BuiltName> read_built_name(ByteView code, std::size_t at) {
  if (at < 2 || code.size() - at < 8) return std::nullopt;
  const std::uint8_t rex = at_or_zero(code, at - 2), opcode = at_or_zero(code, at - 1);
  if ((rex != 0x48 && rex != 0x49) || opcode < 0xb8 || opcode > 0xbf) return std::nullopt;
  const std::string_view head = as_text(code.subspan(at, 8));
  if (!std::all_of(head.begin(), head.end(), is_name_character)) return std::nullopt;
  const auto value = load<std::uint64_t>(code, at, Endian::Little);
  if (!value) return std::nullopt;
  return Walk(code, at, (opcode & 7) | ((rex & 1) != 0 ? 8 : 0), *value).run();
}

}  // namespace loadable::elf
