// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the load plan of one provider in an emulated process: import, preloads, provider, and what
// the loaded libraries open by name later.

#include <string>
#include <vector>

#include "accel/facts.h"
#include "accel/knowledge.h"
#include "base/result.h"
#include "loader/process.h"
#include "loader/store.h"

namespace loadable::accel {

/// What a plan runs in.
struct RunContext {
  /// Where the packages lie, in the order of sys.path.
  std::vector<std::string> site_packages;
  /// `…/lib-dynload/_ctypes.cpython-311-x86_64-linux-gnu.so`; empty: built into the interpreter.
  std::string ctypes_module;
  std::vector<std::string> after;     ///< names of actions, as parse_after() accepts
  std::vector<std::string> provided;  ///< patterns of --provided
};

/// Runs the plan. `started` is the interpreter's process right after its start (a copy is used),
/// with `binds_symbols` set and `provided` from Knowledge::provided(). Cannot fail: what fails is
/// in the steps.
ProviderRun run_plan(const Knowledge& knowledge, const ProviderInstance& instance,
                     const loader::Process& started, loader::Store& store,
                     const RunContext& context);

}  // namespace loadable::accel
