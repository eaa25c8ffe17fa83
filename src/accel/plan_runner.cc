// SPDX-License-Identifier: Apache-2.0
#include "accel/plan_runner.h"

#include <algorithm>
#include <utility>

#include "base/format.h"

namespace loadable::accel {
namespace {

// The name under which packages ship a library: one number behind `.so` (libcudnn.so.9), before
// three (libcudnn.so.9.28.0, tried first) and none (libcudnn.so, tried last).
std::size_t shipped_name(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string version = split_soname(names[i]).version;
    if (!version.empty() && version.find('.') == std::string::npos) return i;
  }
  return 0;
}

std::string first_error(const loader::StepResult& result) {
  return result.error.empty() ? "cannot be loaded" : result.error;
}

}  // namespace

std::optional<int> cuda_of_needs(const Knowledge& knowledge, const loader::File& file) {
  if (!file.object) return std::nullopt;
  for (const std::string& needed : file.object->dynamic.needed) {
    if (const auto cuda = knowledge.cuda_of(needed)) return cuda;
  }
  return std::nullopt;
}

std::optional<std::string> expanded(std::string name, std::optional<int> cuda,
                                    const std::string& major) {
  const auto replace = [&name](std::string_view word, const std::string& value) {
    const std::size_t at = name.find(word);
    if (at == std::string::npos) return true;
    if (value.empty()) return false;
    name.replace(at, word.size(), value);
    return true;
  };
  if (!replace("{cuda}", cuda ? format("{}", *cuda) : std::string())) return std::nullopt;
  if (!replace("{major}", major)) return std::nullopt;
  return name;
}

PlanRunner::PlanRunner(const Knowledge& knowledge, const ProviderInstance& instance,
                       const loader::Process& started, loader::Store& store,
                       const RunContext& context)
    : knowledge_(knowledge),
      context_(context),
      store_(store),
      process_(started),
      names_(context.names ? context.names : std::make_shared<OpenedNames>(store)) {
  run_.instance = instance;
  if (const auto file = store_.open(instance.provider_library)) {
    cuda_ = cuda_of_needs(knowledge_, **file);
  }
  for (const StepRow& row : knowledge_.steps) {
    if (cuda_ || !row.applies(instance.id, instance.plan_release, std::nullopt)) continue;
    for (const std::string& name : row.names) {
      if (!cuda_) cuda_ = knowledge_.cuda_of(name);
    }
  }
}

ProviderRun PlanRunner::run() {
  run_actions(false);
  run_plan_steps();
  if (has_provider_) run_late();
  if (!run_.instance.is_plan_exact) explain_names();
  for (const loader::Missing& missing : process_.provided()) {
    auto& list =
        knowledge_.is_driver(missing.name) ? run_.expected_at_run_time : run_.provided_elsewhere;
    if (std::find(list.begin(), list.end(), missing.name) == list.end()) {
      list.push_back(missing.name);
    }
  }
  run_.process = std::make_shared<const loader::Process>(std::move(process_));
  return std::move(run_);
}

void PlanRunner::run_plan_steps() {
  const ProviderInstance& instance = run_.instance;
  bool has_imported = false;
  for (const StepRow& row : knowledge_.steps) {
    if (!row.applies(instance.id, instance.plan_release, cuda_)) continue;
    run_step(row);
    if (row.necessity == Necessity::Import && !has_imported) {
      has_imported = true;
      if (!has_failed_import_) run_actions(true);
    }
  }
}

bool PlanRunner::is_pointless(const StepRow& row) {
  return has_failed_import_ || (!row.chain.empty() && broken_chains_.contains(row.chain)) ||
         (row.caller == Caller::Provider && !has_provider_);
}

std::vector<std::string> PlanRunner::requests_of(const StepRow& row) const {
  const ProviderInstance& instance = run_.instance;
  if (row.form == RequestForm::ImportLibrary) {
    if (!instance.import_library.empty()) return {instance.import_library};
    std::string pattern = instance.package_dir + "/";
    const ProviderRow* provider = knowledge_.provider(instance.id);
    if (provider != nullptr) pattern += provider->import_library;
    std::erase(pattern, '*');
    return {pattern};
  }
  std::string prefix;
  if (row.form == RequestForm::BesideImport) {
    prefix = tree::Path(instance.import_library).parent().text() + "/";
  }
  std::vector<std::string> requests;
  for (const std::string& name : row.names) {
    if (auto request = expanded(name, cuda_, {})) requests.push_back(prefix + *request);
  }
  return requests;
}

