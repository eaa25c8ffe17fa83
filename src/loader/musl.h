// SPDX-License-Identifier: Apache-2.0
#pragma once
// A process under musl's loader (ldso/dynlink.c of 1.1 to 1.2.6): another search, other names,
// other refusals than glibc's. Internal.

#include "loader/state.h"

namespace loadable::loader {

/// Program start, as `ld-musl --list` shows it. The program is member 0 already.
void start_musl(Process::State& state);
/// dlopen. Who calls it does not matter: the program's rpath counts.
StepResult dlopen_musl(Process::State& state, const std::string& request,
                       const DlopenOptions& options);
/// The ordered search for a name, without loading (`why`).
std::vector<Candidate> trace_musl(const Process::State& state, const std::string& name,
                                  std::optional<ObjectIndex> needed_by);
/// Binds symbols as do_relocs does: one global list, no versions. Returns the first message.
std::string bind_musl(Process::State& state, const ObjectList& objects, const ObjectList& scope,
                      bool is_lazy);

}  // namespace loadable::loader
