// SPDX-License-Identifier: Apache-2.0
#include "exam/providers.h"

#include <algorithm>
#include <set>

#include "accel/plan_runner.h"
#include "accel/process_facts.h"
#include "accel/providers.h"
#include "accel/run.h"
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"
#include "check/verdicts.h"
#include "exam/provider_process.h"
#include "exam/python_variables.h"
#include "exam/troubles.h"

namespace loadable::exam {
namespace {

using accel::Necessity;
using accel::ProviderInstance;
using accel::ProviderRun;
using accel::StepRun;
using check::Subject;

int cuda_of(Scene& scene, const ProviderRun& run) {
  // From the file: a provider that cannot be loaded is not in the process.
  const auto file = scene.store.open(run.instance.provider_library);
  return file ? accel::cuda_of_needs(scene.knowledge, **file).value_or(0) : 0;
}

std::string effect_of(const Scene& scene, const ProviderRun& run, const StepRun& step) {
  if (!step.effect.empty()) return step.effect;
  const accel::ProviderRow* row = scene.knowledge.provider(run.instance.id);
  if (row == nullptr) return {};
  if (step.necessity == Necessity::Import) return row->import_effect;
  return step.necessity == Necessity::Provider ? row->effect : std::string{};
}

Stake stake_of(const Scene& scene, const ProviderRun& run, const StepRun& step, int cuda) {
  Stake stake;
  // Of an any-of group only the name that was chosen is a problem.
  const bool is_group = step.alternatives.size() > 1;
  stake.first_step = is_group ? step.result.step : step.first_step;
  stake.last_step = is_group ? step.result.step : step.last_step;
  stake.necessity = step.necessity;
  stake.loss = step.loss;
  stake.effect = effect_of(scene, run, step);
  stake.dlopened = step.request;
  stake.caller = step.caller;
  stake.is_verified = step.is_verified;
  stake.asks_for_provider = true;
  stake.cuda = cuda;
  return stake;
}

/// What fails next where the bridge between core and provider is not there.
void add_follows(const ProviderRun& run, Troubles& troubles) {
  for (check::Gap& gap : troubles.gaps) {
    if (gap.request != run.instance.shared_library &&
        check::file_name(gap.request) != check::file_name(run.instance.shared_library)) {
      continue;
    }
    gap.follows.push_back("undefined symbol: Provider_GetHost");
  }
}

Troubles troubles_of(Scene& scene, Lookup& lookup, const ProviderRun& run) {
  Troubles troubles;
  const int cuda = cuda_of(scene, run);
  Stake start;
  start.necessity = Necessity::Import;
  start.effect = "the interpreter does not start";
  add_troubles(scene, lookup, *run.process, start, troubles);
  // Without a loader nothing of the plan was tried.
  if (!run.process->has_interpreter()) return troubles;
  for (const StepRun& step : run.steps) {
    if (step.was_skipped || step.is_preload || step.is_expected_absence) continue;
    if (step.result.succeeded || step.result.is_provided) continue;
    Stake stake = stake_of(scene, run, step, cuda);
    stake.repeats = step.is_consequence;
    add_troubles(scene, lookup, *run.process, stake, troubles);
  }
  add_follows(run, troubles);
  return troubles;
}

/// Symbols that a library takes from the bridge, or from a driver that is a stub, follow from that.
void mark_consequences(const Scene& scene, Subject& subject) {
  const bool has_stub = !subject.stubs.empty();
  for (check::Break& fault : subject.breaks) {
    if (fault.failure.kind != loader::FailureKind::Symbol || !has_stub) continue;
    for (const std::string& symbol : fault.symbols) {
      const bool is_of_driver = std::any_of(
          scene.knowledge.drivers.begin(), scene.knowledge.drivers.end(),
          [&](const accel::DriverRow& row) {
            return std::any_of(row.symbols.begin(), row.symbols.end(),
                               [&](const std::string& p) { return accel::fits(p, symbol); });
          });
      if (!is_of_driver) continue;
      fault.follows_from_stub = true;
      check::Stub& stub = subject.stubs.front();
      stub.lacking.push_back(symbol);
      stub.order = std::min(stub.order, fault.order);
      if (fault.necessity < stub.necessity) {
        stub.necessity = fault.necessity;
        stub.effect = fault.effect;
      }
    }
  }
}

bool is_installed(const Scene& scene, const python::Environment& environment,
                  const std::string& package) {
  return std::any_of(environment.site_directories.begin(), environment.site_directories.end(),
                     [&](const std::string& site) {
                       return scene.target.walk->resolve(site + "/" + package).has_value();
                     });
}

/// Which preloads would cure an unreachable library, found by running the plan with each.
void add_preloads(Scene& scene, const python::Environment& environment,
                  const ProviderInstance& instance, const loader::Process& started,
                  Subject& subject) {
  const bool is_worth_it = std::any_of(
      subject.gaps.begin(), subject.gaps.end(),
      [](const check::Gap& gap) { return check::classify(gap) == check::GapCause::Unreachable; });
  if (!is_worth_it) return;
  for (const accel::ActionRow& action : scene.knowledge.actions) {
    const bool is_stated = std::find(scene.options.after.begin(), scene.options.after.end(),
                                     action.name) != scene.options.after.end();
    if (is_stated || !is_installed(scene, environment, action.package)) continue;
    accel::RunContext context = run_context(scene, environment);
    context.after.push_back(action.name);
    const ProviderRun run =
        accel::run_plan(scene.knowledge, instance, started, scene.store, context);
    std::set<std::string> still;
    for (const loader::Missing& missing : run.process->missing()) still.insert(missing.name);
    for (check::Gap& gap : subject.gaps) {
      if (!still.contains(gap.request)) gap.preloads.push_back(action.name);
    }
  }
}

void add_library_dirs(const Scene& scene, Subject& subject) {
  for (const inventory::LibraryName& library : scene.inventory.libraries) {
    if (scene.knowledge.family(library.name) == nullptr) continue;
    const std::string directory = check::directory_name(library.path);
    const bool is_known = std::find(subject.library_dirs.begin(), subject.library_dirs.end(),
                                    directory) != subject.library_dirs.end();
    if (!is_known && subject.library_dirs.size() < 64) subject.library_dirs.push_back(directory);
  }
}

/// An object of the other C library is the one cause: what else it lacks follows from that.
void settle_libc(Scene& scene, const ProviderRun& run, Subject& subject) {
  const accel::ProviderRow* row = scene.knowledge.provider(run.instance.id);
  for (const std::string& path :
       {run.process->program(), run.instance.import_library, run.instance.provider_library}) {
    auto gap = glibc_on_musl(scene, *run.process, path);
    if (!gap) continue;
    const bool is_provider = path == run.instance.provider_library;
    gap->necessity = is_provider ? Necessity::Provider : Necessity::Import;
    if (row != nullptr) gap->effect = is_provider ? row->effect : row->import_effect;
    subject.gaps = {std::move(*gap)};
    subject.breaks.clear();
    return;
  }
  const bool has_foreign = std::any_of(subject.gaps.begin(), subject.gaps.end(),
                                       [](const check::Gap& gap) { return gap.is_foreign_libc; });
  if (!has_foreign) return;
  std::erase_if(subject.gaps, [](const check::Gap& gap) { return !gap.is_foreign_libc; });
  subject.breaks.clear();
}

/// What a module of another Python lacks of this one follows from that.
void drop_foreign_api(Subject& subject) {
  if (subject.instance.foreign_tag.empty()) return;
  std::erase_if(subject.breaks, [&](const check::Break& fault) {
    return fault.failure.object == subject.instance.import_library &&
           fault.failure.kind == loader::FailureKind::Symbol;
  });
  std::erase_if(subject.gaps, [](const check::Gap& gap) {
    return check::file_name(gap.request).starts_with("libpython");
  });
}

Subject facts_of(Scene& scene, Lookup& lookup, const ProviderRun& run) {
  Subject subject = provider_subject(scene, run.instance);
  subject.libc = run.process->identity().to_string();
  subject.loader_path = run.process->environment().variable("LD_LIBRARY_PATH").value_or("");
  subject.cwd = scene.options.cwd.value_or("");
  subject.expected_at_run_time = run.expected_at_run_time;
  subject.provided = run.provided_elsewhere;
  Troubles troubles = troubles_of(scene, lookup, run);
  subject.gaps = std::move(troubles.gaps);
  subject.breaks = std::move(troubles.breaks);
  settle_libc(scene, run, subject);
  drop_foreign_api(subject);
  add_stubs(scene, run, subject);
  add_drivers(scene, run, subject);
  mark_consequences(scene, subject);
  add_foreign_releases(scene, lookup, run, subject);
  add_mixed_sets(scene, run, subject);
  add_shadows(scene, lookup, run, subject);
  add_working_directory(scene, run, subject);
  add_integrity(scene, lookup, run, subject);
  add_library_dirs(scene, subject);
  return subject;
}

check::Verdicts verdicts_of(const Subject& subject) {
  return check::decide(subject, check::judge(subject)).verdicts;
}

std::string without_phrase(const check::Verdicts& with, const check::Verdicts& without) {
  if (with.loadable != without.loadable) {
    return format("`loadable` would be {}", check::to_string(without.loadable));
  }
  return format("`usable` would be {}", check::to_string(without.usable));
}

/// The same plan in a process that the caller's variables do not reach.
void compare_without_host(Scene& scene, Lookup& lookup, const Interpreter& interpreter,
                          const ProviderInstance& instance, Subject& subject) {
  std::string other = without_python_path(scene, *interpreter.environment, instance.package_dir);
  if (!other.empty()) {
    subject.caller.variables = shown_variables(scene, *interpreter.environment);
    subject.caller.decides = true;
    subject.caller.without = std::move(other);
    return;
  }
  if (!scene.counts_host() || scene.variables(true) == scene.variables(false)) return;
  const StartOptions start{.with_host = false, .binds_symbols = true, .traces_all = true};
  auto process = start_program(scene, interpreter.environment->program, start);
  if (!process) return;
  const ProviderRun run = accel::run_plan(scene.knowledge, instance, *process, scene.store,
                                          run_context(scene, *interpreter.environment));
  const check::Verdicts without = verdicts_of(facts_of(scene, lookup, run));
  const check::Verdicts with = verdicts_of(subject);
  if (with.loadable == without.loadable && with.usable == without.usable) return;
  subject.caller.variables = scene.options.host;
  subject.caller.decides = true;
  subject.caller.without = without_phrase(with, without);
}

void remember_paths(Scene& scene, const ProviderRun& run) {
  const ProviderInstance& instance = run.instance;
  for (const std::string& path : {instance.package_dir, instance.import_library,
                                  instance.provider_library, instance.shared_library}) {
    if (!path.empty()) scene.rests_on.insert(path);
  }
  for (const loader::LoadedObject& object : run.process->objects()) {
    scene.rests_on.insert(object.path);
  }
  for (const loader::Missing& missing : run.process->missing()) {
    if (missing.request >= run.process->requests().size()) {
      scene.rests_on.insert(missing.name);  // the interpreter's path
      continue;
    }
    for (const loader::Candidate& candidate : run.process->requests()[missing.request].tried) {
      // A directory that could not be looked into may hold it.
      if (!candidate.path.empty()) scene.rests_on.insert(candidate.path);
    }
  }
}

}  // namespace

void find_instances(Scene& scene) {
  std::vector<std::string> required;
  for (const accel::Requirement& requirement : scene.options.require) {
    required.push_back(requirement.provider);
  }
  for (std::size_t i = 0; i < scene.inventory.environments.size(); ++i) {
    scene.instances.push_back(
        accel::find_providers(scene.knowledge, scene.inventory, *scene.target.walk, i, required));
  }
}

accel::RunContext run_context(const Scene& scene, const python::Environment& environment) {
  accel::RunContext context = accel::context_of(environment, *scene.target.walk);
  context.after = scene.options.after;
  context.names = scene.opened_names;
  context.release_of = [&scene](const std::string& path) {
    const inventory::Distribution* owner = scene.inventory.owner_of(path);
    return owner == nullptr ? std::string{} : owner->version;
  };
  return context;
}

Subject provider_subject(const Scene& scene, const ProviderInstance& instance) {
  Subject subject;
  subject.provider = instance.id;
  subject.instance = instance;
  subject.target = scene.options.shown_target;
  const accel::ProviderRow* row = scene.knowledge.provider(instance.id);
  subject.title = row != nullptr && !row->what.empty() ? row->what : quoted(instance.id);
  if (row != nullptr) subject.effect = row->effect;
  subject.weight = instance.is_companion ? check::Weight::Companion : check::Weight::Offered;
  if (instance.states_gpu_intent && !instance.is_companion) {
    subject.weight = check::Weight::Required;
  }
  for (const accel::Requirement& requirement : scene.options.require) {
    if (requirement.provider != instance.id) continue;
    subject.weight = check::Weight::Required;
    subject.asked_losses.insert(subject.asked_losses.end(), requirement.losses.begin(),
                                requirement.losses.end());
  }
  for (const accel::DistributionRow& distribution : scene.knowledge.distributions) {
    const auto& ids = distribution.providers;
    if (std::find(ids.begin(), ids.end(), instance.id) == ids.end()) continue;
    subject.wanted_distribution = distribution.name;
    break;
  }
  return subject;
}

Subject examine_provider(Scene& scene, Lookup& lookup, const Interpreter& interpreter,
                         const ProviderInstance& instance, const loader::Process& started) {
  const ProviderRun run = accel::run_plan(scene.knowledge, instance, started, scene.store,
                                          run_context(scene, *interpreter.environment));
  Subject subject = facts_of(scene, lookup, run);
  add_preloads(scene, *interpreter.environment, instance, started, subject);
  compare_without_host(scene, lookup, interpreter, instance, subject);
  if (subject.weight == check::Weight::Required) {
    remember_paths(scene, run);
    if (!run.instance.unexplained.empty()) scene.is_complete = false;
  }
  return subject;
}

}  // namespace loadable::exam