std::optional<std::string> PlanRunner::interpreter_code() const {
  for (const loader::LoadedObject& object : process_.objects()) {
    if (object.soname.str().starts_with("libpython")) return object.path;
  }
  return std::nullopt;  // the program itself
}

std::optional<std::optional<std::string>> PlanRunner::caller_of(Caller caller) {
  std::string path;
  switch (caller) {
    case Caller::Interpreter:
      return interpreter_code();
    case Caller::Ctypes:
      return ctypes_code();
    case Caller::Import:
      path = run_.instance.import_library;
      break;
    case Caller::Provider:
      path = run_.instance.provider_library;
      break;
  }
  const auto index = process_.find(path);
  if (index) return process_.objects()[*index].path;
  // Found by a search: then the process knows the library under the path of that place.
  for (const StepRun& step : run_.steps) {
    const bool is_it = caller == Caller::Provider ? step.id == "provider" : step.id == "import";
    if (is_it && step.result.object) return process_.objects()[*step.result.object].path;
  }
  return std::nullopt;
}

void PlanRunner::run_step(const StepRow& row) {
  StepRun step;
  step.id = row.id;
  step.what = row.what;
  step.alternatives = requests_of(row);
  step.necessity = row.necessity;
  step.loss = row.loss;
  step.effect = row.effect;
  step.is_verified = row.is_verified;
  step.options.is_global = row.is_global;
  if (step.alternatives.empty()) return;  // needs a CUDA major that nothing tells
  const auto caller = is_pointless(row) ? std::nullopt : caller_of(row.caller);
  if (!caller) {
    step.was_skipped = true;
    step.request = step.alternatives[shipped_name(step.alternatives)];
    run_.steps.push_back(std::move(step));
    return;
  }
  step.options.caller = *caller;
  step.caller = caller->value_or(process_.program());
  open_any(step);
  const bool succeeded = step.result.succeeded;
  if (row.necessity == Necessity::Import && !succeeded) has_failed_import_ = true;
  if (!row.chain.empty() && !succeeded) broken_chains_.insert(row.chain);
  if (row.id == "provider" && succeeded) has_provider_ = true;
  finish(std::move(step));
}

bool PlanRunner::try_any(StepRun& step) {
  for (const std::string& name : step.alternatives) {
    loader::Process fork = process_;
    loader::StepResult result = fork.dlopen(name, step.options);
    if (!result.succeeded) continue;
    process_ = std::move(fork);
    step.request = name;
    step.first_step = step.last_step = result.step;
    step.result = std::move(result);
    return true;
  }
  return false;
}

void PlanRunner::open_any(StepRun& step) {
  if (step.alternatives.size() > 1 && try_any(step)) return;
  step.request = step.alternatives[shipped_name(step.alternatives)];
  step.result = process_.dlopen(step.request, step.options);
  step.first_step = step.last_step = step.result.step;
}

void PlanRunner::finish(StepRun step) {
  step.is_expected_absence = step.result.is_provided;
  if (!step.result.succeeded && !step.is_expected_absence) {
    if (step.result.error.empty()) step.result.error = first_error(step.result);
    bool is_new = false;
    bool has_miss = false;
    for (const loader::Missing& missing : process_.missing()) {
      if (missing.step != step.result.step) continue;
      has_miss = true;
      const bool is_known = missing_.contains(missing.name);
      // What an optional step lacks explains nothing: nobody is told of it.
      if (step.necessity != Necessity::Optional) missing_.insert(missing.name);
      is_new = is_new || !is_known;
    }
    const bool has_failure = std::any_of(
        process_.failures().begin(), process_.failures().end(),
        [&](const loader::Failure& failure) { return failure.step == step.result.step; });
    step.is_consequence = has_miss && !is_new && !has_failure;
  }
  run_.steps.push_back(std::move(step));
}

ProviderRun run_plan(const Knowledge& knowledge, const ProviderInstance& instance,
                     const loader::Process& started, loader::Store& store,
                     const RunContext& context) {
  return PlanRunner(knowledge, instance, started, store, context).run();
}

RunContext context_of(const python::Environment& environment, tree::Walk& walk) {
  RunContext context;
  context.site_directories = environment.site_directories;
  if (environment.lib_dynload.empty()) return context;
  const auto entries = walk.list(tree::Path(environment.lib_dynload));
  if (!entries) return context;
  for (const tree::Entry& entry : *entries) {
    if (entry.name.starts_with("_ctypes.") && entry.name.ends_with(".so")) {
      context.ctypes_module = environment.lib_dynload + "/" + entry.name;
    }
  }
  return context;
}

}  // namespace loadable::accel
