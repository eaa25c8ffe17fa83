// SPDX-License-Identifier: Apache-2.0
#include "loader/session.h"

#include <algorithm>

namespace loadable::loader {
namespace {

constexpr Version kResolvesOrigin{2, 42, 0};
constexpr std::uint64_t kMaxCache = std::uint64_t{256} * 1024 * 1024;

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return {};
  return path.substr(0, slash == 0 ? 1 : slash);
}

std::vector<std::string> with_slashes(const std::vector<std::string>& dirs) {
  std::vector<std::string> result;
  for (const auto& dir : dirs) result.push_back(dir.ends_with('/') ? dir : dir + '/');
  return result;
}

Endian endian_of(const Identity& identity) {
  return identity.is_big_endian ? Endian::Big : Endian::Little;
}

}  // namespace

NameId Names::intern(std::string_view text) {
  const auto known = ids_.find(text);
  if (known != ids_.end()) return known->second;
  const auto id = static_cast<NameId>(texts_.size());
  texts_.emplace_back(std::string(text));
  ids_.emplace(texts_.back().str(), id);
  return id;
}

Session::Session(Store& a_store, Environment an_environment, Identity an_identity)
    : store(a_store),
      environment(std::move(an_environment)),
      identity(std::move(an_identity)),
      hwcaps(make_hwcaps(identity, environment)),
      tunables(parse_tunables(environment)),
      trusted_dirs(with_slashes(identity.system_dirs)) {
  for (const auto& dir : identity.system_dirs) system_dirs.push_back(directory(dir));
}

std::string Session::absolute(std::string_view path) const {
  if (path.starts_with('/')) return std::string(path);
  std::string result = environment.cwd;
  if (!result.ends_with('/')) result.push_back('/');
  return result.append(path);
}

DirId Session::directory(std::string_view element) {
  std::string name(element);
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  if (!name.empty() && !name.ends_with('/')) name.push_back('/');
  const auto known = dir_ids_.find(name);
  if (known != dir_ids_.end()) return known->second;
  const auto id = static_cast<DirId>(dirs.size());
  SearchDir dir;
  dir.is_relative = !name.starts_with('/');
  dir.absolute = absolute(name);
  dir.name = name;
  dirs.push_back(std::move(dir));
  dir_ids_.emplace(std::move(name), id);
  return id;
}

std::vector<DirId> Session::search_list(std::string_view list, std::string_view separators,
                                        const TokenValues& values) {
  std::vector<DirId> result;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, at), list.size());
    const std::string_view element = list.substr(at, end - at);
    at = end + 1;
    DirId id = 0;
    if (element.find('$') == element.npos) {
      id = directory(element);
    } else {
      const auto expanded = expand_tokens(element, values);
      if (!expanded || expanded->empty()) continue;
      id = directory(*expanded);
    }
    if (std::find(result.begin(), result.end(), id) == result.end()) result.push_back(id);
  }
  return result;
}

TokenValues Session::tokens(std::optional<std::string_view> origin, bool is_program) const {
  TokenValues values;
  values.origin = origin;
  values.lib = identity.lib_token;
  if (!hwcaps.platform.empty()) values.platform = hwcaps.platform;
  values.is_secure = environment.is_secure;
  values.trusted_dirs = &trusted_dirs;
  values.is_program = is_program;
  return values;
}

const FileFacts* Session::facts_of(const File& file) {
  auto& slot = facts_[&file];
  if (slot) return slot.get();
  slot = std::make_unique<FileFacts>();
  if (!file.object) return slot.get();
  const elf::Dynamic& dynamic = file.object->dynamic;
  std::size_t needed = 0;
  std::size_t auxiliary = 0;
  std::size_t filter = 0;
  for (const std::uint64_t tag : dynamic.request_tags) {
    const std::string& name = tag == elf::DT_NEEDED      ? dynamic.needed[needed++]
                              : tag == elf::DT_AUXILIARY ? dynamic.auxiliary[auxiliary++]
                                                         : dynamic.filter[filter++];
    slot->needs.push_back({tag, names.intern(name), name.find('$') != name.npos});
  }
  if (dynamic.soname) slot->soname = names.intern(*dynamic.soname);
  return slot.get();
}

