// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folders that `pip install --target` filled. Internal to this folder.

#include <vector>

#include "check/model.h"
#include "check/ownership_facts.h"
#include "exam/scene.h"

namespace loadable::exam {

/// Of a target that is such a folder: directories of its distributions without an `__init__` (parts
/// of a namespace), where the interpreter has a package or module of that name behind the folder:
/// an import prefers that one (importlib, PathFinder). By path; the package is of nobody that is
/// known.
void add_hidden_by_interpreter(const Scene& scene, std::vector<check::HiddenFacts>& all);

/// Of a target that is such a folder: its remedies become those of a folder. Others stay.
void turn_remedies_to_folder(const Scene& scene, check::Report& report);

}  // namespace loadable::exam
