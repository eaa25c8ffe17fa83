// SPDX-License-Identifier: Apache-2.0
#pragma once
// conda-meta/<name>-<version>-<build>.json: one installed conda package.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace loadable::python {

/// One entry of `paths_data.paths`, or of `files` where the former is absent.
struct CondaFile {
  std::string path;    ///< relative to the prefix
  std::string sha256;  ///< hexadecimal; `sha256_in_prefix` before `sha256`; empty: not recorded
  std::optional<std::uint64_t> size;  ///< bytes; only where the file was not rewritten
  bool is_link = false;               ///< path_type softlink
};

struct CondaPackage {
  std::string name, version, build, channel;
  std::vector<std::string> depends;  ///< match specs, as written
  std::vector<CondaFile> files;
};

/// Errors: Malformed (no JSON object, no name), LimitReached (nested too deep).
Result<CondaPackage> parse_conda_meta(std::string_view text);

}  // namespace loadable::python
