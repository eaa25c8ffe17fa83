// SPDX-License-Identifier: Apache-2.0
#pragma once
// fmt, compiled once (format.cc) so that including it stays cheap.

#include <fmt/core.h>

namespace loadable {
using fmt::format;
}  // namespace loadable
