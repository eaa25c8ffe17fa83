// SPDX-License-Identifier: Apache-2.0
#pragma once
// Zip archives (wheels): what they hold, single members in full, and writing one whose bytes depend
// on its content alone. The format is minizip's business; why not libarchive's:
// docs/decisions/0004-minizip-reads-wheels.md.

#include <cstdint>
#include <memory>
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
  bool is_directory = false;  ///< its name ends in `/`
};

/// The index of an archive that lies anywhere (host file, memory, member of a tree). Zip64 and data
/// descriptors are understood; the central directory counts, as for Python's zipfile and so for
/// pip. Opening reads the directory alone.
class ZipArchive {
 public:
  /// `shown` names the archive in messages. Errors: Malformed (no zip, a directory that lies
  /// outside of it or holds more or fewer members than it counts, two members of one name, a name
  /// that is empty, absolute or climbs out: named), Unsupported (encrypted, split), LimitReached
  /// (over 1,000,000 members), the source's own.
  static Result<ZipArchive> open(std::unique_ptr<ByteSource> source, std::string shown);

  ZipArchive(ZipArchive&&) noexcept;
  ZipArchive& operator=(ZipArchive&&) noexcept;
  ~ZipArchive();

  /// In the order of the directory.
  [[nodiscard]] const std::vector<ZipMember>& members() const;
  /// Null: none of that name.
  [[nodiscard]] const ZipMember* find(std::string_view name) const;
  /// The member unpacked. Errors: NotFound, LimitReached (over `limit` bytes, whatever the
  /// directory says: zip bombs end here), Malformed (checksum, size, broken data), Unsupported
  /// (method), the source's own.
  Result<std::string> read(std::string_view name, std::uint64_t limit);

 private:
  struct State;
  explicit ZipArchive(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A file to be written.
struct NewMember {
  std::string name, content;
};

/// A zip archive: stored, dated 1980-01-01, mode 0644, in the order given. The same input gives the
/// same bytes on every machine. Errors: Io (out of memory).
Result<std::string> write_zip(const std::vector<NewMember>& members);

}  // namespace loadable::archive
