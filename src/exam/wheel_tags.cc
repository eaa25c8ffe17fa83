// SPDX-License-Identifier: Apache-2.0
#include "exam/wheel_tags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "base/quote.h"

namespace loadable::exam {
namespace {

constexpr std::size_t kMaxTags = 100;
constexpr int kUsualMinor = 12;  // where no tag names a release

std::vector<std::string_view> split(std::string_view tags) {
  std::vector<std::string_view> all;
  while (!tags.empty() && all.size() < kMaxTags) {
    const std::size_t end = std::min(tags.find('.'), tags.size());
    if (end > 0) all.push_back(tags.substr(0, end));
    tags.remove_prefix(std::min(end + 1, tags.size()));
  }
  return all;
}

/// `cp311` -> cp, 3, 11; `py3` -> py, 3, 0; `foo` -> foo without a release.
TaggedPython parse_python(std::string_view tag) {
  TaggedPython python;
  const std::size_t digits = std::min(tag.find_first_of("0123456789"), tag.size());
  const std::string_view release = tag.substr(digits);
  const bool is_release = !release.empty() && release.size() <= 4 &&
                          release.find_first_not_of("0123456789") == release.npos;
  if (!is_release) {
    python.implementation = std::string(tag);
    return python;
  }
  python.implementation = std::string(tag.substr(0, digits));
  python.major = release.front() - '0';
  const std::string_view minor = release.substr(1);
  std::from_chars(minor.data(), minor.data() + minor.size(), python.minor);
  return python;
}

struct PlatformForm {
  std::string_view prefix, system;
};

/// `manylinux_2_28_x86_64` -> linux, x86_64.
std::vector<TaggedPlatform> parse_platforms(std::string_view tag) {
  static constexpr std::array<std::string_view, 13> kMachines = {
      "x86_64", "aarch64", "arm64",   "i686", "armv7l",     "armv6l",     "ppc64le",
      "ppc64",  "s390x",   "riscv64", "i386", "universal2", "loongarch64"};
  static constexpr std::array<PlatformForm, 4> kForms = {{{"manylinux", "linux"},
                                                          {"musllinux", "musllinux"},
                                                          {"linux", "linux"},
                                                          {"macosx", "macos"}}};
  if (tag == "win32") return {{"windows", "x86"}};
  if (tag == "win_amd64") return {{"windows", "AMD64"}};
  if (tag == "win_arm64") return {{"windows", "ARM64"}};
  for (const PlatformForm& form : kForms) {
    if (!tag.starts_with(form.prefix)) continue;
    const std::string system(form.system);
    for (const std::string_view machine : kMachines) {
      if (!tag.ends_with(format("_{}", machine))) continue;
      if (machine == "universal2") return {{system, "arm64"}, {system, "x86_64"}};
      return {{system, std::string(machine)}};
    }
    if (form.system == "macos") return {{system, "x86_64"}};  // `intel`, `fat64`
    break;
  }
  return {{std::string(tag), {}}};
}

template <class T>
void add_once(std::vector<T>& list, T value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(std::move(value));
}

/// Smaller comes first: x86-64 Linux, other Linux, other systems.
auto order_of(const TaggedPlatform& platform) {
  const bool is_linux = platform.system == "linux";
  const bool is_usual = is_linux && platform.machine == "x86_64";
  const int group = is_usual ? 0 : is_linux ? 1 : platform.system == "musllinux" ? 2 : 3;
  return std::tuple(group, std::string_view(platform.system), std::string_view(platform.machine));
}

/// Smaller comes first: CPython, the newest, with its lock.
auto order_of(const TaggedPython& python) {
  return std::tuple(python.implementation != "cp", std::string_view(python.implementation),
                    python.is_threaded, -python.major, -python.minor);
}

template <class T>
std::vector<T> sorted(std::vector<T> list) {
  std::sort(list.begin(), list.end(),
            [](const T& a, const T& b) { return order_of(a) < order_of(b); });
  return list;
}

/// More than any matrix of builds has.
template <class T>
std::vector<T> first_of(std::vector<T> list, TagSets& result) {
  constexpr std::size_t kMost = 40;
  if (list.size() > kMost) {
    list.erase(list.begin() + kMost, list.end());
    result.is_whole = false;
  }
  return list;
}

Result<std::vector<TaggedPython>> stated_python(const std::string& version) {
  const std::size_t dot = version.find('.');
  TaggedPython python;
  const std::string_view text(version);
  const auto number = [](std::string_view digits, int& out) {
    const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return done.ec == std::errc{};
  };
  const bool is_release = dot != std::string::npos && number(text.substr(0, dot), python.major) &&
                          number(text.substr(dot + 1), python.minor);
  if (is_release) return std::vector<TaggedPython>{python};
  return fail(
      ErrorCode::InvalidArgument,
      format("--python-version {} is no version, wanted one such as `3.11`", quoted(version)));
}

Result<std::vector<TaggedPlatform>> stated_platform(const std::string& text) {
  const auto platform = parse_platform(text);
  if (!platform) return fail(platform.error());
  TaggedPlatform tagged{"linux", platform->machine};
  if (platform->is_musl) tagged.system = "musllinux";
  if (platform->system == "Darwin") tagged.system = "macos";
  if (platform->system == "Windows") tagged.system = "windows";
  return std::vector<TaggedPlatform>{std::move(tagged)};
}

}  // namespace

std::string TaggedPython::release() const {
  return major == 0 ? format("3.{}", kUsualMinor) : format("{}.{}", major, minor);
}

std::string TaggedPython::shown() const {
  if (major == 0) return quoted(implementation);
  std::string name = quoted(implementation);
  if (implementation == "cp") name = "CPython";
  if (implementation == "pp") name = "PyPy";
  return format("{} {}{}", name, release(), is_threaded ? "t" : "");
}

std::string TaggedPlatform::shown() const {
  if (system == "linux") return machine + " Linux";
  if (system == "musllinux") return machine + " Linux with musl";
  if (system == "macos") return machine + " macOS";
  if (system == "windows") return machine + " Windows";
  return quoted(system);
}

Platform TaggedPlatform::platform() const {
  if (system == "macos") return {"Darwin", "darwin", "posix", machine};
  if (system == "windows") return {"Windows", "win32", "nt", machine};
  return {"Linux", "linux", "posix", machine.empty() ? "x86_64" : machine};
}

std::string TagSet::shown() const { return format("{} on {}", python.shown(), platform.shown()); }

WheelTags::WheelTags(const python::WheelName& name) {
  const auto abis = split(name.abi_tag);
  for (const std::string_view tag : split(name.python_tag)) {
    for (const std::string_view abi : abis) {
      if (rows_.size() >= kMaxTags) break;
      Row row;
      row.python = parse_python(tag);
      row.is_generic = row.python.implementation == "py" && row.python.major != 0;
      row.is_abi3 = abi == "abi3";
      row.is_any_abi = abi == "none";
      const bool is_cpython = row.python.implementation == "cp";
      row.python.is_threaded = is_cpython && abi.starts_with("cp") && abi.ends_with('t');
      TaggedPython named = row.python;
      // `py3` names no interpreter; `py311` one of that release at least.
      if (row.is_generic) named.implementation = "cp";
      const bool names_one = !row.is_generic || row.python.minor > 0 || row.python.major != 3;
      if (row.is_generic && row.python.major == 2 && row.python.minor == 0) named.minor = 7;
      if (names_one) add_once(named_pythons_, std::move(named));
      rows_.push_back(std::move(row));
    }
  }
  // `py2.py3` is for Python 3.
  const bool is_for_three =
      std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.python.major == 3; });
  if (is_for_three) {
    std::erase_if(named_pythons_, [](const auto& python) { return python.major == 2; });
  }
  for (const std::string_view tag : split(name.platform_tag)) {
    if (tag == "any") {
      is_for_any_platform_ = true;
      continue;
    }
    for (TaggedPlatform& platform : parse_platforms(tag)) {
      add_once(platforms_, std::move(platform));
    }
  }
}

