// SPDX-License-Identifier: Apache-2.0
#pragma once
// One finding per cause: objects that fail for one reason become one subject.

#include <map>
#include <string>
#include <vector>

#include "check/facts.h"
#include "exam/scene.h"
#include "exam/troubles.h"

namespace loadable::exam {

/// One object that does not load.
struct Casualty {
  std::string path;
  std::string distribution;  ///< `name version`; of none: the directory
  Troubles troubles;
  bool is_plugin = false;  ///< opened by name by a program that can do without it
};

/// Takes out what depends on the program that really opens a plugin: the symbols that it defines,
/// and the room for thread-local storage that it has left.
void drop_host_matters(Troubles& troubles);

/// Does everything that it lacks exist nowhere in the target, so that it must be for software that
/// is not installed?
[[nodiscard]] bool lacks_only_absent(const Casualty& casualty);

/// Subjects, each with one cause and all of its consumers: what is optional as one subject per
/// distribution, everything else by the library or object that is at fault. `healthy` counts the
/// objects of each distribution that load.
[[nodiscard]] std::vector<check::Subject> group(const Scene& scene,
                                                const std::vector<Casualty>& casualties,
                                                const std::map<std::string, std::size_t>& healthy,
                                                const std::string& libc);

}  // namespace loadable::exam
