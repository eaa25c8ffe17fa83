// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "check/remedies.h"
#include "exam/group.h"
#include "exam/modules.h"
#include "exam/troubles.h"
#include "inventory/collect.h"

namespace loadable::exam {
namespace {

using inventory::Object;
using inventory::Role;

constexpr std::size_t kTellEvery = 64;

class Programs {
 public:
  Programs(Scene& scene, Lookup& lookup, Loaded& loaded)
      : scene_(scene), lookup_(lookup), loaded_(loaded) {}

  std::vector<check::Subject> run() {
    std::size_t done = 0;
    for (const Object& object : scene_.inventory.objects) {
      if (++done % kTellEvery == 0) tell(done);
      if (object.role == Role::Executable) judge_program(object);
    }
    if (!host_) return {};
    // What a plugin takes from the program that opens it, another program cannot supply.
    auto plain = start_program(scene_, host_->program(), {});
    if (plain) host_ = std::move(*plain);
    for (const Object& object : scene_.inventory.objects) {
      if (++done % kTellEvery == 0) tell(done);
      const bool is_library = object.role == Role::Library || object.role == Role::Plugin;
      if (is_library && !object.environment) judge_library(object);
    }
    std::vector<check::Subject> subjects =
        group(scene_, casualties_, healthy_, host_->identity().to_string());
    check::Subject cache;
    cache.stale_cache = lookup_.dead_cache_entries(host_->identity(), 16);
    if (!cache.stale_cache.empty()) subjects.push_back(std::move(cache));
    return subjects;
  }

 private:
  void tell(std::size_t done) const {
    scene_.tell("programs and libraries", std::min(done, scene_.inventory.objects.size()),
                scene_.inventory.objects.size());
  }

  [[nodiscard]] std::string owner(const Object& object) const {
    std::string name = scene_.owner(object.path);
    return name.empty() ? check::directory_name(object.path) : name;
  }

  /// The same with Debian's packages, which are asked for on demand: one directory, one package.
  std::string package(const Object& object) {
    std::string name = scene_.owner(object.path);
    if (!name.empty()) return name;
    const std::string directory = check::directory_name(object.path);
    const auto known = packages_.find(directory);
    if (known != packages_.end()) return known->second;
    const auto debian = inventory::find_debian_owner(*scene_.target.walk, object.path);
    return packages_.emplace(directory, debian.value_or(directory)).first->second;
  }

  void judge_program(const Object& object) {
    const auto file = scene_.store.open(object.path);
    // Scripts, static programs and objects of other machines are no business of this loader.
    if (!file || !(*file)->object || !(*file)->object->interpreter) return;
    StartOptions start;
    start.binds_symbols = scene_.options.binds_symbols;
    auto process = start_program(scene_, object.path, start);
    if (!process) return;
    ++scene_.judged;
    if (process->missing().empty() && process->failures().empty()) {
      for (const loader::LoadedObject& member : process->objects()) {
        if (member.file != nullptr) loaded_.insert(member.file);
      }
      ++healthy_[owner(object)];
      // The smallest process stands for "some program" when a library is opened by itself.
      if (!host_ || process->objects().size() < host_->objects().size()) {
        host_ = std::move(*process);
      }
      return;
    }
    add_casualty(object, *process, {}, false);
  }

  void judge_library(const Object& object) {
    const auto file = scene_.store.open(object.path);
    if (!file || !(*file)->object || loaded_.contains(*file)) return;
    const elf::ElfObject& elf = *(*file)->object;
    const bool is_ours = elf.header.machine == host_->identity().machine &&
                         elf.header.elf_class() == host_->identity().elf_class;
    if (!is_ours || elf.header.type != elf::ET_DYN || !elf.has_dynamic || elf.is_pie()) return;
    ++scene_.judged;
    loader::Process process = *host_;
    const loader::StepResult result = process.dlopen(object.path, {});
    if (result.succeeded || result.is_provided) {
      ++healthy_[owner(object)];
      return;
    }
    Stake stake;
    stake.first_step = stake.last_step = result.step;
    add_casualty(object, process, stake, true);
  }

  void add_casualty(const Object& object, const loader::Process& process, Stake stake,
                    bool is_plugin) {
    Casualty casualty;
    casualty.path = object.path;
    casualty.distribution = is_plugin ? package(object) : owner(object);
    casualty.is_plugin = is_plugin;
    stake.dlopened = object.path;
    stake.caller = object.path;
    add_troubles(scene_, lookup_, process, stake, casualty.troubles);
    if (is_plugin) drop_host_matters(casualty.troubles);
    if (!casualty.troubles.empty()) casualties_.push_back(std::move(casualty));
  }

  Scene& scene_;
  Lookup& lookup_;
  Loaded& loaded_;
  std::optional<loader::Process> host_;
  std::map<std::string, std::size_t> healthy_;
  std::map<std::string, std::string> packages_;  ///< directory -> package
  std::vector<Casualty> casualties_;
};

}  // namespace

std::vector<check::Subject> examine_programs(Scene& scene, Lookup& lookup, Loaded& loaded) {
  return Programs(scene, lookup, loaded).run();
}

}  // namespace loadable::exam
