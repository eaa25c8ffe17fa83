// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folders that `pip install --target` filled. Internal to this folder.

#include "check/model.h"
#include "exam/scene.h"

namespace loadable::exam {

/// Of a target that is such a folder: its remedies become those of a folder. Others stay.
void turn_remedies_to_folder(const Scene& scene, check::Report& report);

}  // namespace loadable::exam
