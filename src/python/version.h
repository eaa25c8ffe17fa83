// SPDX-License-Identifier: Apache-2.0
#pragma once
// Versions of distributions (PEP 440), parsed and ordered.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace loadable::python {

/// One version. Ordering and equality are PEP 440's: `1.0` equals `1.0.0`; dev < pre < final <
/// post; a local part is greater than none.
class Version {
 public:
  /// Accepts every spelling that PEP 440 accepts (`v1.0`, `1.0-alpha.1`, `1.0-1`, surrounding
  /// blanks). Numbers of 2^64 - 2 and more are all one. Errors: Malformed.
  static Result<Version> parse(std::string_view text);

  [[nodiscard]] const std::vector<std::uint64_t>& release() const { return release_; }
  /// Component `index` of the release, 0 where it has none.
  [[nodiscard]] std::uint64_t component(std::size_t index) const;
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  [[nodiscard]] bool is_prerelease() const { return pre_.has_value() || dev_.has_value(); }
  [[nodiscard]] bool is_postrelease() const { return post_.has_value(); }
  [[nodiscard]] bool is_devrelease() const { return dev_.has_value(); }
  [[nodiscard]] const std::string& local() const { return local_; }
  /// The same version without its local part.
  [[nodiscard]] Version without_local() const;
  /// The same version as development release 0, without its local part: the first that counts as
  /// belonging to it.
  [[nodiscard]] Version earliest() const;
  /// The first version of a release: `1!1.2.dev0`.
  [[nodiscard]] static Version earliest_of(std::uint64_t epoch, std::vector<std::uint64_t> release);
  /// Do both have the same epoch, release and pre-release part, so that they differ at most in
  /// post, dev and local?
  [[nodiscard]] bool has_base_of(const Version& other) const;
  /// Normal form: `1!1.0a1.post2.dev3+cu12`.
  [[nodiscard]] std::string to_string() const;

  [[nodiscard]] std::weak_ordering operator<=>(const Version& other) const;
  [[nodiscard]] bool operator==(const Version& other) const { return (*this <=> other) == 0; }

 private:
  struct Pre {
    char kind = 'a';  ///< a, b, r (rc)
    std::uint64_t number = 0;
    auto operator<=>(const Pre&) const = default;
  };
  std::uint64_t epoch_ = 0;
  std::vector<std::uint64_t> release_;
  std::optional<Pre> pre_;
  std::optional<std::uint64_t> post_, dev_;
  std::string local_;
};

/// Is the first version before, equal to or after the second? Texts that are no versions of PEP 440
/// come before all that are, ordered by their bytes.
[[nodiscard]] std::weak_ordering compare_versions(std::string_view a, std::string_view b);

}  // namespace loadable::python
