// SPDX-License-Identifier: Apache-2.0
#include "loader/loading.h"

#include <algorithm>

#include "base/format.h"
#include "loader/provided.h"

namespace loadable::loader {
namespace {

constexpr std::size_t kMovesPerObject = 8;
constexpr Version kRefusesExecutableStack{2, 41, 0};

std::string_view words_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::PermissionDenied:
      return "Permission denied";
    case ErrorCode::NotADirectory:
      return "Not a directory";
    case ErrorCode::TooManyLinks:
      return "Too many levels of symbolic links";
    case ErrorCode::NameTooLong:
      return "File name too long";
    case ErrorCode::Io:
      return "Input/output error";
    default:
      return "No such file or directory";
  }
}

std::string miss_message(const std::string& name, const SearchResult& result,
                         const Identity& identity) {
  if (result.saw_other_class) {
    return format("{}: wrong ELF class: {}", name,
                  identity.elf_class == elf::ELFCLASS64 ? "ELFCLASS32" : "ELFCLASS64");
  }
  return format("{}: cannot open shared object file: {}", name, words_of(result.error));
}

}  // namespace

Loading::Loading(Process::State& state, Purpose purpose)
    : state_(state),
      session_(*state.session),
      purpose_(purpose),
      first_new_(purpose == Purpose::Dependency ? 0
                                                : static_cast<ObjectIndex>(state.objects.size())) {}

Request& Loading::record(const Ask& ask, Rule rule, std::optional<ObjectIndex> answer) {
  Request request;
  request.name = session_.names.shared(ask.written);
  request.requested_by = ask.shown;
  request.rule = rule;
  request.answer = answer;
  request.step = state_.step;
  if (answer) request.path = state_.objects[*answer].path;
  if (ask.shown) request.requester = state_.objects[*ask.shown].path;
  state_.requests.push_back(std::move(request));
  return state_.requests.back();
}

std::vector<Candidate> Loading::trace_of(const Ask& ask) {
  std::vector<Candidate> trace;
  search_glibc(state_, ask.name, ask.asker, {&trace, ask.needs_setuid});
  return trace;
}

ObjectIndex Loading::append_interpreter() {
  const auto index = static_cast<ObjectIndex>(state_.objects.size());
  const auto file = session_.store.open(state_.interpreter);
  LoadedObject object;
  object.request = state_.interpreter;
  object.path = session_.absolute(state_.interpreter);
  object.requested_by = 0;
  object.rule = Rule::Path;
  object.step = state_.step;
  Member member;
  member.loader = std::nullopt;
  member.has_identity = false;  // ld.so never learns its own inode (rtld.c)
  if (file) {
    object.file = *file;
    member.place =
        session_.place(**file, object.path, session_.names.intern(state_.interpreter), false);
    if (member.place->facts->soname) {
      object.soname = session_.names.shared(*member.place->facts->soname);
      member.names.push_back(*member.place->facts->soname);
    }
  }
  member.names.push_back(session_.names.intern(state_.interpreter));
  state_.objects.push_back(std::move(object));
  state_.members.push_back(std::move(member));
  state_.names.replace(kPendingInterpreter, index);
  if (!state_.order.empty()) state_.order.push_back(index);
  return index;
}

void Loading::add_name(ObjectIndex object, NameId name, bool is_soname_only) {
  state_.names.add(name, object, is_soname_only);  // until the step is taken back
  if (is_new(object) || !is_past_end()) state_.members[object].names.push_back(name);
}

Mapped Loading::answer_from_loaded(const Ask& ask, const NameTable::Slot& slot) {
  const Rule rule = slot.is_soname_only ? Rule::Soname : Rule::Name;
  ObjectIndex object = slot.object;
  if (object == kPendingInterpreter) object = append_interpreter();
  if (!state_.members[object].names.contains(ask.name)) {
    add_name(object, ask.name, true);
  }
  record(ask, rule, object);
  return {MapStatus::AlreadyThere, object, {}, {}, {}};
}

