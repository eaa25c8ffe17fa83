// SPDX-License-Identifier: Apache-2.0
#pragma once
// What Python reads from the variables of the process that will run, and what of it is shown.

#include "exam/exam.h"
#include "exam/scene.h"
#include "python/environment.h"
#include "python/site_directories.h"
#include "target/target.h"

namespace loadable::exam {

/// The variables that count: those of --env, then the caller's where they count.
[[nodiscard]] python::ProcessVariables python_variables(const target::Target& target,
                                                        const Options& options);

/// Variables of the process as the report shows them: those that loaders read and those that added
/// a directory to this environment's sys.path.
[[nodiscard]] Variables shown_variables(const Scene& scene, const python::Environment& environment);

/// What would be found without the caller's PYTHONPATH, as a phrase; empty: the same. `package_dir`
/// is where the provider's package was found, inside one of the site directories.
[[nodiscard]] std::string without_python_path(const Scene& scene,
                                              const python::Environment& environment,
                                              const std::string& package_dir);

}  // namespace loadable::exam
