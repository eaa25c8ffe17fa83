// SPDX-License-Identifier: Apache-2.0
#pragma once
// The formats of `check`: report -> bytes. They see only data and decide nothing.

#include <string>
#include <vector>

#include "check/model.h"

namespace loadable::report {

/// What the tool says of itself.
struct Tool {
  std::string version;
  std::string knowledge;  ///< date of the knowledge, `2026-11-30`
};

/// How the text formats look.
struct Style {
  bool has_color = false;
  bool is_quiet = false;    ///< findings alone: no table, no summary
  bool is_verbose = false;  ///< notes in full, every place searched, every remedy
};

/// Contract of design.md 3.1: one object, or `reports` for several.
[[nodiscard]] std::string check_json(const std::vector<check::Report>& reports, const Tool& tool);
/// Like a compiler's messages, then the table of providers and a summary.
[[nodiscard]] std::string check_full(const std::vector<check::Report>& reports, const Style& style);
/// One line for each finding: `path: severity[rule] message`.
[[nodiscard]] std::string check_concise(const std::vector<check::Report>& reports,
                                        const Style& style);

/// `text` behind a terminal escape of that colour and before a reset, if there is colour.
[[nodiscard]] std::string paint(const Style& style, check::Severity severity,
                                const std::string& text);
[[nodiscard]] std::string bold(const Style& style, const std::string& text);
/// `path` without the directory `base` before it; the whole path if it lies elsewhere.
[[nodiscard]] std::string shown_path(const std::string& path, const std::string& base);

}  // namespace loadable::report
