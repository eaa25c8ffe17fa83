// SPDX-License-Identifier: Apache-2.0
#pragma once
// `loadable.toml` or `[tool.loadable]` of pyproject.toml: what a project states once.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "check/filter.h"

namespace loadable::cli {

/// Every field is optional; options of the command line win.
struct Configuration {
  std::string file;  ///< where it was read; empty: none was found
  std::vector<std::string> select, after, provided, require, exclude;
  std::vector<check::Ignore> ignore;
  std::vector<std::pair<std::string, std::string>> env;
  std::optional<std::string> fail_on, format, cwd, cpu, libc, baseline, knowledge, color, integrity,
      python;
  std::optional<bool> counts_host, binds_symbols;
};

/// Reads a text. `is_pyproject`: only its table `tool.loadable`. Errors: Malformed, with line, key,
/// value found and value wanted, and the nearest known key.
Result<Configuration> parse_configuration(std::string_view text, const std::string& name,
                                          bool is_pyproject);

/// `stated` (--config), else the first of loadable.toml and a pyproject.toml with the table, from
/// `directory` upwards. No file is no error. Errors: those of reading and parsing.
Result<Configuration> find_configuration(const std::optional<std::string>& stated,
                                         const std::string& directory);

}  // namespace loadable::cli
