// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an emulated process could not get or use, as facts for the rules: gaps and breaks.

#include <optional>
#include <string>
#include <vector>

#include "accel/facts.h"
#include "check/facts.h"
#include "exam/lookup.h"
#include "exam/scene.h"
#include "loader/process.h"

namespace loadable::exam {

/// How much what happens in some steps of a process matters.
struct Stake {
  int first_step = 0, last_step = 0;
  accel::Necessity necessity = accel::Necessity::Provider;
  std::string loss, effect;
  std::string dlopened;  ///< the name that was handed to dlopen: opened by name, not DT_NEEDED
  std::string caller;    ///< who opened it
  bool is_verified = true;
  bool asks_for_provider = false;  ///< look everywhere for copies, by DT_SONAME too
  int cuda = 0;                    ///< CUDA major of the provider; 0: none
  bool repeats = false;            ///< only what is known already: consumers, a heavier necessity
};

struct Troubles {
  std::vector<check::Gap> gaps;
  std::vector<check::Break> breaks;
  [[nodiscard]] bool empty() const { return gaps.empty() && breaks.empty(); }
};

/// Adds what went wrong in the steps of a stake. A name that is missing already is no second gap:
/// its consumers are added to the first. Symbols and versions are left out where a library is
/// missing, because they follow from it.
void add_troubles(Scene& scene, Lookup& lookup, const loader::Process& process, const Stake& stake,
                  Troubles& troubles);

/// A gap that stands for "built for glibc" where the process has musl: musl answers `libc.so.6`
/// with itself, so nothing is missing by name. Nothing where that is not so.
std::optional<check::Gap> glibc_on_musl(Scene& scene, const loader::Process& process,
                                        const std::string& path);

}  // namespace loadable::exam
