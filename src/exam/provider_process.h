// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the process of a provider's plan says as a whole: stubs, releases, sets, copies, working
// directory.

#include "accel/facts.h"
#include "check/facts.h"
#include "exam/lookup.h"
#include "exam/scene.h"

namespace loadable::exam {

void add_stubs(Scene& scene, const accel::ProviderRun& run, check::Subject& subject);
/// The driver's libraries that are there all the same: the host supplies them at run time.
void add_drivers(const Scene& scene, const accel::ProviderRun& run, check::Subject& subject);
void add_foreign_releases(Scene& scene, Lookup& lookup, const accel::ProviderRun& run,
                          check::Subject& subject);
void add_mixed_sets(Scene& scene, const accel::ProviderRun& run, check::Subject& subject);
void add_shadows(Scene& scene, Lookup& lookup, const accel::ProviderRun& run,
                 check::Subject& subject);
void add_working_directory(Scene& scene, const accel::ProviderRun& run, check::Subject& subject);
/// Libraries that the lists of the provider's and its suppliers' distributions name and that are
/// gone or damaged, and that no lookup met.
void add_integrity(Scene& scene, Lookup& lookup, const accel::ProviderRun& run,
                   check::Subject& subject);

}  // namespace loadable::exam
