// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace loadable {

void assertion_failed(const char* condition, const char* reason, const char* file, int line) {
  std::fprintf(stderr, "loadable: this is a bug: %s: `%s` does not hold (%s:%d)\n", reason,
               condition, file, line);
  std::abort();
}

}  // namespace loadable
