// SPDX-License-Identifier: Apache-2.0
#pragma once
// Facts of ownership and of locked distributions, as the rules see them: plain data, with the
// meaning that the tables give (families, capabilities). No I/O, no judgement.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/family_remedies.h"

namespace loadable::check {

/// A distribution in messages and locations.
struct Member {
  std::string name, version;         ///< as its metadata writes them
  std::vector<std::string> carries;  ///< provider ids that the tables give to it; empty: CPU build
  bool states_intent = false;        ///< exists only for the GPU
  std::string installer;             ///< `pip`, `uv`, `conda`; empty: not said
  std::string builds_for;            ///< `CUDA`; empty: the plain build, or of no family
  [[nodiscard]] std::string to_string() const { return name + " " + version; }
};

/// What a binary or a generated file says about itself (`build_and_package_info.py`, strings of the
/// extension module): a witness that is independent of hashes.
struct Witness {
  std::string path;
  std::string says;        ///< `holds the text ...`, `says package_name = ...`
  std::string member;      ///< distribution that it speaks for; empty: it speaks of a capability
  std::string capability;  ///< `CUDA`
  bool has = false;        ///< the build has the capability
};

/// One file of which two members have different bytes.
struct ContestedPath {
  std::string path;
  std::string owner;  ///< `name version` whose bytes lie there; empty: nobody's, gone or not known
  bool is_known = true;                 ///< false: could not be hashed
  bool is_gone = false;                 ///< no file is there
  bool carries_provider = false;        ///< the extension module or the provider library
  std::string first_hash, second_hash;  ///< as the lists of the two members write them
};

enum class OverlapState : std::uint8_t {
  Identical,    ///< all shared files have one content: only uninstalling one hurts
  Overwritten,  ///< all differing files are one member's
  Mixed,        ///< some are of each
  Gutted,       ///< the shared files went with one member's uninstall
  Unlisted,     ///< the list of files of a member is gone: what they share is not known
  Unknown       ///< could not be hashed, or bytes of neither
};

/// Two installed distributions that share files.
struct OverlapFacts {
  Member first, second;
  std::string family;     ///< of distributions that exclude each other; empty: none known
  std::string what;       ///< the family in words: `ONNX Runtime`
  bool is_stray = false;  ///< only files that many wheels leave behind by mistake (`tests/`)
  std::string package;    ///< import package that they share: `onnxruntime`
  std::size_t shared = 0, identical = 0, of_first = 0, of_second = 0, of_neither = 0, gone = 0;
  std::vector<ContestedPath> differing;
  OverlapState state = OverlapState::Identical;
  std::vector<Witness> witnesses;
  /// Why each is there, one sentence a link (`fastembed 0.9.1 requires onnxruntime>=1.17.0`);
  /// empty: nothing requires it, so the user asked for it.
  std::vector<std::string> first_chain, second_chain;
  std::string first_requirer, second_requirer;  ///< names of the chains' last links
  /// Members (`name version`) without a list of files, and their metadata directories.
  std::vector<std::string> unlisted, unlisted_metadata;
};

/// A distribution whose files went.
struct GuttedFacts {
  Member member;
  std::size_t listed = 0, gone = 0;
  std::vector<std::string> packages;  ///< directories that became empty namespaces, or are gone
  bool import_fails = false;          ///< the directory is gone too: ModuleNotFoundError
  std::vector<std::string> probable_culprits;  ///< members of the family that could have taken them
  bool carries_provider = false;  ///< of the subject at hand: the import library went too
  std::string site_directory;
};

/// A file of one owner whose bytes are not those of its list.
struct AlteredFacts {
  std::string path;
  Member member;
  std::string recorded, found;     ///< hashes
  bool carries_provider = false;   ///< the extension module or the provider library
  std::vector<Witness> witnesses;  ///< what that file says of its build
};

/// The core and the provider library of one package come from two releases.
struct SkewFacts {
  std::string core, provider;  ///< paths
  Member core_of, provider_of;
};

/// Several dist-info of one name in one place.
struct StaleFacts {
  std::string name, site_directory;
  std::vector<Member> members;
  std::vector<std::string> metadata;  ///< paths, of each member
  std::string current;                ///< the version whose files lie there; empty: not known
};

/// A package that hides a module of the same name, or a package in a directory that sys.path holds
/// later; an extension module that hides one with another suffix.
struct HiddenFacts {
  std::string package, module;   ///< paths; of wheels, inside of them: `attr/`, `attr.py`
  Member package_of, module_of;  ///< without a name: nobody's
  std::string package_place, module_place;  ///< of what is not installed: the wheels
  std::string selection;                    ///< of what is not installed; empty: the default
};

/// A library in an import package that no list names.
struct UnownedFacts {
  std::string path, package, what;     ///< `what`: the provider that it carries; empty: none
  bool carries_provider = false;       ///< of the subject at hand
  std::vector<std::string> installed;  ///< members of the family that are installed
};

/// What is known of the ownership of what a subject rests on.
/// Files of one distribution that its list names and that are gone.
struct LostFacts {
  std::string by;                  ///< `name version`
  std::size_t count = 0;           ///< all of them
  std::vector<std::string> files;  ///< paths, the first ones
};

struct OwnershipFacts {
  std::vector<OverlapFacts> overlaps;
  std::vector<GuttedFacts> gutted;
  std::vector<AlteredFacts> altered;
  std::vector<SkewFacts> skews;
  std::vector<StaleFacts> stale;
  std::vector<HiddenFacts> hidden;
  std::vector<UnownedFacts> unowned;
  /// Of the provider's own distribution, libraries apart; of no provider: with --integrity full.
  std::vector<LostFacts> lost;
  bool is_hashed = false;        ///< the hashes of the files that carry the provider agree
  bool is_fully_hashed = false;  ///< --integrity full
};

/// One selection of a lock that would install members which overwrite each other.
struct PlannedConflict {
  std::string family, package;
  std::vector<Member> members;                   ///< two or more, by name
  std::vector<std::vector<std::string>> chains;  ///< of each member, sentences
  std::vector<std::string> places;               ///< of each member: `uv.lock:123`
  std::string selection;          ///< `with extra \`gpu\``; empty: the default installation
  std::vector<std::string> also;  ///< other selections that hold it too, where they are to be told
  /// From the wheels' own lists where they are at hand: paths that would differ.
  std::vector<std::string> differing;
  std::size_t shared = 0, identical = 0;
  bool has_wheels = false;
  std::string noun = "locked";              ///< how they stand there
  std::vector<std::string> maybe_stand_in;  ///< members whose wheel is of no index and not at hand
  /// For the remedies.
  std::vector<PackageTool> tools;
  ProjectFile file;
  std::vector<std::string> choices;  ///< extras and groups that bring one member each
  std::string newest;                ///< release of the family that the tables know; empty: none
};

/// A project or wheel that requires one member of a family by its plain name.
struct HardDependency {
  std::string requirer, requirement, family, place;
  std::string member;                     ///< normalised name of the member that it requires
  std::vector<std::string> alternatives;  ///< other members: `onnxruntime-gpu` …
  bool is_for_gpu = false;  ///< the member is a build for more than the CPU, the others are plain
};

}  // namespace loadable::check
