// SPDX-License-Identifier: Apache-2.0
#include "exam/troubles.h"

#include <algorithm>
#include <array>

#include "accel/process_facts.h"
#include "check/remedies.h"

namespace loadable::exam {
namespace {

using check::Break;
using check::Gap;
using loader::FailureKind;

/// Names that belong to one C library alone.
bool belongs_to_other_libc(const loader::Identity& identity, std::string_view name) {
  const std::string file = check::file_name(name);
  const bool is_musl = file.starts_with("libc.musl-") || file.starts_with("ld-musl-");
  if (identity.libc == loader::Libc::Glibc) return is_musl;
  return file == "libc.so.6" || file.starts_with("ld-linux");
}

bool is_libc_library(std::string_view library) {
  static constexpr std::array<std::string_view, 12> kNames = {"libc.so.6",
                                                              "libm.so.6",
                                                              "libpthread.so.0",
                                                              "libdl.so.2",
                                                              "librt.so.1",
                                                              "libutil.so.1",
                                                              "libresolv.so.2",
                                                              "libanl.so.1",
                                                              "ld-linux-x86-64.so.2",
                                                              "ld-linux-aarch64.so.1",
                                                              "libmvec.so.1",
                                                              "libcrypt.so.1"};
  return std::find(kNames.begin(), kNames.end(), library) != kNames.end();
}

std::vector<loader::Candidate> tried_of(const loader::Process& process,
                                        const loader::Missing& missing) {
  if (missing.request >= process.requests().size()) return {};
  return process.requests()[missing.request].tried;
}

bool defines_version(const Scene& scene, const loader::File& file, const std::string& version) {
  static_cast<void>(scene);
  if (!file.object) return false;
  const auto& defined = file.object->defined_versions;
  return std::any_of(defined.begin(), defined.end(),
                     [&](const elf::DefinedVersion& d) { return d.version == version; });
}

bool defines_symbol(Scene& scene, const loader::File& file, const std::string& symbol) {
  const auto table = scene.store.symbols(file);
  if (!table) return false;
  const auto& symbols = (*table)->symbols;
  return std::any_of(symbols.begin(), symbols.end(), [&](const elf::Symbol& s) {
    return s.section != elf::SHN_UNDEF && s.name == symbol;
  });
}

/// The member of the process, or of the step that failed, which answered to a library's name.
std::string path_of_library(const loader::Process& process, const std::string& library) {
  if (library.empty()) return {};
  if (const auto index = process.find(library)) return process.objects()[*index].path;
  for (auto it = process.requests().rbegin(); it != process.requests().rend(); ++it) {
    if (!it->path.empty() && check::file_name(it->name) == library) return it->path;
  }
  return {};
}

/// For a symbol without a version: the family that defines such names, by its stem.
std::string library_of_symbol(const Scene& scene, const loader::Process& process,
                              const std::string& symbol) {
  for (const accel::FamilyRow& family : scene.knowledge.families) {
    const bool matches =
        std::any_of(family.symbols.begin(), family.symbols.end(),
                    [&](const std::string& pattern) { return accel::fits(pattern, symbol); });
    if (!matches) continue;
    for (const accel::FamilyMember& member : family.members) {
      const std::string path = path_of_library(process, member.soname);
      if (!path.empty()) return path;
    }
  }
  return {};
}

/// Only a library that the object names can have been meant by another copy.
bool names_library(Scene& scene, const loader::Failure& failure, const std::string& name) {
  const std::string& who = failure.requested_by.empty() ? failure.object : failure.requested_by;
  const auto file = scene.store.open(who);
  if (!file || !(*file)->object) return false;
  const auto& needed = (*file)->object->dynamic.needed;
  return std::find(needed.begin(), needed.end(), name) != needed.end();
}

void find_better(Scene& scene, Lookup& lookup, const loader::Process& process, Break& fault) {
  const std::string name =
      fault.failure.library.empty() ? check::file_name(fault.library_path) : fault.failure.library;
  if (name.empty() || fault.library_path.empty()) return;
  if (!names_library(scene, fault.failure, name)) return;
  for (check::Copy& copy : lookup.copies(name, process.identity(), false)) {
    if (copy.path == fault.library_path || !copy.defect.empty()) continue;
    const auto file = scene.store.open(copy.path);
    if (!file) continue;
    const bool has_it = fault.failure.kind == FailureKind::Version
                            ? defines_version(scene, **file, fault.failure.symbol)
                            : defines_symbol(scene, **file, fault.failure.symbol);
    if (has_it) fault.better.push_back(std::move(copy));
  }
}

Break break_of(Scene& scene, Lookup& lookup, const loader::Process& process,
               const loader::Failure& failure, const Stake& stake, bool must_explain) {
  Break fault;
  fault.failure = failure;
  fault.distribution = scene.owner(failure.object);
  fault.libc = process.identity().to_string();
  fault.necessity = stake.necessity;
  fault.loss = stake.loss;
  fault.effect = stake.effect;
  fault.is_verified = stake.is_verified;
  if (failure.kind == FailureKind::Version) {
    fault.library_path = failure.object;
    fault.is_libc_release = is_libc_library(failure.library);
  }
  if (failure.kind == FailureKind::Symbol) {
    fault.symbols = {failure.symbol};
    fault.library_path = failure.library.empty() ? library_of_symbol(scene, process, failure.symbol)
                                                 : path_of_library(process, failure.library);
  }
  fault.library_distribution = scene.owner(fault.library_path);
  const bool is_lookup =
      failure.kind == FailureKind::Version || failure.kind == FailureKind::Symbol;
  if (is_lookup && must_explain) find_better(scene, lookup, process, fault);
  return fault;
}

/// One name, asked for by several: what the most important of them loses is what is lost.
template <class Trouble>
void weigh(const Stake& stake, Trouble& known) {
  if (stake.necessity >= known.necessity) return;
  known.necessity = stake.necessity;
  known.loss = stake.loss;
  known.effect = stake.effect;
  known.is_verified = stake.is_verified;
}

void add_break(Scene& scene, Lookup& lookup, const loader::Process& process,
               const loader::Failure& failure, const Stake& stake, Troubles& troubles) {
  for (Break& known : troubles.breaks) {
    if (known.failure.kind != failure.kind || known.failure.object != failure.object) continue;
    if (failure.kind == FailureKind::Version && known.failure.symbol != failure.symbol) continue;
    if (failure.kind == FailureKind::Symbol) {
      const bool is_new = std::find(known.symbols.begin(), known.symbols.end(), failure.symbol) ==
                          known.symbols.end();
      if (is_new && known.symbols.size() < 1000) known.symbols.push_back(failure.symbol);
    }
    weigh(stake, known);
    return;
  }
  Break fault = break_of(scene, lookup, process, failure, stake, true);
  fault.order = troubles.gaps.size() + troubles.breaks.size();
  troubles.breaks.push_back(std::move(fault));
}

/// Could a place of the search not be read? Then nothing is known about what lies there.
bool cannot_read(Scene& scene, const std::vector<loader::Candidate>& tried) {
  bool is_unread = false;
  for (const loader::Candidate& candidate : tried) {
    if (candidate.path.empty() || candidate.outcome == loader::Outcome::Found) continue;
    if (candidate.outcome == loader::Outcome::Denied) {
      scene.add_incident(candidate.path, "permission denied");
      is_unread = true;
    }
    for (const inventory::Incident& incident : scene.inventory.incidents) {
      const std::string& place = incident.path;
      is_unread =
          is_unread || (place.size() > 1 && candidate.path.size() > place.size() &&
                        candidate.path.starts_with(place) && candidate.path[place.size()] == '/');
    }
  }
  return is_unread;
}

/// The release of CUDA for which whoever asks was built, where the plan does not say; 0: unknown.
int cuda_of_asker(Scene& scene, const std::string& path) {
  const auto file = scene.store.open(path);
  if (!file) return 0;
  const auto cuda = accel::cuda_of_file(scene.knowledge, **file);
  return cuda ? cuda->first : 0;
}

Gap gap_of(Scene& scene, Lookup& lookup, const loader::Process& process,
           const loader::Missing& missing, const Stake& stake) {
  const loader::Identity& identity = process.identity();
  Gap gap;
  gap.request = missing.name;
  gap.tried = tried_of(process, missing);
  gap.is_unreadable = cannot_read(scene, gap.tried);
  gap.is_declared = missing.name != stake.dlopened;
  // Nobody but the kernel asks for the interpreter: for the program's sake.
  const std::string& asker = gap.is_declared ? process.program() : stake.caller;
  gap.consumers = {missing.requested_by.empty() ? asker : missing.requested_by};
  gap.necessity = stake.necessity;
  gap.loss = stake.loss;
  gap.effect = stake.effect;
  gap.is_verified = stake.is_verified;
  gap.is_foreign_libc = belongs_to_other_libc(identity, missing.name);
  gap.gone = lookup.gone(missing.name);
  gap.copies = lookup.copies(missing.name, identity, stake.asks_for_provider && gap.gone.empty());
  gap.stale_cache = lookup.stale_cache(missing.name, process, gap.tried, gap.copies);
  if (const accel::SetRow* set = scene.knowledge.set_of(missing.name)) {
    // The front library is what is needed; only a piece beside a front that is there shows that
    // the set is incomplete.
    const bool has_front = missing.name != set->front && process.find(set->front).has_value();
    if (has_front) gap.set = set->what;
  }
  if (gap.copies.empty() && gap.gone.empty()) {
    gap.other_majors = lookup.other_majors(missing.name, identity);
  }
  const int cuda = stake.cuda != 0 ? stake.cuda : cuda_of_asker(scene, gap.consumers.front());
  gap.supplier = lookup.supplier(missing.name, cuda);
  return gap;
}

/// The same name is asked for again: who asks is added, and what is lost is the worst of all.
void meet_again(const Stake& stake, const loader::Missing& missing, Gap& gap) {
  const std::string& who = missing.requested_by.empty() ? stake.caller : missing.requested_by;
  const bool is_new =
      std::find(gap.consumers.begin(), gap.consumers.end(), who) == gap.consumers.end();
  if (is_new && !who.empty()) gap.consumers.push_back(who);
  weigh(stake, gap);
}

}  // namespace

void add_troubles(Scene& scene, Lookup& lookup, const loader::Process& process, const Stake& stake,
                  Troubles& troubles) {
  bool has_gap = false;
  for (const loader::Missing& missing : process.missing()) {
    if (missing.step < stake.first_step || missing.step > stake.last_step) continue;
    has_gap = true;
    const auto known = std::find_if(troubles.gaps.begin(), troubles.gaps.end(),
                                    [&](const Gap& g) { return g.request == missing.name; });
    if (known != troubles.gaps.end()) {
      meet_again(stake, missing, *known);
      continue;
    }
    if (stake.repeats) continue;
    Gap gap = gap_of(scene, lookup, process, missing, stake);
    gap.order = troubles.gaps.size() + troubles.breaks.size();
    troubles.gaps.push_back(std::move(gap));
  }
  if (stake.repeats) return;
  for (const loader::Failure& failure : process.failures()) {
    if (failure.step < stake.first_step || failure.step > stake.last_step) continue;
    const bool follows =
        failure.kind == FailureKind::Symbol || failure.kind == FailureKind::Version;
    if (has_gap && follows) continue;
    add_break(scene, lookup, process, failure, stake, troubles);
  }
}

std::optional<Gap> glibc_on_musl(Scene& scene, const loader::Process& process,
                                 const std::string& path) {
  if (process.identity().libc != loader::Libc::Musl || path.empty()) return std::nullopt;
  const auto file = scene.store.open(path);
  if (!file || !(*file)->object) return std::nullopt;
  const auto& needed = (*file)->object->dynamic.needed;
  if (std::find(needed.begin(), needed.end(), "libc.so.6") == needed.end()) return std::nullopt;
  Gap gap;
  gap.request = "libc.so.6";
  gap.consumers = {path};
  gap.is_foreign_libc = true;
  return gap;
}

}  // namespace loadable::exam
