// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who owns the files: the lists of all distributions held against each other, and against the bytes
// that lie there now. Facts by path and hash; what they mean is for src/accel and src/check.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inventory/inventory.h"
#include "tree/walk.h"

namespace loadable::inventory {

/// What a distribution's list says of a file, and whether the bytes agree.
enum class Match : std::uint8_t {
  Same,        ///< the bytes are those of the list
  Different,   ///< they are not
  Gone,        ///< no file is there
  Unreadable,  ///< it could not be read; an incident says why
  NotAsked,    ///< not hashed, or by an algorithm that is not known: nobody knows
  NotListed    ///< the list has no hash for it
};

struct Claim {
  std::uint32_t distribution = 0;  ///< index into Inventory::distributions
  std::string hash;                ///< as the list writes it: `sha256=…`, or hexadecimal (conda)
  Match match = Match::NotAsked;
};

/// A file that several lists name with different hashes.
struct ContestedFile {
  std::string path;           ///< inside the root
  std::vector<Claim> claims;  ///< in the order of the distributions
};

/// Two distributions whose lists name the same files. Launchers in `bin/`, compiled files, rows
/// without a hash and files of dist-info directories do not count.
struct Overlap {
  std::uint32_t first = 0, second = 0;   ///< indexes into Inventory::distributions, first < second
  std::size_t shared = 0;                ///< paths that both lists name
  std::size_t identical = 0;             ///< of these: with one hash
  std::size_t gone = 0;                  ///< of these: not there
  std::vector<ContestedFile> differing;  ///< of these: with different hashes, sorted by path
  /// Of `differing`: the bytes are the first's, the second's, nobody's.
  std::size_t of_first = 0, of_second = 0, of_neither = 0;
};

/// A file of one owner whose bytes are not those of its list.
struct AlteredFile {
  std::string path;
  std::uint32_t distribution = 0;
  std::string recorded, found;  ///< hashes, `sha256=…`
  std::optional<std::uint64_t> recorded_size, found_size;
};

/// A distribution that lost files.
struct Losses {
  std::uint32_t distribution = 0;
  std::size_t listed = 0, gone = 0;  ///< without compiled files and its own metadata
  /// Import packages (directories right in the site directory) that it lists an `__init__` of and
  /// that have none now: the import gives an empty namespace, or fails where the directory is gone.
  std::vector<std::string> gutted_packages;  ///< paths
};

/// Several dist-info (or egg-info) of one name in one site directory.
struct StaleMetadata {
  std::vector<std::uint32_t> distributions;  ///< the one whose bytes lie there first, if any
};

/// A package that hides a module of the same name (`attr/` over `attr.py`) of another distribution
/// in one site directory; or an extension module that hides one of the same name, because an import
/// tries its suffix first (`x.abi3.so` over `x.so`).
struct HiddenModule {
  std::string package, module;                  ///< paths
  std::uint32_t package_of = 0, module_of = 0;  ///< distributions
};

struct OwnershipFacts {
  std::vector<Overlap> overlaps;  ///< by first, then second
  std::vector<AlteredFile> altered;
  std::vector<Losses> losses;  ///< of distributions that lack at least one file
  std::vector<StaleMetadata> stale;
  std::vector<HiddenModule> hidden;
  /// Objects in an import package of some distribution that no list names (left-over provider
  /// libraries), paths.
  std::vector<std::string> unowned;
  std::size_t files_hashed = 0;
  std::uint64_t bytes_hashed = 0;
  std::vector<Incident> incidents;
};

/// What to hash beyond contested files.
struct OwnershipOptions {
  bool hashes_all = false;        ///< --integrity full
  std::vector<std::string> also;  ///< paths that decide a verdict: provider libraries …
  std::size_t threads = 1;        ///< hashing scales with cores
  /// Called between files: done, of how many bytes. May be empty; called from one thread.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
};

/// Reads no file outside of the root and none that only a list out of the environment names. Never
/// fails as a whole: what cannot be read is an incident.
OwnershipFacts find_ownership(tree::Walk& walk, const Inventory& inventory,
                              const OwnershipOptions& options);

}  // namespace loadable::inventory
