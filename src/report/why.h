// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ordered search for one library as text: `loadable why`. Sees only data.

#include <string>
#include <vector>

#include "loader/process.h"
#include "report/ldd.h"

namespace loadable::report {

struct WhySubject {
  std::string program;  ///< whose process
  std::string name;     ///< soname or path
  /// Who asked, in order, each with every candidate. A search that nobody asked for (as by dlopen)
  /// has an empty `path` when it found nothing.
  std::vector<loader::Request> requests;
  std::vector<std::string> notes;  ///< sentences that explain more
};

[[nodiscard]] std::string render_why_text(const loader::Process& process, const WhySubject& subject,
                                          Colors colors);
[[nodiscard]] std::string render_why_json(const loader::Process& process,
                                          const WhySubject& subject);

}  // namespace loadable::report
