// SPDX-License-Identifier: Apache-2.0
#include "exam/wheel.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>

#include "base/format.h"
#include "base/quote.h"
#include "python/record.h"
#include "python/version.h"

namespace loadable::exam {
namespace {

constexpr std::uint64_t kLongestMetadata = std::uint64_t{4} << 20;
constexpr std::uint64_t kLongestRecord = std::uint64_t{64} << 20;

/// The only top directory whose name ends so (`.dist-info`).
Result<std::string> sole_info(const archive::ZipArchive& archive, const std::string& subject) {
  std::set<std::string_view> found;
  for (const archive::ZipMember& member : archive.members()) {
    const std::string_view top = std::string_view(member.name).substr(0, member.name.find('/'));
    if (top.size() < member.name.size() && top.ends_with(".dist-info")) found.insert(top);
  }
  if (found.size() == 1) return std::string(*found.begin());
  if (found.empty()) {
    return fail(ErrorCode::Malformed, "no directory in it ends in `.dist-info`, wanted one",
                subject);
  }
  return fail(ErrorCode::Malformed,
              format("{} directories in it end in `.dist-info` ({}, {}), wanted one", found.size(),
                     quoted(*found.begin()), quoted(*std::next(found.begin()))),
              subject);
}

/// Two spellings of one release: `1.0` and `1.0.0`; else by their text.
bool same_version(std::string_view a, std::string_view b) {
  const auto first = python::Version::parse(a);
  const auto second = python::Version::parse(b);
  return first && second ? *first == *second : a == b;
}

void compare_names(Wheel& wheel, const std::string& info) {
  const auto differs = [&](std::string_view what, const std::string& in_name,
                           const std::string& in_metadata) {
    wheel.contradictions.push_back(format("{} is {} in its file name and {} in METADATA", what,
                                          quoted(in_name), quoted(in_metadata)));
  };
  // File names write `_` where versions have `-` (of old versions that are none of PEP 440).
  if (python::normalize_name(wheel.file_name.name) != python::normalize_name(wheel.name)) {
    differs("its name", wheel.file_name.name, wheel.name);
  }
  std::string in_name = wheel.file_name.version;
  std::replace(in_name.begin(), in_name.end(), '_', '-');
  if (!same_version(wheel.file_name.version, wheel.version) &&
      !same_version(in_name, wheel.version)) {
    differs("its version", wheel.file_name.version, wheel.version);
  }
  const auto parsed = python::parse_info_name(info);
  if (parsed && python::normalize_name(parsed->name) != python::normalize_name(wheel.name)) {
    wheel.contradictions.push_back(format("its directory {} is of another name than {} in METADATA",
                                          quoted(info), quoted(wheel.name)));
  }
}

/// Headers of WHEEL, which are written as METADATA's are.
std::string header_of(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    line.remove_prefix(name.size() + 1);
    const std::size_t first = line.find_first_not_of(" \t");
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return std::string(line.substr(first, last - first + 1));
  }
  return {};
}

void check_release_of_format(archive::ZipArchive& archive, const std::string& info, Wheel& wheel) {
  const auto text = archive.read(info + "/WHEEL", kLongestMetadata);
  if (!text) {
    wheel.contradictions.push_back(text.error().code == ErrorCode::NotFound ? "it has no file WHEEL"
                                                                            : text.error().message);
    return;
  }
  const std::string release = header_of(*text, "Wheel-Version");
  if (!release.starts_with("1.")) {
    wheel.contradictions.push_back(
        format("its format is of release {}, wanted 1.x", quoted(release)));
  }
}

/// Where a member comes to lie, relative to the site directory; empty: a script or header, which no
/// import finds.
std::string installed_path(std::string_view path, std::string_view data) {
  if (!path.starts_with(data)) return std::string(path);
  path.remove_prefix(data.size());
  for (const std::string_view scheme : {"purelib/", "platlib/"}) {
    if (path.starts_with(scheme)) return std::string(path.substr(scheme.size()));
  }
  constexpr std::string_view kPrefix = "data/";
  if (path.starts_with(kPrefix)) return "../../../" + std::string(path.substr(kPrefix.size()));
  return {};
}

bool leads_out(std::string_view path) {
  return path.starts_with('/') || path == ".." || path.starts_with("../") ||
         path.find("/../") != std::string_view::npos || path.ends_with("/..");
}

/// What RECORD cannot list: itself signed.
bool may_be_unlisted(std::string_view name) {
  return name.ends_with(".dist-info/RECORD") || name.ends_with(".dist-info/RECORD.jws") ||
         name.ends_with(".dist-info/RECORD.p7s");
}

/// The first of some names, and how many they are.
struct Names {
  std::string first;
  std::size_t count = 0;
  void add(std::string_view name) {
    if (count++ == 0) first = std::string(name);
  }
  [[nodiscard]] std::string told() const {
    return count == 1 ? quoted(first) : format("{} and {} more", quoted(first), count - 1);
  }
};

void read_record(std::string_view text, const archive::ZipArchive& archive, const std::string& data,
                 Wheel& wheel) {
  std::vector<PlannedFile> files;
  std::unordered_set<std::string> listed;
  Names absent, outside, twice;
  python::RecordReader reader(text);
  python::RecordRow row;
  while (reader.next(&row)) {
    const std::string path(row.path);
    if (leads_out(path)) {
      outside.add(path);
      continue;
    }
    if (archive.find(path) == nullptr) {
      absent.add(path);
      continue;
    }
    if (!listed.insert(path).second) {
      twice.add(path);
      continue;
    }
    std::string installed = installed_path(path, data);
    if (!installed.empty()) files.push_back({std::move(installed), std::string(row.hash)});
  }
  Names unlisted;
  for (const archive::ZipMember& member : archive.members()) {
    if (member.is_directory || may_be_unlisted(member.name)) continue;
    if (!listed.contains(member.name)) unlisted.add(member.name);
  }
  const auto tell = [&](const Names& names, std::string_view what) {
    if (names.count != 0) wheel.oddities.push_back(format("{} {}", what, names.told()));
  };
  tell(absent, "its RECORD lists what the archive lacks:");
  tell(unlisted, "the archive holds what its RECORD does not list:");
  tell(outside, "its RECORD lists paths that lead out, which were not followed:");
  tell(twice, "its RECORD lists more than once:");
  wheel.files = std::move(files);
}

}  // namespace

