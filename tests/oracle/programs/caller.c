// SPDX-License-Identifier: Apache-2.0
// A library that calls dlopen for somebody else: the search path of the caller is then its own.
#include <dlfcn.h>

void *call_dlopen(const char *name, int flags) {
  void *handle = dlopen(name, flags);
  __asm__ volatile("" : "+r"(handle));  // no tail call: the caller is found by its return address
  return handle;
}
