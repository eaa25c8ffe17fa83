// SPDX-License-Identifier: Apache-2.0
#include "loader/search.h"

#include <algorithm>

#include "loader/accept.h"

namespace loadable::loader {
namespace {

/// From this release on, ENOTDIR too lets open_path go on (tst-non-directory-path).
constexpr Version kNotADirectoryGoesOn{2, 39, 0};

constexpr std::uint32_t kSetuid = 04000;
/// The place of ld.so.cache among the directories of Session::probes.
constexpr DirId kCacheDir = 0xffffffffU;

/// What opening one path came to.
struct Opened {
  Outcome outcome = Outcome::Absent;
  ErrorCode error = ErrorCode::NotFound;
  const File* file = nullptr;
  std::string message;  ///< for Unusable
};

Opened open_candidate(Session& session, std::string_view path) {
  const auto file = session.store.open(path);
  if (!file) {
    const ErrorCode code = file.error().code;
    // open() works on a directory; the read that follows does not.
    if (code == ErrorCode::IsADirectory) {
      return {Outcome::Unusable, code, nullptr, "cannot read file data: Is a directory"};
    }
    if (code == ErrorCode::Unsupported) {
      return {Outcome::Unusable, code, nullptr, "file too short"};
    }
    return {outcome_of(code), code, nullptr, {}};
  }
  const Verdict verdict = verify_header(**file, session.identity);
  switch (verdict.fate) {
    case Fate::Accept:
      return {Outcome::Found, ErrorCode::NotFound, *file, {}};
    case Fate::SkipClass:
      return {Outcome::WrongClass, ErrorCode::NotFound, *file, {}};
    case Fate::SkipMachine:
      return {Outcome::WrongMachine, ErrorCode::NotFound, *file, {}};
    case Fate::Refuse:
      break;
  }
  return {Outcome::Unusable, ErrorCode::Malformed, *file, verdict.message};
}

class Search {
 public:
  Search(const Process::State& state, NameId name, ObjectIndex loader, const SearchOptions& options)
      : state_(state),
        session_(*state.session),
        name_(name),
        loader_(loader),
        trace_(options.trace),
        needs_setuid_(options.needs_setuid) {}

  SearchResult run();

 private:
  bool try_rpaths();
  bool try_list(const std::vector<DirId>& list, Rule rule, const std::string& owner);
  bool try_cache();
  bool try_path();
  [[nodiscard]] bool has_no_default_dirs() const;
  const Probe& probe(DirId dir);
  Probe make_probe(DirId dir);
  const Probe& probe_cached(const std::string& path);
  void trace_probe(DirId dir, Rule rule, const std::string& owner);
  void trace_disabled(Rule rule, std::string_view reason, const std::string& owner);
  bool conclude(Outcome outcome, Rule rule, const Hit* hit);
  const Hit* remember(const Opened& opened, std::string path, NameId loader_name);
  const Placement& place_of(ObjectIndex index) const { return *state_.members[index].place; }

