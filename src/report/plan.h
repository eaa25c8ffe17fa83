// SPDX-License-Identifier: Apache-2.0
#pragma once
// The load plan of a provider with each of its searches: `loadable why TARGET onnxruntime:cuda`.
// Sees only data.

#include <string>

#include "accel/facts.h"
#include "report/ldd.h"

namespace loadable::report {

/// Did every step get what the provider cannot do without?
[[nodiscard]] bool is_plan_loaded(const accel::ProviderRun& run);

[[nodiscard]] std::string render_plan_text(const accel::ProviderRun& run, Colors colors);
[[nodiscard]] std::string render_plan_json(const accel::ProviderRun& run);

}  // namespace loadable::report
