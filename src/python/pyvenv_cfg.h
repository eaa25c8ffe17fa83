// SPDX-License-Identifier: Apache-2.0
#pragma once
// pyvenv.cfg of a virtual environment.

#include <optional>
#include <string>
#include <string_view>

namespace loadable::python {

/// What CPython (Modules/getpath.py, Lib/site.py), virtualenv and uv write there. Empty: not said.
struct PyvenvCfg {
  std::string home;  ///< directory of the base interpreter, a path as the process sees it
  /// `version` (venv, virtualenv) or `version_info` (uv, virtualenv), as `3.11.7` (a suffix such as
  /// `.final.0` is cut).
  std::string version;
  std::string executable;                     ///< venv since 3.11: the base interpreter's real path
  std::string base_prefix;                    ///< virtualenv: `base-prefix`
  std::string base_executable;                ///< virtualenv: `base-executable`
  bool includes_system_site_packages = true;  ///< site.py: true unless the file says otherwise
};

/// Lines `key = value`; keys in any case; lines without `=` are passed over; the last of equal keys
/// counts, except `home`, whose first counts (getpath.py stops there). Never fails.
[[nodiscard]] PyvenvCfg parse_pyvenv_cfg(std::string_view text);

}  // namespace loadable::python
