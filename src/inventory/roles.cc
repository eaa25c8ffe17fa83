// SPDX-License-Identifier: Apache-2.0
#include "inventory/roles.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/format.h"

namespace loadable::inventory {
namespace {

constexpr auto kNoPrograms = std::to_array<std::string_view>(
    {"a",   "bat",   "bz2",    "c",   "cc",    "cfg",  "cmake", "cpp",  "cs",       "css",
     "csv", "cu",    "cuh",    "cxx", "dat",   "el",   "f",     "f90",  "gif",      "gz",
     "h",   "hh",    "hpp",    "htm", "html",  "hxx",  "ico",   "in",   "inc",      "ini",
     "inl", "ipynb", "jpeg",   "jpg", "js",    "json", "la",    "lua",  "map",      "mat",
     "md",  "mjs",   "mo",     "mp3", "mp4",   "npy",  "npz",   "o",    "otf",      "pc",
     "pdf", "pem",   "pickle", "pkl", "pl",    "pm",   "png",   "po",   "proto",    "ps1",
     "pth", "pxd",   "pxi",    "py",  "pyc",   "pyi",  "pyx",   "qm",   "qmltypes", "rb",
     "rst", "scss",  "sh",     "svg", "tar",   "tcl",  "tf",    "tmpl", "toml",     "ts",
     "tsv", "tsx",   "ttf",    "txt", "typed", "wav",  "whl",   "woff", "woff2",    "xml",
     "xsl", "xz",    "yaml",   "yml", "zip",   "zst"});

/// A suffix of up to eight bytes as a number: every file is asked for, and numbers compare at once.
constexpr std::uint64_t packed(std::string_view suffix) {
  std::uint64_t number = 0;
  for (const char c : suffix) number = number << 8U | static_cast<unsigned char>(c);
  return number;
}

constexpr auto kNoProgramNumbers = [] {
  std::array<std::uint64_t, kNoPrograms.size()> numbers{};
  std::transform(kNoPrograms.begin(), kNoPrograms.end(), numbers.begin(), packed);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}();
static_assert(std::all_of(kNoPrograms.begin(), kNoPrograms.end(),
                          [](std::string_view suffix) { return suffix.size() <= 8; }));

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_identifier(std::string_view text) {
  if (text.empty() || is_digit(text[0])) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
  });
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Calls `test` with each directory of a relative path; true as soon as one passes.
template <class Test>
bool any_directory(std::string_view relative, const Test& test) {
  for (std::size_t slash = relative.find('/'); slash != std::string_view::npos;
       slash = relative.find('/')) {
    if (test(relative.substr(0, slash))) return true;
    relative.remove_prefix(slash + 1);
  }
  return false;
}

bool is_plugin_directory(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "plugins", "plugin", "qml",      "gconv",        "dri",
      "vdpau",   "sasl2",  "security", "ossl-modules", "pkcs11"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_private_directory(std::string_view name) {
  return name.ends_with(".libs") || name == ".dylibs";
}

/// `x.cpython-311-x86_64-linux-gnu.so` -> `x`, `cpython-311-x86_64-linux-gnu`.
struct ModuleName {
  std::string_view stem, tag;
};

std::optional<ModuleName> module_name(std::string_view file_name) {
  constexpr std::string_view kSuffix = ".so";
  if (!file_name.ends_with(kSuffix)) return std::nullopt;
  file_name.remove_suffix(kSuffix.size());
  const std::size_t dot = file_name.find('.');
  ModuleName result{file_name.substr(0, dot), {}};
  if (dot != std::string_view::npos) result.tag = file_name.substr(dot + 1);
  const bool is_tag = result.tag.empty() || result.tag == "abi3" || result.tag == "abi3t" ||
                      result.tag.starts_with("cpython-") || result.tag.starts_with("pypy") ||
                      result.tag.starts_with("graalpy");
  if (!is_tag || !is_identifier(result.stem)) return std::nullopt;
  return result;
}

// Does the interpreter look for this suffix? (`importlib.machinery.EXTENSION_SUFFIXES`)
bool is_tag_accepted(std::string_view tag, const python::Environment& environment) {
  if (tag.empty() || tag.starts_with("abi3")) return true;
  constexpr std::string_view kCpython = "cpython-";
  if (!tag.starts_with(kCpython)) return false;
  if (environment.major == 0) return true;
  tag.remove_prefix(kCpython.size());
  std::string_view release = tag.substr(0, tag.find('-'));
  while (!release.empty() && !is_digit(release.back())) release.remove_suffix(1);  // `313t`, `38m`
  return release == format("{}{}", environment.major, environment.minor);
}

std::string dotted(std::string_view relative, std::string_view stem) {
  std::string module(relative.substr(0, relative.size() - name_of(relative).size()));
  std::replace(module.begin(), module.end(), '/', '.');
  return module.append(stem);
}

// Right in a directory that loaders search by default, or in a glibc-hwcaps one below it.
bool is_in_library_directory(std::string_view path) {
  const std::size_t hwcaps = path.find("/glibc-hwcaps/");
  std::string_view directory = path.substr(0, hwcaps == path.npos ? path.rfind('/') : hwcaps);
  const std::string_view last = name_of(directory);
  if (last == "lib" || last == "lib64" || last == "lib32" || last == "libx32") return true;
  directory = directory.substr(0, directory.rfind('/'));
  const std::string_view above = name_of(directory);
  return above == "lib" && std::count(last.begin(), last.end(), '-') >= 2;  // a triplet
}

RoleOfFile role_in_system(std::string_view path) {
  const std::string_view name = name_of(path);
  if (is_in_library_directory(path)) return {Role::Library, {}};
  const std::size_t suffix = name.find(".so.");
  const bool has_major = name.starts_with("lib") && suffix != name.npos;
  return {has_major ? Role::Library : Role::Plugin, {}};
}

}  // namespace

bool is_library_name(std::string_view name) {
  if (name.ends_with(".so")) return name.size() > 3;
  const std::size_t suffix = name.find(".so.");
  if (suffix == std::string_view::npos || suffix == 0) return false;
  return suffix + 4 < name.size() && is_digit(name[suffix + 4]);
}

bool may_be_program(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return true;
  const std::string_view suffix = name.substr(dot + 1);
  return suffix.size() > 8 ||
         !std::binary_search(kNoProgramNumbers.begin(), kNoProgramNumbers.end(), packed(suffix));
}

bool holds_no_objects(std::string_view directory_name) {
  return directory_name == "__pycache__" || directory_name == ".git";
}

RoleOfFile role_of_library(std::string_view path, const Place& place) {
  if (place.import_root.empty() || place.environment == nullptr) return role_in_system(path);
  std::string_view relative = path;
  relative.remove_prefix(std::min(relative.size(), place.import_root.size() + 1));
  if (any_directory(relative, is_private_directory)) return {Role::PrivateLibrary, {}};
  if (any_directory(relative, is_plugin_directory)) return {Role::Plugin, {}};
  const auto module = module_name(name_of(path));
  // An untagged `libx.so` is a library that some module loads: real modules of that form are rare.
  const bool is_module = module && (!module->tag.empty() || !module->stem.starts_with("lib"));
  const bool is_importable = is_module && !any_directory(relative, [](std::string_view part) {
                               return !is_identifier(part);
                             });
  if (!is_importable) return {is_module ? Role::Plugin : Role::PrivateLibrary, {}};
  const bool is_own = is_tag_accepted(module->tag, *place.environment);
  return {is_own ? Role::ExtensionModule : Role::ForeignModule, dotted(relative, module->stem)};
}

}  // namespace loadable::inventory
