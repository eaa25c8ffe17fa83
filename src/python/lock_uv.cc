// SPDX-License-Identifier: Apache-2.0
// uv.lock: a graph. Entries that an override cut off stay in the file, so that only what the roots
// reach is installed (measured with uv 0.13.9).

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "python/lock_fields.h"
#include "python/names.h"

namespace loadable::python {
namespace {

/// `extra == 'x'` in a marker of uv.lock asks whether x is among the chosen extras, and several may
/// be asked for at once; that is what PEP 751 writes as `'x' in extras`.
std::string with_extra_sets(const std::string& marker) {
  constexpr std::string_view kWord = "extra ";
  std::string text;
  std::size_t at = 0;
  while (at < marker.size()) {
    const std::size_t found = marker.find(kWord, at);
    const bool is_word = found != std::string::npos &&
                         (found == 0 || marker[found - 1] == ' ' || marker[found - 1] == '(');
    if (!is_word) {
      const std::size_t end = found == std::string::npos ? marker.size() : found + kWord.size();
      text += marker.substr(at, end - at);
      at = end;
      continue;
    }
    const std::string_view rest = std::string_view(marker).substr(found + kWord.size());
    const bool is_equal = rest.starts_with("== '");
    const std::size_t close = rest.find('\'', 4);
    if ((!is_equal && !rest.starts_with("!= '")) || close == std::string_view::npos) {
      text += marker.substr(at, found + kWord.size() - at);
      at = found + kWord.size();
      continue;
    }
    text += marker.substr(at, found - at);
    text += rest.substr(3, close - 2);
    text += is_equal ? " in extras" : " not in extras";
    at = found + kWord.size() + close + 1;
  }
  return text;
}

std::string source_text(const TomlValue& table, LockFields& fields) {
  const TomlValue* source = fields.table(table, "source");
  if (source == nullptr || source->members.empty()) return {};
  const TomlMember& first = source->members.front();
  const std::string where = first.value.kind == TomlValue::Kind::Text ? first.value.text : "";
  return where.empty() ? first.key : first.key + " " + where;
}

class UvReader {
 public:
  explicit UvReader(const LockText& text) : text_(text), fields_(text.file) {}

  Result<Lock> read() {
    lock_.format = LockFormat::Uv;
    lock_.path = text_.file;
    lock_.requires_python = fields_.text(*text_.lock, "requires-python");
    read_manifest();
    const auto read = read_packages(*text_.lock, "package", fields_,
                                    [&](const TomlValue& table) { read_package(table); });
    if (!read) return fail(read.error());
    choose_roots();
    read_conflicts(*text_.lock, fields_, lock_);
    read_project();
    if (fields_.has_failed()) return fail(fields_.take_error());
    return std::move(lock_);
  }

 private:
  void read_manifest() {
    const TomlValue* manifest = fields_.table(*text_.lock, "manifest");
    if (manifest == nullptr) return;
    for (const std::string& name : fields_.texts(*manifest, "members")) {
      members_.insert(normalize_name(name));
    }
    lock_.excludes = fields_.texts(*manifest, "excludes");
    read_wishes(*manifest, "overrides", lock_.overrides);
    read_wishes(*manifest, "constraints", lock_.constraints);
    // A script, or a workspace whose root is no project, has no entry of its own.
    LockedPackage root;
    root.name = root.normalized = "workspace";
    root.source = "virtual .";
    root.place = fields_.place(*manifest);
    read_edges(*manifest, "requirements", {}, {}, root);
    read_edge_tables(*manifest, "dependency-groups", false, root);
    if (!root.dependencies.empty()) lock_.packages.push_back(std::move(root));
  }

  void read_wishes(const TomlValue& manifest, std::string_view key, std::vector<std::string>& out) {
    const TomlValue* list = fields_.list(manifest, key);
    if (list == nullptr) return;
    for (const TomlValue& item : list->items) {
      if (item.kind != TomlValue::Kind::Table) {
        fields_.complain(item, key, "a list of tables");
        return;
      }
      std::string wish = fields_.needed_text(item, "name") + fields_.text(item, "specifier");
      const std::string marker = fields_.text(item, "marker");
      out.push_back(marker.empty() ? wish : wish + " ; " + marker);
    }
  }

  void read_package(const TomlValue& table) {
    LockedPackage package = package_head(table, fields_);
    package.source = source_text(table, fields_);
    package.is_member = members_.contains(package.normalized);
    read_specifiers(table);
    read_edges(table, "dependencies", {}, {}, package);
    read_edge_tables(table, "optional-dependencies", true, package);
    read_edge_tables(table, "dev-dependencies", false, package);
    specifiers_.clear();
    read_wheels(table, package);
    lock_.packages.push_back(std::move(package));
  }

  /// `requires-dist` of a member of the workspace: what it asks for, for the messages.
  void read_specifiers(const TomlValue& table) {
    const TomlValue* metadata = fields_.table(table, "metadata");
    if (metadata == nullptr) return;
    const auto add = [&](const TomlValue* list) {
      if (list == nullptr) return;
      for (const TomlValue& item : list->items) {
        if (item.kind != TomlValue::Kind::Table) continue;
        const std::string specifier = fields_.text(item, "specifier");
        if (!specifier.empty()) specifiers_[fields_.text(item, "name")] = specifier;
      }
    };
    add(fields_.list(*metadata, "requires-dist"));
    const TomlValue* groups = fields_.table(*metadata, "requires-dev");
    if (groups == nullptr) return;
    for (const TomlMember& group : groups->members) add(fields_.list(*groups, group.key));
  }

