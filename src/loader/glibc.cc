// SPDX-License-Identifier: Apache-2.0
#include "loader/glibc.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "base/format.h"
#include "loader/binding.h"
#include "loader/loading.h"
#include "loader/order.h"
#include "loader/tls.h"
#include "loader/versions.h"

namespace loadable::loader {
namespace {

constexpr Version kAlwaysListsInterpreter{2, 41, 0};
constexpr std::uint64_t kMaxPreloadFile = 1024 * 1024;

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at) result.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

/// The names in /etc/ld.so.preload; `#` hides the rest of its line.
std::vector<std::string> preload_file_names(Session& session) {
  auto text = session.store.walk().read_text(tree::Path("/etc/ld.so.preload"), kMaxPreloadFile);
  if (!text) return {};
  for (std::size_t at = text->find('#'); at != text->npos; at = text->find('#', at)) {
    while (at < text->size() && (*text)[at] != '\n') (*text)[at++] = ' ';
  }
  return split(*text, ": \t\n");
}

struct Preload {
  std::string name;
  bool is_from_file = false;  ///< /etc/ld.so.preload, which secure mode trusts more
};

/// Emulates do_preload for each name; returns the objects that it loaded.
ObjectList preload(Process::State& state, Loading& loading, const std::vector<Preload>& preloads) {
  Session& session = *state.session;
  const bool is_secure = session.environment.is_secure;
  ObjectList loaded;
  for (const auto& [name, is_from_file] : preloads) {
    const bool has_slash = name.find('/') != name.npos;
    if (is_secure && has_slash && !is_from_file) continue;
    const NameId id = session.names.intern(name);
    const Ask ask{id, id, 0, 0, std::nullopt, Rule::Preload, is_secure && !has_slash};
    const NameTable::Slot* known = state.names.find(id);
    if (known != nullptr && known->object == kPendingInterpreter) continue;
    const Mapped mapped = loading.map(ask);
    if (mapped.status == MapStatus::Loaded) loaded.push_back(mapped.object);
    if (mapped.status != MapStatus::Missing && mapped.status != MapStatus::Refused) continue;
    Failure warning;
    warning.object = mapped.path.empty() ? name : mapped.path;
    warning.kind = mapped.kind;
    warning.message = format("object '{}' cannot be preloaded ({}): ignored", name, mapped.error);
    warning.step = state.step;
    state.warnings.push_back(std::move(warning));
  }
  return loaded;
}

std::vector<Preload> preload_names(Session& session) {
  std::vector<Preload> result;
  for (auto& name : split(session.environment.variable("LD_PRELOAD").value_or(""), " :")) {
    result.push_back({std::move(name), false});
  }
  for (auto& name : preload_file_names(session)) result.push_back({std::move(name), true});
  return result;
}

/// ld.so answers to PT_INTERP and to its DT_SONAME from the beginning.
void add_interpreter_names(Process::State& state) {
  Session& session = *state.session;
  state.names.add(session.names.intern(state.interpreter), kPendingInterpreter, false);
  const auto file = session.store.open(state.interpreter);
  if (!file || !(*file)->object || !(*file)->object->dynamic.soname) return;
  state.names.add(session.names.intern(*(*file)->object->dynamic.soname), kPendingInterpreter,
                  false);
}

void warn_of_truncation(Process::State& state, ObjectIndex first) {
  for (ObjectIndex i = first; i < state.objects.size(); ++i) {
    const File* file = state.objects[i].file;
    if (file == nullptr || !file->object) continue;
    const elf::Segment* segment = file->object->truncated_segment();
    if (segment == nullptr) continue;
    Failure warning;
    warning.object = state.path_of(i);
    warning.kind = FailureKind::Format;
    warning.message = format(
        "a segment ends at 0x{:x}, but the file has 0x{:x} bytes: it loads, and dies by SIGBUS "
        "when the lost pages are touched",
        segment->offset + segment->filesz, file->object->file_size);
    warning.step = state.step;
    state.warnings.push_back(std::move(warning));
  }
}

/// dl_isa_level_check (sysdeps/x86/dl-prop.h). Returns the first message.
std::string check_isa(Process::State& state, ObjectIndex first) {
  const Identity& identity = state.session->identity;
  std::string first_error;
  if (identity.machine != elf::EM_X86_64 || identity.version < Version{2, 33, 0}) return {};
  for (ObjectIndex i = first; i < state.objects.size(); ++i) {
    const File* file = state.objects[i].file;
    if (file == nullptr || !file->object) continue;
    const std::uint32_t needed = file->object->isa_needed;
    if ((needed & state.session->hwcaps.isa_levels) == needed) continue;
    if (state.path_of(i) == state.interpreter) continue;
    Failure failure;
    failure.object = state.path_of(i);
    failure.kind = FailureKind::Isa;
    failure.message = state.path_of(i) + ": CPU ISA level is lower than required";
    failure.step = state.step;
    if (first_error.empty()) first_error = failure.message;
    state.failures.push_back(std::move(failure));
  }
  return first_error;
}

/// The names that only the unreferenced ld.so had are gone once the start is over.
void drop_pending_interpreter(Process::State& state) { rebuild_names(state); }

void note_ignored_variables(Process::State& state) {
  if (state.session->environment.is_secure) return;
  const auto audit = state.session->environment.variable("LD_AUDIT");
  if (!audit || audit->empty()) return;
  Failure warning;
  warning.object = std::string(*audit);
  warning.kind = FailureKind::Format;
  warning.message = "LD_AUDIT modules get a namespace of their own; they are not examined";
  state.warnings.push_back(std::move(warning));
}

/// The loader stops at the first object that it cannot relocate: failures from `told` on are put
/// into its order. Returns the first message; empty: none. `fresh`: as for dependency_order.
std::string order_failures(Process::State& state, std::size_t told, ObjectIndex root,
                           const ObjectList& tree, const ObjectList& fresh) {
  const auto begin = state.failures.begin() + static_cast<std::ptrdiff_t>(told);
  if (begin == state.failures.end()) return {};
  const auto is_another = [&](const Failure& each) { return each.object != begin->object; };
  if (std::any_of(begin, state.failures.end(), is_another)) {
    std::unordered_map<std::string_view, std::size_t> places;  // the last is relocated first
    const ObjectList order = dependency_order(state, root, tree, fresh);
    for (auto object = order.rbegin(); object != order.rend(); ++object) {
      places.emplace(state.path_of(*object), places.size());
    }
    const auto place = [&](const Failure& failure) {
      const auto found = places.find(failure.object);
      return found == places.end() ? places.size() : found->second;
    };
    std::stable_sort(begin, state.failures.end(), [&](const Failure& one, const Failure& other) {
      return place(one) < place(other);
    });
  }
  return begin->object + ": " + begin->message;
}

/// What is looked at once all objects of a dlopen are mapped, in the loader's order.
std::string check_new_objects(Process::State& state, ObjectIndex first, ObjectIndex root,
                              const ObjectList& tree, const DlopenOptions& options) {
  ObjectList fresh;
  std::copy_if(tree.begin(), tree.end(), std::back_inserter(fresh),
               [&](ObjectIndex object) { return object >= first; });
  std::string error = check_versions(state, fresh, VersionMode::Dlopen);
  if (error.empty()) error = check_isa(state, first);
  if (error.empty()) error = claim_static_tls(state, first);
  if (!error.empty() || !state.session->environment.binds_symbols) return error;
  const auto bind_now = state.session->environment.variable("LD_BIND_NOW");
  const bool is_lazy = options.is_lazy && (!bind_now || bind_now->empty());
  const std::size_t told = state.failures.size();
  bind_symbols(state, fresh, {is_lazy, options.is_deepbind, &tree});
  return order_failures(state, told, root, tree, fresh);
}

}  // namespace

