// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pipeline: a target -> inventory -> emulated processes -> facts -> rules -> report.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accel/knowledge.h"
#include "accel/providers.h"
#include "base/result.h"
#include "check/model.h"
#include "loader/process.h"
#include "target/target.h"

namespace loadable::exam {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Which installation of a lock is asked about.
struct PlannedOptions {
  std::vector<std::string> extras, groups;  ///< as written
  bool all_extras = false, all_groups = false, no_default_groups = false;
  std::string python_version;  ///< `3.11` or `3.11.7`; empty: what the lock requires
  std::string platform;        ///< `linux`, `macos`, `windows`, with a machine; empty: Linux
  /// Does the caller choose what is installed?
  [[nodiscard]] bool selects() const {
    return !extras.empty() || !groups.empty() || all_extras || all_groups || no_default_groups;
  }
};

/// What the caller states about the process that will run. Nothing here is read from this process.
struct Options {
  std::vector<accel::Requirement> require;
  std::vector<std::string> after;     ///< names of actions, as accel::parse_after() accepts
  std::vector<std::string> provided;  ///< patterns
  Variables host;                     ///< the caller's variables that loaders read
  Variables host_python;              ///< those that Python reads: PYTHONPATH, HOME …
  Variables stated;                   ///< --env; these win
  bool counts_host = true;            ///< false: --no-host-env
  std::optional<std::string> cwd;     ///< inside the root; nothing: not known
  loader::Cpu cpu;
  std::optional<std::pair<loader::Libc, loader::Version>> libc;  ///< --libc
  bool binds_symbols = false;                                    ///< --symbols, for all objects
  bool hashes_all = false;  ///< --integrity full: every file that a list has a hash for
  std::size_t threads = 1;  ///< for hashing
  std::vector<std::string> exclude;
  PlannedOptions planned;
  std::string shown_target;  ///< as the user would type it again, with its options
  /// Called between objects: stage, done, of how many. May be empty.
  std::function<void(std::string_view, std::size_t, std::size_t)> progress;
  /// Threads that read objects while the target is walked; with any, the target's tree must allow
  /// questions from several threads (the host's does, that of tests does not).
  unsigned readers = 0;
  /// Takes what the examination worked with, for a program that ends anyway and need not free it
  /// piece by piece. Empty: it is freed.
  std::function<void(std::shared_ptr<const void>)> retire;
};

/// Runs the whole line. Errors: those of a target that cannot be examined at all (NotFound for a
/// root in which there is nothing to judge); everything less is an incident of the report.
Result<check::Report> examine(target::Target& target, const accel::Knowledge& knowledge,
                              const Options& options);

}  // namespace loadable::exam