  void read_edge_tables(const TomlValue& table, std::string_view key, bool is_extra,
                        LockedPackage& package) {
    const TomlValue* groups = fields_.table(table, key);
    if (groups == nullptr) return;
    for (const TomlMember& group : groups->members) {
      const std::string name = normalize_name(group.key);
      read_edges(*groups, group.key, is_extra ? name : std::string{},
                 is_extra ? std::string{} : name, package);
    }
  }

  void read_edges(const TomlValue& table, std::string_view key, const std::string& extra,
                  const std::string& group, LockedPackage& package) {
    const TomlValue* list = fields_.list(table, key);
    if (list == nullptr) return;
    for (const TomlValue& item : list->items) {
      if (item.kind != TomlValue::Kind::Table) {
        fields_.complain(item, key, "a list of tables");
        return;
      }
      LockedDependency edge;
      const std::string name = fields_.needed_text(item, "name");
      edge.name = normalize_name(name);
      edge.version = fields_.text(item, "version");
      edge.source = source_text(item, fields_);
      for (const std::string& wanted : fields_.texts(item, "extra")) add_name(edge.extras, wanted);
      edge.requirement = requirement_text(name, edge.extras);
      edge.marker = edge_marker(item);
      edge.extra = extra;
      edge.group = group;
      package.dependencies.push_back(std::move(edge));
    }
  }

  std::string requirement_text(const std::string& name, const std::vector<std::string>& extras) {
    std::string text = name;
    for (std::size_t i = 0; i < extras.size(); ++i) text += (i == 0 ? "[" : ",") + extras[i];
    if (!extras.empty()) text += "]";
    const auto specifier = specifiers_.find(name);
    return specifier == specifiers_.end() ? text : text + specifier->second;
  }

  Marker edge_marker(const TomlValue& item) {
    const std::string written = fields_.text(item, "marker");
    if (written.find("extra ") == std::string::npos) return fields_.marker(item, "marker");
    auto marker = Marker::parse(with_extra_sets(written));
    return marker ? std::move(*marker) : fields_.marker(item, "marker");
  }

  void read_wheels(const TomlValue& table, LockedPackage& package) {
    const TomlValue* wheels = fields_.list(table, "wheels");
    if (wheels != nullptr) {
      for (const TomlValue& wheel : wheels->items) {
        std::string name = fields_.text(wheel, "filename");
        if (name.empty()) name = url_file_name(fields_.text(wheel, "url"));
        if (name.empty()) name = url_file_name(fields_.text(wheel, "path"));
        if (!name.empty()) package.wheels.push_back(std::move(name));
      }
    }
    const std::string_view source = package.source;
    if (source.starts_with("path ") && source.ends_with(".whl")) {
      package.local_wheel = written_path(text_.directory, source.substr(5)).text();
    }
  }

  /// `uv sync` installs the project in this directory; where there is none, all members.
  void choose_roots() {
    const auto mark = [&](auto&& is_root) {
      bool found = false;
      for (LockedPackage& package : lock_.packages) {
        package.is_root = is_root(package);
        found = found || package.is_root;
      }
      return found;
    };
    const auto is_here = [](const LockedPackage& package) {
      return package.source == "editable ." || package.source == "virtual ." ||
             package.source == "directory .";
    };
    const auto is_local = [](const LockedPackage& package) {
      return package.source.starts_with("editable ") || package.source.starts_with("virtual ");
    };
    if (mark(is_here)) return;
    if (mark([](const LockedPackage& package) { return package.is_member; })) return;
    mark(is_local);
  }

  void read_project() {
    for (const LockedPackage& package : lock_.packages) {
      if (!package.is_root) continue;
      for (const LockedDependency& edge : package.dependencies) {
        if (!edge.extra.empty()) add_name(lock_.extras, edge.extra);
        if (!edge.group.empty()) add_name(lock_.groups, edge.group);
      }
    }
    std::vector<std::string> defaults = {"dev"};
    const TomlValue* tool = text_.project == nullptr ? nullptr : text_.project->find("tool");
    const TomlValue* uv = tool == nullptr ? nullptr : tool->find("uv");
    if (uv != nullptr) {
      lock_.has_uv_table = true;
      const TomlValue* stated = uv->find("default-groups");
      if (stated != nullptr && stated->kind == TomlValue::Kind::Text) defaults = lock_.groups;
      if (stated != nullptr && stated->kind == TomlValue::Kind::List) {
        defaults = fields_.texts(*uv, "default-groups");
      }
    }
    for (const std::string& name : defaults) {
      const std::string group = normalize_name(name);
      if (std::find(lock_.groups.begin(), lock_.groups.end(), group) != lock_.groups.end()) {
        add_name(lock_.default_groups, group);
      }
    }
  }

  const LockText& text_;
  LockFields fields_;
  Lock lock_;
  std::set<std::string> members_;
  std::map<std::string, std::string> specifiers_;
};

}  // namespace

Result<Lock> read_uv(const LockText& text) { return UvReader(text).read(); }

}  // namespace loadable::python
