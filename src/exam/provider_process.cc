// SPDX-License-Identifier: Apache-2.0
#include "exam/provider_process.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "accel/process_facts.h"
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"

namespace loadable::exam {
namespace {

using accel::ProviderRun;
using check::Subject;

std::string requester_path(const loader::Process& process, const loader::LoadedObject& object) {
  if (!object.requested_by || *object.requested_by >= process.objects().size()) return {};
  return process.objects()[*object.requested_by].path;
}

std::size_t next_order(const Subject& subject) {
  return subject.gaps.size() + subject.breaks.size();
}

}  // namespace

void add_stubs(Scene& scene, const ProviderRun& run, Subject& subject) {
  std::set<std::string> seen;
  for (const loader::Request& request : run.process->requests()) {
    if (request.path.empty() || !scene.knowledge.is_driver(check::file_name(request.name))) {
      continue;
    }
    if (!seen.insert(request.path).second) continue;
    const auto facts = accel::driver_facts(scene.store, request.path);
    if (!facts || !facts->is_stub) continue;
    check::Stub stub;
    stub.request = request.name;
    stub.path = request.path;
    stub.distribution = scene.owner(facts->physical);
    stub.consumer = request.requester;
    stub.why = facts->reason;
    stub.order = next_order(subject);
    subject.stubs.push_back(std::move(stub));
  }
}

void add_drivers(const Scene& scene, const ProviderRun& run, Subject& subject) {
  std::vector<std::string>& expected = subject.expected_at_run_time;
  for (const loader::Request& request : run.process->requests()) {
    const std::string name = check::file_name(request.name);
    if (request.path.empty() || !scene.knowledge.is_driver(name)) continue;
    const bool is_stub =
        std::any_of(subject.stubs.begin(), subject.stubs.end(),
                    [&](const check::Stub& stub) { return stub.path == request.path; });
    const bool is_told = std::find(expected.begin(), expected.end(), name) != expected.end();
    if (!is_stub && !is_told) expected.push_back(name);
  }
}

void add_foreign_releases(Scene& scene, Lookup& lookup, const ProviderRun& run, Subject& subject) {
  const accel::CudaMajors majors =
      accel::cuda_majors(scene.knowledge, *run.process, run.instance.provider_library);
  if (!majors.expected || !majors.is_mixed()) return;
  std::unordered_set<std::string> foreign;
  for (const accel::CudaObject& object : majors.objects) {
    if (object.cuda != *majors.expected) foreign.insert(object.path);
  }
  for (const accel::CudaObject& object : majors.objects) {
    // What a foreign library brings along is no second problem.
    if (object.cuda == *majors.expected || foreign.contains(object.requested_by)) continue;
    check::ForeignRelease release;
    release.request = object.request;
    release.path = object.path;
    release.distribution = scene.owner(object.path);
    release.consumer = object.requested_by;
    release.why = object.reason;
    release.expected = *majors.expected;
    release.found = object.cuda;
    release.order = next_order(subject) + subject.foreign.size();
    if (const auto index = run.process->find(object.path)) {
      release.rule = std::string(loader::to_string(run.process->objects()[*index].rule));
    }
    for (check::Copy& copy :
         lookup.copies(check::file_name(object.request), run.process->identity(), false)) {
      const auto file = scene.store.open(copy.path);
      if (!file || !copy.defect.empty()) continue;
      const auto cuda = accel::cuda_of_file(scene.knowledge, **file);
      if (cuda && cuda->first == *majors.expected) release.own.push_back(std::move(copy));
    }
    subject.foreign.push_back(std::move(release));
  }
}

void add_mixed_sets(Scene& scene, const ProviderRun& run, Subject& subject) {
  const auto release_of = [&](const std::string& path) {
    const inventory::Distribution* owner = scene.inventory.owner_of(path);
    return owner == nullptr ? std::string{} : owner->version;
  };
  for (const accel::LibrarySet& set :
       accel::library_sets(scene.knowledge, *run.process, release_of)) {
    if (!set.is_mixed()) continue;
    check::MixedSet mixed;
    mixed.set = set.what;
    mixed.order = next_order(subject) + subject.foreign.size() + subject.mixed_sets.size();
    std::set<std::string> places;
    const auto add = [&](const accel::SetMember& member) {
      if (!places.insert(member.directory + "\n" + member.release).second) return;
      mixed.pieces.push_back({member.path, scene.owner(member.path), {}});
    };
    for (const accel::SetMember& member : set.members) {
      if (member.path == set.front) add(member);
    }
    for (const accel::SetMember& member : set.members) add(member);
    // The front library alone is in no disagreement.
    if (mixed.pieces.size() > 1) subject.mixed_sets.push_back(std::move(mixed));
  }
}

void add_shadows(Scene& scene, Lookup& lookup, const ProviderRun& run, Subject& subject) {
  std::unordered_set<std::string> told;
  for (const check::ForeignRelease& foreign : subject.foreign) told.insert(foreign.path);
  for (const loader::LoadedObject& object : run.process->objects()) {
    const std::string name = check::file_name(object.request);
    if (object.file == nullptr || scene.knowledge.family(name) == nullptr) continue;
    if (told.contains(object.path)) continue;
    // A copy of an installed distribution is what the environment means.
    if (!scene.owner(object.file->physical.text()).empty()) continue;
    for (check::Copy& copy : lookup.copies(name, run.process->identity(), false)) {
      const auto file = scene.store.open(copy.path);
      if (!copy.defect.empty() || copy.distribution.empty() || !file) continue;
      if ((*file)->stat.id == object.file->stat.id) break;
      if ((*file)->stat.size == object.file->stat.size) break;  // a plain copy of the same file
      check::Shadow shadow;
      shadow.request = object.request;
      shadow.consumer = requester_path(*run.process, object);
      shadow.chosen = {object.path, {}, {}};
      shadow.meant = std::move(copy);
      shadow.rule = std::string(loader::to_string(object.rule));
      subject.shadows.push_back(std::move(shadow));
      break;
    }
  }
}

namespace {

/// Does a search list (RPATH, RUNPATH, LD_LIBRARY_PATH) have an element that is empty or relative?
/// An empty list as a whole has none.
bool has_relative_element(std::string_view list, std::string_view separators) {
  if (list.empty()) return false;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    const std::string_view element = list.substr(begin, end - begin);
    if (element.empty() || (element.front() != '/' && element.front() != '$')) return true;
    begin = end + 1;
  }
  return false;
}

struct SearchList {
  std::string owner, variable;
  loader::Rule rule;
};

std::vector<SearchList> relative_lists(const loader::Process& process) {
  std::vector<SearchList> lists;
  const std::string_view path = process.environment().variable("LD_LIBRARY_PATH").value_or("");
  const bool is_musl = process.identity().libc == loader::Libc::Musl;
  if (!is_musl && has_relative_element(path, ":;")) {
    lists.push_back({{}, "LD_LIBRARY_PATH", loader::Rule::Env});
  }
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& owner, const loader::File* file) {
    if (file == nullptr || !file->object || !seen.insert(owner).second) return;
    const elf::Dynamic& dynamic = file->object->dynamic;
    if (dynamic.runpath) {
      if (has_relative_element(*dynamic.runpath, ":")) {
        lists.push_back({owner, "RUNPATH", loader::Rule::Runpath});
      }
    } else if (dynamic.rpath && has_relative_element(*dynamic.rpath, ":")) {
      lists.push_back({owner, "RPATH", loader::Rule::Rpath});
    }
  };
  for (const loader::LoadedObject& object : process.objects()) add(object.path, object.file);
  return lists;
}

