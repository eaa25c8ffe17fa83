// SPDX-License-Identifier: Apache-2.0
#pragma once
// What running a provider's load plan in an emulated process showed: facts for the rules, no
// verdicts.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loader/process.h"
#include "tree/tree.h"

namespace loadable::accel {

/// What a step is for, hence what follows when it fails.
enum class Necessity : std::uint8_t {
  Import,    ///< step 0: without it the package itself cannot be imported
  Provider,  ///< without it the session does not get the provider
  Abort,     ///< without it the process dies when the provider is first used
  Function,  ///< named functions fail or move to the CPU later: a loss
  Optional   ///< nothing of note is lost (profilers, driver extras)
};

/// One library or object that a step could not get, or got in a state that breaks it.
struct StepRun {
  std::string id;    ///< row of the plan, for example `cudnn`
  std::string what;  ///< in a user's words: `the CUDA provider library`
  /// What is handed to dlopen: the alternative that worked, else the one that packages ship (a name
  /// with one number behind `.so`, before names with three or none).
  std::string request;
  std::vector<std::string> alternatives;  ///< any-of group, in the order tried
  std::string caller;                     ///< path of the object whose code calls dlopen
  loader::DlopenOptions options;
  Necessity necessity = Necessity::Provider;
  std::string loss;    ///< name used in losses and in `--require onnxruntime:cuda+cudnn`: `cudnn`
  std::string effect;  ///< `cuDNN kernels fail with NOT_IMPLEMENTED`
  loader::StepResult result;          ///< of `request`
  int first_step = 0, last_step = 0;  ///< the process steps that belong to it
  bool was_skipped = false;           ///< an earlier step made it pointless
  bool is_preload = false;            ///< belongs to --after
  bool is_verified = true;            ///< false: no test has seen this row on a real release
  bool is_expected_absence = false;   ///< only driver libraries (or --provided ones) lack
  bool is_declared = false;           ///< DT_NEEDED of a real file rather than a row of the plan
  bool is_late = false;               ///< opened by name by a loaded library, after the provider
  /// Its failure only repeats that a request of an earlier step is missing (same name), so it is no
  /// second problem.
  bool is_consequence = false;
};

/// A provider as an installed (or required and absent) distribution carries it.
struct ProviderInstance {
  std::string id;  ///< `onnxruntime:cuda`
  std::size_t environment = 0;
  std::string distribution, version;  ///< empty when nothing of the family is there
  std::string package_dir;            ///< path inside the root of the import package
  /// The package (or module) of that name in an earlier directory of sys.path, which the import
  /// gives instead; empty: none.
  std::string hidden_by;
  std::string import_library;  ///< the extension module that carries it; empty: not there
  /// Why this interpreter does not import it: the module's tag is not one of its own
  /// (`cpython-312-x86_64-linux-gnu`), or the directory is not searched. Both empty: it does.
  std::string foreign_tag, unsearched_site;
  std::string python;                 ///< the interpreter's release, with one of the above
  std::vector<std::string> suffixes;  ///< that it looks for, with one of the above
  std::string provider_library, shared_library;  ///< expected paths; see files_missing
  std::vector<std::string> files_missing;  ///< named by RECORD (or the plan), gone from the disk
  bool is_shipped = false;
  bool states_gpu_intent = false;        ///< its distribution exists only for the GPU
  bool is_companion = false;             ///< optional companion of the wheel (TensorRT): notes only
  bool is_cpu_build = false;             ///< a member of the family without this provider
  std::string plan_release;              ///< release of the plan used
  bool is_plan_exact = true;             ///< false: the nearest older plan plus recovered names
  std::vector<std::string> unexplained;  ///< recovered names that the plan does not explain
};

/// The plan, run.
struct ProviderRun {
  ProviderInstance instance;
  std::vector<StepRun> steps;
  /// The process after the last step; its requests, missing, failures hold the traces.
  std::shared_ptr<const loader::Process> process;
  /// Driver libraries (and --provided ones) that were missing and are expected at run time.
  std::vector<std::string> expected_at_run_time;
  std::vector<std::string> provided_elsewhere;  ///< names matched by --provided
};

}  // namespace loadable::accel
