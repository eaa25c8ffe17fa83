// SPDX-License-Identifier: Apache-2.0
#pragma once
// The order in which glibc relocates what a dlopen loads. Internal to this folder.

#include "loader/state.h"

namespace loadable::loader {

/// The members of `tree`, each before what it needs as far as cycles allow, `root` first: glibc
/// relocates them from the last to the first (l_initfini as _dl_sort_maps leaves it since 2.35,
/// where glibc.rtld.dynamic_sort is 2; of older releases the order is near that).
ObjectList dependency_order(const Process::State& state, ObjectIndex root, const ObjectList& tree);

}  // namespace loadable::loader
