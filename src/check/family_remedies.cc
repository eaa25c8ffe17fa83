// SPDX-License-Identifier: Apache-2.0
#include "check/family_remedies.h"

#include "check/family_remedies_parts.h"

namespace loadable::check {

std::vector<Remedy> family_remedies(const FamilyConflict& conflict, PackageTool tool) {
  if (conflict.wanted.empty() || conflict.unwanted.empty()) return {};
  switch (tool) {
    case PackageTool::Uv:
      return uv_remedies(conflict);
    case PackageTool::UvPip:
      return uv_pip_remedies(conflict);
    case PackageTool::Pip:
      return pip_remedies(conflict);
    case PackageTool::Poetry:
      return poetry_remedies(conflict);
    case PackageTool::Pdm:
      return pdm_remedies(conflict);
    case PackageTool::Conda:
      return conda_remedies(conflict);
    case PackageTool::Dockerfile:
      return dockerfile_remedies(conflict);
  }
  return {};
}

std::vector<Remedy> family_remedies(const FamilyConflict& conflict,
                                    const std::vector<PackageTool>& tools) {
  std::vector<Remedy> all;
  for (const PackageTool tool : tools) {
    for (Remedy& remedy : family_remedies(conflict, tool)) all.push_back(std::move(remedy));
  }
  return all;
}

}  // namespace loadable::check
