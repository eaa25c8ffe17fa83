// SPDX-License-Identifier: Apache-2.0
#pragma once
// --platform, and what markers see of a platform. Internal to this folder.

#include <string>

#include "base/result.h"
#include "python/marker.h"

namespace loadable::exam {

struct Platform {
  std::string system, sys_platform, os_name, machine;  ///< `Linux`, `linux`, `posix`, `x86_64`
  bool is_musl = false;
};

/// `linux`, `macos`, `windows`, with a machine (`aarch64-linux`), and `musl` for Linux; empty:
/// Linux on x86-64. Errors: InvalidArgument, with what is accepted.
Result<Platform> parse_platform(const std::string& text);

/// What markers see of CPython of that release (`3.11`, `3.11.7`) there.
[[nodiscard]] python::MarkerEnvironment environment_of(const std::string& release,
                                                       const Platform& platform);

}  // namespace loadable::exam
