// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of libraries that an object opens at run time, recovered from its bytes: they are in no
// table. Reads the whole of its read-only and executable segments, apart from device code.

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "elf/object.h"

namespace loadable::elf {

/// How a name was found, the surest first.
enum class NameOrigin : std::uint8_t {
  Literal,    ///< a whole zero-terminated string of a read-only segment
  Immediate,  ///< put together from operands of x86-64 instructions (g++ builds short strings so)
  Stem,       ///< only its beginning was found so: `libnvJitLink`, without `.so` or its version
  Mention,    ///< inside of a longer text: a message, a path, a list
};

struct RecoveredName {
  std::string name;  ///< `libcudnn.so.9`, `libnvrtc.so.%d` as written; of a Stem, what is known
  NameOrigin origin = NameOrigin::Literal;
  std::uint64_t offset = 0;  ///< in the file, of its first character
};

struct NameLimits {
  /// Beginnings of names that are worth telling although the rest is not found (`libcudnn`); one
  /// that is not in this list, and has no `.so` either, is taken for chance.
  std::vector<std::string> known_stems = {};
  std::uint64_t bytes = std::uint64_t{2} << 30;  ///< looked at
  std::size_t names = 10'000;
};

/// The names `lib*.so*` of every PT_LOAD that is not writable, each name once per origin, in file
/// order; DT_STRTAB and the containers of CUDA device code (.nv_fatbin) are passed over. Names that
/// an x86-64 object builds from immediate operands are searched in executable segments. What it
/// cannot see: names in 16-byte constants, built at run time, or built by other machines' code.
/// Memory: one block of 1 MiB. Errors: the source's own, LimitReached.
Result<std::vector<RecoveredName>> recover_names(ByteSource& source, const ElfObject& object,
                                                 const NameLimits& limits = {});

}  // namespace loadable::elf
