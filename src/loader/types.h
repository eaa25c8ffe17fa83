// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words of the emulated loader: what asked, what answered, what failed. Data only.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_string.h"

namespace loadable::loader {

enum class Libc : std::uint8_t { Glibc, Musl };

/// Release of a C library, for example 2.36.0 or 1.2.3.
struct Version {
  int major = 0, minor = 0, patch = 0;
  auto operator<=>(const Version&) const = default;
};

/// Levels of the x86-64 psABI; other machines have only Baseline.
enum class CpuLevel : std::uint8_t { Baseline = 1, V2 = 2, V3 = 3, V4 = 4 };

/// The CPU that the process will run on.
struct Cpu {
  CpuLevel level = CpuLevel::V3;
  /// AT_PLATFORM as glibc sees it before 2.37: `haswell`, `xeon_phi` or `x86_64`; empty: from
  /// level.
  std::string platform;
};

/// By which rule a request was answered (JSON: preload, rpath, env, runpath, cache, default, path,
/// name, soname, inode). Program: the program itself.
enum class Rule : std::uint8_t {
  Program,
  Preload,
  Rpath,
  Env,
  Runpath,
  Cache,
  Default,
  Path,
  Name,
  Soname,
  Inode
};
[[nodiscard]] std::string_view to_string(Rule rule);

/// What became of one candidate path.
enum class Outcome : std::uint8_t {
  Found,
  Absent,         ///< ENOENT, or the directory is known to be absent
  NotADirectory,  ///< ENOTDIR
  Denied,         ///< EACCES: the search goes on
  WrongClass,     ///< skipped by glibc
  WrongMachine,   ///< skipped by glibc
  Unusable,       ///< a defect that ends the load (see detail)
  Unsearchable,   ///< an errno that ends this list (ELOOP …)
  NotInCache,     ///< no entry of that name in ld.so.cache, or no cache (see detail)
  Disabled        ///< the rule does not apply (RUNPATH present, nodeflib, secure mode …)
};
[[nodiscard]] std::string_view to_string(Outcome outcome);

/// One place that was looked at, in order.
struct Candidate {
  Rule rule = Rule::Default;
  std::string path;  ///< inside the root, as the loader forms it; empty for NotInCache and Disabled
  Outcome outcome = Outcome::Absent;
  std::string detail;  ///< the loader's words or the reason; may be empty
  /// Whose RPATH or RUNPATH it is, as path; empty otherwise.
  std::string owner;
};

using ObjectIndex = std::uint32_t;

/// JSON `requests`: one DT_NEEDED, preload or dlopen request with its answer.
struct Request {
  SharedString name;                        ///< as written, tokens unexpanded
  std::optional<ObjectIndex> requested_by;  ///< nothing: LD_PRELOAD or the program itself
  Rule rule = Rule::Default;
  std::optional<ObjectIndex> answer;  ///< nothing: missing, or refused
  int step = 0;
  std::vector<Candidate> tried;  ///< filled for misses and refusals, and for all with traces_all
  SharedString path;       ///< of the answer; kept when a failed step unloads it, empty without one
  SharedString requester;  ///< path of requested_by; kept when a failed step unloads it
};

enum class FailureKind : std::uint8_t { Version, Symbol, Format, Type, Tls, ExecStack, Isa };
[[nodiscard]] std::string_view to_string(FailureKind kind);

/// JSON `failures`, and `warnings` for what the loader survives.
struct Failure {
  std::string object;  ///< path that the loader's own message begins with
  FailureKind kind = FailureKind::Format;
  std::string message;  ///< the loader's words where it has some
  int step = 0;
  std::string symbol;   ///< Symbol: the name; Version: the version
  std::string library;  ///< Version: the file asked for (vn_file); Symbol: version's file, if any
  std::string requested_by;                      ///< the object that needs it, as path
  std::optional<std::string> requested_version;  ///< Symbol: its version
};

/// JSON `missing`.
struct Missing {
  std::string name;
  std::string requested_by;  ///< path of the requester; empty for the program's interpreter
  int step = 0;
  std::size_t request = 0;  ///< index into Process::requests(), for the candidates
};

}  // namespace loadable::loader
