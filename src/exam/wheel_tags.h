// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which interpreter on which platform takes a wheel, by the tags of its name (specification:
// platform compatibility tags; order of pip's `packaging.tags`). Internal to this folder.

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "exam/exam.h"
#include "exam/platform.h"
#include "python/names.h"

namespace loadable::exam {

/// An interpreter that tags can tell apart.
struct TaggedPython {
  std::string implementation = "cp";  ///< `cp`, `pp`, or what else the tag begins with
  int major = 0, minor = 0;           ///< 0, 0: the tag has no release (`foo`)
  bool is_threaded = false;           ///< CPython without the lock: `cp313t`
  auto operator<=>(const TaggedPython&) const = default;

  [[nodiscard]] std::string release() const;  ///< `3.11`
  [[nodiscard]] std::string shown() const;    ///< `CPython 3.11`
};

/// A platform that tags can tell apart; releases of its C library or system do not count.
struct TaggedPlatform {
  std::string system;   ///< `linux`, `musllinux`, `macos`, `windows`, or the whole tag
  std::string machine;  ///< `x86_64`, `aarch64`, `arm64`, `AMD64` …
  auto operator<=>(const TaggedPlatform&) const = default;

  [[nodiscard]] std::string shown() const;  ///< `x86_64 Linux`
  [[nodiscard]] Platform platform() const;  ///< for markers
};

struct TagSet {
  TaggedPython python;
  TaggedPlatform platform;

  [[nodiscard]] std::string shown() const;  ///< `CPython 3.11 on x86_64 Linux`
};

/// The tags of one wheel.
class WheelTags {
 public:
  /// At most 100 tags of each kind count.
  explicit WheelTags(const python::WheelName& name);

  [[nodiscard]] bool fits(const TagSet& set) const;
  /// Of two wheels that fit, the one that is taken has more; an interpreter's own before `abi3`
  /// before `py3`, all of a platform before all for any.
  [[nodiscard]] int rank(const TagSet& set) const;
  [[nodiscard]] const std::vector<TaggedPython>& pythons() const { return named_pythons_; }
  [[nodiscard]] const std::vector<TaggedPlatform>& platforms() const { return platforms_; }

 private:
  enum class Fit : unsigned char { None, Generic, Abi3, Exact };
  struct Row {
    TaggedPython python;
    bool is_generic = false;  ///< `py3`: of any implementation, this release or a later one
    bool is_abi3 = false;     ///< this release or a later one
    bool is_any_abi = false;  ///< `none`: with and without the lock
  };
  [[nodiscard]] static Fit fit(const Row& row, const TaggedPython& python);

  std::vector<Row> rows_;
  std::vector<TaggedPython> named_pythons_;
  std::vector<TaggedPlatform> platforms_;
  bool is_for_any_platform_ = false;
};

/// Every interpreter and platform that the tags of some wheels name, the most usual first: x86-64
/// Linux, the newest CPython. What `options` state is the one that counts. At most `kMaxSets`;
/// `is_whole` says whether these are all. Errors: InvalidArgument (--platform, --python-version).
struct TagSets {
  std::vector<TagSet> sets;
  bool is_whole = true;
};
inline constexpr std::size_t kMaxSets = 256;
Result<TagSets> tag_sets(const std::vector<const WheelTags*>& wheels,
                         const PlannedOptions& options);

}  // namespace loadable::exam
