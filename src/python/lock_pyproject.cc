// SPDX-License-Identifier: Apache-2.0
// pyproject.toml: what a project requires (PEP 621, PEP 735, and the tables of poetry, pdm, uv).
// The packages are wishes: nothing is resolved.

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/quote.h"
#include "python/lock_fields.h"
#include "python/names.h"

namespace loadable::python {
namespace {

constexpr int kMaxGroupDepth = 20;

bool is_release(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
}

class ProjectReader {
 public:
  ProjectReader(const TomlValue& project, LockFields& fields, Lock& lock, ProjectTables tables)
      : project_(project), fields_(fields), lock_(lock), tables_(tables) {}

  LockedPackage read() {
    root_.is_root = true;
    root_.source = "editable .";
    root_.place = fields_.file();
    read_standard();
    read_groups();
    if (const TomlValue* tool = fields_.table(project_, "tool")) read_tools(*tool);
    if (lock_.tool == ProjectTool::None) lock_.tool = tool_of_backend();
    if (!has_defaults_) choose_default("dev");
    if (root_.name.empty()) root_.name = "the project";
    root_.normalized = normalize_name(root_.name);
    lock_.is_application = is_application();
    return std::move(root_);
  }

 private:
  void read_tools(const TomlValue& tool) {
    const bool has_all = tables_ == ProjectTables::All;
    if (const TomlValue* poetry = has_all ? fields_.table(tool, "poetry") : nullptr) {
      lock_.tool = ProjectTool::Poetry;
      read_poetry(*poetry);
    }
    if (const TomlValue* pdm = has_all ? fields_.table(tool, "pdm") : nullptr) {
      lock_.tool = ProjectTool::Pdm;
      read_pdm(*pdm);
    }
    if (const TomlValue* uv = fields_.table(tool, "uv")) {
      lock_.tool = ProjectTool::Uv;
      read_uv(*uv);
    }
  }

  [[nodiscard]] ProjectTool tool_of_backend() {
    const TomlValue* build = fields_.table(project_, "build-system");
    const std::string backend = build == nullptr ? "" : fields_.text(*build, "build-backend");
    if (backend.starts_with("poetry.")) return ProjectTool::Poetry;
    if (backend.starts_with("pdm.")) return ProjectTool::Pdm;
    return backend.starts_with("uv_build") ? ProjectTool::Uv : ProjectTool::None;
  }

  /// `[tool.uv] package`, `[tool.poetry] package-mode`; without either a build system makes a
  /// package.
  bool is_application() {
    const TomlValue* tool = fields_.table(project_, "tool");
    const TomlValue* uv = tool == nullptr ? nullptr : fields_.table(*tool, "uv");
    const TomlValue* poetry = tool == nullptr ? nullptr : fields_.table(*tool, "poetry");
    if (uv != nullptr && uv->find("package") != nullptr) return !fields_.flag(*uv, "package");
    if (poetry != nullptr && poetry->find("package-mode") != nullptr) {
      return !fields_.flag(*poetry, "package-mode");
    }
    return project_.find("build-system") == nullptr;
  }

  void read_standard() {
    const TomlValue* project = fields_.table(project_, "project");
    if (project == nullptr) return;
    root_.name = fields_.text(*project, "name");
    root_.version = fields_.text(*project, "version");
    if (lock_.requires_python.empty()) {
      lock_.requires_python = fields_.text(*project, "requires-python");
    }
    add_edges(*project, "dependencies", {}, {});
    for (const std::string& name : fields_.texts(*project, "dynamic")) {
      if (name != "dependencies" && name != "optional-dependencies") continue;
      lock_.problems.push_back(
          {fields_.file(), format("{} are dynamic: only the build tells them", quoted(name))});
    }
    const TomlValue* extras = fields_.table(*project, "optional-dependencies");
    if (extras == nullptr) return;
    for (const TomlMember& extra : extras->members) {
      add_name(lock_.extras, extra.key);
      add_edges(*extras, extra.key, normalize_name(extra.key), {});
    }
  }

  void add_edges(const TomlValue& table, std::string_view key, const std::string& extra,
                 const std::string& group) {
    const TomlValue* list = fields_.list(table, key);
    if (list == nullptr) return;
    for (const TomlValue& item : list->items) add_edge(item, key, extra, group);
  }

  void add_edge(const TomlValue& item, std::string_view key, const std::string& extra,
                const std::string& group) {
    const auto requirement = fields_.requirement(item, key);
    if (!requirement) return;
    LockedDependency edge = dependency_of(*requirement);
    edge.version = pinned_version(requirement->specifiers);
    edge.source = requirement->url;
    edge.extra = extra;
    edge.group = group;
    root_.dependencies.push_back(std::move(edge));
  }

