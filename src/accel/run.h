// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the load plan of one provider in an emulated process: import, preloads, provider, and what
// the loaded libraries open by name later.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "accel/facts.h"
#include "accel/knowledge.h"
#include "accel/opened_names.h"
#include "base/result.h"
#include "loader/process.h"
#include "loader/store.h"
#include "python/environment.h"
#include "tree/walk.h"

namespace loadable::accel {

/// What a plan runs in.
struct RunContext {
  /// Where the packages lie, in the order of sys.path.
  std::vector<std::string> site_directories;
  /// `…/lib-dynload/_ctypes.cpython-311-x86_64-linux-gnu.so`; empty: built into the interpreter.
  std::string ctypes_module;
  std::vector<std::string> after;  ///< names of actions, as parse_after() accepts
  /// Release of the distribution that owns a path, empty: none does. May be empty.
  std::function<std::string(const std::string&)> release_of;
  /// Names read from the constants of libraries, kept from one run to the next; may be null.
  std::shared_ptr<OpenedNames> names;
};

/// The part of it that an environment tells: site directories and `_ctypes`.
RunContext context_of(const python::Environment& environment, tree::Walk& walk);

/// Runs the plan. `started` is the interpreter's process right after its start (a copy is used),
/// with `binds_symbols` set and `provided` from Knowledge::provided(). Cannot fail: what fails is
/// in the steps.
///
/// An any-of group is tried on forks: the process keeps the alternative that worked, else the trace
/// of StepRun::request alone, so that Process::missing() and failures() hold nothing that some step
/// does not answer for (by its result.step).
ProviderRun run_plan(const Knowledge& knowledge, const ProviderInstance& instance,
                     const loader::Process& started, loader::Store& store,
                     const RunContext& context);

}  // namespace loadable::accel
