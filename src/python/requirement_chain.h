// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who pulled a distribution in: paths through the requirements of what is installed or locked.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "python/marker.h"

namespace loadable::python {

/// One distribution and its requirements, as metadata writes them.
struct Requirer {
  std::string name, version;               ///< as written
  std::vector<std::string> requires_dist;  ///< whole lines
};

/// `fastembed 0.9.1 requires onnxruntime>=1.17.0`.
struct ChainLink {
  std::string requirer, version;  ///< as written
  std::string requirement;        ///< without its marker
  std::string extra;              ///< of the requirer, behind which it stands; empty: none

  /// The sentence, for messages.
  [[nodiscard]] std::string to_string() const;
};

/// The shortest chains that end at `name`, each from a distribution that nothing else requires (or
/// from a cycle's first by name); at most `limit`, sorted by length, then by name. Markers and
/// extras are evaluated: an extra counts when some requirer asks for it (`fastembed[gpu]`) or, for
/// a root, when `environment` chose it. Cycles end. Linear in the number of requirements.
[[nodiscard]] std::vector<std::vector<ChainLink>> chains_to(std::string_view name,
                                                            const std::vector<Requirer>& all,
                                                            const MarkerEnvironment& environment,
                                                            std::size_t limit = 3);

}  // namespace loadable::python
