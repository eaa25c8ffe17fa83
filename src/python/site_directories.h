// SPDX-License-Identifier: Apache-2.0
#pragma once
// Directories of sys.path that distributions are installed into, as CPython puts them there
// (Lib/site.py, Modules/getpath.py of 3.11), without running it.

#include <string>
#include <vector>

#include "python/environment.h"
#include "tree/walk.h"

namespace loadable::python {

/// What Python reads from the variables of its process.
struct ProcessVariables {
  std::string path;               ///< PYTHONPATH
  std::string home;               ///< HOME; empty: not known, then there is no user site
  std::string user_base;          ///< PYTHONUSERBASE, instead of ~/.local
  bool has_no_user_site = false;  ///< PYTHONNOUSERSITE
  std::string cwd;  ///< what relative elements count from; empty: not known, they are passed over
};

/// Appends a directory to the site directories, once, if it is there; with `reads_pth` those that
/// its .pth files add, too. What may not be looked at goes to Environment::unread.
void add_site_directory(tree::Walk& walk, Environment* environment, const tree::Path& path,
                        bool reads_pth);

/// The directories of PYTHONPATH that are there, physical, each once, in order. What may not be
/// looked at is appended to `unread`.
[[nodiscard]] std::vector<std::string> python_path_directories(tree::Walk& walk,
                                                               const ProcessVariables& variables,
                                                               std::vector<Unread>* unread);

/// Puts what the process' variables add into the site directories: PYTHONPATH before all others,
/// the user's own before the system's. site.py does not look at the user's in a virtual environment
/// that excludes the system's.
void add_process_directories(tree::Walk& walk, const ProcessVariables& variables,
                             Environment* environment);

}  // namespace loadable::python
