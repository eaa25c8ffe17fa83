// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the load plan of one provider, with and without the caller's variables, and gathers what the
// rules need to judge it.

#include <string>
#include <vector>

#include "accel/facts.h"
#include "accel/run.h"
#include "check/facts.h"
#include "exam/lookup.h"
#include "exam/scene.h"
#include "loader/process.h"
#include "python/environment.h"

namespace loadable::exam {

/// What a plan runs in: the interpreter of one environment.
struct Interpreter {
  const python::Environment* environment = nullptr;
  std::size_t index = 0;
};

/// Fills Scene::instances: whose files are hashed and whose plans run.
void find_instances(Scene& scene);

/// What an environment's plans run in.
[[nodiscard]] accel::RunContext run_context(const Scene& scene,
                                            const python::Environment& environment);

/// The facts of one provider. `started` is the interpreter's process with symbols and all traces.
check::Subject examine_provider(Scene& scene, Lookup& lookup, const Interpreter& interpreter,
                                const accel::ProviderInstance& instance,
                                const loader::Process& started);

/// The subject's head: title, weight, what was asked.
check::Subject provider_subject(const Scene& scene, const accel::ProviderInstance& instance);

}  // namespace loadable::exam
