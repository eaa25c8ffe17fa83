// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a path is, by what lies there.

#include <optional>
#include <string>

#include "target/target.h"

namespace loadable::target {

/// The kind of a path that exists, and what gave it away (`` `pyvenv.cfg` in it ``).
struct Guess {
  Kind kind = Kind::Venv;
  std::string because;
  bool is_target_folder = false;  ///< Interpreter: of the folder's distributions, to be found yet
};

/// `found` is where `path` leads. `is_inside_stated_root`: with --root every directory can be
/// judged as a part of that root. Nothing: none of the kinds.
[[nodiscard]] std::optional<Guess> guess_kind(tree::Walk& walk, const tree::Path& path,
                                              const tree::Found& found, bool is_inside_stated_root);

/// "a virtual environment (a directory with `pyvenv.cfg`), …": the kinds that can be examined.
[[nodiscard]] std::string accepted_kinds();

/// "a container image", for messages.
[[nodiscard]] std::string_view described(Kind kind);

/// Can this release examine it?
[[nodiscard]] bool is_supported(Kind kind);

}  // namespace loadable::target
