// SPDX-License-Identifier: Apache-2.0
#pragma once
// Facts of ownership and of locked distributions, as the rules see them: plain data, with the
// meaning that the tables give (families, capabilities). No I/O, no judgement.

#include <cstdint>
#include <string>
#include <vector>

namespace loadable::check {

/// A distribution in messages and locations.
struct Member {
  std::string name, version;         ///< as its metadata writes them
  std::vector<std::string> carries;  ///< provider ids that the tables give to it; empty: CPU build
  bool states_intent = false;        ///< exists only for the GPU
  std::string installer;             ///< `pip`, `uv`, `conda`; empty: not said
  [[nodiscard]] std::string to_string() const { return name + " " + version; }
};

/// What a binary or a generated file says about itself (`build_and_package_info.py`, strings of the
/// extension module): a witness that is independent of hashes.
struct Witness {
  std::string path;
  std::string
      says;  ///< `package_name = 'onnxruntime-gpu'`, `holds the text \`cudnn_conv_algo_search\``
  std::string build;  ///< name of the family's member that it speaks for, or `cpu`, `cuda`
};

/// One file of which two members have different bytes.
struct ContestedPath {
  std::string path;
  std::string owner;  ///< `name version` whose bytes lie there; empty: nobody's, gone or not known
  bool is_known = true;           ///< false: could not be hashed
  bool carries_provider = false;  ///< the extension module or a provider library
};

enum class OverlapState : std::uint8_t {
  Identical,    ///< all shared files have one content: only uninstalling one hurts
  Overwritten,  ///< all differing files are one member's
  Mixed,        ///< some are of each
  Gutted,       ///< the shared files went with one member's uninstall
  Unknown       ///< could not be hashed
};

/// Two installed distributions that share files.
struct OverlapFacts {
  Member first, second;
  std::string family;   ///< of distributions that exclude each other; empty: none known
  std::string package;  ///< import package that they share: `onnxruntime`
  std::size_t shared = 0, identical = 0, of_first = 0, of_second = 0, of_neither = 0, gone = 0;
  std::vector<ContestedPath> differing;
  OverlapState state = OverlapState::Identical;
  std::vector<Witness> witnesses;
  /// Why each is there, one sentence a link (`fastembed 0.9.1 requires onnxruntime>=1.17.0`);
  /// empty: nothing requires it, so the user asked for it.
  std::vector<std::string> first_chain, second_chain;
};

/// A distribution whose files went.
struct GuttedFacts {
  Member member;
  std::size_t listed = 0, gone = 0;
  std::vector<std::string> packages;  ///< directories that became empty namespaces, or are gone
  bool import_fails = false;          ///< the directory is gone too: ModuleNotFoundError
  std::vector<std::string> probable_culprits;  ///< members of the family that could have taken them
};

/// One selection of a lock that would install members which overwrite each other.
struct PlannedConflict {
  std::string family, package;
  std::vector<Member> members;                   ///< two or more, by name
  std::vector<std::vector<std::string>> chains;  ///< of each member, sentences
  std::vector<std::string> places;               ///< of each member: `uv.lock:123`
  std::string selection;  ///< `with extra \`gpu\``; empty: the default installation
  /// From the wheels' own lists where they are at hand: paths that would differ.
  std::vector<std::string> differing;
  std::size_t shared = 0, identical = 0;
  bool has_wheels = false;
};

/// A project or wheel that requires one member of a family by its plain name.
struct HardDependency {
  std::string requirer, requirement, family, place;
  std::vector<std::string> alternatives;  ///< other members: `onnxruntime-gpu` …
};

}  // namespace loadable::check