bool is_in(const std::string& path, const std::string& directory) {
  return path.size() > directory.size() && path.starts_with(directory) &&
         (directory.back() == '/' || path[directory.size()] == '/');
}

}  // namespace

namespace {

/// What the lookups of a process met in one element that means the working directory.
check::WorkingDirectoryElement lookups_in(const Scene& scene, const loader::Process& process,
                                          const SearchList& list) {
  check::WorkingDirectoryElement element;
  element.owner = list.owner;
  element.variable = list.variable;
  for (const loader::Request& request : process.requests()) {
    if (scene.knowledge.is_driver(check::file_name(request.name))) continue;
    for (const loader::Candidate& candidate : request.tried) {
      const bool is_here = candidate.rule == list.rule && candidate.owner == list.owner &&
                           is_in(candidate.path, process.environment().cwd);
      if (!is_here) continue;
      if (candidate.outcome == loader::Outcome::Found) {
        element.answers.push_back(candidate.path);
      } else if (element.lookups.empty() || element.lookups.back() != request.name) {
        element.lookups.push_back(request.name);
      }
    }
  }
  return element;
}

}  // namespace

void add_working_directory(Scene& scene, const ProviderRun& run, Subject& subject) {
  const loader::Process& process = *run.process;
  std::vector<SearchList> lists = relative_lists(process);
  // The provider itself may be gone from the process: its step failed.
  const auto provider = scene.store.open(run.instance.provider_library);
  if (provider && (*provider)->object && !process.find(run.instance.provider_library)) {
    const auto& runpath = (*provider)->object->dynamic.runpath;
    if (runpath && has_relative_element(*runpath, ":")) {
      lists.push_back({run.instance.provider_library, "RUNPATH", loader::Rule::Runpath});
    }
  }
  for (const SearchList& list : lists) {
    subject.working_directory.push_back(lookups_in(scene, process, list));
  }
}

