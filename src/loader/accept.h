// SPDX-License-Identifier: Apache-2.0
#pragma once
// What glibc checks of a file before and while it maps it. Pure functions of the file's headers.

#include <optional>
#include <string>

#include "loader/process.h"

namespace loadable::loader {

enum class Fate : std::uint8_t { Accept, SkipClass, SkipMachine, Refuse };

struct Verdict {
  Fate fate = Fate::Accept;
  std::string message;  ///< the loader's words, for Refuse
};

/// What a file that cannot be opened is to a search.
[[nodiscard]] Outcome outcome_of(ErrorCode code);

/// open_verify (elf/dl-load.c): wrong class or machine is skipped, any other defect ends the load.
[[nodiscard]] Verdict verify_header(const File& file, const Identity& identity);

struct Refusal {
  FailureKind kind = FailureKind::Format;
  std::string message;  ///< the loader's words, without the name before them
};

/// How an object is asked for.
enum class Purpose : std::uint8_t { Dependency, Dlopen };

/// _dl_map_object_from_fd (elf/dl-load.c), for anything but the program itself. `Dlopen` also for
/// the needs of what is dlopened. The executable stack depends on the process: see stack_refusal.
[[nodiscard]] std::optional<Refusal> refuse_mapping(const File& file, const Identity& identity,
                                                    Purpose purpose);

/// The flags of the stack that an object asks for, where it has no PT_GNU_STACK: those of the
/// machine's ABI (stackinfo.h). PF_X decides.
[[nodiscard]] bool wants_executable_stack(const File& file, const Identity& identity);

}  // namespace loadable::loader
