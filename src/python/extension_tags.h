// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which names of extension modules an interpreter looks for: `x.cpython-311-x86_64-linux-gnu.so` is
// the module `x` with the tag `cpython-311-x86_64-linux-gnu`.

#include <string>
#include <string_view>
#include <vector>

#include "python/environment.h"
#include "tree/walk.h"

namespace loadable::python {

/// What stands between a module's name and `.so`, as a part of `path`, which must outlive it;
/// empty: `x.so`, or no extension module.
[[nodiscard]] std::string_view extension_tag(std::string_view path);

/// The tag of the interpreter's own modules (sysconfig's SOABI) as its standard library shows it:
/// the names in lib-dynload, else the name of `_sysconfigdata_…`. Empty: nothing there tells.
[[nodiscard]] std::string find_soabi(tree::Walk& walk, const Environment& environment);

/// Does the interpreter look for modules of that tag? Without a SOABI, and for another CPython than
/// this library knows, the release alone decides: no false alarm. (CPython 3.13,
/// Python/dynload_shlib.c: _PyImport_DynLoadFiletab; a free-threaded build does not take abi3.)
[[nodiscard]] bool imports_tag(const Environment& environment, std::string_view tag);

/// `importlib.machinery.EXTENSION_SUFFIXES`, as far as it is known, in order:
/// `.cpython-311-x86_64-linux-gnu.so`, `.abi3.so`, `.so`.
[[nodiscard]] std::vector<std::string> extension_suffixes(const Environment& environment);

}  // namespace loadable::python
