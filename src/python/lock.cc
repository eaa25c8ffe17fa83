// SPDX-License-Identifier: Apache-2.0
#include "python/lock.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/format.h"
#include "base/quote.h"
#include "python/lock_encoding.h"
#include "python/lock_fields.h"
#include "python/lock_freshness.h"

namespace loadable::python {
namespace {

using tree::Path;

constexpr std::size_t kMaxText = std::size_t{16} << 20;
constexpr std::size_t kMaxIncluded = std::size_t{16} << 20;
constexpr std::size_t kMaxLine = 1000;

/// Every tool writes these, also of a project without dependencies: a text without them is no lock,
/// and must not pass for one that installs nothing. Errors: Malformed, Unsupported.
Result<void> check_form(const LockText& text, LockFormat format) {
  struct Form {
    LockFormat format;
    const char* key;
    TomlValue::Kind kind;
  };
  constexpr std::array<Form, 4> kForms = {{{LockFormat::Uv, "version", TomlValue::Kind::Integer},
                                           {LockFormat::Pylock, "packages", TomlValue::Kind::List},
                                           {LockFormat::Poetry, "metadata", TomlValue::Kind::Table},
                                           {LockFormat::Pdm, "metadata", TomlValue::Kind::Table}}};
  for (const Form& form : kForms) {
    if (form.format != format) continue;
    const TomlValue* value = text.lock->find(form.key);
    if (value == nullptr || value->kind != form.kind) {
      return fail(ErrorCode::Malformed,
                  loadable::format("`{}` is {}, wanted {}, as {} has it", form.key,
                                   value == nullptr ? "absent" : to_string(value->kind),
                                   to_string(form.kind), to_string(format)),
                  text.file);
    }
    if (format == LockFormat::Uv && value->integer != 1) {
      return fail(ErrorCode::Unsupported,
                  loadable::format("`version` is {}, wanted 1", value->integer), text.file);
    }
  }
  return {};
}

Result<Lock> read_format(const LockText& text, LockFormat format) {
  switch (format) {
    case LockFormat::Uv:
      return read_uv(text);
    case LockFormat::Pylock:
      return read_pylock(text);
    case LockFormat::Poetry:
      return read_poetry(text);
    case LockFormat::Pdm:
      return read_pdm(text);
    case LockFormat::Pyproject:
      return read_pyproject(text);
    case LockFormat::Requirements:
    case LockFormat::CondaYaml:
    case LockFormat::Pipfile:
      break;
  }
  return fail(ErrorCode::InvalidArgument, "no format of TOML", text.file);
}

Result<Lock> read_toml(const LockText& text, LockFormat format) {
  Result<Lock> lock = read_format(text, format);
  if (!lock) return lock;
  if (auto form = check_form(text, format); !form) return fail(form.error());
  return lock;
}

/// The lock of a project says so by its name: `pylock.gpu.toml` may be of anything.
bool reads_project(LockFormat format, std::string_view name) {
  return format == LockFormat::Uv || format == LockFormat::Poetry || format == LockFormat::Pdm ||
         (format == LockFormat::Pylock && name == "pylock.toml");
}

bool is_toml(LockFormat format) {
  return format != LockFormat::Requirements && format != LockFormat::CondaYaml &&
         format != LockFormat::Pipfile;
}

/// Reads what a file names, and notes it in `files`.
ReadIncluded reader_of(tree::Walk& walk, std::vector<std::string>& files) {
  return
      [&walk, &files](const std::string& written, const std::string& from) -> Result<IncludedFile> {
        const Path place = written_path(Path(from).parent().text(), written);
        const auto& found = walk.resolve(place);
        if (!found) return fail(found.error());
        const std::string physical = found->physical.text();
        auto included = walk.read_text(place, kMaxIncluded);
        if (!included) return fail(included.error());
        if (std::find(files.begin(), files.end(), physical) == files.end())
          files.push_back(physical);
        return IncludedFile{physical, decoded(*included)};
      };
}

Result<Lock> read_other_lock(const Path& path, std::string_view content, LockFormat kind,
                             const ReadIncluded& read) {
  if (kind == LockFormat::Requirements) return read_requirements(content, path.text(), read);
  if (kind == LockFormat::CondaYaml) return read_conda_yaml(content, path.text(), read);
  auto lock = read_pipfile_lock(content, path.text());
  if (!lock) return lock;
  const auto pipfile = read("Pipfile", path.text());
  if (!pipfile) return lock;
  const auto table = parse_toml(pipfile->text, pipfile->path);
  if (!table) return fail(table.error());
  lock->outdated = pipfile_difference(*table, *lock);
  return lock;
}

/// The members of uv's workspace beside the project itself, each with a pyproject.toml of its own.
std::string member_difference(tree::Walk& walk, const Path& directory, const TomlValue& parsed,
                              const Lock& lock) {
  constexpr std::size_t kMaxMembers = 200;
  std::size_t count = 0;
  for (const LockedPackage& package : lock.packages) {
    const std::size_t blank = package.source.find(' ');
    if (!package.is_member || blank == std::string::npos || ++count > kMaxMembers) continue;
    const std::string place = package.source.substr(blank + 1);
    if (place == ".") continue;
    const Path file = directory.join(place).join("pyproject.toml");
    const auto text = walk.read_text(file, kMaxIncluded);
    if (!text) continue;
    const auto project = parse_toml(*text, file.text());
    if (!project) return format("{} cannot be read", quoted(file.text()));
    std::string difference = uv_difference(parsed, package.source, *project, file.text());
    if (!difference.empty()) return difference;
  }
  return {};
}

std::string uv_outdated(tree::Walk& walk, const LockText& text, const Lock& lock) {
  std::string difference =
      uv_difference(*text.lock, root_source(*text.lock), *text.project, project_file(text));
  if (difference.empty()) {
    difference = uv_manifest_difference(*text.lock, *text.project, project_file(text));
  }
  if (!difference.empty()) return difference;
  return member_difference(walk, Path(text.directory), *text.lock, lock);
}

/// Was it made from the pyproject.toml beside it? A script's lock was not.
std::string outdated(tree::Walk& walk, const LockText& text, LockFormat format, const Lock& lock) {
  switch (format) {
    case LockFormat::Uv:
      return text.file.ends_with(".py.lock") ? std::string{} : uv_outdated(walk, text, lock);
    case LockFormat::Poetry:
      return poetry_difference(text, lock);
    case LockFormat::Pdm:
      return pdm_difference(text, lock);
    case LockFormat::Pylock:
      return pylock_difference(text, lock);
    default:
      return {};
  }
}

/// The formats of TOML, with the pyproject.toml beside them where they need one.
Result<Lock> read_toml_lock(tree::Walk& walk, const Path& path, std::string_view content,
                            LockFormat kind, std::vector<std::string>& files) {
  const auto parsed = parse_toml(content, path.text());
  if (!parsed) return fail(parsed.error());
  LockText input{path.text(), path.parent().text(), &*parsed, nullptr,
                 std::string(content.substr(0, std::min(content.find('\n'), kMaxLine)))};
  if (kind == LockFormat::Pyproject) {
    auto wishes = read_toml(input, kind);
    if (!wishes) return wishes;
    return add_setup_files(std::move(*wishes), *parsed, {}, path.text(), reader_of(walk, files));
  }
  if (!reads_project(kind, path.name())) return read_toml(input, kind);
  const Path beside = path.parent().join("pyproject.toml");
  const auto project_text = walk.read_text(beside, kMaxIncluded);
  if (!project_text) return read_toml(input, kind);
  const auto project = parse_toml(*project_text, beside.text());
  if (!project) return fail(project.error());
  input.project = &*project;
  files.push_back(beside.text());
  auto lock = read_toml(input, kind);
  if (lock) lock->outdated = outdated(walk, input, kind, *lock);
  return lock;
}

}  // namespace

std::string_view to_string(LockFormat format) {
  switch (format) {
    case LockFormat::Uv:
      return "uv.lock";
    case LockFormat::Pylock:
      return "pylock.toml";
    case LockFormat::Poetry:
      return "poetry.lock";
    case LockFormat::Pdm:
      return "pdm.lock";
    case LockFormat::Requirements:
      return "requirements.txt";
    case LockFormat::CondaYaml:
      return "environment.yml";
    case LockFormat::Pipfile:
      return "Pipfile.lock";
    case LockFormat::Pyproject:
      return "pyproject.toml";
  }
  return "";
}

std::optional<LockFormat> lock_format_of(std::string_view file_name) {
  const auto is_yaml = [&](std::string_view stem) {
    return file_name.starts_with(stem) &&
           (file_name.ends_with(".yml") || file_name.ends_with(".yaml"));
  };
  if (file_name.ends_with("uv.lock") || file_name.ends_with(".py.lock")) return LockFormat::Uv;
  if (file_name.starts_with("pylock.") && file_name.ends_with(".toml")) return LockFormat::Pylock;
  if (file_name.ends_with("poetry.lock")) return LockFormat::Poetry;
  if (file_name == "pdm.lock" || (file_name.starts_with("pdm.") && file_name.ends_with(".lock"))) {
    return LockFormat::Pdm;
  }
  if (file_name == "Pipfile.lock") return LockFormat::Pipfile;
  if (file_name == "pyproject.toml" || file_name == "setup.cfg") return LockFormat::Pyproject;
  if (is_yaml("environment")) return LockFormat::CondaYaml;
  const bool is_list = file_name.ends_with(".txt") || file_name.ends_with(".in") ||
                       file_name.ends_with(".lock");  // the last is rye's
  if (is_list && (file_name.find("requirements") != std::string_view::npos ||
                  file_name.find("constraints") != std::string_view::npos)) {
    return LockFormat::Requirements;
  }
  return std::nullopt;
}

Result<Lock> parse_lock(std::string_view text, const std::string& name, LockFormat kind) {
  if (text.size() > kMaxText) {
    return fail(ErrorCode::LimitReached,
                format("{} bytes, wanted at most {}", text.size(), kMaxText), name);
  }
  const std::string content = decoded(text);
  text = content;
  const ReadIncluded nothing = [](const std::string& written,
                                  const std::string&) -> Result<IncludedFile> {
    return fail(ErrorCode::NotFound, "nothing beside the text is read", written);
  };
  if (kind == LockFormat::Requirements) return read_requirements(text, name, nothing);
  if (kind == LockFormat::CondaYaml) return read_conda_yaml(text, name, nothing);
  if (kind == LockFormat::Pipfile) return read_pipfile_lock(text, name);
  const auto parsed = parse_toml(text, name);
  if (!parsed) return fail(parsed.error());
  const LockText input{name, Path(name).parent().text(), &*parsed, nullptr, {}};
  return read_toml(input, kind);
}

Result<Lock> read_lock(tree::Walk& walk, const tree::Path& path, LockFormat kind) {
  std::vector<std::string> files = {path.text()};
  const auto text = walk.read_text(path, kMaxText);
  if (!text) {
    Error error = text.error();
    if (error.subject.empty()) error.subject = path.text();
    return fail(std::move(error));
  }
  const std::string content = decoded(*text);
  const ReadIncluded read = reader_of(walk, files);
  if (path.name() == "setup.cfg") {
    auto project = read_folder(".", path.text(), read);
    if (project) project->files = std::move(files);
    return project;
  }
  Result<Lock> lock = is_toml(kind) ? read_toml_lock(walk, path, content, kind, files)
                                    : read_other_lock(path, content, kind, read);
  if (lock) lock->files = std::move(files);
  return lock;
}

}  // namespace loadable::python
