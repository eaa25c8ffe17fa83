// SPDX-License-Identifier: Apache-2.0
// A folder with a project in it: pyproject.toml, setup.cfg; what setup.py says only a run would
// tell, and nothing is run.

#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "python/lock_fields.h"
#include "python/names.h"

namespace loadable::python {
namespace {

constexpr std::size_t kMaxLines = 100'000;

std::string_view stripped(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\f\v";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// A file of sections, options and indented further lines, as Python's configparser reads it.
class SetupCfg {
 public:
  SetupCfg(std::string_view text, const std::string& file, Lock& lock) : file_(file), lock_(lock) {
    root_.is_root = true;
    root_.source = "editable .";
    root_.place = file;
    for (std::size_t number = 1; !text.empty() && number <= kMaxLines; ++number) {
      const std::size_t end = text.find('\n');
      read_line(text.substr(0, end), number);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    if (root_.name.empty()) root_.name = "the project";
    root_.normalized = normalize_name(root_.name);
  }

  LockedPackage take() { return std::move(root_); }

 private:
  void read_line(std::string_view line, std::size_t number) {
    const std::string_view text = stripped(line);
    if (text.empty() || text.front() == '#' || text.front() == ';') return;
    const bool is_further = line.front() == ' ' || line.front() == '\t';
    if (is_further) {
      add_value(text, number);
    } else if (text.front() == '[') {
      section_ = std::string(text.substr(1, text.find(']') - 1));
      key_.clear();
    } else {
      const std::size_t sign = text.find_first_of("=:");
      key_ = std::string(stripped(text.substr(0, sign)));
      if (sign != std::string_view::npos) add_value(stripped(text.substr(sign + 1)), number);
    }
  }

  void add_value(std::string_view value, std::size_t number) {
    if (value.empty()) return;
    const bool is_directive = value.starts_with("file:") || value.starts_with("attr:");
    if (section_ == "metadata") {
      if (key_ == "name") root_.name = std::string(value);
      if (key_ == "version" && !is_directive) root_.version = std::string(value);
    } else if (section_ == "options" && key_ == "python_requires") {
      lock_.requires_python = std::string(value);
    } else if (section_ == "options" && key_ == "install_requires") {
      add_requirements(value, {}, number);
    } else if (section_ == "options.extras_require") {
      add_name(lock_.extras, key_);
      add_requirements(value, normalize_name(key_), number);
    }
  }

  /// One a line, or several between semicolons where no marker is meant.
  void add_requirements(std::string_view value, const std::string& extra, std::size_t number) {
    if (const std::size_t comment = value.find(" #"); comment != std::string_view::npos) {
      value = stripped(value.substr(0, comment));
    }
    const auto requirement = Requirement::parse(value);
    if (!requirement) {
      lock_.problems.push_back({file_, format("line {}: passed over: {}: {}", number, quoted(value),
                                              requirement.error().message)});
      return;
    }
    LockedDependency edge = dependency_of(*requirement);
    edge.version = pinned_version(requirement->specifiers);
    edge.source = requirement->url;
    edge.extra = extra;
    root_.dependencies.push_back(std::move(edge));
  }

  const std::string& file_;
  Lock& lock_;
  LockedPackage root_;
  std::string section_, key_;
};

const TomlValue* member_of(const TomlValue& table, std::string_view first,
                           std::string_view second) {
  const TomlValue* outer = table.find(first);
  return outer == nullptr ? nullptr : outer->find(second);
}

/// Does a pyproject.toml leave to other files what the project requires?
bool leaves_requirements_open(const TomlValue& project) {
  if (const TomlValue* dynamic = member_of(project, "project", "dynamic")) {
    return std::any_of(dynamic->items.begin(), dynamic->items.end(),
                       [](const TomlValue& item) { return item.text == "dependencies"; });
  }
  return project.find("project") == nullptr && member_of(project, "tool", "poetry") == nullptr &&
         project.find("dependency-groups") == nullptr &&
         member_of(project, "tool", "uv") == nullptr;
}

}  // namespace

LockedPackage setup_cfg_root(std::string_view text, const std::string& file, Lock& lock) {
  return SetupCfg(text, file, lock).take();
}

Result<Lock> add_setup_files(Lock lock, const TomlValue& project, const std::string& folder,
                             const std::string& from, const ReadIncluded& read) {
  if (!leaves_requirements_open(project)) return lock;
  const std::string base = folder.empty() ? "" : folder + "/";
  if (const auto setup = read(base + "setup.cfg", from)) {
    Lock other;
    LockedPackage root = setup_cfg_root(setup->text, setup->path, other);
    if (!root.dependencies.empty()) {
      other.path = lock.path;
      other.tool = lock.tool;
      return wishes_of(std::move(root), std::move(other), tree::Path(setup->path).parent().text());
    }
  }
  if (!lock.problems.empty()) return lock;  // it says that they are dynamic
  if (const auto setup = read(base + "setup.py", from)) {
    lock.problems.push_back(
        {setup->path, "what `setup.py` requires only a run would tell: nothing is run"});
  }
  return lock;
}

Result<Lock> read_folder(const std::string& folder, const std::string& from,
                         const ReadIncluded& read) {
  const auto project = read(folder + "/pyproject.toml", from);
  Lock lock;
  TomlValue table;
  if (project) {
    auto parsed = parse_toml(project->text, project->path);
    if (!parsed) return fail(parsed.error());
    table = std::move(*parsed);
    const LockText text{
        project->path, tree::Path(project->path).parent().text(), &table, nullptr, {}};
    auto wishes = read_pyproject(text);
    if (!wishes) return wishes;
    lock = std::move(*wishes);
  } else {
    const auto setup = read(folder + "/setup.cfg", from);
    if (!setup && !read(folder + "/setup.py", from)) return fail(project.error());
    lock.path = setup ? setup->path : folder;
    LockedPackage root;
    root.name = "the project";
    root.normalized = "the-project";
    root.is_root = true;
    lock.packages.push_back(std::move(root));
  }
  return add_setup_files(std::move(lock), table, folder, from, read);
}

}  // namespace loadable::python
