// SPDX-License-Identifier: Apache-2.0
// Opens libraries as it is told and prints, after each step, what the loader has mapped.
// driver [STEP]...   STEP: [CALLER|]FLAGS@NAME; FLAGS of now,lazy,global,deepbind joined by commas
// CALLER: the path of a loaded library that exports `call_dlopen`, which then makes the call.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

typedef void *(*open_function)(const char *, int);

static void print_map(int step) {
  struct link_map *map = 0;
  void *self = dlopen(0, RTLD_LAZY);
  if (!self || dlinfo(self, RTLD_DI_LINKMAP, &map)) return;
  for (; map; map = map->l_next) printf("map %d %s\n", step, map->l_name ? map->l_name : "");
}

static int parse_flags(const char *text, const char *end) {
  int flags = 0;
  for (const char *at = text; at < end;) {
    const char *stop = memchr(at, ',', (size_t)(end - at));
    size_t size = (size_t)((stop ? stop : end) - at);
    if (size == 3 && !memcmp(at, "now", 3)) flags |= RTLD_NOW;
    if (size == 4 && !memcmp(at, "lazy", 4)) flags |= RTLD_LAZY;
    if (size == 6 && !memcmp(at, "global", 6)) flags |= RTLD_GLOBAL;
#ifdef RTLD_DEEPBIND
    if (size == 8 && !memcmp(at, "deepbind", 8)) flags |= RTLD_DEEPBIND;
#endif
    at += size + 1;
  }
  return flags & (RTLD_NOW | RTLD_LAZY) ? flags : flags | RTLD_NOW;
}

static void run_step(char *step, int number) {
  open_function open = dlopen;
  char *bar = strchr(step, '|');
  if (bar) {
    *bar = 0;
    void *caller = dlopen(step, RTLD_NOW | RTLD_NOLOAD);
    open = caller ? (open_function)dlsym(caller, "call_dlopen") : 0;
    step = bar + 1;
  }
  char *at = strchr(step, '@');
  if (!open || !at) {
    printf("broken %d\n", number);
    return;
  }
  void *handle = open(at + 1, parse_flags(step, at));
  if (handle) {
    printf("ok %d\n", number);
  } else {
    printf("error %d %s\n", number, dlerror());
  }
  print_map(number);
}

int main(int count, char **arguments) {
  print_map(0);
  for (int step = 1; step < count; step++) run_step(arguments[step], step);
  return 0;
}
