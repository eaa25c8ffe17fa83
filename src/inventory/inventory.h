// SPDX-License-Identifier: Apache-2.0
#pragma once
// What lies in a target: environments, distributions and their lists, objects, loader files. Facts
// by name, mode and list; nothing is opened to find out whether it is an ELF file.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "python/environment.h"
#include "tree/walk.h"

namespace loadable::inventory {

/// How an object comes into a process, guessed by where it lies and what it is called.
enum class Role : std::uint8_t {
  Executable,       ///< has an execute bit and is no library by name; may be a script
  ExtensionModule,  ///< importable by its environment's interpreter: `a/b.cpython-311-….so`
  ForeignModule,    ///< an extension module of another Python version or implementation
  PrivateLibrary,   ///< a library below a site directory: `*.libs/`, `nvidia/*/lib`, `torch/lib`
  Library,          ///< a library elsewhere
  Plugin            ///< opened by name by some program: below `plugins/`, `gconv/`, `dri/` …
};
[[nodiscard]] std::string_view to_string(Role role);

/// A row of a distribution's list about a file.
struct Ownership {
  std::uint32_t distribution = 0;  ///< index into Inventory::distributions
  std::string hash;                ///< `sha256=…` (RECORD), hexadecimal (conda); may be empty
  std::optional<std::uint64_t> size;
};

/// A regular file that is an ELF object by its name or mode, or by nothing but a distribution's
/// list.
struct Object {
  /// Inside the root, the directory physical. The last component is a link only where the file
  /// itself lies outside of what was walked (uv's `--link-mode symlink`).
  std::string path;
  Role role = Role::Library;
  std::optional<std::uint32_t> environment;  ///< index into Inventory::environments
  /// Name to import it by: `onnxruntime.capi.onnxruntime_pybind11_state`. Empty if not importable.
  std::string module;
  std::vector<Ownership> owners;  ///< lists that name it, in order of the distributions

  [[nodiscard]] std::string_view name() const;  ///< the file name
};

enum class DistributionKind : std::uint8_t { DistInfo, EggInfo, Conda, Debian };

struct Distribution {
  DistributionKind kind = DistributionKind::DistInfo;
  std::string name, version;   ///< as its metadata writes them
  std::string normalized;      ///< PEP 503 name
  std::string site_directory;  ///< what its list is relative to (conda: the prefix), physical
  std::string metadata_path;   ///< the .dist-info directory, or the conda-meta file
  std::string list_path;       ///< RECORD, installed-files.txt, conda's file, dpkg's .md5sums
  /// The environment whose prefix it lies in, else the first that imports from there.
  std::optional<std::uint32_t> environment;
  std::string installer;  ///< `pip`, `uv`; empty: not said
  std::vector<std::string> requires_dist, provides_extra;
  bool has_list = false;   ///< list_path could be read
  std::size_t listed = 0;  ///< files that it names, without compiled files and its own metadata
  /// The conda package whose list names this dist-info: both are one thing, and conda's hashes
  /// count.
  std::optional<std::uint32_t> supplied_by;
  bool is_editable = false;  ///< direct_url.json says so

  /// `nvidia-cublas-cu12 12.9.2.10`, for messages.
  [[nodiscard]] std::string to_string() const { return name + " " + version; }
};

/// A file that a list names and that is not there (.pyc files apart).
struct MissingFile {
  std::string path;  ///< where it should be, inside the root
  std::uint32_t distribution = 0;
  std::string hash;
  std::optional<std::uint64_t> size;
};

/// A file that is there and that the lists of two distributions name, whatever its content: the one
/// that named it first, and another. Never a conda package with the dist-info that it brought.
struct SharedFile {
  std::string path;  ///< inside the root, the directory physical
  std::uint32_t first = 0, other = 0;
  auto operator<=>(const SharedFile&) const = default;
};

/// Something that could not be looked at, or a limit that was reached.
struct Incident {
  std::string path, message;
};

/// A file name that a loader could be asked for, and where it is.
struct LibraryName {
  std::string name;  ///< `libcublas.so.12`
  std::string path;  ///< directory physical, the last component may be a link
  bool is_link = false;
};

/// Configuration of the loader that is there (paths inside the root; empty: not there).
struct LoaderFiles {
  std::string cache, conf, preload;     ///< /etc/ld.so.cache, /etc/ld.so.conf, /etc/ld.so.preload
  std::vector<std::string> musl_paths;  ///< /etc/ld-musl-*.path
};

struct Inventory {
  std::vector<python::Environment> environments;  ///< sorted by prefix, then executable
  std::vector<Distribution> distributions;  ///< by site directory and name; conda's, Debian's last
  std::vector<Object> objects;              ///< sorted by path
  std::vector<MissingFile> missing;         ///< sorted by path
  std::vector<SharedFile> shared;           ///< sorted by path
  std::vector<LibraryName> libraries;       ///< sorted by name, then path
  /// Directory -> the first distribution whose list names a file right in it.
  std::unordered_map<std::string, std::uint32_t> directories;
  LoaderFiles loader;
  std::vector<Incident> incidents;  ///< sorted by path
  std::uint64_t files_seen = 0;
  bool is_complete = true;  ///< false: a limit ended the walk

  /// Index of the installed distribution of that (any spelling of) name. With an environment: in a
  /// directory that its interpreter imports from, or in its prefix.
  [[nodiscard]] std::optional<std::uint32_t> find_distribution(
      std::string_view name, std::optional<std::uint32_t> environment = std::nullopt) const;
  [[nodiscard]] const Object* find_object(std::string_view path) const;
  /// Every place of a file of that exact name.
  [[nodiscard]] std::vector<const LibraryName*> find_library(std::string_view name) const;
  /// Names that begin with `stem`, for another major of a library: `libcublas.so.`.
  [[nodiscard]] std::vector<const LibraryName*> libraries_beginning(std::string_view stem) const;
  /// The first distribution whose list names that object; for other paths, and where no list does,
  /// the one that has files in the nearest directory above. Null: nobody's.
  [[nodiscard]] const Distribution* owner_of(std::string_view path) const;
};

}  // namespace loadable::inventory
