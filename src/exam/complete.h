// SPDX-License-Identifier: Apache-2.0
#pragma once
// Is the examination complete? Not when something that could not be looked at is what a required
// provider's shipped, intact or loadable rests on.

#include "check/model.h"
#include "exam/scene.h"

namespace loadable::exam {

/// Fills incidents and is_complete.
void settle_completeness(const Scene& scene, check::Report& report);

}  // namespace loadable::exam