namespace {

using Suppliers = std::set<const inventory::Distribution*>;

/// The distributions of the provider and of everything that its process loads.
Suppliers suppliers_of(const inventory::Inventory& inventory, const ProviderRun& run) {
  Suppliers suppliers;
  const auto add_owner = [&](const std::string& path) {
    if (const inventory::Distribution* owner = inventory.owner_of(path)) suppliers.insert(owner);
  };
  add_owner(run.instance.provider_library);
  add_owner(run.instance.import_library);
  for (const loader::LoadedObject& object : run.process->objects()) {
    add_owner(object.path);
    if (object.file != nullptr) add_owner(object.file->physical.text());
  }
  return suppliers;
}

/// Paths that a gap or a break tells of already.
std::unordered_set<std::string> told_paths(const Subject& subject) {
  std::unordered_set<std::string> told;
  for (const check::Gap& gap : subject.gaps) {
    for (const check::Gone& gone : gap.gone) told.insert(gone.path);
    for (const check::Copy& copy : gap.copies) told.insert(copy.path);
    if (gap.refused) told.insert(gap.refused->path);
  }
  for (const check::Break& fault : subject.breaks) told.insert(fault.failure.object);
  return told;
}

/// Why a loader would refuse a file, or what it would die of later.
std::string damage_of(Scene& scene, Lookup& lookup, const std::string& path,
                      const loader::Identity& identity) {
  std::string defect = lookup.defect(path, identity);
  if (!defect.empty()) return defect;
  const auto file = scene.store.open(path);
  const bool is_cut = file && (*file)->object && (*file)->object->truncated_segment() != nullptr;
  return is_cut ? "the file ends before its last segment does" : "";
}

}  // namespace

void add_integrity(Scene& scene, Lookup& lookup, const ProviderRun& run, Subject& subject) {
  const inventory::Inventory& inventory = scene.inventory;
  const Suppliers suppliers = suppliers_of(inventory, run);
  for (const inventory::Distribution* supplier : suppliers) {
    subject.suppliers.push_back(supplier->to_string());
  }
  std::sort(subject.suppliers.begin(), subject.suppliers.end());
  const std::unordered_set<std::string> told = told_paths(subject);
  for (const inventory::MissingFile& missing : inventory.missing) {
    const inventory::Distribution& owner = inventory.distributions[missing.distribution];
    const bool is_library = check::file_name(missing.path).find(".so") != std::string::npos;
    if (!is_library || !suppliers.contains(&owner) || told.contains(missing.path)) continue;
    subject.gone.push_back({missing.path, owner.to_string()});
  }
  for (const inventory::Object& object : inventory.objects) {
    if (object.owners.empty() || object.role == inventory::Role::Executable) continue;
    const inventory::Distribution& owner =
        inventory.distributions[object.owners.front().distribution];
    if (!suppliers.contains(&owner) || told.contains(object.path)) continue;
    std::string damage = damage_of(scene, lookup, object.path, run.process->identity());
    if (damage.empty()) continue;
    const bool carries =
        object.path == run.instance.provider_library || object.path == run.instance.import_library;
    subject.damages.push_back({{object.path, owner.to_string(), std::move(damage)}, carries});
  }
}

}  // namespace loadable::exam
