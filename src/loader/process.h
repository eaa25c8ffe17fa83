// SPDX-License-Identifier: Apache-2.0
#pragma once
// The emulated process: what a program and its later dlopen calls would load, by which rule, and
// what would fail. Runs nothing. Behaviour: glibc 2.31 to 2.43, musl 1.1 to 1.2.6 (docs/loader.md).

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "loader/store.h"
#include "loader/types.h"

namespace loadable::loader {

/// The loader found in a root (or stated by --libc).
struct Identity {
  Libc libc = Libc::Glibc;
  Version version;
  std::string interpreter;               ///< path, as PT_INTERP names it
  std::vector<std::string> system_dirs;  ///< compiled in, in order, without trailing slash
  std::string lib_token;                 ///< $LIB, for example `lib/x86_64-linux-gnu`
  std::uint16_t machine = 0;
  std::uint8_t elf_class = 0;
  bool is_version_known = true;  ///< false: the file did not tell, the newest known is assumed
  /// Debian's and Ubuntu's patch: another machine is skipped before the byte order is looked at.
  bool is_debian = false;
  bool is_big_endian = false;

  /// `glibc 2.36`, `musl 1.2.3`.
  [[nodiscard]] std::string to_string() const;
};

/// Reads libc, release, directories and tokens out of the loader's own file (its read-only
/// segments): glibc says `ld.so (…) stable release version 2.36.` (2.31 and older in libc.so.6
/// only), and keeps its directories as adjacent strings that end in `/`; musl keeps
/// `/lib:/usr/local/lib:/usr/lib` and its release. Errors: NotFound, Malformed.
Result<Identity> identify_loader(Store& store, const std::string& interpreter);

/// A library that the host puts in place at run time (the driver that a container runtime injects,
/// `--provided`): its absence is permitted.
struct Provided {
  std::string library;               ///< pattern of `*` and `?` for the name that is asked for
  std::vector<std::string> symbols;  ///< patterns of the symbols that it defines (`cu[A-Z]*` too)
};

/// What surrounds the process.
struct Environment {
  /// Only the variables that loaders read count: LD_LIBRARY_PATH, LD_PRELOAD, LD_BIND_NOW,
  /// GLIBC_TUNABLES, LD_AUDIT …
  std::vector<std::pair<std::string, std::string>> variables;
  std::string cwd = "/";  ///< inside the root
  Cpu cpu;
  bool is_secure = false;          ///< AT_SECURE
  std::optional<Identity> stated;  ///< --libc: judge for this loader instead of the one found
  bool traces_all = false;         ///< keep every candidate, not only those of misses
  bool binds_symbols = false;      ///< --symbols
  /// A request that nothing answers and that matches one of these is no miss: the load goes on as
  /// if an object stood there that satisfies the request, every version asked of that name
  /// (vn_file), and the matching symbols that nothing else defines. It stands in
  /// Process::provided().
  std::vector<Provided> provided;

  [[nodiscard]] std::optional<std::string_view> variable(std::string_view name) const;
};

/// One member of the link map.
struct LoadedObject {
  SharedString request;  ///< as written by the first that asked
  SharedString path;     ///< absolute inside the root, links unresolved
  SharedString soname;   ///< DT_SONAME, empty without one
  std::optional<ObjectIndex> requested_by;
  Rule rule = Rule::Program;
  int step = 0;
  const File* file = nullptr;
};

/// Flags of dlopen (dlfcn.h), and which object calls it.
struct DlopenOptions {
  bool is_lazy = false;  ///< RTLD_LAZY; default RTLD_NOW
  bool is_global = false, is_deepbind = false, is_noload = false, is_nodelete = false;
  /// The caller, as path of a member of the link map; nothing: the program.
  std::optional<std::string> caller;
};

/// How one dlopen ended. Details stand in the process's requests, missing and failures of that
/// step.
struct StepResult {
  bool succeeded = false;
  int step = 0;
  std::optional<ObjectIndex> object;  ///< of the requested one, when it succeeded
  std::string error;                  ///< what dlerror() would say; empty when it succeeded
  bool is_provided = false;  ///< nothing answered and Environment::provided covers it: no success
};

/// A process is a value: copying one (a few pointers an object) forks the emulation, which is how
/// thousands of modules are each judged in the state right after the interpreter's start.
class Process {
 public:
  /// Emulates program start up to main(): PT_INTERP, preloads, the closure breadth-first, versions,
  /// symbols when asked. A program that would not start is no error: see missing() and failures().
  /// Errors: the program cannot be opened or is no dynamic ELF (Unsupported: static, relocatable
  /// …).
  static Result<Process> start(Store& store, const std::string& program, Environment environment);

  StepResult dlopen(const std::string& request, const DlopenOptions& options);

  [[nodiscard]] const std::string& program() const;
  [[nodiscard]] const std::string& interpreter() const;
  /// False when the interpreter is not there: then nothing but that is judged.
  [[nodiscard]] bool has_interpreter() const;
  [[nodiscard]] const Identity& identity() const;
  [[nodiscard]] const Environment& environment() const;
  /// The link map in load order; objects of failed steps are gone. Index = ObjectIndex.
  [[nodiscard]] const std::vector<LoadedObject>& objects() const;
  [[nodiscard]] const std::vector<Request>& requests() const;
  [[nodiscard]] const std::vector<Missing>& missing() const;
  /// What missing() would hold too without Environment::provided.
  [[nodiscard]] const std::vector<Missing>& provided() const;
  [[nodiscard]] const std::vector<Failure>& failures() const;
  [[nodiscard]] const std::vector<Failure>& warnings() const;
  /// Drops the requests that were answered so far: a process from which thousands are forked need
  /// not carry them. Misses and their candidates stay.
  void forget_answered_requests();
  /// Index of the member that answers to a path, soname or name already loaded.
  [[nodiscard]] std::optional<ObjectIndex> find(std::string_view path_or_name) const;

  /// Objects that a request would visit, without loading: the ordered search alone (`why`).
  [[nodiscard]] Request search(const std::string& request, const DlopenOptions& options) const;

  Process(const Process&);
  Process& operator=(const Process&);
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;
  ~Process();

  struct State;  ///< internal to src/loader

 private:
  explicit Process(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Parses `glibc-2.36`, `glibc 2.41`, `musl-1.2.3` (the values of --libc). Errors: InvalidArgument.
Result<std::pair<Libc, Version>> parse_libc(std::string_view text);
/// Parses `x86-64`, `x86-64-v1` … `x86-64-v4` (the values of --cpu). Errors: InvalidArgument.
Result<CpuLevel> parse_cpu(std::string_view text);

}  // namespace loadable::loader
