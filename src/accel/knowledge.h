// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tables of knowledge/*.toml as values: what is known of providers, of what they open by name,
// of NVIDIA's libraries and of the driver. Every row says where it comes from. No row says what a
// library needs by DT_NEEDED: that is always read from the file.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accel/facts.h"
#include "accel/families.h"
#include "base/embedded.h"
#include "base/result.h"
#include "loader/process.h"
#include "tree/walk.h"

namespace loadable::accel {

/// [[provider]]: how the files of a provider are recognised, relative to the import package.
struct ProviderRow : Row {
  std::string id;              ///< `onnxruntime:cuda`
  std::string family;          ///< of distributions
  std::string package;         ///< import package: `onnxruntime`
  std::string import_library;  ///< pattern: `capi/onnxruntime_pybind11_state*.so`
  std::string provider_library, shared_library;
  std::string what;            ///< `the CUDA provider of onnxruntime`
  std::string effect;          ///< without it: `InferenceSession falls back to the CPU …`
  std::string import_effect;   ///< when the import fails
  bool is_companion = false;   ///< optional companion of a wheel: notes only
  std::string oldest, newest;  ///< releases that the plan covers
};

/// Whose code calls dlopen: libpython or the interpreter, `_ctypes`, the import library, the
/// provider library.
enum class Caller : std::uint8_t { Interpreter, Ctypes, Import, Provider };
/// How a step writes its request.
enum class RequestForm : std::uint8_t {
  Bare,           ///< the name: the loader searches
  BesideImport,   ///< absolute, in the directory of the import library
  ImportLibrary,  ///< absolute path of the import library
};

/// [[step]]: one dlopen of a load plan, in file order.
struct StepRow : Row {
  std::string id;
  /// Steps of one chain: the first that fails makes the later ones pointless.
  std::string chain;
  std::vector<std::string> providers;
  Releases releases;
  std::vector<int> cuda;  ///< only for these CUDA majors; empty: all
  std::string what;
  Necessity necessity = Necessity::Provider;
  std::vector<std::string> names;  ///< any-of group, in the order tried; `{cuda}` = CUDA major
  RequestForm form = RequestForm::Bare;
  Caller caller = Caller::Import;
  bool is_global = false;
  std::string loss, effect;

  [[nodiscard]] bool applies(std::string_view provider, std::string_view release,
                             std::optional<int> cuda_major) const;
};

/// [[opens]]: what a library that is in the process opens by name at run time.
struct OpensRow : Row {
  std::string opener;  ///< pattern of its soname, else of its file name: `libcudnn.so.9`
  std::string what;
  Necessity necessity = Necessity::Function;
  /// Any-of group. `{cuda}` = CUDA major of the opener, `{major}` = major of its soname.
  std::vector<std::string> names;
  /// Instead of names: pattern of the names to be found in the opener's own strings.
  std::string recovered;
  /// `name.so` is tried as .so.MAJ.MIN.PATCH, .so.MAJ.MIN, .so.MAJ, .so with the opener's release.
  bool is_versioned = false;
  std::string loss, effect;
};

/// [[piece]]: what is lost without one library of a set; the pattern that fits first counts.
struct PieceRow : Row {
  std::string set;      ///< `cudnn9`
  std::string library;  ///< pattern of the soname
  Necessity necessity = Necessity::Function;
  std::string loss, effect;
};

/// [[set]]: libraries that must be of one release and that a front library opens.
struct SetRow : Row {
  std::string id, what;
  std::string front;    ///< soname of the front library
  std::string members;  ///< pattern of the sonames
};

/// [[action]]: a value of `--after`.
struct ActionRow : Row {
  std::string name;
  std::string package;           ///< import package that must be installed
  Releases releases;             ///< of the provider's distribution, for actions of its package
  bool is_after_import = false;  ///< performed after the provider's package is imported
  /// Below the package; must assign `version_variable` (`cuda_version = '12.8'`), and a release of
  /// at least `oldest_version`: otherwise the action does nothing. No `oldest_version`: no
  /// condition but those of its preloads.
  std::string version_file, version_variable, oldest_version;
};

/// [[preload]]: one library that an action loads, in file order.
struct PreloadRow : Row {
  std::string action;  ///< `onnxruntime.preload_dlls`
  Releases releases;   ///< of the provider's distribution
  /// The oldest release of the action's own package that does it, as its version file tells; where
  /// that cannot be read the newest is taken. Empty: each.
  std::string package_from;
  std::vector<int> cuda;
  /// Below the directory that holds the package, tried first; patterns. The first that has the
  /// library counts.
  std::vector<std::string> directories;
  /// A file name, or a pattern of one; tried by this bare name when no path did load …
  std::string library;
  bool is_path_only = false;  ///< … unless so
  bool is_optional = false;   ///< the action says nothing when it fails
  bool is_global = false;
  bool is_import = false;  ///< an import of the interpreter; otherwise ctypes.CDLL
};

/// Where one library of a family comes from, for one CUDA major.
struct FamilyMember {
  int cuda = 0;  ///< 0: all
  std::string soname, package, directory;
};

/// [[family]]: one library through its majors.
struct FamilyRow : Row {
  std::string stem;  ///< `libcublas.so`
  std::vector<FamilyMember> members;
  std::vector<std::string> symbols;  ///< patterns of what it defines
  /// The soname does not tell the CUDA major (libcudnn.so.9, libcurand.so.10).
  [[nodiscard]] bool is_ambiguous(std::string_view soname) const;
};

/// [[driver]]: a library of the driver, the permitted absence.
struct DriverRow : Row {
  std::string library;  ///< pattern
  std::vector<std::string> symbols;
};

/// [[exempt]]: a place where a driver library in an image is right.
struct ExemptRow : Row {
  std::string path, package;  ///< pattern of a path, or of a package name; one of them
};

/// [[known_name]]: a name that libraries mention and that says nothing.
struct KnownNameRow : Row {
  std::string name;  ///< pattern
};

/// Where a missing library comes from.
struct PackageHint {
  int cuda = 0;
  std::string package, directory;
};

/// A soname in its parts: `libcublas.so.12` is the stem `libcublas.so` and the version `12`.
struct Soname {
  std::string stem, version;
};
[[nodiscard]] Soname split_soname(std::string_view name);

/// Does `*`, `?`, `[a-z]` pattern (fnmatch) fit the whole of `text`?
[[nodiscard]] bool fits(const std::string& pattern, const std::string& text);

/// Compares releases number by number: `1.9` < `1.10`; a missing number counts as 0, and what
/// follows the numbers (`+cu118`, `rc1`) is left out.
[[nodiscard]] int compare_releases(std::string_view a, std::string_view b);

class Knowledge {
 public:
  std::string date;  ///< newest date of the tables: `2026-11-30`
  std::vector<DistributionFamilyRow> distribution_families;
  std::vector<DistributionRow> distributions;
  std::vector<WitnessRow> witnesses;
  std::vector<StrayFileRow> stray_files;
  std::vector<RequirerRow> requirers;
  std::vector<CondaBuildRow> conda_builds;
  std::vector<ProviderRow> providers;
  std::vector<StepRow> steps;
  std::vector<OpensRow> opens;
  std::vector<SetRow> sets;
  std::vector<PieceRow> pieces;
  std::vector<PreloadRow> preloads;
  std::vector<ActionRow> actions;
  std::vector<FamilyRow> families;
  std::vector<DriverRow> drivers;
  std::vector<ExemptRow> exempt;
  std::vector<KnownNameRow> known_names;

