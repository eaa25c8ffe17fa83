// SPDX-License-Identifier: Apache-2.0
#pragma once
// From rulings to the five verdicts of a provider, with reasons and cause.

#include "check/model.h"
#include "check/ruling.h"

namespace loadable::check {

/// The entry of `providers`: verdicts, reasons, losses, cause, effect. `rulings` are those of
/// judge(subject), in order.
[[nodiscard]] ProviderReport decide(const Subject& subject, const Rulings& rulings);

/// The findings of rulings, those of the cause first, then by severity, then in the loader's order;
/// consequences are left out.
[[nodiscard]] std::vector<Finding> findings_of(const Rulings& rulings, const std::string& cause);

}  // namespace loadable::check
