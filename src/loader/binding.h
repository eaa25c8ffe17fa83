// SPDX-License-Identifier: Apache-2.0
#pragma once
// Binding the symbols of newly loaded objects in the scopes that the loader gives them. Internal.

#include "loader/state.h"

namespace loadable::loader {

struct BindOptions {
  bool is_lazy = false;      ///< functions may stay unbound, unless the object says DF_BIND_NOW
  bool is_deepbind = false;  ///< the tree's own scope before the global one
  /// Breadth-first list of the tree that is being loaded; for the program, the global scope.
  const ObjectList* tree = nullptr;
};

/// Looks up every reference of the members in `objects` and adds a failure for each that a
/// relocation would miss. Returns the first message; empty: none.
std::string bind_symbols(Process::State& state, const ObjectList& objects,
                         const BindOptions& options);

/// The symbols of an object that is bound cannot be read (a table outside of the file, too large):
/// a real loader would die of it. Returns the message.
std::string add_unread_symbols(Process::State& state, ObjectIndex object, const File& file);

}  // namespace loadable::loader
