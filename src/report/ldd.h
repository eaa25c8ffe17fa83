// SPDX-License-Identifier: Apache-2.0
#pragma once
// An emulated process as text for `loadable ldd`. Sees only data.

#include <string>

#include "loader/process.h"

namespace loadable::report {

/// What surrounds the facts of the process.
struct LddSubject {
  std::string file;  ///< as the user named it
};

enum class Colors : unsigned char { Off, On };

/// The contract of docs: `{"schema_version": 1, "file": …}`, ends with a newline.
[[nodiscard]] std::string render_ldd_json(const loader::Process& process,
                                          const LddSubject& subject);

/// For people: each object with the rule by which it was found, each miss with the places searched.
[[nodiscard]] std::string render_ldd_text(const loader::Process& process, const LddSubject& subject,
                                          Colors colors);

}  // namespace loadable::report
