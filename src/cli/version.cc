// SPDX-License-Identifier: Apache-2.0
#include "cli/version.h"

#include "accel/embedded_knowledge.h"
#include "accel/knowledge.h"
#include "base/format.h"

#ifndef LOADABLE_VERSION
#error "the build defines LOADABLE_VERSION"
#endif

namespace loadable::cli {

std::string_view program_version() { return LOADABLE_VERSION; }

std::string version_text() {
  const auto knowledge = accel::read_knowledge(accel::embedded_knowledge());
  if (!knowledge) return format("loadable {}\n", program_version());
  return format("loadable {} (knowledge of {})\n", program_version(), knowledge->date);
}

}  // namespace loadable::cli
