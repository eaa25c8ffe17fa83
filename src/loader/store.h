// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of one root as loaders see them, read once and shared by every process emulated there.

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "elf/object.h"
#include "elf/symbols.h"
#include "loader/read_ahead.h"
#include "tree/walk.h"

namespace loadable::loader {

/// One regular file that was opened as an object.
struct File {
  tree::Path physical;
  tree::Stat stat;
  std::uint64_t first_bytes = 0;  ///< how many bytes could be read (fewer than a header: too short)
  Result<elf::Header> header;     ///< header alone
  Result<elf::ElfObject> object;  ///< all; an error where a reader cannot go on
};

/// Files and symbol tables by identity. Not for use by two threads at once.
class Store {
 public:
  explicit Store(tree::Walk& walk);
  /// From now on what was read ahead is taken from there. Null: nothing is.
  void read_ahead_with(std::shared_ptr<ReadAhead> ahead);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  /// The file a path leads to; the errors of Walk::resolve, IsADirectory, Unsupported for a special
  /// file. The pointer lives as long as the Store.
  Result<const File*> open(std::string_view path);
  /// The same bytes read as if EI_DATA said `endian`: musl does not look at it.
  const File& reread(const File& file, Endian endian);
  /// Its symbols, read on the first call. Released by drop_symbols().
  Result<const elf::SymbolTable*> symbols(const File& file);
  void drop_symbols();
  /// Counts the drops: views into symbol tables of an earlier generation are gone.
  [[nodiscard]] std::uint64_t symbols_generation() const;
  [[nodiscard]] tree::Walk& walk();

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace loadable::loader