Mapped Loading::refuse(const Ask& ask, const Hit& hit, FailureKind kind, std::string message,
                       Rule rule) {
  Request& request = record(ask, rule, std::nullopt);
  request.tried = trace_of(ask);
  return {MapStatus::Refused, 0, std::move(message), kind, hit.path};
}

ObjectIndex Loading::append(const Ask& ask, const Hit& hit, Rule rule) {
  const auto index = static_cast<ObjectIndex>(state_.objects.size());
  Member member;
  member.place = session_.place(*hit.file, hit.path, hit.loader_name, false);
  member.loader = ask.l_loader;
  member.names = ask.name;
  if (hit.loader_name != ask.name) member.names.push_back(hit.loader_name);
  LoadedObject object;
  object.request = session_.names.shared(ask.written);
  object.path = hit.path;
  object.requested_by = ask.shown;
  object.rule = rule;
  object.step = state_.step;
  object.file = hit.file;
  for (const NameId name : member.names) state_.names.add(name, index, false);
  if (member.place->facts->soname) {
    object.soname = session_.names.shared(*member.place->facts->soname);
    state_.names.add(*member.place->facts->soname, index, true);
  }
  state_.objects.push_back(std::move(object));
  state_.members.push_back(std::move(member));
  if (!state_.order.empty()) state_.order.push_back(index);
  return index;
}

Mapped Loading::map(const Ask& ask, bool is_noload) {
  if (const auto slot = answer_to(state_, ask.name)) return answer_from_loaded(ask, *slot);
  const SearchResult found = search_glibc(state_, ask.name, ask.asker, {nullptr, ask.needs_setuid});
  const std::string& name = session_.names.text(ask.name);
  if (found.outcome == Outcome::Absent) {
    record(ask, found.rule, std::nullopt).tried = trace_of(ask);
    return {MapStatus::Missing, 0, miss_message(name, found, session_.identity), {}, {}};
  }
  const Rule rule = ask.rule.value_or(found.rule);
  const Hit& hit = *found.hit;
  if (found.outcome == Outcome::Unusable) {
    return refuse(ask, hit, FailureKind::Format,
                  session_.names.text(hit.loader_name) + ": " + hit.refusal, rule);
  }
  for (ObjectIndex i = 0; i < state_.members.size(); ++i) {
    const Member& member = state_.members[i];
    if (!member.has_identity || member.place->file != hit.file) continue;
    add_name(i, ask.name, false);
    record(ask, Rule::Inode, i);
    return {MapStatus::AlreadyThere, i, {}, {}, {}};
  }
  if (is_noload) {
    record(ask, rule, std::nullopt);
    return {MapStatus::NotLoaded, 0, {}, {}, {}};
  }
  if (const auto refusal = refuse_mapping(*hit.file, session_.identity, purpose_)) {
    return refuse(ask, hit, refusal->kind, name + ": " + refusal->message, rule);
  }
  if (!state_.is_stack_executable && wants_executable_stack(*hit.file, session_.identity)) {
    const bool may = session_.identity.version < kRefusesExecutableStack ||
                     (purpose_ == Purpose::Dependency && session_.tunables.execstack == 1);
    if (!may) {
      return refuse(ask, hit, FailureKind::ExecStack,
                    name +
                        ": cannot enable executable stack as shared object requires: Invalid "
                        "argument",
                    rule);
    }
    state_.is_stack_executable = !is_past_end();
  }
  const ObjectIndex index = append(ask, hit, rule);
  Request& request = record(ask, rule, index);
  if (session_.environment.traces_all) request.tried = trace_of(ask);
  return {MapStatus::Loaded, index, {}, {}, {}};
}

void Loading::report(const Mapped& mapped, std::size_t request) {
  const Request& asked = state_.requests[request];
  if (mapped.status == MapStatus::Missing && is_provided(session_.environment, asked.name)) {
    state_.provided.push_back({asked.name, asked.requester, state_.step, request});
    return;
  }
  if (first_error_.empty()) first_error_ = mapped.error;
  if (mapped.status == MapStatus::Missing) {
    state_.missing.push_back({asked.name, asked.requester, state_.step, request});
    return;
  }
  was_refused_ = true;
  Failure failure;
  failure.object = mapped.path;
  failure.kind = mapped.kind;
  failure.message = mapped.error;
  failure.step = state_.step;
  failure.requested_by = asked.requester;
  state_.failures.push_back(std::move(failure));
}

