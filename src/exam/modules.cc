// SPDX-License-Identifier: Apache-2.0
#include "exam/modules.h"

#include <algorithm>
#include <map>

#include "check/remedies.h"
#include "exam/group.h"
#include "exam/troubles.h"

namespace loadable::exam {
namespace {

using inventory::Object;
using inventory::Role;

constexpr std::size_t kTellEvery = 64;

std::string owner_or_directory(const Scene& scene, const Object& object) {
  if (!object.owners.empty()) {
    return scene.inventory.distributions[object.owners.front().distribution].to_string();
  }
  std::string owner = scene.owner(object.path);
  return owner.empty() ? check::directory_name(object.path) : owner;
}

/// Is this file something that a loader of this process would never be given: of another machine, a
/// static or relocatable object, a script, a linker script? Classified, not judged.
bool is_foreign(Scene& scene, const std::string& path, const loader::Identity& identity) {
  const auto file = scene.store.open(path);
  if (!file) return false;
  if (!(*file)->header) return (*file)->first_bytes < 16 && (*file)->stat.size >= 16;
  const elf::Header& header = *(*file)->header;
  if (!header.has_magic()) return false;
  return header.machine != identity.machine || header.elf_class() != identity.elf_class ||
         header.type == elf::ET_REL;
}

/// Text that wheels ship beside libraries under a library's name: a linker script.
bool is_linker_script(Scene& scene, const std::string& path) {
  auto source = scene.target.walk->open(tree::Path(path));
  if (!source) return false;
  const std::uint64_t length = std::min<std::uint64_t>((*source)->size(), 512);
  const auto bytes = read_exactly(**source, 0, length, 512);
  if (!bytes) return false;
  const std::string_view text = as_text(*bytes);
  return text.starts_with("/* GNU ld script") || text.find("GROUP") != std::string_view::npos ||
         text.find("INPUT") != std::string_view::npos;
}

void remember(const loader::Process& process, std::size_t from, Loaded& loaded) {
  const auto& objects = process.objects();
  for (std::size_t i = from; i < objects.size(); ++i) {
    if (objects[i].file != nullptr) loaded.insert(objects[i].file);
  }
}

/// dlopen's caller in CPython: libpython where it is shared, else the program.
loader::DlopenOptions import_options(const loader::Process& started) {
  loader::DlopenOptions options;
  for (const loader::LoadedObject& object : started.objects()) {
    if (check::file_name(object.path).starts_with("libpython3.")) options.caller = object.path;
  }
  return options;
}

/// The modules of one distribution: those that load, and those that do not load by themselves.
struct Members {
  std::vector<const Object*> sound;
  std::vector<const Object*> failing, leftover;
};

class Modules {
 public:
  Modules(Scene& scene, Lookup& lookup, std::size_t environment, const loader::Process& started,
          Loaded& loaded)
      : scene_(scene),
        lookup_(lookup),
        environment_(environment),
        started_(started),
        options_(import_options(started)),
        loaded_(loaded) {
    started_.forget_answered_requests();
  }

  std::vector<check::Subject> run() {
    if (!starts()) return group(scene_, casualties_, healthy_, started_.identity().to_string());
    import_each();
    for (auto& [distribution, members] : members_) {
      if (members.failing.empty() && members.leftover.empty()) continue;
      judge_rest(distribution, members);
    }
    return group(scene_, casualties_, healthy_, started_.identity().to_string());
  }

 private:
  [[nodiscard]] bool is_mine(const Object& object) const {
    return object.environment && *object.environment == environment_;
  }

  /// Does the interpreter itself start? Otherwise nothing that it would import is a second problem.
  bool starts() {
    Casualty casualty;
    casualty.path = started_.program();
    casualty.distribution = scene_.owner(casualty.path);
    Stake stake;
    stake.effect = "the interpreter does not start";
    if (auto gap = glibc_on_musl(scene_, started_, casualty.path)) {
      casualty.troubles.gaps.push_back(std::move(*gap));
    } else {
      add_troubles(scene_, lookup_, started_, stake, casualty.troubles);
    }
    if (casualty.troubles.empty()) return true;
    casualties_.push_back(std::move(casualty));
    return false;
  }

