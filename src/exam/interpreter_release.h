// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which patch release an interpreter is, where only names of directories tell its series.

#include <cstddef>

#include "exam/scene.h"

namespace loadable::exam {

/// Completes `3.11` to `3.11.2` in the environment, when the program, or the libpython that it is
/// linked with, holds one release of that series and no other. Reads its read-only data.
void settle_release(Scene& scene, std::size_t environment);

}  // namespace loadable::exam
