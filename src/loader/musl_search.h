// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where musl looks for a name. Internal.

#include <string>
#include <string_view>
#include <vector>

#include "loader/state.h"

namespace loadable::loader {

/// Where musl's search for a name, or its open of a path, ended.
struct MuslFound {
  const File* file = nullptr;  ///< null: none
  std::string path;            ///< as musl forms it
  Rule rule = Rule::Default;
  ErrorCode error = ErrorCode::NotFound;  ///< of the last attempt
  bool is_directory = false;              ///< opened, and could not be read
};

/// load_library up to the open file: LD_LIBRARY_PATH, the rpath of `needed_by` and of each object
/// that caused it to be loaded, then the path file or the compiled-in path. The first file that
/// opens is the one.
MuslFound search_musl(const Process::State& state, const std::string& name,
                      std::optional<ObjectIndex> needed_by, std::vector<Candidate>* trace);

/// The system path: the content of `<prefix>/etc/ld-musl-ARCH.path`, or what is compiled in.
std::string musl_system_path(Session& session, const std::string& interpreter);

}  // namespace loadable::loader
