// SPDX-License-Identifier: Apache-2.0
#include "python/conda_meta.h"

#include "base/json.h"

namespace loadable::python {
namespace {

std::string text_of(const Json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string{};
}

const Json* array_of(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto member = object.find(key);
  return member != object.end() && member->is_array() ? &*member : nullptr;
}

CondaFile file_of(const Json& row) {
  CondaFile file;
  file.path = text_of(row, "_path");
  file.sha256 = text_of(row, "sha256_in_prefix");
  // A file that was rewritten for its prefix has another size than the package's.
  const bool is_rewritten = row.contains("prefix_placeholder") || row.contains("sha256_in_prefix");
  if (file.sha256.empty() && !row.contains("prefix_placeholder")) {
    file.sha256 = text_of(row, "sha256");
  }
  const auto size = row.find("size_in_bytes");
  const bool same_hash = file.sha256 == text_of(row, "sha256");
  if (size != row.end() && size->is_number_unsigned() && (!is_rewritten || same_hash)) {
    file.size = size->get<std::uint64_t>();
  }
  file.is_link = text_of(row, "path_type") == "softlink";
  return file;
}

}  // namespace

Result<CondaPackage> parse_conda_meta(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return fail(json.error());
  CondaPackage package;
  if (json->is_object()) package.name = text_of(*json, "name");
  if (package.name.empty()) {
    return fail(ErrorCode::Malformed, "no JSON object with a `name`");
  }
  package.version = text_of(*json, "version");
  package.build = text_of(*json, "build");
  package.channel = text_of(*json, "channel");
  if (const Json* depends = array_of(*json, "depends")) {
    for (const Json& row : *depends) {
      if (row.is_string()) package.depends.push_back(row.get<std::string>());
    }
  }
  const auto data = json->find("paths_data");
  const Json* paths = data != json->end() ? array_of(*data, "paths") : nullptr;
  if (paths != nullptr) {
    for (const Json& row : *paths) {
      if (!row.is_object()) continue;
      CondaFile file = file_of(row);
      if (!file.path.empty()) package.files.push_back(std::move(file));
    }
  } else if (const Json* files = array_of(*json, "files")) {
    for (const Json& row : *files) {
      if (row.is_string()) package.files.push_back({row.get<std::string>(), {}, {}, false});
    }
  }
  return package;
}

}  // namespace loadable::python
