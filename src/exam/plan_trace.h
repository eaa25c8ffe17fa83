// SPDX-License-Identifier: Apache-2.0
#pragma once
// The load plan of one provider, run as `check` runs it, for those who want to see each search.

#include <functional>
#include <string>

#include "accel/facts.h"
#include "accel/knowledge.h"
#include "base/result.h"
#include "exam/exam.h"
#include "target/target.h"

namespace loadable::exam {

/// Gets the plan as it ran; what it points to lives until the call returns.
using PlanVisitor = std::function<void(const accel::ProviderRun&)>;

/// Runs the plan in the first environment that ships the provider. Errors: NotFound where none
/// does (the message says what is installed instead) or where that environment has no interpreter
/// here; InvalidArgument for an unknown id.
Result<bool> trace_plan(target::Target& target, const accel::Knowledge& knowledge,
                        const Options& options, const std::string& provider,
                        const PlanVisitor& visit);

}  // namespace loadable::exam
