// SPDX-License-Identifier: Apache-2.0
#include "exam/exam.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/quote.h"
#include "check/rules.h"
#include "check/verdicts.h"
#include "elf/object.h"
#include "exam/complete.h"
#include "exam/folder.h"
#include "exam/installation.h"
#include "exam/interpreter_release.h"
#include "exam/lock.h"
#include "exam/modules.h"
#include "exam/ownership.h"
#include "exam/planned_wheels.h"
#include "exam/providers.h"
#include "exam/python_variables.h"
#include "exam/scene.h"
#include "exam/unseen.h"

namespace loadable::exam {
namespace {

using check::Report;

Report head(const Scene& scene) {
  Report report;
  report.target_kind = target::to_string(scene.target.kind);
  report.target_path = scene.target.path;
  if (scene.target.root != "/") report.root = scene.target.root;
  report.after = scene.options.after;
  return report;
}

void describe_environment(const Scene& scene, std::size_t index,
                          const std::optional<loader::Process>& process, Report& report) {
  const python::Environment& environment = scene.inventory.environments[index];
  check::EnvironmentReport entry;
  entry.id = index;
  entry.interpreter = environment.executable.empty() ? environment.program : environment.executable;
  entry.python = environment.version;
  entry.variables = shown_variables(scene, environment);
  entry.cwd = scene.options.cwd;
  if (process) {
    entry.libc = process->identity().to_string();
    if (report.machine.empty()) report.machine = elf::machine_name(process->identity().machine);
  }
  report.environments.push_back(std::move(entry));
}

void add_subject(const check::Subject& subject, Report& report) {
  const check::Rulings rulings = check::judge(subject);
  std::string cause;
  if (!subject.provider.empty()) {
    check::ProviderReport provider = check::decide(subject, rulings);
    cause = provider.cause;
    report.providers.push_back(std::move(provider));
  }
  for (check::Finding& finding : check::findings_of(rulings, cause)) {
    report.findings.push_back(std::move(finding));
  }
}

/// The interpreter's process, or an incident.
std::optional<loader::Process> start_interpreter(Scene& scene, std::size_t index,
                                                 const StartOptions& start) {
  const python::Environment& environment = scene.inventory.environments[index];
  for (const std::string& problem : environment.problems) {
    scene.add_incident(environment.prefix, problem);
  }
  if (environment.program.empty()) {
    if (environment.problems.empty()) {
      scene.add_incident(environment.prefix, "no interpreter was found inside of this root");
    }
    return std::nullopt;
  }
  auto process = start_program(scene, environment.program, start);
  if (!process) {
    Error error = process.error();
    if (error.subject == environment.program) error.subject.clear();  // the incident's own path
    scene.add_incident(environment.program, error.to_string());
    return std::nullopt;
  }
  // A loader that cannot be read says nothing of what it would load.
  const auto interpreter = scene.store.open(process->interpreter());
  if (!interpreter && interpreter.error().code == ErrorCode::PermissionDenied) {
    scene.add_incident(process->interpreter(), "permission denied");
    scene.is_complete = false;
  }
  return std::move(*process);
}

/// What is not shipped as far as can be seen may lie in a place that cannot be read.
void add_unseen(const std::string& place, check::Subject& subject) {
  if (place.empty()) return;
  check::Gap gap;
  gap.request = place;
  gap.is_unreadable = true;
  subject.gaps.push_back(std::move(gap));
}

std::vector<check::Subject> judge_providers(Scene& scene, Lookup& lookup, std::size_t index) {
  std::vector<check::Subject> subjects;
  const python::Environment& environment = scene.inventory.environments[index];
  const std::string unseen = unseen_place(scene.inventory, environment);
  // What is not seen may state that a provider is wanted.
  if (!unseen.empty()) scene.is_complete = false;
  const std::vector<accel::ProviderInstance>& instances = scene.instances[index];
  if (instances.empty()) return subjects;
  const StartOptions start{.with_host = true, .binds_symbols = true, .traces_all = true};
  std::optional<loader::Process> started;
  if (!environment.program.empty()) {
    auto process = start_program(scene, environment.program, start);
    if (process) started = std::move(*process);
  }
  for (const accel::ProviderInstance& instance : instances) {
    scene.tell("providers", subjects.size(), instances.size());
    const bool can_run = instance.is_shipped && started.has_value();
    if (can_run) {
      subjects.push_back(
          examine_provider(scene, lookup, {&environment, index}, instance, *started));
      continue;
    }
    check::Subject subject = provider_subject(scene, instance);
    subject.is_judged = !instance.is_shipped;
    if (!instance.is_shipped) add_unseen(unseen, subject);
    if (!subject.is_judged && subject.weight == check::Weight::Required) scene.is_complete = false;
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

/// The files that a provider's subject covers: the modules need not judge them again.
void remember_covered(Scene& scene, const check::Subject& subject, Loaded& loaded) {
  for (const std::string& path :
       {subject.instance.provider_library, subject.instance.shared_library}) {
    const auto file = scene.store.open(path);
    if (file) loaded.insert(*file);
  }
}

/// Nothing that the interpreter loads could be judged: of what the user named, or of a provider
/// that is there, that is no answer.
bool is_unanswered(const Scene& scene, std::size_t index) {
  if (scene.inventory.environments[index].kind == python::EnvironmentKind::Bare) return false;
  const std::vector<accel::ProviderInstance>& instances = scene.instances[index];
  return scene.target.kind != target::Kind::Rootfs ||
         std::any_of(instances.begin(), instances.end(),
                     [](const accel::ProviderInstance& instance) { return instance.is_shipped; });
}

/// What one environment showed, before environments are compared.
struct EnvironmentFacts {
  std::vector<check::Subject> providers, modules;
};

EnvironmentFacts judge_environment(Scene& scene, Lookup& lookup, std::size_t index, Loaded& loaded,
                                   Report& report) {
  StartOptions start;
  start.binds_symbols = scene.options.binds_symbols;
  const std::optional<loader::Process> started = start_interpreter(scene, index, start);
  describe_environment(scene, index, started, report);
  EnvironmentFacts facts;
  facts.providers = judge_providers(scene, lookup, index);
  if (!started && is_unanswered(scene, index)) scene.is_complete = false;
  for (const check::Subject& subject : facts.providers) remember_covered(scene, subject, loaded);
  if (!scene.options.binds_symbols) scene.store.drop_symbols();
  if (started) {
    facts.modules = examine_modules(scene, lookup, index, *started, loaded);
    scene.kept.push_back(*started);
  }
  if (facts.providers.empty() && facts.modules.empty()) return facts;
  const check::Installation place = installation_of(scene, index);
  for (check::Subject& subject : facts.providers) subject.installation = place;
  for (check::Subject& subject : facts.modules) subject.installation = place;
  return facts;
}

/// Whether any environment ships a provider, and whether one holds a CPU build of its family.
struct Presence {
  bool is_shipped = false, has_cpu_build = false;
};

Presence presence_of(const std::string& provider, const std::vector<EnvironmentFacts>& all) {
  Presence presence;
  for (const EnvironmentFacts& facts : all) {
    for (const check::Subject& subject : facts.providers) {
      if (subject.provider != provider) continue;
      presence.is_shipped = presence.is_shipped || subject.instance.is_shipped;
      presence.has_cpu_build = presence.has_cpu_build || subject.instance.is_cpu_build;
    }
  }
  return presence;
}

/// The subject of a provider that no environment ships.
check::Subject absent_provider(Scene& scene, const std::string& provider) {
  accel::ProviderInstance instance;
  instance.id = provider;
  check::Subject subject = provider_subject(scene, instance);
  for (const python::Environment& environment : scene.inventory.environments) {
    add_unseen(unseen_place(scene.inventory, environment), subject);
  }
  if (!scene.inventory.environments.empty()) subject.installation = installation_of(scene, 0);
  return subject;
}

/// A provider that is required and that an environment lacks is no problem of this environment
/// where another one ships it; where none does, one entry says so, a CPU build's before nothing.
void settle_requirements(Scene& scene, std::vector<EnvironmentFacts>& all) {
  for (const accel::Requirement& requirement : scene.options.require) {
    const Presence presence = presence_of(requirement.provider, all);
    bool is_told = presence.is_shipped;
    const auto is_superfluous = [&](const check::Subject& subject) {
      if (subject.provider != requirement.provider || subject.instance.is_shipped) return false;
      if (is_told || (presence.has_cpu_build && !subject.instance.is_cpu_build)) return true;
      is_told = true;
      return false;
    };
    // By hand: erase_if may copy the predicate, which remembers.
    for (EnvironmentFacts& facts : all) {
      std::vector<check::Subject> kept;
      for (check::Subject& subject : facts.providers) {
        if (!is_superfluous(subject)) kept.push_back(std::move(subject));
      }
      facts.providers = std::move(kept);
    }
    if (is_told) continue;
    if (all.empty()) all.emplace_back();
    all.front().providers.push_back(absent_provider(scene, requirement.provider));
  }
}

std::string value_of(const check::Finding& finding, std::string_view name) {
  for (const auto& [key, values] : finding.evidence.values) {
    if (key == name && !values.empty()) return values.front();
  }
  return {};
}

/// What a finding is about, as far as several providers can share it: a library that is missing, or
/// distributions that share files. Empty: its own.
std::string topic_of(const check::Finding& finding) {
  std::string topic = value_of(finding, "request");
  for (const auto& [key, values] : finding.evidence.values) {
    if (key != "members") continue;
    for (const std::string& value : values) topic += "|" + value;
  }
  return topic;
}

/// What a finding is about: the library that was asked for, or what the loader says of a file.
std::string matter_of(const check::Finding& finding) {
  std::string request = value_of(finding, "request");
  if (!request.empty()) return request;
  const std::string message = value_of(finding, "loader_message");
  for (const check::Location& location : finding.locations) {
    if (location.role == check::Role::Library && !message.empty()) {
      return location.path + ": " + message;
    }
  }
  return {};
}

/// Does a provider's finding say the same about the same objects, for example its extension module?
bool is_told_of_a_provider(const std::vector<check::Finding>& told, const check::Finding& finding) {
  const std::string matter = matter_of(finding);
  if (matter.empty()) return false;
  return std::any_of(told.begin(), told.end(), [&](const check::Finding& other) {
    if (other.provider.empty() || other.rule != finding.rule) return false;
    if (matter_of(other) != matter) return false;
    return std::all_of(finding.locations.begin(), finding.locations.end(),
                       [&](const check::Location& location) {
                         return location.role != check::Role::Consumer ||
                                std::any_of(other.locations.begin(), other.locations.end(),
                                            [&](const auto& l) { return l.path == location.path; });
                       });
  });
}

/// One library that several providers lack for one reason is one finding: the first provider's, who
/// stands before the others by weight.
void merge_providers(Report& report) {
  std::vector<check::Finding> merged;
  for (check::Finding& finding : report.findings) {
    if (finding.provider.empty() && is_told_of_a_provider(merged, finding)) continue;
    const std::string topic = topic_of(finding);
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const check::Finding& other) {
      return !topic.empty() && !finding.provider.empty() && !other.provider.empty() &&
             other.provider != finding.provider && other.rule == finding.rule &&
             other.severity >= finding.severity && topic_of(other) == topic;
    });
    if (same == merged.end()) {
      merged.push_back(std::move(finding));
      continue;
    }
    same->providers.push_back(finding.provider);
    for (check::Location& location : finding.locations) {
      const bool is_known =
          std::any_of(same->locations.begin(), same->locations.end(),
                      [&](const check::Location& l) { return l.path == location.path; });
      if (is_known || location.role != check::Role::Consumer) continue;
      same->locations.insert(same->locations.begin() + 1, std::move(location));
    }
  }
  report.findings = std::move(merged);
}

/// Providers first, by severity; what is about no provider last; the order inside a rule is the
/// loader's.
void arrange(Report& report) {
  const auto rank = [](const check::Finding& finding) { return finding.provider.empty() ? 1 : 0; };
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [&](const check::Finding& a, const check::Finding& b) {
                     const bool a_note = a.severity == check::Severity::Note;
                     const bool b_note = b.severity == check::Severity::Note;
                     if (a_note != b_note) return b_note;
                     return rank(a) < rank(b);
                   });
}

/// Nothing of what is judged is there. What could not be looked at is no such answer, nor is a
/// root that lacks what the user asks for.
bool has_nothing(Scene& scene) {
  const inventory::Inventory& inventory = scene.inventory;
  if (scene.target.kind != target::Kind::Rootfs || !scene.options.require.empty()) return false;
  // Debian's packages are those of the whole system, wherever in it one looks.
  const bool has_distribution =
      std::any_of(inventory.distributions.begin(), inventory.distributions.end(),
                  [](const inventory::Distribution& distribution) {
                    return distribution.kind != inventory::DistributionKind::Debian;
                  });
  if (!inventory.environments.empty() || has_distribution || !inventory.incidents.empty()) {
    return false;
  }
  return std::none_of(inventory.objects.begin(), inventory.objects.end(),
                      [&](const inventory::Object& object) {
                        const auto file = scene.store.open(object.path);
                        // A file that cannot be read is not known to be no program.
                        return !file || ((*file)->header && (*file)->header->has_magic());
                      });
}

void say_what_was_not_checked(const Scene& scene, Report& report) {
  report.not_checked.emplace_back(
      "device code, driver and GPU (`usable`), a real session (`used`)");
  if (!scene.options.hashes_all) {
    report.not_checked.emplace_back(
        "hashes of files that one distribution alone installs, providers apart (--integrity full "
        "compares them)");
  }
  if (!scene.options.binds_symbols) {
    report.not_checked.emplace_back(
        "symbols of objects that no provider loads (--symbols asks for them)");
  }
}

}  // namespace

