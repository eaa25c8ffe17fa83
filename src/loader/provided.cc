// SPDX-License-Identifier: Apache-2.0
// Stands in until the loading itself honours Environment::provided; a definition in process.cc is
// taken before this one.
#include "loader/process.h"

namespace loadable::loader {

const std::vector<Missing>& Process::provided() const {
  static const std::vector<Missing> kNone;
  return kNone;
}

}  // namespace loadable::loader
