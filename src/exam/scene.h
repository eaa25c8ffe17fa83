// SPDX-License-Identifier: Apache-2.0
#pragma once
// What all parts of one examination share. Internal to this folder.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "accel/facts.h"
#include "accel/knowledge.h"
#include "accel/opened_names.h"
#include "check/facts.h"
#include "check/model.h"
#include "exam/exam.h"
#include "inventory/inventory.h"
#include "loader/process.h"
#include "loader/store.h"
#include "target/target.h"

namespace loadable::exam {

/// A directory that cannot exist: lookups in an unknown working directory are recorded and fail.
inline constexpr std::string_view kUnknownDirectory = "/(working directory)";

/// Do the caller's variables count? Only on this host, and unless --no-host-env.
[[nodiscard]] bool counts_host(const target::Target& target, const Options& options);

struct Scene {
  Scene(target::Target& a_target, const accel::Knowledge& some_knowledge,
        const Options& some_options, inventory::Inventory an_inventory);

  target::Target& target;
  const accel::Knowledge& knowledge;
  const Options& options;
  inventory::Inventory inventory;
  loader::Store store;
  std::shared_ptr<accel::OpenedNames> opened_names;  ///< one reading serves all runs of plans
  /// The providers of each environment, found once: see find_instances().
  std::vector<std::vector<accel::ProviderInstance>> instances;
  std::vector<check::Incident> incidents;
  /// Paths that a required provider's verdicts rest on; an incident at, above or below one of them
  /// makes the examination incomplete.
  std::set<std::string> rests_on;
  bool is_complete = true;
  /// One process of each environment: what they share lives as long as the scene.
  std::vector<loader::Process> kept;
  std::size_t judged = 0;

  [[nodiscard]] bool counts_host() const;
  /// Variables of the process, with or without the caller's.
  [[nodiscard]] Variables variables(bool with_host) const;
  void add_incident(std::string path, std::string message);
  void tell(std::string_view stage, std::size_t done, std::size_t total) const;
  /// `name version` of the owner of a path, or empty.
  [[nodiscard]] std::string owner(std::string_view path) const;
};

/// The inventory of a target.
[[nodiscard]] inventory::Inventory look_around(
    target::Target& target, const Options& options,
    std::function<void(const std::string&)> on_library = {});

/// How processes are started.
struct StartOptions {
  bool with_host = true;
  bool binds_symbols = false;
  bool traces_all = false;
};

/// The environment of a process whose interpreter is `identity`'s program.
[[nodiscard]] loader::Environment process_environment(const Scene& scene,
                                                      const StartOptions& start);

/// Starts a program; --libc is applied to the loader that is found.
Result<loader::Process> start_program(Scene& scene, const std::string& program,
                                      const StartOptions& start);

}  // namespace loadable::exam
