// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the rules see: plain data that src/exam took from the emulated process and the inventory.
// No pointers into them, no I/O, no judgement.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accel/facts.h"
#include "check/ownership_facts.h"
#include "check/remedies_install.h"
#include "loader/types.h"

namespace loadable::check {

/// How much a subject counts, hence how loud its findings are.
enum class Weight : std::uint8_t {
  Required,   ///< a provider that the user or the target asks for
  Offered,    ///< a provider that is there and that nobody asks for
  Companion,  ///< an optional companion of a wheel (TensorRT): notes only
  General,    ///< an extension module or program
  Optional    ///< plugins for software that is not installed: notes only
};

/// A copy of a library somewhere in the target.
struct Copy {
  std::string path;          ///< inside the root
  std::string distribution;  ///< `name version`, or empty
  std::string defect;        ///< why a loader would refuse it; empty: usable
};

/// A file that an installed distribution's list names and that is gone.
struct Gone {
  std::string path, distribution;
};

/// A library that a lookup did not get. Consumers after the first asked for the same name.
struct Gap {
  std::string request;
  std::vector<std::string> consumers;  ///< paths, the first asker first
  bool is_declared = true;             ///< DT_NEEDED; false: opened by name at run time
  std::vector<loader::Candidate> tried;
  std::vector<Copy> copies;        ///< files of that name or soname in the target
  std::vector<Copy> other_majors;  ///< the same library with another major
  std::vector<Gone> gone;
  std::optional<Copy> refused;   ///< the search ended at this file, which no loader accepts
  bool is_foreign_libc = false;  ///< it is the other C library (or its loader)
  std::string stale_cache;       ///< how the loader's cache disagrees with the files; empty: it
                                 ///< agrees or does not matter
  std::string set;               ///< the set it is a piece of (`cuDNN`), else empty
  std::string supplier;          ///< installable package that ships it (`nvidia-cublas-cu12`)
  accel::Necessity necessity = accel::Necessity::Provider;
  std::string loss;                   ///< name used in --require a:b+LOSS
  std::string effect;                 ///< what the user would see
  std::vector<std::string> preloads;  ///< `--after` values that would cure it
  std::vector<std::string> follows;   ///< what would fail next because of it
  bool is_provided = false;           ///< --provided: comes from the host
  bool is_unreadable = false;         ///< a place of the search could not be read: not known
  bool is_verified = true;
  std::size_t order = 0;  ///< position in the order in which the loader meets problems
};

/// A library that is found and cannot be used.
struct Break {
  loader::Failure failure;
  std::string distribution;  ///< of failure.object
  std::string library_path;  ///< Version, Symbol: the file that should have supplied it
  std::string library_distribution;
  std::vector<Copy> better;            ///< copies in the target that would satisfy it
  bool is_libc_release = false;        ///< Version: a release of the C library itself
  bool follows_from_stub = false;      ///< the driver stub lacks it
  std::vector<std::string> symbols;    ///< Symbol: all names of that object, the first first
  std::vector<std::string> consumers;  ///< paths that cannot load because of it
  std::string libc;                    ///< of the process, `glibc 2.36`
  accel::Necessity necessity = accel::Necessity::Provider;
  std::string loss, effect;
  bool is_verified = true;
  std::size_t order = 0;
};

/// A library of a provider or of its suppliers that is structurally damaged and that no lookup met.
struct Damage {
  Copy copy;
  bool carries_provider = false;  ///< the extension module or the provider library
};

/// An element of a search path that means the working directory.
struct WorkingDirectoryElement {
  std::string owner;                 ///< path of the object, or empty for LD_LIBRARY_PATH
  std::string variable;              ///< `RPATH`, `RUNPATH`, `LD_LIBRARY_PATH`
  std::vector<std::string> lookups;  ///< names that fell through to it and were not there
  std::vector<std::string> answers;  ///< paths that it supplied
};

/// The driver's library, answered by a file that is no driver.
struct Stub {
  std::string request, path, distribution, consumer;
  std::string why;                   ///< what shows that it is one
  std::vector<std::string> lacking;  ///< symbols that the provider needs and it does not define
  /// What lacking them costs; Optional: nothing.
  accel::Necessity necessity = accel::Necessity::Optional;
  std::string effect;  ///< of lacking them
  std::size_t order = 0;
};

/// A member of the link map that belongs to another CUDA release than the provider.
struct ForeignRelease {
  std::string request, path, distribution, consumer;
  std::string rule;  ///< search rule that chose it
  std::string why;   ///< `needs libcudart.so.13`
  int expected = 0, found = 0;
  std::vector<Copy> own;  ///< copies of the right release in the target
  std::size_t order = 0;
};

/// Pieces of one set that were loaded or found in different places.
struct MixedSet {
  std::string set;
  std::vector<Copy> pieces;  ///< one per release or directory, the front library's first
  std::size_t order = 0;
};

/// A copy that was chosen although another was meant, without harm that can be seen.
struct Shadow {
  std::string request, consumer;
  Copy chosen, meant;
  std::string rule;
};

/// Parts of one distribution that serve software which is not installed.
struct OptionalParts {
  std::string distribution;
  std::vector<std::string> objects;  ///< paths
  std::vector<std::string> lacking;  ///< names that they ask for
};

/// The verdict with and without the caller's variables.
struct CallerEnvironment {
  std::vector<std::pair<std::string, std::string>> variables;  ///< those that loaders read
  bool decides = false;
  std::string without;  ///< the verdict without them, as a phrase
};

/// One thing that is judged: a provider, or objects that share a cause.
struct Subject {
  std::string provider;  ///< id; empty: not a provider
  std::string title;     ///< `the CUDA provider of onnxruntime`, `` `x.so` ``
  Weight weight = Weight::General;
  accel::ProviderInstance instance;
  std::vector<std::string> asked_losses;  ///< --require a:b+cudnn
  std::string libc;                       ///< of the process
  std::string loader_path;                ///< LD_LIBRARY_PATH of the process
  std::vector<std::string> library_dirs;  ///< directories that hold accelerator libraries
  bool is_judged = true;            ///< false: shipped, and no process could be started to judge it
  Installation installation;        ///< where remedies install into
  std::string target;               ///< as the user would type it again
  std::string wanted_distribution;  ///< what pip would be asked for: `onnxruntime-gpu[cuda,cudnn]`
  std::vector<Gap> gaps;
  std::vector<Break> breaks;
  std::vector<Gone> gone;  ///< libraries that no lookup met
  std::vector<Damage> damages;
  std::vector<WorkingDirectoryElement> working_directory;
  std::string cwd;  ///< stated; empty: unknown
  std::vector<Stub> stubs;
  std::vector<ForeignRelease> foreign;
  std::vector<MixedSet> mixed_sets;
  std::vector<Shadow> shadows;
  std::vector<std::string> stale_cache;  ///< disagreements that did not decide
  CallerEnvironment caller;
  std::vector<OptionalParts> optional_parts;
  std::vector<std::string> expected_at_run_time, provided;
  std::string effect;  ///< of lacking the provider, as the tables say it
  /// Distributions of the provider and of all that its process loads, `name version`.
  std::vector<std::string> suppliers;
  OwnershipFacts ownership;
  /// Nothing is installed yet: how what is judged stands there (`locked`, `in this folder`); empty:
  /// installed.
  std::string planned;
  std::vector<PlannedConflict> conflicts;
  std::vector<HardDependency> hard_dependencies;
  std::string
      elsewhere;  ///< another selection of the lock that would ship it: `with extra \`gpu\``
  std::vector<std::string> elsewhere_commands;  ///< that install it so
  std::string where;      ///< in which of several environments: `on Python 3.9`; empty: in all
  std::string undecided;  ///< why a file alone does not tell whether it is shipped; empty: it does
};

}  // namespace loadable::check
