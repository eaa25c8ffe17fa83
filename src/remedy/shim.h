// SPDX-License-Identifier: Apache-2.0
#pragma once
// The stand-in wheel: metadata only, named like the CPU member of a family and requiring the GPU
// member, so that resolvers are content and nothing is overwritten. Pure: `cli` reads and writes.

#include <string>
#include <string_view>
#include <vector>

#include "accel/knowledge.h"
#include "base/result.h"

namespace loadable::remedy {

/// What a stand-in says.
struct ShimSpec {
  std::string name, version;  ///< of the distribution whose place it takes; normalised
  std::string stands_for;     ///< the member that is meant: `onnxruntime-gpu`
  std::string its_version;    ///< of that member; required exactly
};

struct Shim {
  std::string file_name;  ///< `onnxruntime-1.31.1-py3-none-any.whl`
  std::string bytes;      ///< the same for the same spec, on every run and machine
};

/// Builds it: METADATA, WHEEL and RECORD in NAME-VERSION.dist-info, and nothing beside. Errors:
/// those of archive::write_zip.
Result<Shim> build_shim(const ShimSpec& spec);

/// A distribution that a target holds.
struct Installed {
  std::string name, version;  ///< any spelling
};

/// The distributions for which a stand-in can be built without a target, in the order of the
/// tables.
[[nodiscard]] std::vector<std::string> shim_names(const accel::Knowledge& knowledge);

/// Decides what a stand-in for `distribution` says. `installed`: null without a target. With a
/// target it stands for the member of the family that is installed there, the GPU's before others,
/// in its version; without, for the GPU's, in the newest release that the tables list. `version`
/// (empty: not stated) names its own, and the release of the GPU's member where no target tells.
/// Errors: InvalidArgument (of no family, no plain member of it, no member for the GPU is known, no
/// version of PEP 440), NotFound (the target holds no other member, no version is known).
Result<ShimSpec> choose_shim(const accel::Knowledge& knowledge, std::string_view distribution,
                             std::string_view version, const std::vector<Installed>* installed);

/// What to do with it, with pip and with uv: lines for a person to read and paste. `path` is
/// absolute, `shown` is as the user would write it in a project's file.
[[nodiscard]] std::string shim_instructions(const ShimSpec& spec, const std::string& path,
                                            const std::string& shown);

}  // namespace loadable::remedy
