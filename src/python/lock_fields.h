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
Result<Lock> read_requirements(std::string_view text, const std::string& file,
                               const ReadIncluded& read);
Result<Lock> read_conda_yaml(std::string_view text, const std::string& file,
                             const ReadIncluded& read);

/// The root of a project and what its pyproject.toml says of extras, groups, overrides, conflicts:
/// everything of `lock` but the packages that it requires.
LockedPackage project_root(const TomlValue& project, LockFields& fields, Lock& lock);

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
/// Adds a normalised name once.
void add_name(std::vector<std::string>& names, std::string_view name);
/// The file name at the end of a URL or path, `%2B` and the like decoded.
[[nodiscard]] std::string url_file_name(std::string_view url);

}  // namespace loadable::python
