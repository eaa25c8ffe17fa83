// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folders that `pip install --target` and `uv pip install --target` fill: distributions without an
// interpreter. Internal to this folder.

#include <string>

#include "base/result.h"
#include "python/environment.h"
#include "target/target.h"
#include "tree/walk.h"

namespace loadable::target {

/// Does a directory at its top end in `.dist-info`?
[[nodiscard]] bool is_target_folder(tree::Walk& walk, const tree::Path& path);

/// Where in a directory such a folder lies, for a hint: right in it (`python` of a layer), or as
/// `pip install --prefix` makes it (`lib/python3.11/site-packages`); empty: none among the first
/// hundreds.
[[nodiscard]] std::string target_folder_inside(tree::Walk& walk, const tree::Path& path);

/// The folder (physical) as a site directory of an interpreter: of Spec::python, else of the
/// virtual environment whose site directory it is, else of the `python3` that Spec::search_path
/// leads to, or the `python3.X` for which the folder's wheels are built. One that is named and of
/// another release has a problem. Errors: NotFound (no interpreter), InvalidArgument (of another
/// release), those of read_interpreter(); each says how to name one.
Result<python::Environment> read_target_folder(const Spec& spec, tree::Walk& walk,
                                               const tree::Path& folder);

}  // namespace loadable::target
