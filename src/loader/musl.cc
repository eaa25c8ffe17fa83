// SPDX-License-Identifier: Apache-2.0
#include "loader/musl.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "loader/musl_search.h"
#include "loader/tls.h"

namespace loadable::loader {
namespace {

/// One step: loads libraries at the tail of the list, then the needs of each, in that order.
class MuslLoading {
 public:
  MuslLoading(Process::State& state, bool is_start)
      : state_(state),
        session_(*state.session),
        is_start_(is_start),
        first_(static_cast<ObjectIndex>(state.objects.size())) {}

  /// load_library. Nothing: it failed, and error_ says how; what it was is in status_.
  std::optional<ObjectIndex> load(const std::string& name, std::optional<ObjectIndex> needed_by,
                                  std::optional<ObjectIndex> shown, bool is_noload = false);
  /// load_direct_deps of each object from `from` on, those that this appends included.
  void load_needs(ObjectIndex from);
  void report(const std::string& name);

  [[nodiscard]] const std::string& first_error() const { return first_error_; }
  [[nodiscard]] ObjectIndex first() const { return first_; }
  [[nodiscard]] std::string words() const;
  [[nodiscard]] const std::string& refused_path() const { return refused_path_; }
  [[nodiscard]] bool is_refusal() const { return !refused_path_.empty(); }

 private:
  ObjectIndex self();
  [[nodiscard]] NameId own_name(ObjectIndex object) const;
  std::optional<ObjectIndex> find_short(const std::string& name) const;
  ObjectIndex append(const MuslFound& found, const std::string& name,
                     std::optional<ObjectIndex> needed_by, std::optional<ObjectIndex> shown);
  void record(const std::string& name, std::optional<ObjectIndex> shown, Rule rule,
              std::optional<ObjectIndex> answer);
  [[nodiscard]] bool is_own_name(const std::string& name) const;
  [[nodiscard]] bool can_map(const File& file);
  [[nodiscard]] bool is_another_libc(const File& file);

  Process::State& state_;
  Session& session_;
  bool is_start_;
  ObjectIndex first_;
  ErrorCode error_ = ErrorCode::NotFound;
  std::string words_, refused_path_, first_error_;
};

std::string_view words_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::TooManyLinks:
      return "Symbolic link loop";
    case ErrorCode::PermissionDenied:
      return "Permission denied";
    case ErrorCode::NotADirectory:
      return "Not a directory";
    case ErrorCode::NameTooLong:
      return "Filename too long";
    case ErrorCode::InvalidArgument:
      return "Invalid argument";
    case ErrorCode::Io:
      return "I/O error";
    default:
      return "No such file or directory";
  }
}

std::string MuslLoading::words() const {
  return words_.empty() ? std::string(words_of(error_)) : words_;
}

/// Names of libraries that are part of musl, whatever stands behind the dot.
bool MuslLoading::is_own_name(const std::string& name) const {
  constexpr std::array<std::string_view, 7> kReserved = {"c.",  "pthread.", "rt.",  "m.",
                                                         "dl.", "util.",    "xnet."};
  if (name == state_.interpreter) return true;
  if (!name.starts_with("lib")) return false;
  const std::string_view rest = std::string_view(name).substr(3);
  return std::any_of(kReserved.begin(), kReserved.end(),
                     [&](std::string_view each) { return rest.starts_with(each); });
}

/// The loader itself becomes a member when something first needs it.
ObjectIndex MuslLoading::self() {
  const std::string path = session_.absolute(state_.interpreter);
  for (ObjectIndex i = 1; i < state_.objects.size(); ++i) {
    if (!state_.members[i].has_identity && state_.objects[i].path == path) return i;
  }
  const auto file = session_.store.open(path);
  Member member;
  member.has_identity = false;
  member.names = session_.names.intern("libc.so");
  if (file)
    member.place = session_.place(**file, path, session_.names.intern(state_.interpreter), false);
  LoadedObject object;
  object.request = state_.interpreter;
  object.path = path;
  object.requested_by = 0;
  object.rule = Rule::Path;
  object.step = state_.step;
  object.file = file ? *file : nullptr;
  if (file && (*file)->object && (*file)->object->dynamic.soname) {
    object.soname = *(*file)->object->dynamic.soname;
  }
  state_.objects.push_back(std::move(object));
  state_.members.push_back(std::move(member));
  return static_cast<ObjectIndex>(state_.objects.size() - 1);
}

