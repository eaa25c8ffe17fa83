// SPDX-License-Identifier: Apache-2.0
#pragma once
// The model that every rule fills and every format shows: findings, verdicts, report. Data only.

#include <cstdint>
#include <optional>
#include <string>
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
};

/// One row of a trace: the rule, the place, what was found there.
struct SearchRow {
  std::string rule, path, outcome;
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

struct Finding {
  std::string rule;
  Severity severity = Severity::Error;
  std::string provider;                ///< the first required one; empty: none
  std::vector<std::string> providers;  ///< all
  std::string message, effect;
  std::vector<Location> locations;
  Evidence evidence;
  std::vector<Remedy> remedies;
};

struct Incident {
  std::string path, message;
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
  std::vector<std::string> losses;
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

struct Report {
  std::string target_kind, target_path, machine;
  std::vector<EnvironmentReport> environments;
  std::vector<std::string> after;
  bool is_complete = true;
  std::vector<ProviderReport> providers;
  std::vector<Finding> findings;
  std::vector<Incident> incidents;
};

}  // namespace loadable::check
