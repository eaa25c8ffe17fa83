// SPDX-License-Identifier: Apache-2.0
#pragma once
// One wheel's own account of itself, and where it contradicts itself. Internal to this folder.

#include <optional>
#include <string>
#include <vector>

#include "archive/zip.h"
#include "base/result.h"
#include "exam/planned.h"
#include "python/metadata.h"
#include "python/names.h"

namespace loadable::exam {

struct Wheel {
  python::WheelName file_name;
  std::string name, version, requires_python;  ///< as METADATA has them
  std::vector<std::string> requires_dist;
  std::optional<std::vector<PlannedFile>> files;  ///< nothing: no RECORD
  std::size_t members = 0;
  /// Sentences: file name and METADATA disagree, a release of the format that is not known. What
  /// would be installed is not certain.
  std::vector<std::string> contradictions;
  /// Sentences: RECORD and archive disagree, rows that lead out. Installers look away.
  std::vector<std::string> oddities;
};

/// `file_name`: without directories. Errors: Malformed (no wheel's name, no or several dist-info
/// directories, no METADATA, a member that is broken), LimitReached, those of the archive.
Result<Wheel> read_wheel(archive::ZipArchive& archive, const std::string& file_name);

}  // namespace loadable::exam
