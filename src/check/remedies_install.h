// SPDX-License-Identifier: Apache-2.0
#pragma once
// Commands that change an environment: by the installer that made it, with its path in them, so
// that they can be pasted from anywhere.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace loadable::check {

enum class Installer : std::uint8_t { Pip, Uv, Conda, Debian };

/// The environment that is judged, as far as commands need it.
struct Installation {
  std::string python;   ///< its interpreter, absolute; empty: that of the shell (another root)
  bool has_pip = true;  ///< `python -m pip` works there
  bool is_uvs = false;  ///< made by uv (`pyvenv.cfg`), or all that is there came by it
  std::string prefix;   ///< conda's prefix, absolute; empty: no conda environment
  /// `name version` -> who installed it, as its metadata says: `pip`, `uv`, `conda`, `debian` …
  std::map<std::string, std::string> made_by;
  std::string project;  ///< folder of the pyproject.toml that the environment belongs to, or empty
  std::vector<std::string> project_tables;  ///< see ProjectFile
};

/// Who changes what is installed under that name (`name version`); for what is not: the
/// environment's own. uv's where uv made it: there is no pip in it then.
[[nodiscard]] Installer installer_of(const Installation& place, std::string_view distribution);

/// `PYTHON -m pip`; where there is no pip in it, the shell's: `pip --python PYTHON` (pip 22.3).
[[nodiscard]] std::string pip_command(const Installation& place);
/// ` --python PYTHON` of `uv pip`, with the space before; empty: the shell's.
[[nodiscard]] std::string uv_place(const Installation& place);

/// Commands that install requirements (`x`, `x==1.0`, `x[extra]`) with what they require.
[[nodiscard]] std::vector<std::string> install_commands(
    const Installation& place, const std::vector<std::string>& requirements);
/// Commands that put back the files of these distributions (`name version`) and change no other.
[[nodiscard]] std::vector<std::string> reinstall_commands(
    const Installation& place, const std::vector<std::string>& distributions);
/// The command that removes these names, which `by` installed.
[[nodiscard]] std::string remove_command(const Installation& place, Installer by,
                                         const std::vector<std::string>& names);

}  // namespace loadable::check
