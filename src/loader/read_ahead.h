// SPDX-License-Identifier: Apache-2.0
#pragma once
// Objects read by other threads before the emulation asks for them. What is in a file is a function
// of its bytes alone, so nothing depends on who reads it first.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "elf/object.h"
#include "tree/tree.h"

namespace loadable::loader {

/// What is read of one regular file.
struct Reading {
  std::uint64_t size = 0;         ///< bytes, when it was opened
  Result<elf::Header> header;     ///< header alone
  Result<elf::ElfObject> object;  ///< all; an error where a reader cannot go on
};

/// Opens and reads one file, which stat() said to be regular. Errors: those of opening it.
Result<Reading> read_file(const tree::Tree& tree, const tree::Path& physical);

/// A queue of files and the threads that read them. add() and take() belong to one thread. The tree
/// must allow questions from several threads at once, as that of the host does.
class ReadAhead {
 public:
  /// `threads` at most; where the system gives none, nothing is read ahead.
  ReadAhead(const tree::Tree& tree, unsigned threads);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  /// Waits for the files at hand; what is still queued is not read.
  ~ReadAhead();

  /// Wants a file read, by its physical path. Over 20,000 that nobody has taken yet are left out.
  void add(const std::string& physical);
  /// What was read of it, once; waits where it is being read. Nothing: it was not added, its turn
  /// has not come, or it could not be opened: the caller reads it.
  std::optional<Reading> take(const std::string& physical);

 private:
  struct Queue;
  std::unique_ptr<Queue> queue_;
};

}  // namespace loadable::loader