Result<Report> examine(target::Target& target, const accel::Knowledge& knowledge,
                       const Options& options) {
  if (target::holds_wheels(target.kind)) return examine_wheels(target, knowledge, options);
  if (target::is_planned(target.kind)) return examine_lock(target, knowledge, options);
  std::shared_ptr<loader::ReadAhead> ahead;
  std::function<void(const std::string&)> on_library;
  if (options.readers > 0) {
    ahead = std::make_shared<loader::ReadAhead>(target.walk->tree(), options.readers);
    on_library = [&](const std::string& path) { ahead->add(path); };
  }
  const auto shared =
      std::make_shared<Scene>(target, knowledge, options, look_around(target, options, on_library));
  Scene& scene = *shared;
  scene.store.read_ahead_with(std::move(ahead));
  if (has_nothing(scene)) {
    return fail(ErrorCode::NotFound,
                "nothing to examine: no interpreter, no program and no library is there",
                target.shown);
  }
  for (std::size_t i = 0; i < scene.inventory.environments.size(); ++i) settle_release(scene, i);
  Lookup lookup(scene);
  find_instances(scene);
  Ownership ownership(scene);
  Report report = head(scene);
  Loaded loaded;
  std::vector<EnvironmentFacts> environments;
  for (std::size_t i = 0; i < scene.inventory.environments.size(); ++i) {
    environments.push_back(judge_environment(scene, lookup, i, loaded, report));
    ownership.add_to(i, environments.back().providers);
  }
  settle_requirements(scene, environments);
  for (const EnvironmentFacts& facts : environments) {
    for (const check::Subject& subject : facts.providers) add_subject(subject, report);
    for (const check::Subject& subject : facts.modules) add_subject(subject, report);
  }
  for (const check::Subject& subject : ownership.rest()) add_subject(subject, report);
  if (target.kind == target::Kind::Rootfs) {
    for (const check::Subject& subject : examine_programs(scene, lookup, loaded)) {
      add_subject(subject, report);
    }
  }
  arrange(report);
  merge_providers(report);
  turn_remedies_to_folder(scene, report);
  settle_completeness(scene, report);
  say_what_was_not_checked(scene, report);
  report.counts = {scene.inventory.files_seen, scene.inventory.objects.size(), scene.judged,
                   scene.inventory.distributions.size()};
  scene.store.read_ahead_with(nullptr);
  if (options.retire) options.retire(shared);
  return report;
}

}  // namespace loadable::exam