WheelTags::Fit WheelTags::fit(const Row& row, const TaggedPython& python) {
  const bool is_later = python.major == row.python.major && python.minor >= row.python.minor;
  if (row.is_generic) return python.major != 0 && is_later ? Fit::Generic : Fit::None;
  if (row.python.implementation != python.implementation) return Fit::None;
  if (row.is_abi3) return is_later && !python.is_threaded ? Fit::Abi3 : Fit::None;
  const bool is_same = python.major == row.python.major && python.minor == row.python.minor;
  const bool has_abi = row.is_any_abi || row.python.is_threaded == python.is_threaded;
  return is_same && has_abi ? Fit::Exact : Fit::None;
}

bool WheelTags::fits(const TagSet& set) const {
  const bool has_platform = is_for_any_platform_ || std::find(platforms_.begin(), platforms_.end(),
                                                              set.platform) != platforms_.end();
  return has_platform && std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
           return fit(row, set.python) != Fit::None;
         });
}

int WheelTags::rank(const TagSet& set) const {
  Fit best = Fit::None;
  for (const Row& row : rows_) best = std::max(best, fit(row, set.python));
  return (platforms_.empty() ? 0 : 10) + static_cast<int>(best);
}

Result<TagSets> tag_sets(const std::vector<const WheelTags*>& wheels,
                         const PlannedOptions& options) {
  std::set<TaggedPython> pythons;
  std::set<TaggedPlatform> platforms;
  for (const WheelTags* wheel : wheels) {
    pythons.insert(wheel->pythons().begin(), wheel->pythons().end());
    platforms.insert(wheel->platforms().begin(), wheel->platforms().end());
  }
  if (pythons.empty()) pythons.insert({"cp", 3, kUsualMinor, false});
  if (platforms.empty()) platforms.insert({"linux", "x86_64"});
  std::vector<TaggedPython> all_pythons(pythons.begin(), pythons.end());
  std::vector<TaggedPlatform> all_platforms(platforms.begin(), platforms.end());
  if (!options.python_version.empty()) {
    auto stated = stated_python(options.python_version);
    if (!stated) return fail(stated.error());
    all_pythons = std::move(*stated);
  }
  if (!options.platform.empty()) {
    auto stated = stated_platform(options.platform);
    if (!stated) return fail(stated.error());
    all_platforms = std::move(*stated);
  }
  TagSets result;
  all_pythons = first_of(sorted(std::move(all_pythons)), result);
  all_platforms = first_of(sorted(std::move(all_platforms)), result);
  for (const TaggedPlatform& platform : all_platforms) {
    for (const TaggedPython& python : all_pythons) {
      const TagSet set{python, platform};
      const bool is_taken = std::any_of(wheels.begin(), wheels.end(),
                                        [&](const WheelTags* wheel) { return wheel->fits(set); });
      if (!is_taken) continue;
      if (result.sets.size() >= kMaxSets) {
        result.is_whole = false;
        return result;
      }
      result.sets.push_back(set);
    }
  }
  return result;
}

}  // namespace loadable::exam