std::optional<ObjectIndex> MuslLoading::find_short(const std::string& name) const {
  const NameId id = session_.names.intern(name);
  for (ObjectIndex i = 1; i < state_.members.size(); ++i) {
    const auto& names = state_.members[i].names;
    if (!names.empty() && names.front() == id) return i;
  }
  return std::nullopt;
}

/// The name that an object loaded by a path gets when a search comes to its file: the last part of
/// that path, whatever the search was for.
NameId MuslLoading::own_name(ObjectIndex object) const {
  const std::string& path = state_.path_of(object);
  return session_.names.intern(std::string_view(path).substr(path.rfind('/') + 1));
}

void MuslLoading::record(const std::string& name, std::optional<ObjectIndex> shown, Rule rule,
                         std::optional<ObjectIndex> answer) {
  Request request;
  request.name = name;
  request.requested_by = shown;
  request.rule = rule;
  request.answer = answer;
  request.step = state_.step;
  if (answer) request.path = state_.objects[*answer].path;
  if (shown) request.requester = state_.objects[*shown].path;
  state_.requests.push_back(std::move(request));
}

/// map_library: e_type, readable program headers and a dynamic section are all that it asks for.
bool MuslLoading::can_map(const File& file) {
  words_ = "Exec format error";
  if (!file.header || file.first_bytes < 64 || !file.object) return false;
  const elf::ElfObject& object = *file.object;
  const elf::Header& header = object.header;
  if (header.elf_class() != session_.identity.elf_class) return false;
  if (header.type != elf::ET_DYN && header.type != elf::ET_EXEC) return false;
  const auto find_segment = [&](std::uint32_t type) {
    return std::find_if(object.segments.begin(), object.segments.end(),
                        [&](const elf::Segment& each) { return each.type == type; });
  };
  const auto segment = find_segment(elf::PT_DYNAMIC);
  if (segment == object.segments.end() || segment->vaddr == 0) return false;
  if (find_segment(elf::PT_LOAD) == object.segments.end()) {
    words_ = "Invalid argument";  // nothing to map
    return false;
  }
  const File* program = state_.objects[0].file;
  if (header.type == elf::ET_EXEC && program->object->header.type == elf::ET_EXEC) {
    words_ = "Resource busy";
    return false;
  }
  words_.clear();
  return true;
}

/// A file that defines what every libc defines is answered by musl itself.
bool MuslLoading::is_another_libc(const File& file) {
  const auto& soname = file.object->dynamic.soname;
  if (!soname || !soname->starts_with("libc.")) return false;
  const SymbolIndex* index = session_.symbols_of(file);
  if (index == nullptr) return false;
  const auto has = [&](std::string_view name) {
    return index->find_any(name, elf::gnu_hash(name), true) != nullptr;
  };
  return has("__libc_start_main") && has("stdin");
}

ObjectIndex MuslLoading::append(const MuslFound& found, const std::string& name,
                                std::optional<ObjectIndex> needed_by,
                                std::optional<ObjectIndex> shown) {
  Member member;
  const std::string path = session_.absolute(found.path);
  member.place = session_.place(*found.file, path, session_.names.intern(found.path), false);
  member.loader = needed_by;
  if (name.find('/') == name.npos) member.names = session_.names.intern(name);
  LoadedObject object;
  object.request = name;
  object.path = path;
  object.requested_by = shown;
  object.rule = found.rule;
  object.step = state_.step;
  object.file = found.file;
  if (found.file->object && found.file->object->dynamic.soname) {
    object.soname = *found.file->object->dynamic.soname;
  }
  state_.objects.push_back(std::move(object));
  state_.members.push_back(std::move(member));
  return static_cast<ObjectIndex>(state_.objects.size() - 1);
}

