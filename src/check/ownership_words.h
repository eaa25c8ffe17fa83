// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words and small judgements that the rules of ownership share.

#include <string>
#include <string_view>
#include <vector>

#include "check/ruling.h"

namespace loadable::check {

/// The two members of an overlap as one provider sees them.
struct Sides {
  const Member* carrier = nullptr;  ///< carries the provider; without one: the first that is listed
  const Member* other = nullptr;
  const std::vector<std::string>* carrier_chain = nullptr;
  const std::vector<std::string>* other_chain = nullptr;
  std::string other_requirer;
  std::size_t of_carrier = 0, of_other = 0;
  bool both_carry = false;
};
[[nodiscard]] Sides sides_of(const Subject& subject, const OverlapFacts& overlap);

/// `` `onnxruntime` 1.24.4 ``.
[[nodiscard]] std::string shown(const Member& member);
/// What the other member's file is: `the CPU build`, ``the OpenVINO build of `x` ``, `` of `x` ``.
[[nodiscard]] std::string build_of_other(const Sides& sides, const OverlapFacts& overlap);
/// `1 file`, `3 files`; `1 file is`, `3 files are`.
[[nodiscard]] std::string files(std::size_t count);
[[nodiscard]] std::string files_are(std::size_t count);
/// Why a distribution is there, as a sentence.
[[nodiscard]] std::string why_there(const Member& member, const std::vector<std::string>& chain);
/// What a file says of its build, and does it speak against that member?
[[nodiscard]] bool speaks_against(const Witness& witness, const Member& member);
/// `files` (`path: owner`), `members`, counts and hashes of an overlap.
void add_overlap_evidence(Finding& finding, const OverlapFacts& overlap);
/// The contested files as locations, those that carry the provider first.
void add_contested(Finding& finding, const OverlapFacts& overlap);
/// Says what binaries say of themselves, and whether that agrees with the hashes.
void add_witnesses(Finding& finding, const Sides& sides, const OverlapFacts& overlap);
/// What ends the conflict for good, for the tools that installed the members.
void add_family_remedies(Finding& finding, const Subject& subject, const Sides& sides);
/// Is the distribution one whose files went with another's uninstall?
[[nodiscard]] bool is_gutted(const Subject& subject, std::string_view distribution);

}  // namespace loadable::check
