// SPDX-License-Identifier: Apache-2.0
#pragma once
// The steps of read_object, one file each. Internal to src/elf. A step adds to the object and tells
// defects; what ends the reading is Image::failure() or the returned error.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "elf/image.h"
#include "elf/object.h"

namespace loadable::elf {

/// What each step works on.
struct Reader {
  Image& image;
  ElfObject& object;

  [[nodiscard]] Endian endian() const { return object.header.endian(); }
  [[nodiscard]] bool is_64bit() const { return object.header.is_64bit(); }
  /// a + b as the loader computes it: modulo 2^32 in a 32-bit process.
  [[nodiscard]] std::uint64_t address(std::uint64_t a, std::uint64_t b) const {
    return is_64bit() ? a + b : ((a + b) & 0xffffffffU);
  }
  /// Keeps the first 100; a broken table could tell thousands.
  void tell(ErrorCode code, std::string_view field, std::string message) const;
};

/// Fields of a struct of the file, at fixed places, in its byte order; zero where outside.
class Fields {
 public:
  Fields(ByteView bytes, Endian endian, bool is_64bit)
      : bytes_(bytes), endian_(endian), is_64bit_(is_64bit) {}
  [[nodiscard]] std::uint16_t half(std::size_t at) const {
    return load<std::uint16_t>(bytes_, at, endian_).value_or(0);
  }
  [[nodiscard]] std::uint32_t word(std::size_t at) const {
    return load<std::uint32_t>(bytes_, at, endian_).value_or(0);
  }
  [[nodiscard]] std::uint64_t xword(std::size_t at) const {
    return load<std::uint64_t>(bytes_, at, endian_).value_or(0);
  }
  /// An Elf32_Addr or Elf64_Addr, at the place that it has in each class.
  [[nodiscard]] std::uint64_t addr(std::size_t at32, std::size_t at64) const {
    return is_64bit_ ? xword(at64) : word(at32);
  }

 private:
  ByteView bytes_;
  Endian endian_;
  bool is_64bit_;
};

/// A string that the dynamic section or a version table names, to be read after all are known: in
/// the order of their places, few reads serve a string table of megabytes.
struct StringWish {
  enum class Use : std::uint8_t {
    Needed,
    Auxiliary,
    Filter,
    Soname,
    Rpath,
    Runpath,
    NeededFile,
    NeededVersion,
    DefinedVersion,
    DefinedParent
  };
  Use use = Use::Needed;
  std::uint64_t offset = 0;  ///< in DT_STRTAB
  std::size_t index = 0;     ///< which version entry
};

/// Adds the numbers of PT_DYNAMIC to the object and its strings to the wishes.
Result<void> read_dynamic_section(const Reader& reader, std::vector<StringWish>& wishes);
/// Adds the entries of DT_VERNEED and DT_VERDEF, names still empty.
Result<void> read_version_tables(const Reader& reader, std::vector<StringWish>& wishes);
/// Fetches the strings and puts each where its wish says.
void read_strings(const Reader& reader, const std::vector<StringWish>& wishes);
/// PT_NOTE and PT_GNU_PROPERTY.
void read_notes(const Reader& reader);

}  // namespace loadable::elf