std::optional<NameId> Loading::expand(ObjectIndex object, NameId name) {
  const std::string& text = session_.names.text(name);
  if (text.find('$') == text.npos || !has_token(text)) return name;
  if (session_.environment.is_secure) return std::nullopt;
  const Placement& place = *state_.members[object].place;
  const auto expanded = expand_tokens(text, session_.tokens(place.origin.str(), object == 0));
  if (!expanded || expanded->empty()) return std::nullopt;
  return session_.names.intern(*expanded);
}

bool Loading::reserve(ObjectIndex object) {
  if (reserved_.size() <= object) reserved_.resize(object + 1);
  if (reserved_[object]) return false;
  reserved_[object] = true;
  return true;
}

void Loading::begin_order() {
  if (!state_.order.empty()) return;
  ObjectIndex stand_in = 0;
  const auto& stand_ins = state_.stand_ins;
  for (ObjectIndex i = 0; i <= state_.objects.size(); ++i) {
    for (; stand_in < stand_ins.size() && stand_ins[stand_in].before <= i; ++stand_in) {
      state_.order.push_back(kStandIn | stand_in);
    }
    if (i < state_.objects.size()) state_.order.push_back(i);
  }
}

void Loading::move_before(ObjectIndex moved, ObjectIndex before) {
  begin_order();
  state_.order.erase(std::find(state_.order.begin(), state_.order.end(), moved));
  state_.order.insert(std::find(state_.order.begin(), state_.order.end(), before), moved);
}

/// A miss of the program start: at the end of the link map, or before the filter that asked. A
/// trace has one for an absent auxiliary object, too; but that program starts, and then there is
/// none.
void Loading::add_stand_in(NameId name, std::uint64_t tag, ObjectIndex asker) {
  const std::string& text = session_.names.text(name);
  if (purpose_ != Purpose::Dependency || is_provided(session_.environment, text)) return;
  const auto number = static_cast<ObjectIndex>(state_.stand_ins.size());
  if (tag != elf::DT_NEEDED) begin_order();
  state_.stand_ins.push_back({name, static_cast<ObjectIndex>(state_.objects.size())});
  if (state_.order.empty()) return;
  state_.order.insert(tag == elf::DT_NEEDED
                          ? state_.order.end()
                          : std::find(state_.order.begin(), state_.order.end(), asker),
                      kStandIn | number);
}

/// The mapped object; nothing when the need could not be met, which then is told.
std::optional<Mapped> Loading::expand_and_map(const FileFacts::Need& need, ObjectIndex object) {
  const auto name = need.has_dollar ? expand(object, need.name) : need.name;
  if (name && !is_new(object)) {
    // Who answers is known, and nothing of it is told again.
    const auto slot = answer_to(state_, *name);
    if (slot && slot->object < state_.members.size() &&
        state_.members[slot->object].names.contains(*name)) {
      return Mapped{MapStatus::AlreadyThere, slot->object, {}, {}, {}};
    }
  }
  const std::size_t request = state_.requests.size();
  Ask ask{need.name, name.value_or(need.name), object, object, object, std::nullopt};
  Mapped mapped;
  if (name) {
    mapped = map(ask);
  } else {
    const std::string_view why = session_.environment.is_secure
                                     ? "DST not allowed in SUID/SGID programs"
                                     : "empty dynamic string token substitution";
    record(ask, Rule::Path, std::nullopt);
    mapped = {MapStatus::Refused, 0, format("{}: {}", session_.names.text(need.name), why),
              FailureKind::Format, state_.path_of(object)};
  }
  if (mapped.status == MapStatus::Loaded || mapped.status == MapStatus::AlreadyThere) {
    // The needs of what was there before were told in the step that loaded it.
    if (!is_new(object) && mapped.status == MapStatus::AlreadyThere) state_.requests.pop_back();
    return mapped;
  }
  if (need.tag != elf::DT_AUXILIARY) {
    if (mapped.status == MapStatus::Missing) add_stand_in(ask.name, need.tag, object);
    report(mapped, request);
  } else if (is_new(object)) {
    // DT_AUXILIARY may be absent or damaged: the loader says nothing.
    state_.warnings.push_back({state_.path_of(object),
                               FailureKind::Format,
                               "optional filtee is not loaded: " + mapped.error,
                               state_.step,
                               {},
                               {},
                               state_.path_of(object),
                               std::nullopt});
  } else {
    state_.requests.pop_back();
  }
  return std::nullopt;
}

