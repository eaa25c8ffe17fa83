// SPDX-License-Identifier: Apache-2.0
// poetry.lock: every entry is installed whose group and marker hold, optional ones only behind an
// extra of the project. Poetry 2 writes groups and markers; 1.x writes neither.

#include <algorithm>

#include "base/format.h"
#include "python/lock_fields.h"
#include "python/names.h"

namespace loadable::python {
namespace {

class PoetryReader {
 public:
  explicit PoetryReader(const LockText& text) : text_(text), fields_(text.file) {}

  Result<Lock> read() {
    lock_.format = LockFormat::Poetry;
    lock_.path = text_.file;
    lock_.is_flat = true;
    LockedPackage root;
    root.name = "the project";
    if (text_.project != nullptr) {
      LockFields project(project_file(text_));
      root = project_root(*text_.project, project, lock_);
      if (project.has_failed()) return fail(project.take_error());
    }
    root.is_root = true;
    root.place = text_.file;
    read_extras(root);
    lock_.packages.push_back(std::move(root));
    if (const TomlValue* metadata = fields_.table(*text_.lock, "metadata")) {
      lock_.requires_python = fields_.text(*metadata, "python-versions");
    }
    const auto read = read_packages(*text_.lock, "package", fields_,
                                    [&](const TomlValue& table) { read_package(table); });
    if (!read) return fail(read.error());
    if (text_.project == nullptr) lock_.default_groups = lock_.groups;
    return std::move(lock_);
  }

 private:
  /// `[extras] gpu = ["onnxruntime-gpu"]`: names, which the lock pins.
  void read_extras(LockedPackage& root) {
    const TomlValue* extras = fields_.table(*text_.lock, "extras");
    if (extras == nullptr) return;
    std::erase_if(root.dependencies,
                  [](const LockedDependency& edge) { return !edge.extra.empty(); });
    for (const TomlMember& extra : extras->members) {
      add_name(lock_.extras, extra.key);
      for (const std::string& name : fields_.texts(*extras, extra.key)) {
        LockedDependency edge;
        edge.name = normalize_name(name);
        edge.requirement = name;
        edge.extra = normalize_name(extra.key);
        root.dependencies.push_back(std::move(edge));
      }
    }
  }

  void read_package(const TomlValue& table) {
    LockedPackage package = package_head(table, fields_);
    package.is_optional = fields_.flag(table, "optional");
    for (const std::string& group : fields_.texts(table, "groups")) {
      add_name(package.groups, group);
      if (normalize_name(group) != "main") add_name(lock_.groups, group);
    }
    if (const std::string category = fields_.text(table, "category"); !category.empty()) {
      add_name(package.groups, category);
      if (category != "main") add_name(lock_.groups, category);
    }
    read_markers(table, package);
    read_source(table, package);
    read_edges(table, package);
    lock_.packages.push_back(std::move(package));
  }

  void read_markers(const TomlValue& table, LockedPackage& package) {
    const TomlValue* markers = table.find("markers");
    if (markers == nullptr) return;
    if (markers->kind == TomlValue::Kind::Text) {
      package.marker = fields_.marker(table, "markers");
      return;
    }
    if (markers->kind != TomlValue::Kind::Table) {
      fields_.complain(*markers, "markers", "a string or a table of strings");
      return;
    }
    for (const TomlMember& group : markers->members) {
      package.group_markers.emplace_back(normalize_name(group.key),
                                         fields_.marker(*markers, group.key));
    }
  }

  void read_source(const TomlValue& table, LockedPackage& package) {
    const TomlValue* source = fields_.table(table, "source");
    if (source == nullptr) return;
    const std::string url = fields_.text(*source, "url");
    package.source = fields_.text(*source, "type") + " " + url;
    if (package.source.starts_with("file ") && url.ends_with(".whl")) {
      package.local_wheel = written_path(text_.directory, url).text();
    }
  }

  void read_edges(const TomlValue& table, LockedPackage& package) {
    const TomlValue* edges = fields_.table(table, "dependencies");
    if (edges == nullptr) return;
    for (const TomlMember& entry : edges->members) {
      if (entry.value.kind != TomlValue::Kind::List) {
        read_edge(entry.key, entry.value, package);
        continue;
      }
      for (const TomlValue& item : entry.value.items) read_edge(entry.key, item, package);
    }
    read_optional_edges(table, package);
  }

  void read_edge(const std::string& name, const TomlValue& value, LockedPackage& package) {
    LockedDependency edge;
    edge.name = normalize_name(name);
    std::string version;
    if (value.kind == TomlValue::Kind::Text) {
      version = value.text;
    } else if (value.kind == TomlValue::Kind::Table) {
      version = fields_.text(value, "version");
      edge.marker = fields_.marker(value, "markers");
      for (const std::string& extra : fields_.texts(value, "extras")) add_name(edge.extras, extra);
      if (fields_.flag(value, "optional")) edge.extra = "(optional)";
    } else {
      fields_.complain(value, name, "a string, a table or a list of them");
      return;
    }
    edge.requirement = name + (version == "*" ? "" : version);
    package.dependencies.push_back(std::move(edge));
  }

  /// `[package.extras] gpu = ["onnxruntime-gpu (>=1)"]` says which extra asks for what is optional.
  void read_optional_edges(const TomlValue& table, LockedPackage& package) {
    const TomlValue* extras = fields_.table(table, "extras");
    std::vector<LockedDependency> optional;
    std::erase_if(package.dependencies, [&](const LockedDependency& edge) {
      if (edge.extra.empty()) return false;
      optional.push_back(edge);
      return true;
    });
    if (extras == nullptr || optional.empty()) return;
    for (const TomlMember& extra : extras->members) {
      for (const std::string& text : fields_.texts(*extras, extra.key)) {
        const auto requirement = Requirement::parse(text);
        if (!requirement) continue;
        for (const LockedDependency& edge : optional) {
          if (edge.name != requirement->normalized) continue;
          package.dependencies.push_back(edge);
          package.dependencies.back().extra = normalize_name(extra.key);
        }
      }
    }
  }

  const LockText& text_;
  LockFields fields_;
  Lock lock_;
};

}  // namespace

Result<Lock> read_poetry(const LockText& text) { return PoetryReader(text).read(); }

}  // namespace loadable::python
