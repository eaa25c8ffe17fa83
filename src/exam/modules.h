// SPDX-License-Identifier: Apache-2.0
#pragma once
// Everything that is no provider: extension modules in a fork of the interpreter's process, private
// libraries through the modules that need them, programs and libraries of a root as their own.

#include <unordered_set>
#include <vector>

#include "check/facts.h"
#include "exam/lookup.h"
#include "exam/scene.h"
#include "loader/process.h"
#include "python/environment.h"

namespace loadable::exam {

/// Files that some process has loaded by now: what is judged already.
using Loaded = std::unordered_set<const loader::File*>;

/// Judges the objects of one environment. `started` is the interpreter's process. What is in
/// `loaded` is left out where it is no extension module: a provider's subject covers it.
std::vector<check::Subject> examine_modules(Scene& scene, Lookup& lookup, std::size_t environment,
                                            const loader::Process& started, Loaded& loaded);

/// Judges programs of a root, each in its own process, and the libraries that none of them loads.
std::vector<check::Subject> examine_programs(Scene& scene, Lookup& lookup, Loaded& loaded);

}  // namespace loadable::exam
