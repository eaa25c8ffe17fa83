// SPDX-License-Identifier: Apache-2.0
// Pipfile.lock (pipenv; pipfile-spec 6): every entry of `default` is installed whose marker holds,
// those of `develop` and of other categories where they are asked for.

#include "base/format.h"
#include "base/json.h"
#include "base/quote.h"
#include "python/lock_fields.h"
#include "python/names.h"

namespace loadable::python {
namespace {

std::string_view kind_of(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return "true or false";
  if (value.is_number()) return "a number";
  if (value.is_string()) return "a string";
  return value.is_array() ? "a list" : "an object";
}

class PipfileReader {
 public:
  explicit PipfileReader(const std::string& file) : file_(file) {
    lock_.format = LockFormat::Pipfile;
    lock_.path = file;
    lock_.is_flat = true;
  }

  Result<Lock> read(const Json& document) {
    if (!document.is_object()) return wrong("the document", document, "an object");
    const auto meta = document.find("_meta");
    if (meta == document.end() || !meta->is_object()) {
      return fail(ErrorCode::Malformed, "`_meta` is absent, wanted an object, as pipenv writes it",
                  file_);
    }
    read_python(*meta);
    for (const auto& [category, packages] : document.items()) {
      if (category == "_meta") continue;
      if (!packages.is_object()) return wrong(category, packages, "an object");
      if (category != "default") add_name(lock_.groups, category);
      for (const auto& [name, entry] : packages.items()) {
        if (auto done = read_package(category, name, entry); !done) return fail(done.error());
      }
    }
    return std::move(lock_);
  }

 private:
  tl::unexpected<Error> wrong(const std::string& key, const Json& value, std::string_view wanted) {
    return fail(ErrorCode::Malformed,
                format("{} is {}, wanted {}", loadable::quoted(key), kind_of(value), wanted),
                file_);
  }

  void read_python(const Json& meta) {
    const auto wanted = meta.find("requires");
    if (wanted == meta.end() || !wanted->is_object()) return;
    for (const char* key : {"python_full_version", "python_version"}) {
      const auto version = wanted->find(key);
      if (version == wanted->end() || !version->is_string()) continue;
      lock_.requires_python = "==" + version->get<std::string>() + ".*";
    }
  }

  /// Empty where it is absent.
  Result<std::string> text(const std::string& name, const Json& entry, const char* key) {
    const auto value = entry.find(key);
    if (value == entry.end()) return std::string{};
    if (!value->is_string()) return wrong(format("{}.{}", name, key), *value, "a string");
    return value->get<std::string>();
  }

  Result<bool> read_package(const std::string& category, const std::string& name,
                            const Json& entry) {
    if (!entry.is_object()) return wrong(name, entry, "an object");
    LockedPackage package;
    package.name = name;
    package.normalized = normalize_name(name);
    package.place = file_;
    package.groups = {normalize_name(category)};
    const auto version = text(name, entry, "version");
    if (!version) return fail(version.error());
    package.version = version->starts_with("==") ? version->substr(2) : *version;
    const auto markers = text(name, entry, "markers");
    if (!markers) return fail(markers.error());
    auto marker = Marker::parse(*markers);
    if (!markers->empty() && !marker) {
      return fail(marker.error().code,
                  format("{}: {}", loadable::quoted(name), marker.error().message), file_);
    }
    if (marker) package.marker = std::move(*marker);
    for (const char* key : {"git", "path", "file"}) {
      const auto source = text(name, entry, key);
      if (!source) return fail(source.error());
      if (!source->empty()) package.source = std::string(key) + " " + *source;
    }
    if (auto count = check_package_count(lock_.packages.size() + 1, file_); !count) return count;
    lock_.packages.push_back(std::move(package));
    return true;
  }

  const std::string& file_;
  Lock lock_;
};

}  // namespace

Result<Lock> read_pipfile_lock(std::string_view text, const std::string& file) {
  const auto document = parse_json(text);
  if (!document) {
    Error error = document.error();
    if (error.subject.empty()) error.subject = file;
    return fail(std::move(error));
  }
  return PipfileReader(file).read(*document);
}

std::string pipfile_difference(const TomlValue& pipfile, const Lock& lock) {
  constexpr std::size_t kMaxNamed = 3;
  std::string missing;
  std::size_t count = 0;
  for (const TomlMember& table : pipfile.members) {
    const bool is_other = table.key == "source" || table.key == "requires" ||
                          table.key == "scripts" || table.key == "pipenv";
    if (is_other || table.value.kind != TomlValue::Kind::Table) continue;
    for (const TomlMember& entry : table.value.members) {
      const std::string name = normalize_name(entry.key);
      bool is_locked = false;
      for (const LockedPackage& package : lock.packages) {
        is_locked = is_locked || package.normalized == name;
      }
      if (is_locked || ++count > kMaxNamed) continue;
      missing += (missing.empty() ? "" : ", ") + loadable::quoted(entry.key);
    }
  }
  if (count > kMaxNamed) missing += format(" and {} more", count - kMaxNamed);
  return missing.empty() ? missing : format("`Pipfile` requires {}, which is not locked", missing);
}

}  // namespace loadable::python
