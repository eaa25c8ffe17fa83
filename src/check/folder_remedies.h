// SPDX-License-Identifier: Apache-2.0
#pragma once
// Remedies of environments, turned into those of a folder that `pip install --target` filled.

#include <map>
#include <string>
#include <vector>

#include "check/model.h"

namespace loadable::check {

/// What a distribution put into the folder.
struct FolderContent {
  std::vector<std::string> paths;  ///< its metadata and the directories that are its own
  bool shares_directory = false;   ///< a top directory holds others' files too (`nvidia/`)
};

struct FolderFacts {
  std::string folder;                            ///< as the user can name it
  std::map<std::string, FolderContent> content;  ///< by normalised name
};

/// Commands for an environment become commands for the folder. Measured (pip 23.0.1, uv 0.13.9):
/// pip cannot uninstall there, keeps a top directory that is there (a warning), and with --upgrade
/// replaces it whole, be it `bin/` or the `nvidia/` of ten distributions; so what goes is removed
/// by hand, and into a shared directory only uv installs, which writes file by file. Remedies that
/// belong to a project's table are left out.
void turn_to_folder(const FolderFacts& facts, Finding& finding);

}  // namespace loadable::check
