// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is not installed yet: distributions that a lock, a list of requirements or a folder of
// wheels would install, held against the families and against their own lists of files.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accel/knowledge.h"
#include "check/family_remedies.h"
#include "check/model.h"
#include "check/ownership_facts.h"
#include "exam/exam.h"

namespace loadable::exam {

/// A row of a wheel's RECORD.
struct PlannedFile {
  std::string path;  ///< as it would lie in the site directory; `.data/` schemes resolved or as is
  std::string hash;  ///< `sha256=…`; empty: none
};

/// Rows of a RECORD, or nothing; copies share them: a folder of wheels is judged once for each
/// interpreter and platform.
class PlannedFiles {
 public:
  PlannedFiles() = default;
  PlannedFiles(std::vector<PlannedFile> rows)  // NOLINT(google-explicit-constructor)
      : rows_(std::make_shared<const std::vector<PlannedFile>>(std::move(rows))) {}
  PlannedFiles(std::optional<std::vector<PlannedFile>> rows) {  // NOLINT(*-explicit-constructor)
    if (rows) *this = PlannedFiles(std::move(*rows));
  }
  [[nodiscard]] bool has_value() const { return rows_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  const std::vector<PlannedFile>& operator*() const { return *rows_; }
  const std::vector<PlannedFile>* operator->() const { return rows_.get(); }

 private:
  std::shared_ptr<const std::vector<PlannedFile>> rows_;
};

/// A distribution that would be installed.
struct PlannedDistribution {
  std::string name, version;               ///< as written; version empty: not pinned
  std::string place;                       ///< `uv.lock:123`, `wheels/x-1.0-py3-none-any.whl`
  std::vector<std::string> requires_dist;  ///< whole lines of METADATA; empty where not at hand
  bool is_conda = false;                   ///< a conda package: its names are not those of wheels
  std::string build;                       ///< conda: pattern of the build string; empty: any
  bool is_local = false;                   ///< of no index (path, URL): it may be a stand-in
  bool is_entry = false;                   ///< it has a line of its own in Plan::file
  std::vector<std::string> chain;          ///< who pulled it in, sentences; empty: the user asked
  /// Rows of RECORD, where the wheel is at hand: without any outside of its dist-info directory it
  /// is a stand-in, which overwrites nothing.
  PlannedFiles files;
};

/// The row of the family that it is a member of; null: of none.
[[nodiscard]] const accel::DistributionRow* row_of(const accel::Knowledge& knowledge,
                                                   const PlannedDistribution& planned);

/// Metadata alone, as its list says: a wheel made to stand in for another build.
[[nodiscard]] bool is_stand_in(const PlannedDistribution& planned);

/// What one installation would hold.
struct Plan {
  std::vector<PlannedDistribution> distributions;
  std::string selection;  ///< `with extra \`gpu\``; empty: the default
  std::string release;    ///< of Python: `3.11`; empty: not said
  /// What the user asks about when he names no extra, on one of the Pythons: a provider that he
  /// requires must be in each of these.
  bool is_chosen = true;
  bool is_asked_about = true;         ///< false: only told of as what another selection would hold
  std::vector<std::string> commands;  ///< that install just this selection; empty: the default's
  bool tells_all_selections = false;  ///< a conflict says in which others it is there too
  std::vector<check::PackageTool> tools;    ///< whose remedies to tell
  std::vector<check::HardDependency> hard;  ///< found by find_hard_dependencies()
  std::string noun = "locked";              ///< `locked`, `required`, `in this folder`
  check::ProjectFile file;                  ///< for the remedies
  /// The one extra or group that is chosen, as uv's `conflicts` writes it: `extra = "cpu"`.
  std::string choice;
  /// Why it may hold more than `distributions` (not resolved; a line passed over), a sentence: what
  /// is not in it cannot be called absent. Empty: it holds no more.
  std::string unseen;
};

/// Members of one family, or with at hand lists any distributions, that would overwrite each other.
/// Several versions of one name are no conflict, a stand-in is in none. By family, then by name.
[[nodiscard]] std::vector<check::PlannedConflict> find_planned_conflicts(
    const accel::Knowledge& knowledge, const Plan& plan);

/// Packages of one distribution that hide a module of another (`attr/` over `attr.py`), where lists
/// are at hand. By module.
[[nodiscard]] std::vector<check::HiddenFacts> find_planned_hidden(const Plan& plan);

/// Requirements of `requirer` (METADATA lines, or the lines of pyproject.toml) that name one member
/// of a family by its plain name, behind no extra.
[[nodiscard]] std::vector<check::HardDependency> find_hard_dependencies(
    const accel::Knowledge& knowledge, const std::string& requirer,
    const std::vector<std::string>& requires_dist, const std::string& place);

/// Judges one or more installations that one target allows, the default first: entries of
/// `providers` (shipped and intact by the tables; loadable is not asked of what is not installed)
/// and findings. A conflict that several of them hold is told once, with the first. A provider that
/// is required is missed where one of the chosen installations lacks it, one that a distribution
/// states where an installation with that distribution does.
void judge_plans(const accel::Knowledge& knowledge, const Options& options,
                 const std::vector<Plan>& plans, check::Report& report);

}  // namespace loadable::exam
