// SPDX-License-Identifier: Apache-2.0
#pragma once
// The state of one plan while it runs: the process, what is known of it, the steps so far.

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "accel/facts.h"
#include "accel/knowledge.h"
#include "accel/opened_names.h"
#include "accel/run.h"
#include "loader/process.h"
#include "loader/store.h"

namespace loadable::accel {

class PlanRunner {
 public:
  PlanRunner(const Knowledge& knowledge, const ProviderInstance& instance,
             const loader::Process& started, loader::Store& store, const RunContext& context);

  /// Steps and actions in order, then what the libraries open late.
  ProviderRun run();

 private:
  // plan_runner.cc: the plan
  void run_plan_steps();
  void run_step(const StepRow& row);
  bool is_pointless(const StepRow& row);
  [[nodiscard]] std::vector<std::string> requests_of(const StepRow& row) const;
  /// The path of the caller; nothing when it is not in the process.
  std::optional<std::optional<std::string>> caller_of(Caller caller);
  std::optional<std::string> interpreter_code() const;
  /// Tries an any-of group on forks and keeps the one that works. Fills request and result.
  bool try_any(StepRun& step);
  /// The same, and else the failure of the name that packages ship.
  void open_any(StepRun& step);
  void finish(StepRun step);

  // plan_actions.cc: --after
  void run_actions(bool after_import);
  void run_action(const ActionRow& action);
  std::string package_version(const ActionRow& action, const std::string& package_dir);
  static bool action_applies(const ActionRow& action, const std::string& version);
  void run_preloads(const ActionRow& action, const std::string& version,
                    const std::vector<std::string>& parents);
  [[nodiscard]] bool preload_applies(const PreloadRow& row, const ActionRow& action,
                                     const std::string& version) const;
  std::optional<std::string> ctypes_code();
  StepRun preload_step(const PreloadRow& row);

  // plan_names.cc: releases that the knowledge does not know
  void explain_names();

  // plan_late.cc: what loaded libraries open by name
  void run_late();
  void ask_objects();
  bool retry_late();
  void run_opens(const OpensRow& row, const loader::LoadedObject& object);
  void open_late(const OpensRow& row, const loader::LoadedObject& object,
                 std::vector<std::string> names);
  [[nodiscard]] std::optional<int> cuda_of_object(const loader::LoadedObject& object) const;
  [[nodiscard]] std::string release_of_object(const loader::LoadedObject& object) const;

  const Knowledge& knowledge_;
  const RunContext& context_;
  loader::Store& store_;
  loader::Process process_;
  ProviderRun run_;
  std::shared_ptr<OpenedNames> names_;
  std::optional<int> cuda_;            // of the provider library
  std::optional<std::string> ctypes_;  // path, once loaded
  bool has_failed_import_ = false, has_provider_ = false, has_ctypes_ = false;
  std::set<std::string> broken_chains_, missing_;
  std::set<std::string> asked_;   // paths of objects whose late names were opened
  std::vector<StepRun> pending_;  // late names that nothing answers so far
};

/// Names that the steps of a plan hand to dlopen.
using StepNames = std::vector<std::string>;

/// Names in an object that neither its DT_NEEDED nor the steps nor the tables explain, in file
/// order. When they cannot be recovered, the reason in parentheses.
std::vector<std::string> unexplained_names(const Knowledge& knowledge, const StepNames& expected,
                                           ByteSource& source, const elf::ElfObject& object);

/// The CUDA major that a provider's file asks for by DT_NEEDED; nothing: it tells none.
std::optional<int> cuda_of_needs(const Knowledge& knowledge, const loader::File& file);

/// `name` with `{cuda}` and `{major}` put in; nothing when a value is not known.
std::optional<std::string> expanded(std::string name, std::optional<int> cuda,
                                    const std::string& major);

}  // namespace loadable::accel