std::optional<ObjectIndex> MuslLoading::load(const std::string& name,
                                             std::optional<ObjectIndex> needed_by,
                                             std::optional<ObjectIndex> shown, bool is_noload) {
  refused_path_.clear();
  words_.clear();
  if (name.empty()) error_ = ErrorCode::InvalidArgument;
  if (is_own_name(name)) {
    const ObjectIndex own = self();
    record(name, shown, Rule::Name, own);
    return own;
  }
  const bool is_path = name.find('/') != name.npos;
  if (const auto known = is_path ? std::nullopt : find_short(name)) {
    record(name, shown, Rule::Name, known);
    return known;
  }
  const MuslFound found = search_musl(state_, name, needed_by, nullptr);
  if (!name.empty()) error_ = found.error;
  for (ObjectIndex i = 1; found.file != nullptr && i < state_.members.size(); ++i) {
    Member& member = state_.members[i];
    if (!member.has_identity || member.place->file != found.file) continue;
    // A dlopen ends at its first miss; this emulation goes on, to tell the others.
    const bool is_past_end = !is_start_ && !first_error_.empty();
    if (!is_path && member.names.empty() && !(is_past_end && i < first_)) {
      member.names = own_name(i);
    }
    record(name, shown, Rule::Inode, i);
    return i;
  }
  const bool is_mappable = found.file != nullptr && !is_noload && can_map(*found.file);
  if (is_mappable && is_another_libc(*found.file)) return load("libc.so", needed_by, shown);
  if (is_mappable) {
    const ObjectIndex index = append(found, name, needed_by, shown);
    record(name, shown, found.rule, index);
    return index;
  }
  if (found.is_directory) words_ = "Is a directory";
  if (found.file != nullptr || found.is_directory) refused_path_ = session_.absolute(found.path);
  record(name, shown, found.rule, std::nullopt);
  search_musl(state_, name, needed_by, &state_.requests.back().tried);
  return std::nullopt;
}

void MuslLoading::report(const std::string& name) {
  const std::size_t index = state_.requests.size() - 1;
  const std::string requester = state_.requests[index].requester;
  std::string message = format("Error loading shared library {}: {}", name, words());
  const bool is_need = is_start_ || state_.requests[index].requested_by.has_value();
  if (is_need && !requester.empty()) message += format(" (needed by {})", requester);
  if (first_error_.empty()) first_error_ = message;
  if (!is_refusal()) {
    state_.missing.push_back({name, requester, state_.step, index});
    return;
  }
  Failure failure;
  failure.object = refused_path_;
  failure.kind = words_ == "Resource busy" ? FailureKind::Type : FailureKind::Format;
  failure.message = std::move(message);
  failure.step = state_.step;
  failure.requested_by = requester;
  state_.failures.push_back(std::move(failure));
}

void MuslLoading::load_needs(ObjectIndex from) {
  for (ObjectIndex at = from; at < state_.objects.size(); ++at) {
    if (!state_.members[at].has_identity && at != 0) continue;  // musl needs nothing
    const FileFacts* facts = state_.members[at].place->facts;
    for (const auto& need : facts->needs) {
      if (need.tag != elf::DT_NEEDED) continue;
      const std::string& name = session_.names.text(need.name);
      const auto object = load(name, at, at);
      if (object) {
        state_.members[at].direct_needs.push_back(*object);
      } else {
        report(name);
      }
    }
  }
}

std::vector<std::string> preload_names(const Environment& environment) {
  std::vector<std::string> result;
  if (environment.is_secure) return result;
  const std::string_view text = environment.variable("LD_PRELOAD").value_or("");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(": \t\n\v\f\r", at), text.size());
    if (end > at) result.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

