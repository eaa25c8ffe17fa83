// SPDX-License-Identifier: Apache-2.0
// DT_VERNEED and DT_VERDEF: chains of structures, each with the distance in bytes to the next and
// to a chain of its own (LSB Core, symbol versioning). Loaders follow the chains until a distance
// of 0 and look at no count (glibc 2.36 elf/dl-version.c); so does this. In a 64-bit object a chain
// only moves forward and leaves the segment at last; in a 32-bit one it can turn in a circle.
//
//   Verneed: version16 cnt16 file32 aux32 next32      Vernaux: hash32 flags16 other16 name32 next32
//   Verdef:  version16 flags16 ndx16 cnt16 hash32 aux32 next32           Verdaux: name32 next32

#include "base/format.h"
#include "elf/reader.h"

namespace loadable::elf {

namespace {

constexpr std::size_t kEntryLimit = 100'000;
constexpr std::uint64_t kVerneedSize = 16, kVernauxSize = 16, kVerdefSize = 20, kVerdauxSize = 8;
constexpr std::uint16_t kVersionMask = 0x7fff;
constexpr std::uint16_t kCurrent = 1;  // VER_NEED_CURRENT, VER_DEF_CURRENT

using Use = StringWish::Use;

/// Follows the chains, counting every structure that it looks at.
class Chains {
 public:
  Chains(const Reader& reader, std::vector<StringWish>& wishes, std::string_view tag)
      : reader_(reader), wishes_(wishes), tag_(tag) {}

  [[nodiscard]] bool limit_reached() const { return seen_ > kEntryLimit; }

  /// The structure at `address`, or nothing, told as a defect.
  std::optional<Fields> at(std::uint64_t address, std::uint64_t size) {
    if (++seen_ > kEntryLimit) return std::nullopt;
    const auto bytes = reader_.image.at_address(address, size);
    if (!bytes) {
      reader_.tell(ErrorCode::Malformed, tag_,
                   format("the entry at address 0x{:x} does not lie in mapped memory", address));
      return std::nullopt;
    }
    return Fields(*bytes, reader_.endian(), reader_.is_64bit());
  }

  void wish(Use use, std::uint32_t offset, std::size_t index) {
    wishes_.push_back({use, offset, index});
  }

  bool check_version(std::uint16_t version, std::string_view field) {
    if (version == kCurrent) return true;
    reader_.tell(ErrorCode::Unsupported, field,
                 format("version {} of the entry, {} wanted", version, kCurrent));
    return false;
  }

 private:
  const Reader& reader_;
  std::vector<StringWish>& wishes_;
  std::string_view tag_;
  std::size_t seen_ = 0;
};

void read_vernaux(const Reader& reader, Chains& chains, std::uint64_t address, std::uint32_t file) {
  for (;;) {
    const auto aux = chains.at(address, kVernauxSize);
    if (!aux) return;
    const std::size_t index = reader.object.needed_versions.size();
    NeededVersion& version = reader.object.needed_versions.emplace_back();
    version.hash = aux->word(0);
    version.flags = aux->half(4);
    version.index = aux->half(6) & kVersionMask;
    chains.wish(Use::NeededFile, file, index);
    chains.wish(Use::NeededVersion, aux->word(8), index);
    const std::uint32_t next = aux->word(12);
    if (next == 0) return;
    address = reader.address(address, next);
  }
}

bool read_verneed(const Reader& reader, std::vector<StringWish>& wishes) {
  Chains chains(reader, wishes, "DT_VERNEED");
  for (std::uint64_t address = reader.object.dynamic.verneed; address != 0;) {
    const auto need = chains.at(address, kVerneedSize);
    if (!need || !chains.check_version(need->half(0), "vn_version")) break;
    const std::uint32_t file = need->word(4), aux = need->word(8), next = need->word(12);
    read_vernaux(reader, chains, reader.address(address, aux), file);
    if (next == 0) break;
    address = reader.address(address, next);
  }
  return !chains.limit_reached();
}

void read_verdaux(const Reader& reader, Chains& chains, std::uint64_t address, std::size_t index) {
  for (Use use = Use::DefinedVersion;; use = Use::DefinedParent) {
    const auto aux = chains.at(address, kVerdauxSize);
    if (!aux) return;
    chains.wish(use, aux->word(0), index);
    const std::uint32_t next = aux->word(4);
    if (next == 0) return;
    address = reader.address(address, next);
  }
}

bool read_verdef(const Reader& reader, std::vector<StringWish>& wishes) {
  Chains chains(reader, wishes, "DT_VERDEF");
  for (std::uint64_t address = reader.object.dynamic.verdef; address != 0;) {
    const auto def = chains.at(address, kVerdefSize);
    if (!def || !chains.check_version(def->half(0), "vd_version")) break;
    const std::size_t index = reader.object.defined_versions.size();
    DefinedVersion& version = reader.object.defined_versions.emplace_back();
    version.flags = def->half(2);
    version.index = def->half(4) & kVersionMask;
    version.hash = def->word(8);
    const std::uint32_t aux = def->word(12), next = def->word(16);
    read_verdaux(reader, chains, reader.address(address, aux), index);
    if (next == 0) break;
    address = reader.address(address, next);
  }
  return !chains.limit_reached();
}

}  // namespace

Result<void> read_version_tables(const Reader& reader, std::vector<StringWish>& wishes) {
  const auto limit = [](std::string_view tag) {
    return fail(ErrorCode::LimitReached, format("{} goes on after {} entries", tag, kEntryLimit));
  };
  if (!read_verneed(reader, wishes)) return limit("DT_VERNEED");
  if (!read_verdef(reader, wishes)) return limit("DT_VERDEF");
  return {};
}

}  // namespace loadable::elf
