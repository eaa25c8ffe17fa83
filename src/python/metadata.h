// SPDX-License-Identifier: Apache-2.0
#pragma once
// METADATA of a dist-info directory and PKG-INFO of an egg-info directory: the headers alone.

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace loadable::python {

/// Core metadata (packaging.python.org, core metadata 2.4), as written. A field that is not there
/// is empty: real files lack nearly every one of them. `Requires` of PEP 314 is passed over: it
/// names modules, and neither pip nor importlib.metadata reads it.
struct Metadata {
  std::string metadata_version, name, version, requires_python;
  std::vector<std::string> requires_dist;  ///< whole lines: `numpy (>=1.24.2) ; extra == "x"`
  std::vector<std::string> provides_extra;
};

/// Reads email headers until the first empty line; folded lines are joined; unknown fields and
/// lines that are no field are passed over. Never fails.
[[nodiscard]] Metadata parse_metadata(std::string_view text);

/// The requirements in `requires.txt` of an egg-info directory, as lines of `Requires-Dist`: a
/// section
/// `[extra:marker]` becomes a marker. As importlib.metadata of CPython 3.11 reads it; besides,
/// comments are passed over, and a marker of the line's own is kept. Never fails; what would take
/// more than 8 MiB is left out.
[[nodiscard]] std::vector<std::string> parse_requires_txt(std::string_view text);

/// Reads only as much of the file as the headers take. Errors: LimitReached (headers over 4 MiB),
/// the source's own.
Result<Metadata> read_metadata(ByteSource& source);

}  // namespace loadable::python
