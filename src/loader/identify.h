// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which loader serves an object. Internal; identify_loader is declared in process.h.

#include <string>

#include "loader/process.h"

namespace loadable::loader {

/// The loader that would be asked to load an object without PT_INTERP, as `ldd` asks it: the
/// machine's glibc, or its musl when the object needs musl's libc or only musl is there.
[[nodiscard]] std::string default_interpreter(Store& store, const elf::ElfObject& object);

}  // namespace loadable::loader
