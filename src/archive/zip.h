// SPDX-License-Identifier: Apache-2.0
#pragma once
// Zip archives (wheels) through libarchive: what they hold, single members in full, and writing one
// whose bytes depend on its content alone.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace loadable::archive {

struct ZipMember {
  std::string name;               ///< as written; checked: relative, without `..`
  std::uint64_t size = 0;         ///< bytes unpacked, as the directory says
  std::uint64_t packed_size = 0;  ///< bytes in the archive
  std::uint32_t crc = 0;
  bool is_directory = false;
};

/// The index of an archive that lies anywhere (host file, memory, member of a tree). Zip64 and data
/// descriptors are understood; the central directory counts.
class ZipArchive {
 public:
  /// Errors: Malformed (no zip, a directory that lies outside of it, two members of one name, a
  /// name that is absolute or climbs out: named), Unsupported (encrypted, split), LimitReached
  /// (over 1,000,000 members).
  static Result<ZipArchive> open(std::unique_ptr<ByteSource> source, std::string shown);

  [[nodiscard]] const std::vector<ZipMember>& members() const { return members_; }
  [[nodiscard]] const ZipMember* find(std::string_view name) const;
  /// The member unpacked. Errors: NotFound, LimitReached (over `limit` bytes, whatever the
  /// directory says: zip bombs end here), Malformed (CRC, size), Unsupported (method).
  Result<std::string> read(std::string_view name, std::uint64_t limit);

 private:
  std::shared_ptr<ByteSource> source_;
  std::string shown_;
  std::vector<ZipMember> members_;
};

/// A file to be written.
struct NewMember {
  std::string name, content;
};

/// A zip archive: stored, dated 1980-01-01, mode 0644, in the order given. The same input gives the
/// same bytes on every machine.
Result<std::string> write_zip(const std::vector<NewMember>& members);

}  // namespace loadable::archive