/// Puts a filtee right before its filter, in the search list and in the link map, unless it stands
/// before it already (dl-deps.c). False: filters form a cycle, in which the loader never ends.
bool Loading::insert_filtee(ObjectIndex filtee, ObjectIndex object, std::size_t& at,
                            std::vector<Node>& list) {
  if (!reserve(filtee)) {
    const auto late = std::find_if(list.begin() + static_cast<std::ptrdiff_t>(at) + 1, list.end(),
                                   [&](const Node& node) { return node.object == filtee; });
    if (late == list.end()) return true;
    list.erase(late);
  }
  if (++moves_ > kMovesPerObject * list.size() + kMovesPerObject) {
    was_refused_ = true;
    const std::string& path = state_.path_of(object);
    if (first_error_.empty()) first_error_ = path + ": filters form a cycle";
    state_.failures.push_back({path,
                               FailureKind::Format,
                               "filters form a cycle, in which the loader never ends",
                               state_.step,
                               {},
                               {},
                               path,
                               std::nullopt});
    return false;
  }
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), {filtee, false});
  if (!is_past_end()) move_before(filtee, object);
  ++at;
  return true;
}

/// False: the load ends here.
bool Loading::map_need(const FileFacts::Need& need, ObjectIndex object, std::size_t& at,
                       std::vector<Node>& list) {
  const bool was_refused = was_refused_;
  const auto mapped = expand_and_map(need, object);
  if (!mapped) return was_refused == was_refused_;
  if (need.tag != elf::DT_NEEDED) return insert_filtee(mapped->object, object, at, list);
  if (reserve(mapped->object)) list.push_back({mapped->object, false});
  return true;
}

bool Loading::map_needs_of(std::size_t run, std::vector<Node>& list) {
  const ObjectIndex object = list[run].object;
  // The facts stay where they are while members grow.
  const FileFacts* facts = state_.members[object].place->facts;
  std::size_t at = run;
  return std::all_of(facts->needs.begin(), facts->needs.end(),
                     [&](const FileFacts::Need& need) { return map_need(need, object, at, list); });
}

ObjectList Loading::map_needs(ObjectIndex root, const ObjectList& preloads) {
  std::vector<Node> list = {{root, false}};
  reserved_.clear();
  reserve(root);
  for (const ObjectIndex preload : preloads) {
    if (reserve(preload)) list.push_back({preload, false});
  }
  for (std::size_t run = 0; run < list.size();) {
    list[run].is_done = true;
    if (!map_needs_of(run, list)) break;
    while (run < list.size() && list[run].is_done) ++run;
  }
  ObjectList result;
  result.reserve(list.size());
  for (const Node& node : list) result.push_back(node.object);
  return result;
}

void Loading::append_unneeded_interpreter() {
  const NameId name = session_.names.intern(state_.interpreter);
  const NameTable::Slot* slot = state_.names.find(name);
  if (slot == nullptr || slot->object != kPendingInterpreter) return;
  append_interpreter();
}

bool Loading::settle_order() {
  if (state_.order.empty()) return false;
  ObjectList objects;
  for (const ObjectIndex each : state_.order) {
    if (each < kStandIn) {
      objects.push_back(each);
    } else {
      state_.stand_ins[each & ~kStandIn].before = static_cast<ObjectIndex>(objects.size());
    }
  }
  renumber(state_, objects);
  state_.order.clear();
  return true;
}

}  // namespace loadable::loader
