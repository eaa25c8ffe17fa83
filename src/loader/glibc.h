// SPDX-License-Identifier: Apache-2.0
#pragma once
// A process under glibc's loader: start and dlopen. Internal.

#include "loader/state.h"

namespace loadable::loader {

/// dl_main (elf/rtld.c) up to the program's first instruction. The program is member 0 already.
void start_glibc(Process::State& state);
/// dlopen (elf/dl-open.c). `caller`: the object whose tokens and paths count.
StepResult dlopen_glibc(Process::State& state, const std::string& request, ObjectIndex caller,
                        const DlopenOptions& options);

}  // namespace loadable::loader
