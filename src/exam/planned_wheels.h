// SPDX-License-Identifier: Apache-2.0
#pragma once
// Wheels that are not installed yet, one or a folder of them, as what installations would hold.

#include <cstddef>
#include <string>
#include <vector>

#include "accel/knowledge.h"
#include "base/result.h"
#include "check/model.h"
#include "exam/exam.h"
#include "exam/planned.h"
#include "exam/wheel_tags.h"
#include "target/target.h"

namespace loadable::exam {

/// What one interpreter on one platform would take of the wheels.
struct WheelSelection {
  TagSet tags;                    ///< the first for which it is so: markers are evaluated there
  std::vector<std::string> sets;  ///< all of them: `CPython 3.11 on x86_64 Linux`
  std::vector<PlannedDistribution> distributions;  ///< by name

  /// `for CPython 3.11 on x86_64 Linux, CPython 3.12 on x86_64 Linux and 2 more`.
  [[nodiscard]] std::string shown() const;
};

/// What was read of wheels. A folder holds often several releases of one distribution, and wheels
/// for several platforms and interpreters: no installer takes them together. One of an interpreter
/// takes the newest release that has a wheel for it; of its wheels the most special one.
struct WheelFacts {
  std::vector<WheelSelection> selections;  ///< x86-64 Linux first, of the newest CPython
  std::vector<check::Incident> incidents;  ///< by path
  std::size_t wheels = 0;                  ///< files that were looked at
  std::size_t members = 0;                 ///< files inside of them
  std::size_t names = 0;                   ///< distributions
  bool is_complete = true;  ///< false: a wheel could not be read, or contradicts itself

  /// Of the first selection.
  [[nodiscard]] const std::vector<PlannedDistribution>& distributions() const;
};

/// Reads METADATA, WHEEL and RECORD of each wheel (specification: binary distribution format), and
/// nothing else of it. Errors (one wheel, Target::kind Wheel): it cannot be read; InvalidArgument
/// (--platform, --python-version). A wheel of a folder that cannot be read is an incident.
Result<WheelFacts> read_wheels(target::Target& target, const PlannedOptions& options = {});

/// The report on a target of kind Wheel or Wheelhouse.
Result<check::Report> examine_wheels(target::Target& target, const accel::Knowledge& knowledge,
                                     const Options& options);

}  // namespace loadable::exam
