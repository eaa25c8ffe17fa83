// SPDX-License-Identifier: Apache-2.0
#pragma once
// The only macro: a broken invariant of ours, in every build. Never for the user's input.

namespace loadable {
/// Writes "this is a bug" with the condition and the reason to standard error and aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* reason, const char* file,
                                   int line);
}  // namespace loadable

#define LOADABLE_ASSERT(condition, reason) \
  ((condition) ? static_cast<void>(0)      \
               : ::loadable::assertion_failed(#condition, reason, __FILE__, __LINE__))
