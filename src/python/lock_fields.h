// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the readers of lock files share. Internal to this folder.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/toml.h"
#include "python/lock.h"
#include "python/requirement.h"

namespace loadable::python {

/// Fields of TOML tables; remembers the first that is not of the kind wanted.
class LockFields {
 public:
  explicit LockFields(std::string file) : file_(std::move(file)) {}

  /// The text of a member; empty where it is not there.
  std::string text(const TomlValue& table, std::string_view key);
  /// The same, and its absence is an error.
  std::string needed_text(const TomlValue& table, std::string_view key);
  bool flag(const TomlValue& table, std::string_view key);
  /// A list of strings; empty where it is not there.
  std::vector<std::string> texts(const TomlValue& table, std::string_view key);
  /// Null where it is not there, or is no list or table.
  const TomlValue* list(const TomlValue& table, std::string_view key);
  const TomlValue* table(const TomlValue& table, std::string_view key);
  Marker marker(const TomlValue& table, std::string_view key);
  /// A requirement of PEP 508; nothing (and an error) where it is none.
  std::optional<Requirement> requirement(const TomlValue& value, std::string_view key);

  void complain(const TomlValue& value, std::string_view key, std::string_view wanted);
  void complain(Error error);
  [[nodiscard]] std::string place(const TomlValue& value) const;
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] bool has_failed() const { return error_.has_value(); }
  [[nodiscard]] Error take_error() { return std::move(*error_); }

 private:
  std::string file_;
  std::optional<Error> error_;
};

/// One lock file as TOML, and the project beside it.
struct LockText {
  std::string file;       ///< path inside the root, for messages and places
  std::string directory;  ///< that holds it, inside the root
  const TomlValue* lock = nullptr;
  const TomlValue* project = nullptr;  ///< pyproject.toml beside it; null: none
  std::string first_line;              ///< of the lock: poetry names its version there
};

/// The pyproject.toml beside it, for messages.
[[nodiscard]] std::string project_file(const LockText& text);

Result<Lock> read_uv(const LockText& text);
Result<Lock> read_pylock(const LockText& text);
Result<Lock> read_poetry(const LockText& text);
Result<Lock> read_pdm(const LockText& text);
/// `text.lock` is the pyproject.toml itself.
Result<Lock> read_pyproject(const LockText& text);

/// Reads a file that a list of requirements names: path as written, file that names it -> text and
/// its path inside the root.
struct IncludedFile {
  std::string path, text;
};
using ReadIncluded =
    std::function<Result<IncludedFile>(const std::string& written, const std::string& from)>;
/// What the project in a folder requires, by its pyproject.toml, else its setup.cfg, as
/// read_pyproject() answers; `problems` say what only its build tells. `folder` is written as in
/// the file `from`. Errors: NotFound (neither, nor a setup.py), those of read_pyproject().
Result<Lock> read_folder(const std::string& folder, const std::string& from,
                         const ReadIncluded& read);
/// What setup.cfg adds to a pyproject.toml that does not say what is required.
Result<Lock> add_setup_files(Lock lock, const TomlValue& project, const std::string& folder,
                             const std::string& from, const ReadIncluded& read);
/// The options of setuptools in setup.cfg, as a project: name, version, `install_requires`,
/// `extras_require` (setuptools, declarative config).
LockedPackage setup_cfg_root(std::string_view text, const std::string& file, Lock& lock);
/// The lock of wishes of a root: each name that it requires is a package.
Result<Lock> wishes_of(LockedPackage root, Lock lock, const std::string& directory);

Result<Lock> read_requirements(std::string_view text, const std::string& file,
                               const ReadIncluded& read);
Result<Lock> read_conda_yaml(std::string_view text, const std::string& file,
                             const ReadIncluded& read);

/// Whose tables of a pyproject.toml count beside the standard ones.
enum class ProjectTables : std::uint8_t { All, Uv };

Result<Lock> read_pipfile_lock(std::string_view text, const std::string& file);
/// Names of a Pipfile that its lock does not hold, as a sentence; empty: none.
[[nodiscard]] std::string pipfile_difference(const TomlValue& pipfile, const Lock& lock);

/// The root of a project and what its pyproject.toml says of extras, groups, overrides, conflicts:
/// everything of `lock` but the packages that it requires.
LockedPackage project_root(const TomlValue& project, LockFields& fields, Lock& lock,
                           ProjectTables tables = ProjectTables::All);

inline constexpr std::size_t kMaxPackages = 100'000;
Result<bool> check_package_count(std::size_t count, const std::string& file);

/// Calls `read` with each table of the list `key`, and says what failed in the lock so far. Errors:
/// LimitReached, and the first of `fields`.
Result<bool> read_packages(const TomlValue& lock, std::string_view key, LockFields& fields,
                           const std::function<void(const TomlValue&)>& read);
/// What every format writes of a package in the same words: name, version, place.
[[nodiscard]] LockedPackage package_head(const TomlValue& table, LockFields& fields);
/// `conflicts` as uv writes it, in its lock and in [tool.uv].
void read_conflicts(const TomlValue& table, LockFields& fields, Lock& lock);

/// A requirement as an edge.
[[nodiscard]] LockedDependency dependency_of(const Requirement& requirement);
/// The version that `==` or `===` pins; empty: none, or a prefix.
[[nodiscard]] std::string pinned_version(const SpecifierSet& specifiers);
/// A path as a file in `directory` writes it: absolute paths are those of the root.
[[nodiscard]] tree::Path written_path(const std::string& directory, std::string_view written);
/// The path of `file:///a%20b` (RFC 8089, RFC 3986), and a path as it is; empty for another URL.
[[nodiscard]] std::string local_path(std::string_view where);
/// Adds a normalised name once.
void add_name(std::vector<std::string>& names, std::string_view name);
/// The file name at the end of a URL or path, `%2B` and the like decoded.
[[nodiscard]] std::string url_file_name(std::string_view url);

}  // namespace loadable::python
