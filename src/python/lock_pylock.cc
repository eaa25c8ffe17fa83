// SPDX-License-Identifier: Apache-2.0
// pylock.toml (PEP 751) and pdm.lock: every entry is installed whose marker and groups hold.

#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "python/lock_fields.h"
#include "python/names.h"

namespace loadable::python {
namespace {

class PylockReader {
 public:
  explicit PylockReader(const LockText& text) : text_(text), fields_(text.file) {}

  Result<Lock> read() {
    lock_.format = LockFormat::Pylock;
    lock_.path = text_.file;
    lock_.is_flat = true;
    if (const std::string version = fields_.needed_text(*text_.lock, "lock-version");
        !version.empty() && !version.starts_with("1.") && version != "1") {
      return fail(ErrorCode::Unsupported,
                  format("`lock-version` is {}, wanted 1.0", quoted(version)), text_.file);
    }
    lock_.requires_python = fields_.text(*text_.lock, "requires-python");
    for (const std::string& name : fields_.texts(*text_.lock, "extras")) {
      add_name(lock_.extras, name);
    }
    for (const std::string& name : fields_.texts(*text_.lock, "dependency-groups")) {
      add_name(lock_.groups, name);
    }
    for (const std::string& name : fields_.texts(*text_.lock, "default-groups")) {
      add_name(lock_.default_groups, name);
    }
    const auto read = read_packages(*text_.lock, "packages", fields_,
                                    [&](const TomlValue& table) { read_package(table); });
    if (!read) return fail(read.error());
    return std::move(lock_);
  }

 private:
  void read_package(const TomlValue& table) {
    LockedPackage package = package_head(table, fields_);
    package.marker = fields_.marker(table, "marker");
    read_source(table, package);
    if (const TomlValue* edges = fields_.list(table, "dependencies")) {
      for (const TomlValue& item : edges->items) read_edge(item, package);
    }
    lock_.packages.push_back(std::move(package));
  }

  void read_edge(const TomlValue& item, LockedPackage& package) {
    if (item.kind != TomlValue::Kind::Table) {
      fields_.complain(item, "dependencies", "a list of tables");
      return;
    }
    LockedDependency edge;
    edge.requirement = fields_.text(item, "name");
    edge.name = normalize_name(edge.requirement);
    edge.version = fields_.text(item, "version");
    if (!edge.name.empty()) package.dependencies.push_back(std::move(edge));
  }

  void read_source(const TomlValue& table, LockedPackage& package) {
    for (const std::string_view kind : {"vcs", "directory", "archive", "sdist"}) {
      const TomlValue* source = fields_.table(table, kind);
      if (source == nullptr) continue;
      package.source = std::string(kind);
      for (const std::string_view key : {"url", "path"}) {
        const std::string where = fields_.text(*source, key);
        if (where.empty()) continue;
        package.source += " " + where;
        note_wheel(where, package);
        note_wheel_name(where, package);
        break;
      }
    }
    const TomlValue* wheels = fields_.list(table, "wheels");
    if (wheels == nullptr) return;
    package.source = fields_.text(table, "index");
    for (const TomlValue& wheel : wheels->items) {
      const std::string path = fields_.text(wheel, "path");
      std::string name = fields_.text(wheel, "name");
      if (name.empty()) name = url_file_name(fields_.text(wheel, "url"));
      if (name.empty()) name = url_file_name(path);
      if (wheels->items.size() == 1) note_wheel(path, package);
      if (!name.empty()) package.wheels.push_back(std::move(name));
    }
  }

  /// An archive that is a wheel: pip leaves the version out.
  static void note_wheel_name(std::string_view where, LockedPackage& package) {
    const std::string name = url_file_name(where);
    const auto wheel = parse_wheel_name(name);
    if (!wheel) return;
    if (package.version.empty()) package.version = wheel->version;
    package.wheels.push_back(name);
  }

  /// A path, or as `pip lock` writes it, `file:///…`.
  void note_wheel(std::string_view where, LockedPackage& package) const {
    const std::string path = local_path(where);
    if (!path.ends_with(".whl")) return;
    package.local_wheel = written_path(text_.directory, path).text();
  }

  const LockText& text_;
  LockFields fields_;
  Lock lock_;
};

class PdmReader {
 public:
  explicit PdmReader(const LockText& text) : text_(text), fields_(text.file) {}

  Result<Lock> read() {
    lock_.format = LockFormat::Pdm;
    lock_.path = text_.file;
    lock_.is_flat = true;
    if (text_.project != nullptr) {
      LockFields project(project_file(text_));
      LockedPackage root = project_root(*text_.project, project, lock_);
      if (project.has_failed()) return fail(project.take_error());
      lock_.packages.push_back(std::move(root));
    }
    if (const TomlValue* metadata = fields_.table(*text_.lock, "metadata")) {
      lock_.requires_python = fields_.text(*metadata, "requires_python");
      if (text_.project == nullptr) read_groups(*metadata);
    }
    const auto read = read_packages(*text_.lock, "package", fields_,
                                    [&](const TomlValue& table) { read_package(table); });
    if (!read) return fail(read.error());
    return std::move(lock_);
  }

 private:
  /// Without the project nobody knows which of the groups are extras: all but `dev` may be.
  void read_groups(const TomlValue& metadata) {
    for (const std::string& name : fields_.texts(metadata, "groups")) {
      if (name == "default") continue;
      add_name(lock_.groups, name);
      if (name == "dev") add_name(lock_.default_groups, name);
    }
  }

  void read_package(const TomlValue& table) {
    LockedPackage package = package_head(table, fields_);
    package.marker = fields_.marker(table, "marker");
    for (const std::string& group : fields_.texts(table, "groups")) add_name(package.groups, group);
    for (const std::string_view kind : {"path", "url", "git"}) {
      const std::string where = fields_.text(table, kind);
      if (where.empty()) continue;
      package.source = std::string(kind) + " " + where;
      if (kind == "path" && where.ends_with(".whl")) {
        package.local_wheel = written_path(text_.directory, where).text();
      }
    }
    if (const TomlValue* edges = fields_.list(table, "dependencies")) {
      for (const TomlValue& item : edges->items) {
        const auto requirement = fields_.requirement(item, "dependencies");
        if (requirement) package.dependencies.push_back(dependency_of(*requirement));
      }
    }
    lock_.packages.push_back(std::move(package));
  }

  const LockText& text_;
  LockFields fields_;
  Lock lock_;
};

}  // namespace

Result<Lock> read_pylock(const LockText& text) { return PylockReader(text).read(); }
Result<Lock> read_pdm(const LockText& text) { return PdmReader(text).read(); }

}  // namespace loadable::python