Result<Wheel> read_wheel(archive::ZipArchive& archive, const std::string& file_name) {
  const auto parsed = python::parse_wheel_name(file_name);
  if (!parsed) {
    return fail(ErrorCode::Malformed,
                "not named as a wheel, wanted NAME-VERSION-PYTHON-ABI-PLATFORM.whl", file_name);
  }
  const auto info = sole_info(archive, file_name);
  if (!info) return fail(info.error());
  auto text = archive.read(*info + "/METADATA", kLongestMetadata);
  if (!text) return fail(text.error());
  python::Metadata metadata = python::parse_metadata(*text);
  if (metadata.name.empty() || metadata.version.empty()) {
    return fail(ErrorCode::Malformed,
                format("METADATA states no {}", metadata.name.empty() ? "name" : "version"),
                file_name);
  }
  Wheel wheel;
  wheel.file_name = *parsed;
  wheel.name = std::move(metadata.name);
  wheel.version = std::move(metadata.version);
  wheel.requires_python = std::move(metadata.requires_python);
  wheel.requires_dist = std::move(metadata.requires_dist);
  wheel.members = archive.members().size();
  compare_names(wheel, *info);
  check_release_of_format(archive, *info, wheel);
  const std::string stem = info->substr(0, info->size() - std::string_view(".dist-info").size());
  const auto record = archive.read(*info + "/RECORD", kLongestRecord);
  if (record) {
    read_record(*record, archive, stem + ".data/", wheel);
  } else if (record.error().code == ErrorCode::NotFound) {
    wheel.contradictions.emplace_back("it has no file RECORD");
  } else {
    return fail(record.error());
  }
  return wheel;
}

}  // namespace loadable::exam
