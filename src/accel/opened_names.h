// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of libraries among the constants of a file: whole C strings such as `libnvrtc.so.13`, which
// it hands to dlopen. Names that the compiler put into instructions are not found here.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "elf/object.h"
#include "loader/store.h"

namespace loadable::accel {

/// Whole C strings `lib….so…` of at most 128 bytes in the constants of an object, in file order,
/// each once. Looks into .rodata and .lrodata where section headers tell (of a library of 700 MB
/// they are 60), else into every PT_LOAD that is not writable, DT_STRTAB left out. Errors: the
/// source's own, LimitReached (over 1 GiB of constants).
Result<std::vector<std::string>> library_names(ByteSource& source, const elf::ElfObject& object);

/// library_names() of files, each read once.
class OpenedNames {
 public:
  explicit OpenedNames(loader::Store& store) : store_(store) {}
  /// Those of a file that fit a pattern; none when it cannot be read.
  std::vector<std::string> fitting(const loader::File& file, const std::string& pattern);

 private:
  loader::Store& store_;
  std::map<std::string, std::vector<std::string>> known_;  // by physical path
};

}  // namespace loadable::accel
