// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of distributions and of the files and directories that carry them.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace loadable::python {

/// PEP 503: lower case, runs of `-`, `_` and `.` become one `-`.
[[nodiscard]] std::string normalize_name(std::string_view name);

enum class InfoKind : std::uint8_t { DistInfo, EggInfo };

/// `onnxruntime_gpu-1.24.4.dist-info`, `six-1.16.0.egg-info`, `six-1.16.0-py3.9.egg-info`,
/// `lxml.egg-info` (no version: empty).
struct InfoName {
  InfoKind kind = InfoKind::DistInfo;
  std::string name, version;  ///< as written, not normalised
};
/// Nothing when the directory name ends in neither suffix, or has no name before it.
[[nodiscard]] std::optional<InfoName> parse_info_name(std::string_view directory);

/// `numpy-2.1.0-1-cp311-cp311-manylinux_2_17_x86_64.whl` (PEP 427; compressed tags stay as
/// written).
struct WheelName {
  std::string name, version, build, python_tag, abi_tag, platform_tag;
};
[[nodiscard]] std::optional<WheelName> parse_wheel_name(std::string_view file_name);

}  // namespace loadable::python
