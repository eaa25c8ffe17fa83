// SPDX-License-Identifier: Apache-2.0
#pragma once
// The order in which glibc relocates what a program start or a dlopen loads. Internal to this
// folder.

#include "loader/state.h"

namespace loadable::loader {

/// The members of `tree`, the loader relocates them from the last to the first: each before what it
/// needs, as far as cycles allow (_dl_sort_maps). Since 2.35 depth first, `root` at the front
/// (glibc.rtld.dynamic_sort is 2). Before, by moving each behind the last that needs it; `fresh`:
/// what a dlopen has mapped, in the order of the link map, of which `root` is then one like others.
/// Empty: a program start, of which `tree` is the whole and `root` stays in front.
ObjectList dependency_order(const Process::State& state, ObjectIndex root, const ObjectList& tree,
                            const ObjectList& fresh);

}  // namespace loadable::loader