  /// Every extension module in the state right after the interpreter's start.
  void import_each() {
    std::size_t done = 0;
    for (const Object& object : scene_.inventory.objects) {
      if (++done % kTellEvery == 0) {
        scene_.tell("modules", done, scene_.inventory.objects.size());
      }
      if (!is_mine(object) || object.role != Role::ExtensionModule) continue;
      ++scene_.judged;
      const std::string distribution = owner_or_directory(scene_, object);
      if (auto gap = glibc_on_musl(scene_, started_, object.path)) {
        casualties_.push_back({object.path, distribution, {{std::move(*gap)}, {}}, false});
        continue;
      }
      loader::Process process = started_;
      if (process.dlopen(object.path, options_).succeeded) {
        remember(process, started_.objects().size(), loaded_);
        members_[distribution].sound.push_back(&object);
        ++healthy_[distribution];
      } else if (!is_foreign(scene_, object.path, started_.identity())) {
        members_[distribution].failing.push_back(&object);
      }
    }
    for (const Object& object : scene_.inventory.objects) {
      if (!is_mine(object)) continue;
      if (object.role != Role::PrivateLibrary && object.role != Role::Plugin) continue;
      ++scene_.judged;
      const auto file = scene_.store.open(object.path);
      if (file && loaded_.contains(*file)) continue;
      if (is_foreign(scene_, object.path, started_.identity())) continue;
      members_[owner_or_directory(scene_, object)].leftover.push_back(&object);
    }
  }

  /// The process of a program that has imported what else the distribution, and those that it
  /// requires, have: packages import each other's libraries before their own.
  loader::Process companion_process(const Members& members) {
    loader::Process process = started_;
    std::vector<const Object*> first;
    for (const std::string& needed : required_by(members)) {
      const auto found = members_.find(needed);
      if (found == members_.end()) continue;
      first.insert(first.end(), found->second.sound.begin(), found->second.sound.end());
    }
    first.insert(first.end(), members.sound.begin(), members.sound.end());
    for (const Object* object : first) process.dlopen(object->path, options_);
    process.forget_answered_requests();
    return process;
  }

  /// `name version` of the distributions that the owner of these objects requires.
  [[nodiscard]] std::vector<std::string> required_by(const Members& members) const {
    std::vector<std::string> names;
    const Object* any = !members.failing.empty()    ? members.failing.front()
                        : !members.leftover.empty() ? members.leftover.front()
                                                    : nullptr;
    if (any == nullptr || any->owners.empty()) return names;
    const auto& distribution = scene_.inventory.distributions[any->owners.front().distribution];
    for (const std::string& requirement : distribution.requires_dist) {
      const std::size_t end = requirement.find_first_of(" ;<>=!~([");
      const auto index =
          scene_.inventory.find_distribution(requirement.substr(0, end), distribution.environment);
      if (index) names.push_back(scene_.inventory.distributions[*index].to_string());
    }
    return names;
  }

  void judge_rest(const std::string& distribution, const Members& members) {
    const loader::Process companion = companion_process(members);
    for (const Object* object : members.failing) try_again(*object, distribution, companion, false);
    for (const Object* object : members.leftover) {
      const auto file = scene_.store.open(object->path);
      if (file && loaded_.contains(*file)) continue;
      try_again(*object, distribution, companion, true);
    }
  }

  void try_again(const Object& object, const std::string& distribution,
                 const loader::Process& companion, bool is_leftover) {
    loader::Process process = companion;
    const loader::StepResult result = process.dlopen(object.path, options_);
    if (result.succeeded || result.is_provided) {
      remember(process, companion.objects().size(), loaded_);
      return;
    }
    Casualty casualty;
    casualty.path = object.path;
    casualty.distribution = distribution;
    Stake stake;
    stake.first_step = stake.last_step = result.step;
    stake.dlopened = object.path;
    stake.caller = object.path;
    add_troubles(scene_, lookup_, process, stake, casualty.troubles);
    // What cannot be read is an incident, and no problem of the target.
    std::erase_if(casualty.troubles.gaps, [](const check::Gap& gap) { return gap.is_unreadable; });
    if (is_leftover) drop_host_matters(casualty.troubles);
    if (casualty.troubles.empty()) return;
    // A leftover is opened by name by something that can do without it, unless it is damaged.
    casualty.is_plugin = is_leftover && !is_damaged(casualty);
    if (is_leftover && !casualty.is_plugin && is_linker_script(scene_, object.path)) return;
    casualties_.push_back(std::move(casualty));
  }

  static bool is_damaged(const Casualty& casualty) {
    return std::any_of(casualty.troubles.breaks.begin(), casualty.troubles.breaks.end(),
                       [&](const check::Break& fault) {
                         return fault.failure.kind == loader::FailureKind::Format &&
                                fault.failure.object == casualty.path;
                       });
  }

  Scene& scene_;
  Lookup& lookup_;
  std::size_t environment_;
  loader::Process started_;  ///< a copy: it forgets what no module asks about
  loader::DlopenOptions options_;
  Loaded& loaded_;
  std::map<std::string, Members> members_;
  std::map<std::string, std::size_t> healthy_;
  std::vector<Casualty> casualties_;
};

}  // namespace

std::vector<check::Subject> examine_modules(Scene& scene, Lookup& lookup, std::size_t environment,
                                            const loader::Process& started, Loaded& loaded) {
  return Modules(scene, lookup, environment, started, loaded).run();
}

}  // namespace loadable::exam
