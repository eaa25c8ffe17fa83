// SPDX-License-Identifier: Apache-2.0
#pragma once
// A Python environment inside a tree: which program runs, and where its modules lie. Found as
// CPython finds it (Modules/getpath.py and Lib/site.py of 3.11), without running it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tree/walk.h"

namespace loadable::python {

enum class EnvironmentKind : std::uint8_t {
  Venv,    ///< has a pyvenv.cfg
  Conda,   ///< has conda-meta/
  System,  ///< neither: the interpreter's own prefix
  Bare,    ///< conda-meta/ without an interpreter
  Folder   ///< one directory that PYTHONPATH puts before the interpreter's own, and nothing else
};

/// A place that could hold distributions and that may not be looked at.
struct Unread {
  std::string path, message;
};

/// Paths are absolute inside the root. `physical` ones are free of links.
struct Environment {
  EnvironmentKind kind = EnvironmentKind::System;
  std::string prefix;       ///< sys.prefix, physical: the venv, the conda prefix, `/usr`
  std::string base_prefix;  ///< sys.base_prefix, physical; empty: not found inside the root
  std::string executable;   ///< sys.executable, links kept: `/venv/bin/python`; empty: none
  /// The file that the kernel runs, physical: `/usr/bin/python3.11`. Empty when it is not inside
  /// the root (see problems).
  std::string program;
  std::string version;  ///< `3.11.7`, or `3.11` when only directory names tell; empty: unknown
  int major = 0, minor = 0;
  /// Directories of sys.path that distributions are installed into and that exist, physical, in
  /// order, each once: PYTHONPATH's, purelib, platlib, those of .pth files, then the user's and the
  /// system's if included.
  std::vector<std::string> site_directories;
  /// A virtual environment: how many of them are its own, before variables and the user's are
  /// added.
  std::size_t own_site_directories = 0;
  std::vector<std::string> python_path;  ///< those of site_directories that PYTHONPATH names
  bool has_user_site = false;            ///< one of site_directories lies in the user's home
  /// A folder: what the interpreter has behind it on sys.path, its standard library among it.
  std::vector<std::string> behind;
  std::string standard_library;  ///< `/usr/lib/python3.11`, physical; empty: not found
  std::string lib_dynload;       ///< extension modules of the standard library; empty: not found
  /// The tag of its own extension modules, `cpython-311-x86_64-linux-gnu`; empty: not known.
  std::string soabi;
  /// A virtual environment whose packages lie where its interpreter does not look, because it is of
  /// another release than the one that made it: that one's `lib/python3.11/site-packages`, the only
  /// site directory then. Empty: all is well.
  std::string unsearched_site;
  bool includes_system_site_packages = false;
  /// What is wrong with it, as sentences: the base interpreter is gone, the version is unknown …
  std::vector<std::string> problems;
  /// Directories of sys.path, and .pth files that could add some, that may not be looked at.
  std::vector<Unread> unread;

  /// `python3.11`; empty when the version is unknown.
  [[nodiscard]] std::string directory_name() const;
};

/// A virtual environment. Errors: NotFound and others of Walk (no pyvenv.cfg there).
Result<Environment> read_venv(tree::Walk& walk, const tree::Path& prefix);
/// A conda prefix. Errors: NotFound and others of Walk (no conda-meta/ there).
Result<Environment> read_conda_prefix(tree::Walk& walk, const tree::Path& prefix);
/// An interpreter, wherever it belongs: a pyvenv.cfg beside it or one directory up makes it a
/// virtual environment, conda-meta/ in its prefix a conda environment. Errors: those of Walk,
/// IsADirectory.
Result<Environment> read_interpreter(tree::Walk& walk, const tree::Path& executable);

/// What that interpreter imports from `folder` (physical) when PYTHONPATH names it: a folder that
/// `pip install --target` filled. Its prefix is the folder, which is the only site directory; .pth
/// files in it do not count (Lib/site.py reads those of site directories alone).
[[nodiscard]] Environment with_folder(Environment interpreter, const std::string& folder);

}  // namespace loadable::python
