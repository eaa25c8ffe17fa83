// SPDX-License-Identifier: Apache-2.0
#pragma once
// .pth files: directories that a site directory adds to sys.path.

#include <string>
#include <string_view>
#include <vector>

#include "python/environment.h"
#include "tree/walk.h"

namespace loadable::python {

/// The directories that the text of one file names, joined to `site_directory` where relative.
/// Lines that run code (`import …`) are passed over: nothing of a target is run. At most 1,000.
[[nodiscard]] std::vector<std::string> parse_pth(std::string_view text,
                                                 const tree::Path& site_directory);

/// Those of all .pth files of a site directory, in the order of the file names (Lib/site.py
/// addsitedir), whether they exist or not. Files that are there and may not be read, or are too
/// large to be read, are appended to `unread`.
[[nodiscard]] std::vector<std::string> pth_directories(tree::Walk& walk,
                                                       const tree::Path& site_directory,
                                                       std::vector<Unread>* unread);

}  // namespace loadable::python
