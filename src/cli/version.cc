// SPDX-License-Identifier: Apache-2.0
#include "cli/version.h"

#include "base/format.h"

#ifndef LOADABLE_VERSION
#error "the build defines LOADABLE_VERSION"
#endif

namespace loadable::cli {

std::string_view program_version() { return LOADABLE_VERSION; }

std::string version_text() { return format("loadable {}\n", program_version()); }

}  // namespace loadable::cli