void start_glibc(Process::State& state) {
  Session& session = *state.session;
  const Environment& environment = session.environment;
  note_ignored_variables(state);
  if (const auto path = environment.variable("LD_LIBRARY_PATH");
      path && !path->empty() && !environment.is_secure) {
    session.env_dirs = session.search_list(
        *path, ":;", session.tokens(state.members[0].place->origin.str(), true));
  }
  const File& program = *state.objects[0].file;
  state.is_stack_executable = wants_executable_stack(program, session.identity);
  add_interpreter_names(state);

  Loading loading(state, Purpose::Dependency);
  const ObjectList preloads = preload(state, loading, preload_names(session));
  ObjectList list = loading.map_needs(0, preloads);
  if (session.identity.version >= kAlwaysListsInterpreter) loading.append_unneeded_interpreter();
  state.members[0].searchlist = std::make_shared<const ObjectList>(list);
  for (const ObjectIndex object : list) state.members[object].is_global = true;
  state.global_scope = std::move(list);
  loading.settle_order();
  drop_pending_interpreter(state);
  warn_of_truncation(state, 0);
  lay_out_static_tls(state);
  if (loading.was_refused()) return;
  ObjectList all(state.objects.size());
  std::iota(all.begin(), all.end(), ObjectIndex{0});
  check_versions(state, all, VersionMode::Start);
  check_isa(state, 0);
  if (environment.binds_symbols) {
    // As `ldd -r`, which asks for everything at once (LD_BIND_NOW).
    const std::size_t told = state.failures.size();
    bind_symbols(state, state.global_scope, {false, false, &state.global_scope});
    order_failures(state, told, 0, state.global_scope, {});
  }
}

StepResult dlopen_glibc(Process::State& state, const std::string& request, ObjectIndex caller,
                        const DlopenOptions& options) {
  Session& session = *state.session;
  const auto first = static_cast<ObjectIndex>(state.objects.size());
  StepResult result;
  result.step = state.step;
  state.stand_ins.clear();

  const StaticTls tls = state.tls;
  Loading loading(state, Purpose::Dlopen);
  const NameId id = session.names.intern(request);
  const Ask ask{id, id, caller, std::nullopt, caller, std::nullopt};
  const std::size_t request_index = state.requests.size();
  const Mapped top = loading.map(ask, options.is_noload);
  if (top.status == MapStatus::NotLoaded) return result;
  if (top.status == MapStatus::Missing || top.status == MapStatus::Refused) {
    loading.report(top, request_index);
    result.error = loading.first_error();
    result.is_provided = result.error.empty();
    return result;
  }
  std::shared_ptr<const ObjectList> list = state.members[top.object].searchlist;
  if (!list) {
    list = std::make_shared<const ObjectList>(loading.map_needs(top.object, {}));
    std::string error = loading.first_error();
    if (error.empty()) error = check_new_objects(state, first, top.object, *list, options);
    if (!error.empty()) {
      if (loading.settle_order()) {
        unload_step(state);
      } else {
        unload_from(state, first);
      }
      state.tls = tls;
      result.error = std::move(error);
      return result;
    }
    state.members[top.object].searchlist = list;
    warn_of_truncation(state, first);
  }
  if (options.is_global) {
    for (const ObjectIndex object : *list) {
      if (state.members[object].is_global) continue;
      state.members[object].is_global = true;
      state.global_scope.push_back(object);
    }
  }
  result.succeeded = true;
  result.object = top.object;
  loading.settle_order();
  return result;
}

}  // namespace loadable::loader