  const Process::State& state_;
  Session& session_;
  NameId name_;
  ObjectIndex loader_;
  std::vector<Candidate>* trace_;
  bool needs_setuid_;
  Probe scratch_;
  SearchResult result_;
};

bool Search::conclude(Outcome outcome, Rule rule, const Hit* hit) {
  result_.outcome = outcome;
  result_.rule = rule;
  result_.hit = hit;
  return true;
}

const Hit* Search::remember(const Opened& opened, std::string path, NameId loader_name) {
  if (session_.hits.size() <= loader_name) session_.hits.resize(session_.names.size());
  auto& slot = session_.hits[loader_name];
  if (!slot) {
    const SharedString& name = session_.names.shared(loader_name);
    SharedString shown = name == path ? name : SharedString(std::move(path));
    slot = std::make_unique<Hit>(Hit{opened.file, std::move(shown), loader_name, opened.message});
  }
  return slot.get();
}

void scan_subdirs(Session& session, SearchDir& dir) {
  dir.is_scanned = true;
  const auto& all = session.hwcaps.subdirs;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    // A relative directory is never remembered as absent (fillin_rpath).
    if (!dir.is_relative) {
      const auto& found = session.store.walk().resolve(dir.absolute + all[i]);
      if (!found || found->stat.kind != tree::Kind::Directory) continue;
    }
    dir.subdirs.push_back(i);
  }
}

Probe Search::make_probe(DirId id) {
  SearchDir& dir = session_.dirs[id];
  if (!dir.is_scanned) scan_subdirs(session_, dir);
  Probe probe;
  std::string path;
  for (const std::uint32_t index : dir.subdirs) {
    const std::string& subdir = session_.hwcaps.subdirs[index];
    path.assign(dir.absolute).append(subdir).append(session_.names.text(name_));
    const Opened opened = open_candidate(session_, path);
    probe.outcome = opened.outcome;
    probe.error = opened.error;
    if (opened.outcome == Outcome::WrongClass) probe.saw_other_class = true;
    if (opened.outcome == Outcome::Found || opened.outcome == Outcome::Unusable) {
      probe.hit = remember(opened, path,
                           session_.names.intern(dir.name + subdir + session_.names.text(name_)));
      return probe;
    }
  }
  // errno of the last attempt, which is the directory itself, decides (open_path).
  const bool goes_on =
      probe.outcome != Outcome::Unsearchable && (probe.outcome != Outcome::NotADirectory ||
                                                 session_.identity.version >= kNotADirectoryGoesOn);
  probe.ends_list = !dir.subdirs.empty() && !goes_on;
  return probe;
}

const Probe& Search::probe(DirId dir) {
  if (needs_setuid_) {
    scratch_ = make_probe(dir);
    const File* file = scratch_.hit != nullptr ? scratch_.hit->file : nullptr;
    const bool is_setuid = file != nullptr && (file->stat.mode & kSetuid) != 0;
    if (scratch_.outcome == Outcome::Found && !is_setuid) scratch_ = Probe{};
    return scratch_;
  }
  const std::uint64_t key = std::uint64_t{dir} << 32U | name_;
  const auto known = session_.probes.find(key);
  if (known != session_.probes.end()) return known->second;
  return session_.probes.emplace(key, make_probe(dir)).first->second;
}

void Search::trace_probe(DirId id, Rule rule, const std::string& owner) {
  const SearchDir& dir = session_.dirs[id];
  const std::string& name = session_.names.text(name_);
  if (dir.subdirs.empty()) {
    trace_->push_back({rule, dir.absolute + name, Outcome::Absent, "no such directory", owner});
    return;
  }
  for (const std::uint32_t index : dir.subdirs) {
    std::string path = dir.absolute + session_.hwcaps.subdirs[index] + name;
    const Opened opened = open_candidate(session_, path);
    trace_->push_back({rule, std::move(path), opened.outcome, opened.message, owner});
    if (opened.outcome == Outcome::Found || opened.outcome == Outcome::Unusable) return;
  }
}

void Search::trace_disabled(Rule rule, std::string_view reason, const std::string& owner) {
  if (trace_ == nullptr) return;
  trace_->push_back({rule, {}, Outcome::Disabled, std::string(reason), owner});
}

bool Search::try_list(const std::vector<DirId>& list, Rule rule, const std::string& owner) {
  for (const DirId dir : list) {
    const Probe& found = probe(dir);
    if (trace_ != nullptr) trace_probe(dir, rule, owner);
    result_.saw_other_class |= found.saw_other_class;
    result_.error = found.error;
    if (found.outcome == Outcome::Found || found.outcome == Outcome::Unusable) {
      return conclude(found.outcome, rule, found.hit);
    }
    if (found.ends_list) return false;
  }
  return false;
}

bool Search::try_rpaths() {
  if (place_of(loader_).has_runpath) {
    trace_disabled(Rule::Rpath, "the object that asks has DT_RUNPATH", state_.path_of(loader_));
    return false;
  }
  bool did_program = false;
  for (std::optional<ObjectIndex> at = loader_; at; at = state_.members[*at].loader) {
    if (place_of(*at).rpath.empty()) continue;
    if (try_list(place_of(*at).rpath, Rule::Rpath, state_.path_of(*at))) return true;
    did_program |= *at == 0;
  }
  if (did_program || place_of(0).rpath.empty()) return false;
  return try_list(place_of(0).rpath, Rule::Rpath, state_.path_of(0));
}

bool Search::has_no_default_dirs() const {
  const File* file = place_of(loader_).file;
  return file->object && (file->object->dynamic.flags_1 & elf::DF_1_NODEFLIB) != 0;
}

const Probe& Search::probe_cached(const std::string& path) {
  const std::uint64_t key = std::uint64_t{kCacheDir} << 32U | name_;
  const auto known = session_.probes.find(key);
  if (known != session_.probes.end()) return known->second;
  const std::string absolute = session_.absolute(path);
  const Opened opened = open_candidate(session_, absolute);
  Probe probe;
  probe.outcome = opened.outcome;
  probe.error = opened.error;
  probe.saw_other_class = opened.outcome == Outcome::WrongClass;
  if (opened.outcome == Outcome::Found || opened.outcome == Outcome::Unusable) {
    probe.hit = remember(opened, absolute, session_.names.intern(path));
  }
  return session_.probes.emplace(key, probe).first->second;
}

bool Search::try_cache() {
  const std::optional<std::string>& cached = session_.cached(name_);
  if (!cached) {
    if (trace_ != nullptr) {
      trace_->push_back({Rule::Cache, {}, Outcome::NotInCache, session_.cache_absence(), {}});
    }
    return false;
  }
  if (has_no_default_dirs()) {
    const auto& dirs = session_.trusted_dirs;
    if (std::any_of(dirs.begin(), dirs.end(),
                    [&](const std::string& dir) { return cached->starts_with(dir); })) {
      trace_disabled(Rule::Cache, "the object that asks has DF_1_NODEFLIB", {});
      return false;
    }
  }
  const Probe& found = probe_cached(*cached);
  if (trace_ != nullptr) {
    trace_->push_back({Rule::Cache,
                       session_.absolute(*cached),
                       found.outcome,
                       found.hit != nullptr ? found.hit->refusal : std::string(),
                       {}});
  }
  result_.saw_other_class |= found.saw_other_class;
  result_.error = found.error;
  if (found.hit == nullptr) return false;
  return conclude(found.outcome, Rule::Cache, found.hit);
}

bool Search::try_path() {
  const std::string& name = session_.names.text(name_);
  std::optional<std::string> expanded = name;
  if (name.find('$') != name.npos) {
    const Placement& place = place_of(loader_);
    expanded = expand_tokens(name, session_.tokens(place.origin.str(), loader_ == 0));
  }
  if (!expanded || expanded->empty()) {
    if (trace_ != nullptr) trace_->push_back({Rule::Path, name, Outcome::Absent, {}, {}});
    return false;
  }
  const std::string path = session_.absolute(*expanded);
  const Opened opened = open_candidate(session_, path);
  if (trace_ != nullptr) {
    trace_->push_back({Rule::Path, path, opened.outcome, opened.message, {}});
  }
  result_.saw_other_class = opened.outcome == Outcome::WrongClass;
  result_.error = opened.error;
  if (opened.outcome != Outcome::Found && opened.outcome != Outcome::Unusable) return false;
  const NameId loader_name = *expanded == name ? name_ : session_.names.intern(*expanded);
  return conclude(opened.outcome, Rule::Path, remember(opened, path, loader_name));
}

SearchResult Search::run() {
  result_.rule = Rule::Path;
  if (session_.names.text(name_).find('/') != std::string::npos) {
    try_path();
    return result_;
  }
  result_.rule = Rule::Default;
  if (try_rpaths()) return result_;
  if (try_list(session_.env_dirs, Rule::Env, {})) return result_;
  if (try_list(place_of(loader_).runpath, Rule::Runpath, state_.path_of(loader_))) return result_;
  if (!needs_setuid_ && try_cache()) return result_;
  if (has_no_default_dirs()) {
    trace_disabled(Rule::Default, "the object that asks has DF_1_NODEFLIB", {});
    return result_;
  }
  try_list(session_.system_dirs, Rule::Default, {});
  return result_;
}

}  // namespace

SearchResult search_glibc(const Process::State& state, NameId name, ObjectIndex loader,
                          const SearchOptions& options) {
  return Search(state, name, loader, options).run();
}

}  // namespace loadable::loader
