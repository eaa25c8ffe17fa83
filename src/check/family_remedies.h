// SPDX-License-Identifier: Apache-2.0
#pragma once
// What ends a conflict inside a family of distributions for good, as commands for each tool. All
// texts are here: rules of locks and rules of installed environments say the same.

#include <cstdint>
#include <string>
#include <vector>

#include "check/model.h"

namespace loadable::check {

/// Whose commands a remedy consists of.
enum class PackageTool : std::uint8_t {
  Uv,     ///< a project: `uv lock`, `uv sync`
  UvPip,  ///< `uv pip`
  Pip,
  Poetry,
  Pdm,
  Conda,
  Dockerfile
};

/// The member to keep, the members to keep out, and what is known of their surroundings.
struct FamilyConflict {
  std::string wanted, wanted_version;  ///< `onnxruntime-gpu`, `1.31.1`; version empty: not known
  std::vector<std::string> unwanted;   ///< `onnxruntime`
  std::vector<std::string> requirers;  ///< what requires an unwanted one: `fastembed`
  bool is_installed = true;            ///< an environment; false: a lock, nothing is installed yet
  std::string python;                  ///< interpreter, for `-m pip`; empty: that of the shell
  bool has_uv_table = false;           ///< pyproject.toml has [tool.uv] already
  std::string requirements;  ///< file that is installed from: `requirements.txt`; or empty
};

/// The remedies of one tool, the best first, each in the order that leaves a working state: an
/// environment that is overwritten already loses the shared files when the unwanted member goes, so
/// the wanted one is installed again last (measured with pip 23.2.1 and uv 0.13.9). None is proven.
[[nodiscard]] std::vector<Remedy> family_remedies(const FamilyConflict& conflict, PackageTool tool);

/// Those of several tools, in that order.
[[nodiscard]] std::vector<Remedy> family_remedies(const FamilyConflict& conflict,
                                                  const std::vector<PackageTool>& tools);

}  // namespace loadable::check
