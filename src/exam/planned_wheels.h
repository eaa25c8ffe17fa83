// SPDX-License-Identifier: Apache-2.0
#pragma once
// Wheels that are not installed yet, one or a folder of them, as what one installation would hold.

#include <cstddef>
#include <string>
#include <vector>

#include "accel/knowledge.h"
#include "base/result.h"
#include "check/model.h"
#include "exam/exam.h"
#include "exam/planned.h"
#include "target/target.h"

namespace loadable::exam {

/// What was read of wheels. A folder holds often several releases of one distribution, and wheels
/// for several platforms: an installer takes one, and so does `distributions` (the newest release;
/// of its wheels the one that fits most interpreters, else x86-64 Linux before others).
struct WheelFacts {
  std::vector<PlannedDistribution> distributions;  ///< by name
  /// `3.11`: the newest CPython that one of the taken wheels names in its tag, else a recent one.
  /// Markers of requirements are evaluated for it, on x86-64 Linux.
  std::string interpreter;
  std::vector<check::Incident> incidents;  ///< by path
  std::size_t wheels = 0;                  ///< files that were looked at
  std::size_t members = 0;                 ///< files inside of them
  bool is_complete = true;  ///< false: a wheel could not be read, or contradicts itself
};

/// Reads METADATA, WHEEL and RECORD of each wheel (specification: binary distribution format), and
/// nothing else of it. Errors (one wheel, Target::kind Wheel): it cannot be read. A wheel of a
/// folder that cannot be read is an incident. `targets` name wheels by their path; `shown` is the
/// prefix of `place`.
Result<WheelFacts> read_wheels(target::Target& target);

/// The report on a target of kind Wheel or Wheelhouse.
Result<check::Report> examine_wheels(target::Target& target, const accel::Knowledge& knowledge,
                                     const Options& options);

}  // namespace loadable::exam
