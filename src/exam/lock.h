// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lock files, lists of requirements and project folders: what they would install, judged.

#include <string>
#include <vector>

#include "accel/knowledge.h"
#include "base/result.h"
#include "check/model.h"
#include "exam/exam.h"
#include "python/lock.h"
#include "target/target.h"

namespace loadable::exam {

/// An installation that a lock allows, and how to call it.
struct NamedSelection {
  python::Selection selection;
  std::string name;            ///< `with extra \`gpu\``; empty: the default
  std::string release;         ///< of Python: `3.11`
  bool is_chosen = true;       ///< what the options choose, without a choice the default
  bool is_asked_about = true;  ///< false: the options choose others
};

/// The selections that are examined: the one that the options choose; without a choice the default,
/// each extra and each group with it, as many together as the lock's conflicts allow, and the other
/// releases of Python that the lock is for; with a choice also the others, to tell of them. Errors:
/// InvalidArgument (an extra or group that the lock does not have; two that exclude each other; a
/// release or platform that is none).
Result<std::vector<NamedSelection>> selections_of(const python::Lock& lock,
                                                  const PlannedOptions& options);

/// The report on a target of kind Lock, Requirements or Project. Errors: those of reading; of a
/// project without any file that says what it requires: NotFound.
Result<check::Report> examine_lock(target::Target& target, const accel::Knowledge& knowledge,
                                   const Options& options);

}  // namespace loadable::exam
