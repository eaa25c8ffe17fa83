// SPDX-License-Identifier: Apache-2.0
#include "inventory/inventory.h"

#include <algorithm>

#include "python/names.h"

namespace loadable::inventory {

std::string_view to_string(Role role) {
  switch (role) {
    case Role::Executable:
      return "executable";
    case Role::ExtensionModule:
      return "extension module";
    case Role::ForeignModule:
      return "extension module of another Python";
    case Role::PrivateLibrary:
      return "private library";
    case Role::Library:
      return "library";
    case Role::Plugin:
      return "plugin";
  }
  return "file";
}

std::string_view Object::name() const { return std::string_view(path).substr(path.rfind('/') + 1); }

namespace {

// System site packages belong to the system's interpreter and to every environment that includes
// them.
bool imports_from(const python::Environment& environment, const std::string& directory) {
  const auto& sites = environment.site_directories;
  return std::find(sites.begin(), sites.end(), directory) != sites.end();
}

}  // namespace

std::optional<std::uint32_t> Inventory::find_distribution(
    std::string_view name, std::optional<std::uint32_t> environment) const {
  const std::string normalized = python::normalize_name(name);
  for (std::uint32_t i = 0; i < distributions.size(); ++i) {
    if (distributions[i].normalized != normalized) continue;
    if (!environment || distributions[i].environment == environment) return i;
    const bool is_known = *environment < environments.size();
    if (is_known && imports_from(environments[*environment], distributions[i].site_directory)) {
      return i;
    }
  }
  return std::nullopt;
}

const Object* Inventory::find_object(std::string_view path) const {
  const auto place = std::lower_bound(
      objects.begin(), objects.end(), path,
      [](const Object& object, std::string_view wanted) { return object.path < wanted; });
  return place != objects.end() && place->path == path ? &*place : nullptr;
}

namespace {

// Of names sorted by bytes: those that equal `text`, or begin with it.
std::vector<const LibraryName*> select(const std::vector<LibraryName>& libraries,
                                       std::string_view text, bool is_prefix) {
  auto place = std::lower_bound(
      libraries.begin(), libraries.end(), text,
      [](const LibraryName& library, std::string_view wanted) { return library.name < wanted; });
  std::vector<const LibraryName*> found;
  for (; place != libraries.end(); ++place) {
    if (is_prefix ? !place->name.starts_with(text) : place->name != text) break;
    found.push_back(&*place);
  }
  return found;
}

}  // namespace

std::vector<const LibraryName*> Inventory::find_library(std::string_view name) const {
  return select(libraries, name, false);
}

std::vector<const LibraryName*> Inventory::libraries_beginning(std::string_view stem) const {
  return select(libraries, stem, true);
}

const Distribution* Inventory::owner_of(std::string_view path) const {
  const Object* object = find_object(path);
  if (object != nullptr && !object->owners.empty()) {
    return &distributions[object->owners.front().distribution];
  }
  while (path.size() > 1) {
    path = path.substr(0, path.rfind('/'));
    const auto found = directories.find(std::string(path));
    if (found != directories.end()) return &distributions[found->second];
  }
  return nullptr;
}

}  // namespace loadable::inventory
