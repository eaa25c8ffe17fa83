// SPDX-License-Identifier: Apache-2.0
#pragma once
// Hashes of many files, by several threads.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "tree/walk.h"

namespace loadable::inventory {

/// A hash of a list, understood: `sha256=<base64>`, hexadecimal of 64 digits (conda, SHA-256) or 32
/// (dpkg, MD5).
struct RecordedHash {
  DigestKind kind = DigestKind::Sha256;
  std::string raw;
  bool operator==(const RecordedHash&) const = default;
};
/// Nothing: another algorithm, or no hash at all.
[[nodiscard]] std::optional<RecordedHash> parse_hash(std::string_view text);
/// `sha256=…`, as RECORD writes it.
[[nodiscard]] std::string write_hash(const RecordedHash& hash);

enum class FileState : std::uint8_t { Hashed, Gone, Unreadable };

struct HashJob {
  // Wanted:
  std::string path;               ///< inside the root; links are followed
  std::vector<DigestKind> kinds;  ///< none: only whether it is there
  // Found:
  FileState state = FileState::Gone;
  std::uint64_t size = 0;
  std::vector<std::string> digests;  ///< raw, one for each kind
  std::string problem;               ///< why it is unreadable
  std::string physical;
};

struct HashTotals {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};

/// Fills what was found of each job. `progress` is called from this thread, between its files.
HashTotals hash_files(tree::Walk& walk, std::vector<HashJob>* jobs, std::size_t threads,
                      const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace loadable::inventory