const Placement* Session::place(const File& file, const std::string& path, NameId loader_name,
                                bool is_program) {
  auto& placements = is_program ? program_placements_ : placements_;
  if (placements.size() <= loader_name) placements.resize(names.size());
  auto& slot = placements[loader_name];
  if (slot) return slot.get();
  slot = std::make_unique<Placement>();
  slot->file = &file;
  slot->facts = facts_of(file);
  // A program run directly learns its origin from /proc/self/exe. One that ld.so is told to run
  // (it has no PT_INTERP here) keeps the path it was given until 2.42, which resolves it.
  const bool is_resolved = is_program && (!file.object || file.object->interpreter ||
                                          identity.version >= kResolvesOrigin);
  const std::string_view origin = parent_of(is_resolved ? file.physical.text() : path);
  slot->origin = names.shared(names.intern(origin));  // many objects have one
  if (!file.object) return slot.get();
  const elf::Dynamic& dynamic = file.object->dynamic;
  const TokenValues values = tokens(slot->origin.str(), is_program);
  // DT_RPATH is forgotten where DT_RUNPATH exists (get-dynamic-info.h); an empty list is no list.
  slot->has_runpath = dynamic.runpath.has_value();
  if (dynamic.runpath && !dynamic.runpath->empty()) {
    slot->runpath = search_list(*dynamic.runpath, ":", values);
  } else if (!dynamic.runpath && dynamic.rpath && !dynamic.rpath->empty()) {
    slot->rpath = search_list(*dynamic.rpath, ":", values);
  }
  return slot.get();
}

const Cache& Session::cache() {
  if (!cache_) {
    auto text = store.walk().read_text(tree::Path("/etc/ld.so.cache"), kMaxCache);
    cache_.emplace();
    if (text) {
      *cache_ = Cache(std::move(*text), endian_of(identity));
      if (!cache_->rejection().empty()) cache_absence_ = "not used: " + cache_->rejection();
    } else {
      cache_absence_ =
          text.error().code == ErrorCode::NotFound ? "not there" : text.error().message;
    }
  }
  return *cache_;
}

const std::string& Session::cache_absence() {
  cache();
  return cache_absence_;
}

void Session::forget_dropped_symbols() {
  if (symbols_generation_ == store.symbols_generation()) return;
  symbols_generation_ = store.symbols_generation();
  symbols_.clear();
  answers_.clear();
}

const SymbolIndex* Session::symbols_of(const File& file) {
  forget_dropped_symbols();
  const auto known = symbols_.find(&file);
  if (known != symbols_.end()) return known->second.get();
  const auto table = store.symbols(file);
  auto index = table ? std::make_unique<SymbolIndex>(**table, *file.object) : nullptr;
  return symbols_.emplace(&file, std::move(index)).first->second.get();
}

std::string Session::why_no_symbols(const File& file) const {
  const auto table = store.symbols(file);
  return table ? std::string() : table.error().to_string();
}

SymbolAnswers& Session::global_answers(const std::vector<const File*>& files) {
  forget_dropped_symbols();
  if (answered_scope_ != files) {
    answered_scope_ = files;
    answers_.clear();
    fully_bound_.clear();
  }
  return answers_;
}

const std::optional<std::string>& Session::cached(NameId name) {
  const auto known = cache_answers_.find(name);
  if (known != cache_answers_.end()) return known->second;
  auto answer = cache().find(names.text(name), cache_flags_of(identity), hwcaps);
  return cache_answers_.emplace(name, std::move(answer)).first->second;
}

}  // namespace loadable::loader
