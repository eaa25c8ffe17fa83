// SPDX-License-Identifier: Apache-2.0
#pragma once
// The model that every rule fills and every format shows: findings, verdicts, report. Data only.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loadable::check {

enum class Severity : std::uint8_t { Note, Warning, Error };
enum class Verdict : std::uint8_t { Yes, Partly, No, Unknown };
enum class Role : std::uint8_t { Consumer, Library, Removed, Shadowed, Owner };

struct Location {
  std::string path;          ///< inside the root
  std::string distribution;  ///< `nvidia-cublas-cu12 12.9.2.10`; empty: of no distribution
  std::optional<int> layer;
  Role role = Role::Library;
  int line = 0;  ///< from 1, in a text such as a lock file; 0: none
};

/// One row of a trace: the rule, the place, what was found there.
struct SearchRow {
  std::string rule, path, outcome;
  std::string owner;   ///< whose RPATH or RUNPATH it is
  std::string detail;  ///< the loader's words or the reason
};

/// Named values that decided; `search` rows are the ordered places.
struct Evidence {
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  std::vector<SearchRow> search;
};

struct Remedy {
  std::string id, title;
  std::vector<std::string> commands, side_effects;
  bool is_proven = false;
};

/// A thing that the provider loses: functions fail or move to the CPU later.
struct Loss {
  std::string library;  ///< `libcudnn.so.9`
  std::string effect;   ///< `cuDNN kernels fail with NOT_IMPLEMENTED`
};

struct Finding {
  std::string rule;
  Severity severity = Severity::Error;
  std::string provider;                ///< the first required one; empty: none
  std::vector<std::string> providers;  ///< all
  std::string message, effect;
  std::vector<std::string> notes;  ///< further sentences, in order
  std::vector<Location> locations;
  Evidence evidence;
  std::vector<Remedy> remedies;
};

/// Something that could not be examined; the run went on.
struct Incident {
  std::string path, message;
};

/// How much was looked at, for the summary.
struct Counts {
  std::size_t files = 0, objects = 0, judged = 0, distributions = 0;
};

struct Verdicts {
  Verdict shipped = Verdict::Unknown, intact = Verdict::Unknown, loadable = Verdict::Unknown,
          usable = Verdict::Unknown, used = Verdict::Unknown;
};

struct ProviderReport {
  std::string id, distribution, version;
  std::size_t environment = 0;
  bool is_required = false;
  Verdicts verdicts;
  std::vector<std::pair<std::string, std::string>> reasons;  ///< verdict name -> reason
  std::vector<Loss> losses;
  std::string cause, effect, lowest_driver;
  std::vector<std::string> expected_at_run_time;
  std::string confidence = "plan";  ///< or `recovered`
};

struct EnvironmentReport {
  std::size_t id = 0;
  std::string interpreter, libc, python;
  std::vector<std::pair<std::string, std::string>> variables;
  std::optional<std::string> cwd;
};

/// A finding that the user's configuration, option or baseline took out of the count.
struct Suppressed {
  std::string rule, message, reason;
};

struct Report {
  std::string target_kind, target_path, machine;
  std::string root;                  ///< host directory of another root; empty: this host's
  std::vector<std::string> sources;  ///< files that were read of a lock or project, inside the root
  std::vector<EnvironmentReport> environments;
  std::vector<std::string> after;
  bool is_complete = true;
  std::vector<ProviderReport> providers;
  std::vector<Finding> findings;
  std::vector<Incident> incidents;
  std::vector<Suppressed> suppressed;
  std::vector<std::string> not_checked;  ///< sentences: what this run did not ask
  Counts counts;
};

[[nodiscard]] std::string_view to_string(Severity severity);  ///< `error`, `warning`, `note`
[[nodiscard]] std::string_view to_string(Verdict verdict);    ///< `yes`, `partly`, `no`, `unknown`
[[nodiscard]] std::string_view to_string(Role role);  ///< `consumer`, `library`, `removed` …

}  // namespace loadable::check
