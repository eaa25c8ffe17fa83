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
/// is empty: real files lack nearly every one of them.
struct Metadata {
  std::string metadata_version, name, version, requires_python;
  std::vector<std::string> requires_dist;  ///< whole lines: `numpy (>=1.24.2) ; extra == "x"`
  std::vector<std::string> provides_extra;
};

/// Reads email headers until the first empty line; folded lines are joined; unknown fields and
/// lines that are no field are passed over. Never fails.
[[nodiscard]] Metadata parse_metadata(std::string_view text);

/// Reads only as much of the file as the headers take. Errors: LimitReached (headers over 4 MiB),
/// the source's own.
Result<Metadata> read_metadata(ByteSource& source);

}  // namespace loadable::python