  void read_groups() {
    const TomlValue* groups = fields_.table(project_, "dependency-groups");
    if (groups == nullptr) return;
    for (const TomlMember& group : groups->members) {
      add_name(lock_.groups, group.key);
      std::set<std::string> seen;
      read_group(*groups, group.value, normalize_name(group.key), seen, 0);
    }
  }

  /// `{include-group = "x"}` brings the requirements of another group.
  void read_group(const TomlValue& groups, const TomlValue& list, const std::string& name,
                  std::set<std::string>& seen, int depth) {
    if (list.kind != TomlValue::Kind::List) {
      fields_.complain(list, name, "a list");
      return;
    }
    for (const TomlValue& item : list.items) {
      if (item.kind != TomlValue::Kind::Table) {
        add_edge(item, name, {}, name);
        continue;
      }
      const std::string other = fields_.text(item, "include-group");
      const TomlValue* included = other.empty() ? nullptr : find_group(groups, other);
      if (included == nullptr || depth >= kMaxGroupDepth) continue;
      if (!seen.insert(normalize_name(other)).second) continue;
      read_group(groups, *included, name, seen, depth + 1);
    }
  }

  static const TomlValue* find_group(const TomlValue& groups, const std::string& name) {
    for (const TomlMember& group : groups.members) {
      if (normalize_name(group.key) == normalize_name(name)) return &group.value;
    }
    return nullptr;
  }

  void choose_default(std::string_view name) {
    const std::string group = normalize_name(name);
    if (std::find(lock_.groups.begin(), lock_.groups.end(), group) != lock_.groups.end()) {
      add_name(lock_.default_groups, group);
    }
  }

  void read_poetry(const TomlValue& poetry) {
    has_defaults_ = true;
    if (root_.name.empty()) root_.name = fields_.text(poetry, "name");
    if (root_.version.empty()) root_.version = fields_.text(poetry, "version");
    read_poetry_extras(poetry);
    read_poetry_table(poetry, "dependencies", {});
    read_poetry_table(poetry, "dev-dependencies", "dev");
    if (poetry.find("dev-dependencies") != nullptr) add_name(lock_.groups, "dev");
    for (const std::string& group : lock_.groups) choose_default(group);
    const TomlValue* groups = fields_.table(poetry, "group");
    if (groups == nullptr) return;
    for (const TomlMember& group : groups->members) {
      if (group.value.kind != TomlValue::Kind::Table) continue;
      add_name(lock_.groups, group.key);
      if (!fields_.flag(group.value, "optional")) choose_default(group.key);
      read_poetry_table(group.value, "dependencies", normalize_name(group.key));
    }
  }

  void read_poetry_extras(const TomlValue& poetry) {
    const TomlValue* extras = fields_.table(poetry, "extras");
    if (extras == nullptr) return;
    for (const TomlMember& extra : extras->members) {
      add_name(lock_.extras, extra.key);
      for (const std::string& name : fields_.texts(*extras, extra.key)) {
        behind_[normalize_name(name)].push_back(normalize_name(extra.key));
      }
    }
  }

  void read_poetry_table(const TomlValue& table, std::string_view key, const std::string& group) {
    const TomlValue* dependencies = fields_.table(table, key);
    if (dependencies == nullptr) return;
    for (const TomlMember& entry : dependencies->members) {
      if (entry.key == "python") {
        if (lock_.requires_python.empty() && entry.value.kind == TomlValue::Kind::Text) {
          lock_.requires_python = entry.value.text;
        }
        continue;
      }
      if (entry.value.kind != TomlValue::Kind::List) {
        add_poetry_edge(entry.key, entry.value, group);
        continue;
      }
      for (const TomlValue& item : entry.value.items) add_poetry_edge(entry.key, item, group);
    }
  }

  void add_poetry_edge(const std::string& name, const TomlValue& value, const std::string& group) {
    LockedDependency edge;
    edge.name = normalize_name(name);
    edge.group = group;
    std::string version;
    bool is_optional = false;
    if (value.kind == TomlValue::Kind::Text) {
      version = value.text;
    } else if (value.kind == TomlValue::Kind::Table) {
      version = fields_.text(value, "version");
      edge.marker = fields_.marker(value, "markers");
      edge.source = fields_.text(value, "path");
      for (const std::string& extra : fields_.texts(value, "extras")) add_name(edge.extras, extra);
      is_optional = fields_.flag(value, "optional");
    } else {
      fields_.complain(value, name, "a string, a table or a list of them");
      return;
    }
    if (version.starts_with("==")) edge.version = version.substr(2);
    // Poetry's own `1.2.3` is that release alone; `^1.2` needs a space to be read.
    if (is_release(version)) edge.version = version;
    const bool is_own = version.find_first_of("=<>!") != 0 && !version.starts_with("~=");
    edge.requirement = name;
    if (version != "*" && !version.empty()) edge.requirement += (is_own ? " " : "") + version;
    const auto extras = behind_.find(edge.name);
    if (extras != behind_.end()) {
      for (const std::string& extra : extras->second) {
        edge.extra = extra;
        root_.dependencies.push_back(edge);
      }
    } else if (!is_optional) {
      root_.dependencies.push_back(std::move(edge));
    }
  }

