// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of the tables about distributions: families that share an import package, their members, and
// what files say about the build that they come from (knowledge/families.toml).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadable::accel {

/// What every row has.
struct Row {
  std::string source;       ///< a measured wheel, a specification, a source file by name
  bool is_verified = true;  ///< false: no test has seen it on a real release
  std::string place;        ///< `onnxruntime.toml, [[step]] 3`, for messages
};

/// Releases from `from` to `to`, both included; an empty end is open.
struct Releases {
  std::string from, to;
  [[nodiscard]] bool contains(std::string_view release) const;
};

/// [[distribution_family]]: distributions that install one import package under several names.
struct DistributionFamilyRow : Row {
  std::string id;                     ///< `onnxruntime`
  std::vector<std::string> packages;  ///< import packages, as paths below a site directory
  std::string what;                   ///< `ONNX Runtime`
  bool is_exclusive = true;           ///< two members in one place overwrite or gut each other
};

/// [[distribution]]: a member of a family of distributions that share one import package.
struct DistributionRow : Row {
  std::string name;    ///< normalised (PEP 503), or a pattern of such names (`cupy-cuda*`)
  std::string family;  ///< `onnxruntime`
  Releases releases;   ///< that belong to the family
  /// What its build adds to that of the plain member: `CUDA`; empty: nothing, a build for the CPU.
  std::string builds_for;
  std::vector<std::string> providers;  ///< ids that it carries; empty: a build for the CPU
  /// Ids of the providers that it exists for alone: who installs it wants them.
  std::vector<std::string> intends;
};

/// How a file tells of its build.
enum class WitnessForm : std::uint8_t {
  Text,        ///< the bytes of `text` occur in it
  Symbol,      ///< its dynamic symbols define `text`
  Assignment,  ///< a line `text = 'NAME'` names the distribution that it was built for
};

/// [[witness]]: what a file of a family's package says about the build that it comes from.
struct WitnessRow : Row {
  std::string family;
  std::string file;  ///< pattern below the import package
  WitnessForm form = WitnessForm::Text;
  std::string text;
  std::string capability;  ///< `CUDA`; empty with Assignment
  bool has = false;  ///< the text shows that the build has the capability, or that it lacks it
};

/// [[stray_file]]: what wheels leave beside their packages by mistake.
struct StrayFileRow : Row {
  std::string path;  ///< pattern below a site directory
};

/// [[conda_build]]: a conda package of a family whose builds differ in what they carry; the build
/// string tells which one it is.
struct CondaBuildRow : Row {
  std::string name, family;  ///< of the conda package; of the family of distributions
  std::vector<std::string> gpu_words, cpu_words;  ///< parts of build strings
  std::vector<std::string> providers;             ///< ids that the GPU build carries
};

/// [[requirer]]: a distribution of which it is known what members of families it pulls in, in every
/// release that is known: what a list of wishes installs without naming it. No members: none.
struct RequirerRow : Row {
  std::string name;                  ///< normalised
  std::vector<std::string> members;  ///< normalised names
};

}  // namespace loadable::accel