  [[nodiscard]] const ProviderRow* provider(std::string_view id) const;
  /// The row of that exact name, else the first pattern that fits; null: of no family. With a
  /// release: only where the row covers it.
  [[nodiscard]] const DistributionRow* distribution(std::string_view normalised_name,
                                                    std::string_view release = {}) const;
  [[nodiscard]] const DistributionFamilyRow* distribution_family(std::string_view id) const;
  [[nodiscard]] const ActionRow* action(std::string_view name) const;
  [[nodiscard]] const FamilyRow* family(std::string_view soname) const;
  /// The CUDA major that a soname belongs to; nothing when it tells none.
  [[nodiscard]] std::optional<int> cuda_of(std::string_view soname) const;
  /// Which packages ship a soname, the newest CUDA major last; empty: not known.
  [[nodiscard]] std::vector<PackageHint> packages_of(std::string_view soname) const;
  /// Is it another release of the same library (`libcudnn.so.8`, `libcudnn.so.9`)? By stem; what is
  /// in no family is compared all the same.
  [[nodiscard]] bool is_other_major(std::string_view wanted, std::string_view present) const;
  [[nodiscard]] bool is_driver(std::string_view name) const;
  /// What many wheels leave beside their packages by mistake (`tests/`): no conflict of theirs.
  /// `path` is relative to the site directory.
  [[nodiscard]] bool is_stray(const std::string& path) const;
  [[nodiscard]] const SetRow* set_of(std::string_view soname) const;
  [[nodiscard]] const PieceRow* piece(std::string_view soname) const;
  /// Accepted values of --require and --after, in file order, for messages.
  [[nodiscard]] std::vector<std::string> provider_ids() const;
  [[nodiscard]] std::vector<std::string> action_names() const;
  /// For loader::Environment::provided: the driver and what `--provided` names (patterns).
  [[nodiscard]] std::vector<loader::Provided> provided(
      const std::vector<std::string>& patterns) const;
};

/// Reads tables (name, text). Errors: Malformed or InvalidArgument; the message names file, row,
/// field, the value found and the value wanted.
Result<Knowledge> read_knowledge(std::span<const EmbeddedFile> files);
/// The tables inside the program; they are right, or it is a bug.
const Knowledge& built_in_knowledge();
/// Tables of a directory (`--knowledge DIR`): each *.toml of it replaces the built-in one of that
/// name, or is added. Errors: those of the walk, NotFound when the directory has no *.toml, those
/// of read_knowledge.
Result<Knowledge> load_knowledge(tree::Walk& walk, const std::string& directory);

}  // namespace loadable::accel
