# SPDX-License-Identifier: Apache-2.0
# Warnings, sanitizers and hardening, as one interface target that every target of ours links.
add_library(loadable_compiler INTERFACE)
target_compile_options(loadable_compiler INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor
  -Wimplicit-fallthrough -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives inside its own <string> at -O2; the class is checked by clang-tidy.
  target_compile_options(loadable_compiler INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Part of clang's -Wconversion and not of g++'s; the two compilers shall want the same.
  target_compile_options(loadable_compiler INTERFACE -Wno-sign-conversion)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_definitions(loadable_compiler INTERFACE _FORTIFY_SOURCE=2 _GLIBCXX_ASSERTIONS)
  target_compile_options(loadable_compiler INTERFACE -fstack-protector-strong
    -ffunction-sections -fdata-sections)
  target_link_options(loadable_compiler INTERFACE -Wl,--gc-sections)
endif()
set(LOADABLE_SANITIZE "" CACHE STRING "Comma-separated sanitizers, for example address,undefined")
if(LOADABLE_SANITIZE)
  target_compile_options(loadable_compiler INTERFACE -fsanitize=${LOADABLE_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(loadable_compiler INTERFACE -fsanitize=${LOADABLE_SANITIZE})
  target_compile_definitions(loadable_compiler INTERFACE _GLIBCXX_ASSERTIONS)
endif()
if(LOADABLE_FUZZ)
  # Without this in the libraries libFuzzer sees no coverage, and only guesses.
  target_compile_options(loadable_compiler INTERFACE -fsanitize=fuzzer-no-link)
endif()
