// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a file is, by its name and place alone.

#include <string>
#include <string_view>

#include "inventory/inventory.h"
#include "python/environment.h"

namespace loadable::inventory {

/// `libx.so`, `libx.so.1.2`, `x.cpython-311-x86_64-linux-gnu.so`, `ld-2.31.so`.
[[nodiscard]] bool is_library_name(std::string_view name);

/// May a file of that name be a program? False for the suffixes that packages are full of (`.py`,
/// `.h`, `.txt` …), so that its mode need not be asked.
[[nodiscard]] bool may_be_program(std::string_view name);

/// Does the name of a directory say that nothing in it is a program or library (`__pycache__`)?
[[nodiscard]] bool holds_no_objects(std::string_view directory_name);

/// Where a library lies, as far as its role depends on it.
struct Place {
  /// Of the sys.path directory above it (a site directory or lib-dynload); empty: none.
  std::string_view import_root;
  const python::Environment* environment = nullptr;
};

struct RoleOfFile {
  Role role = Role::Library;
  std::string module;  ///< dotted name, for ExtensionModule and ForeignModule
};

/// The role of a file whose name is a library's. `path` is absolute.
[[nodiscard]] RoleOfFile role_of_library(std::string_view path, const Place& place);

}  // namespace loadable::inventory
