// SPDX-License-Identifier: Apache-2.0
// What the libraries of the process open by name at run time: each is asked once, in load order,
// and what they bring is asked too.

#include <algorithm>
#include <map>

#include "accel/plan_runner.h"
#include "accel/process_facts.h"

namespace loadable::accel {
namespace {

constexpr std::size_t kMaxOpened = 10'000;

std::string name_of(const loader::LoadedObject& object) {
  return object.soname.empty() ? std::string(tree::Path(object.path).name()) : object.soname;
}

// `libcudnn_ops.so` as a front library of release 9.28.0 tries it.
std::vector<std::string> versioned(const std::string& stem, const std::string& release,
                                   const std::string& major) {
  std::vector<std::string> names;
  std::string rest = release;
  while (rest.find('.') != std::string::npos) {
    names.push_back(stem + "." + rest);
    rest.erase(rest.rfind('.'));
  }
  names.push_back(stem + "." + (rest.empty() ? major : rest));
  names.push_back(stem);
  return names;
}

// The first three numbers of a distribution's release: 9.28.0.42 is cuDNN 9.28.0.
std::string three_numbers(std::string release) {
  std::size_t at = 0;
  for (int dots = 0; at < release.size(); ++at) {
    if (release[at] == '.' && ++dots == 3) break;
  }
  return release.substr(0, at);
}

}  // namespace

// When a library opens a name is not known: what another one has opened by then answers it. So a
// name counts as lost only when nothing answers it after all else is loaded.
void PlanRunner::run_late() {
  do {
    ask_objects();
  } while (retry_late());
  for (StepRun& step : pending_) {
    open_any(step);
    finish(std::move(step));
  }
}

void PlanRunner::ask_objects() {
  for (std::size_t i = 0; i < process_.objects().size() && i < kMaxOpened; ++i) {
    const loader::LoadedObject object = process_.objects()[i];  // the list grows below
    if (!asked_.insert(object.path).second) continue;
    const std::string name = name_of(object);
    for (const OpensRow& row : knowledge_.opens) {
      if (fits(row.opener, name)) run_opens(row, object);
    }
  }
}

bool PlanRunner::retry_late() {
  bool has_progress = false;
  std::vector<StepRun> left;
  for (StepRun& step : pending_) {
    if (try_any(step)) {
      has_progress = true;
      finish(std::move(step));
    } else {
      left.push_back(std::move(step));
    }
  }
  pending_ = std::move(left);
  return has_progress;
}

std::optional<int> PlanRunner::cuda_of_object(const loader::LoadedObject& object) const {
  if (const auto cuda = knowledge_.cuda_of(name_of(object))) return cuda;
  if (object.file != nullptr) {
    if (const auto told = cuda_of_file(knowledge_, *object.file)) return told->first;
  }
  return cuda_;
}

std::string PlanRunner::release_of_object(const loader::LoadedObject& object) const {
  const std::string major = split_soname(name_of(object)).version;
  std::string release;
  if (context_.release_of) release = three_numbers(context_.release_of(object.path));
  if (release.empty() && object.file != nullptr) {
    // NVIDIA's archives hold libcudnn.so.9.28.0 and links to it.
    release = split_soname(object.file->physical.name()).version;
  }
  const bool is_of_major = release == major || release.starts_with(major + ".");
  return is_of_major ? release : major;
}

void PlanRunner::run_opens(const OpensRow& row, const loader::LoadedObject& object) {
  const std::string major = split_soname(name_of(object)).version;
  if (row.recovered.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : row.names) {
      if (auto request = expanded(name, cuda_of_object(object), major)) {
        names.push_back(std::move(*request));
      }
    }
    if (!names.empty()) open_late(row, object, std::move(names));
    return;
  }
  if (object.file == nullptr) return;
  // Names that differ in their version alone are alternatives; that of the own CUDA major first.
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const std::string& name : names_->fitting(*object.file, row.recovered)) {
    const std::string stem = split_soname(name).stem;
    if (stem == split_soname(name_of(object)).stem) continue;  // itself
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& known) { return known.first == stem; });
    if (group == groups.end()) group = groups.insert(group, {stem, {}});
    group->second.push_back(name);
  }
  // The front library of cuDNN opens the one first without which the process dies (LD_DEBUG=files).
  std::stable_partition(groups.begin(), groups.end(), [&](const auto& group) {
    const PieceRow* piece = knowledge_.piece(group.first + "." + major);
    return piece != nullptr && piece->necessity == Necessity::Abort;
  });
  const std::optional<int> cuda = cuda_of_object(object);
  for (auto& [stem, names] : groups) {
    std::stable_partition(names.begin(), names.end(), [&](const std::string& name) {
      return cuda && knowledge_.cuda_of(name) == cuda;
    });
    if (row.is_versioned) names = versioned(stem, release_of_object(object), major);
    open_late(row, object, std::move(names));
  }
}

void PlanRunner::open_late(const OpensRow& row, const loader::LoadedObject& object,
                           std::vector<std::string> names) {
  StepRun step;
  step.id = row.loss;
  step.what = row.what;
  step.alternatives = std::move(names);
  step.caller = object.path;
  step.options.caller = object.path;
  step.necessity = row.necessity;
  step.loss = row.loss;
  step.effect = row.effect;
  step.is_verified = row.is_verified;
  step.is_late = true;
  for (const std::string& name : step.alternatives) {
    const PieceRow* piece = knowledge_.piece(name);
    if (piece == nullptr) continue;
    step.necessity = piece->necessity;
    step.loss = piece->loss;
    step.effect = piece->effect;
    break;
  }
  if (try_any(step)) {
    finish(std::move(step));
  } else {
    pending_.push_back(std::move(step));
  }
}

}  // namespace loadable::accel