  void read_pdm(const TomlValue& pdm) {
    has_defaults_ = true;
    if (const TomlValue* groups = fields_.table(pdm, "dev-dependencies")) {
      for (const TomlMember& group : groups->members) {
        add_name(lock_.groups, group.key);
        add_edges(*groups, group.key, {}, normalize_name(group.key));
      }
    }
    for (const std::string& group : lock_.groups) choose_default(group);
    const TomlValue* resolution = fields_.table(pdm, "resolution");
    if (resolution == nullptr) return;
    lock_.excludes = fields_.texts(*resolution, "excludes");
  }

  void read_uv(const TomlValue& uv) {
    lock_.has_uv_table = true;
    has_defaults_ = true;
    if (uv.find("dev-dependencies") != nullptr) {
      add_name(lock_.groups, "dev");
      add_edges(uv, "dev-dependencies", {}, "dev");
    }
    const TomlValue* defaults = uv.find("default-groups");
    if (defaults == nullptr) {
      choose_default("dev");
    } else if (defaults->kind == TomlValue::Kind::Text) {
      for (const std::string& group : lock_.groups) choose_default(group);
    } else {
      for (const std::string& group : fields_.texts(uv, "default-groups")) choose_default(group);
    }
    lock_.overrides = fields_.texts(uv, "override-dependencies");
    lock_.constraints = fields_.texts(uv, "constraint-dependencies");
    read_excludes(uv);
    read_conflicts(uv, fields_, lock_);
  }

  void read_excludes(const TomlValue& uv) {
    const TomlValue* excludes = fields_.list(uv, "exclude-dependencies");
    if (excludes == nullptr) return;
    for (const TomlValue& item : excludes->items) {
      lock_.excludes.push_back(
          item.kind == TomlValue::Kind::Table ? fields_.needed_text(item, "package") : item.text);
    }
  }

  const TomlValue& project_;
  LockFields& fields_;
  Lock& lock_;
  ProjectTables tables_;
  LockedPackage root_;
  std::map<std::string, std::vector<std::string>> behind_;  ///< poetry: name -> extras
  bool has_defaults_ = false;
};

/// uv: an override replaces every requirement of that name; what is excluded is required by nobody.
void apply_overrides(Lock& lock, LockedPackage& root) {
  for (const std::string& text : lock.overrides) {
    const auto override_of = Requirement::parse(text);
    if (!override_of) continue;
    for (LockedDependency& edge : root.dependencies) {
      if (edge.name != override_of->normalized) continue;
      edge.marker = override_of->marker;
      edge.version = pinned_version(override_of->specifiers);
    }
  }
  for (const std::string& text : lock.excludes) {
    const std::string name = normalize_name(text);
    std::erase_if(root.dependencies,
                  [&](const LockedDependency& edge) { return edge.name == name; });
  }
}

}  // namespace

LockedPackage project_root(const TomlValue& project, LockFields& fields, Lock& lock,
                           ProjectTables tables) {
  return ProjectReader(project, fields, lock, tables).read();
}

Result<Lock> read_pyproject(const LockText& text) {
  LockFields fields(text.file);
  Lock lock;
  lock.path = text.file;
  LockedPackage root = project_root(*text.lock, fields, lock);
  if (fields.has_failed()) return fail(fields.take_error());
  return wishes_of(std::move(root), std::move(lock), text.directory);
}

Result<Lock> wishes_of(LockedPackage root, Lock lock, const std::string& directory) {
  lock.format = LockFormat::Pyproject;
  lock.is_resolved = false;
  lock.packages.clear();
  apply_overrides(lock, root);
  std::set<std::string> known;
  std::vector<LockedPackage> wishes;
  for (LockedDependency& edge : root.dependencies) {
    if (edge.name == root.normalized) continue;  // an extra of its own
    if (!known.insert(edge.name).second) {
      edge.version.clear();
      continue;
    }
    LockedPackage wish;
    wish.name = wish.normalized = edge.name;
    wish.version = edge.version;
    wish.source = edge.source;
    wish.place = root.place;
    const bool is_local =
        edge.source.ends_with(".whl") && edge.source.find("://") == edge.source.npos;
    if (is_local) wish.local_wheel = written_path(directory, edge.source).text();
    edge.version.clear();
    edge.source.clear();
    wishes.push_back(std::move(wish));
  }
  lock.packages.push_back(std::move(root));
  for (LockedPackage& wish : wishes) lock.packages.push_back(std::move(wish));
  if (auto count = check_package_count(lock.packages.size(), lock.path); !count) {
    return fail(count.error());
  }
  return lock;
}

}  // namespace loadable::python
