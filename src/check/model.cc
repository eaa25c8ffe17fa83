// SPDX-License-Identifier: Apache-2.0
#include "check/model.h"

namespace loadable::check {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return "";
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Yes:
      return "yes";
    case Verdict::Partly:
      return "partly";
    case Verdict::No:
      return "no";
    case Verdict::Unknown:
      return "unknown";
  }
  return "";
}

std::string_view to_string(Role role) {
  switch (role) {
    case Role::Consumer:
      return "consumer";
    case Role::Library:
      return "library";
    case Role::Removed:
      return "removed";
    case Role::Shadowed:
      return "shadowed";
    case Role::Owner:
      return "owner";
  }
  return "";
}

}  // namespace loadable::check
