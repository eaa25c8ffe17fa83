// SPDX-License-Identifier: Apache-2.0
#pragma once
// The static TLS area of the main thread: laid out at start, its surplus handed out to what is
// dlopened (elf/dl-tls.c, elf/dl-reloc.c). Internal.

#include "loader/state.h"

namespace loadable::loader {

/// _dl_determine_tlsoffset: blocks of everything loaded at start, in load order, and the surplus
/// (1,664 bytes unless glibc.rtld.nns or glibc.rtld.optional_static_tls say otherwise).
void lay_out_static_tls(Process::State& state);

/// Gives static TLS to the members from `first` on that need it (DF_STATIC_TLS). Adds a failure
/// and returns its message when the surplus does not suffice; empty: it did.
std::string claim_static_tls(Process::State& state, ObjectIndex first);

/// May relocations of the object hold offsets in the static TLS area?
bool refers_to_static_tls(const Process::State& state, ObjectIndex object);
/// Members from `first` on whose thread-local variables an object refers to.
ObjectList tls_providers(const Process::State& state, ObjectIndex object, ObjectIndex first);

}  // namespace loadable::loader