void preload(Process::State& state, MuslLoading& loading) {
  for (const std::string& name : preload_names(state.session->environment)) {
    const auto before = state.objects.size();
    const auto object = loading.load(name, std::nullopt, std::nullopt);
    if (object && state.objects.size() > before && state.members[*object].has_identity) {
      state.objects[*object].rule = Rule::Preload;
      state.requests.back().rule = Rule::Preload;
    }
    if (object) continue;
    Failure warning;
    warning.object = loading.is_refusal() ? loading.refused_path() : name;
    warning.message =
        format("object '{}' cannot be preloaded ({}): ignored", name, loading.words());
    warning.step = state.step;
    state.warnings.push_back(std::move(warning));
  }
}

/// extend_bfs_deps: the object and all that it needs, breadth-first.
ObjectList tree_of(const Process::State& state, ObjectIndex root) {
  ObjectList list = {root};
  std::vector<bool> seen(state.objects.size());
  seen[root] = true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const ObjectIndex need : state.members[list[i]].direct_needs) {
      if (seen[need]) continue;
      seen[need] = true;
      list.push_back(need);
    }
  }
  return list;
}

std::string refuse_tls(Process::State& state, ObjectIndex object) {
  Failure failure;
  failure.object = state.path_of(object);
  failure.kind = FailureKind::Tls;
  failure.message = format("Error relocating {}: initial-exec TLS resolves to dynamic definition",
                           state.path_of(object));
  failure.step = state.step;
  state.failures.push_back(failure);
  return failure.message;
}

/// initial-exec TLS of what is loaded later is always refused.
std::string check_tls(Process::State& state, ObjectIndex first) {
  for (ObjectIndex i = first; i < state.objects.size(); ++i) {
    const File* file = state.objects[i].file;
    if (file == nullptr || !refers_to_static_tls(state, i)) continue;
    const bool has_own = file->object->dynamic.has_static_tls && file->object->tls_size != 0;
    if (has_own) return refuse_tls(state, i);
    if (!tls_providers(state, i, first).empty()) return refuse_tls(state, i);
  }
  return {};
}

}  // namespace

void start_musl(Process::State& state) {
  MuslLoading loading(state, true);
  preload(state, loading);
  loading.load_needs(0);
  state.global_scope.clear();
  for (ObjectIndex i = 0; i < state.objects.size(); ++i) state.global_scope.push_back(i);
  if (state.session->environment.binds_symbols) {
    bind_musl(state, state.global_scope, state.global_scope, false);
  }
}

StepResult dlopen_musl(Process::State& state, const std::string& request,
                       const DlopenOptions& options) {
  StepResult result;
  result.step = state.step;
  MuslLoading loading(state, false);
  const ObjectIndex first = loading.first();
  const auto object = loading.load(request, 0, 0, options.is_noload);
  if (!object) {
    if (options.is_noload) {
      result.error = format("Library {} is not already loaded", request);
      return result;
    }
    loading.report(request);
    result.error = loading.first_error();
    return result;
  }
  if (*object >= first) loading.load_needs(*object);
  std::string error = loading.first_error();
  if (error.empty()) error = check_tls(state, first);
  const ObjectList tree = tree_of(state, *object);
  ObjectList scope = state.global_scope;
  for (const ObjectIndex member : tree) {
    if (std::find(scope.begin(), scope.end(), member) == scope.end()) scope.push_back(member);
  }
  if (error.empty() && state.session->environment.binds_symbols) {
    ObjectList fresh;
    for (ObjectIndex i = first; i < state.objects.size(); ++i) fresh.push_back(i);
    error = bind_musl(state, fresh, scope, options.is_lazy);
  }
  if (!error.empty()) {
    unload_from(state, first);
    result.error = std::move(error);
    return result;
  }
  if (options.is_global) state.global_scope = std::move(scope);
  result.succeeded = true;
  result.object = *object;
  return result;
}

std::vector<Candidate> trace_musl(const Process::State& state, const std::string& name,
                                  std::optional<ObjectIndex> needed_by) {
  std::vector<Candidate> trace;
  search_musl(state, name, needed_by, &trace);
  return trace;
}

}  // namespace loadable::loader
