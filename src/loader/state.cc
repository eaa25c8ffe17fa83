// SPDX-License-Identifier: Apache-2.0
#include "loader/state.h"

#include <algorithm>

namespace loadable::loader {
namespace {

using Places = std::vector<std::optional<ObjectIndex>>;  ///< new index by old index

ObjectList mapped(const ObjectList& list, const Places& places) {
  ObjectList result;
  result.reserve(list.size());
  for (const ObjectIndex index : list) {
    if (places[index]) result.push_back(*places[index]);
  }
  return result;
}

std::shared_ptr<const ObjectList> mapped(const std::shared_ptr<const ObjectList>& list,
                                         const Places& places) {
  return list ? std::make_shared<const ObjectList>(mapped(*list, places)) : nullptr;
}

void remap(std::optional<ObjectIndex>& index, const Places& places) {
  if (index) index = places[*index];
}

void remap(Member& member, const Places& places) {
  remap(member.loader, places);
  member.searchlist = mapped(member.searchlist, places);
}

}  // namespace

std::optional<NameTable::Slot> answer_to(const Process::State& state, NameId name) {
  const NameTable::Slot* slot = state.names.find(name);
  if (slot == nullptr) return std::nullopt;
  // The table knows the order of the indices. An interpreter that nothing needed has none.
  if (state.order.empty() || slot->object >= state.members.size()) return *slot;
  for (const ObjectIndex object : state.order) {
    if (object >= kStandIn) continue;
    if (object == slot->object) break;
    const Member& member = state.members[object];
    if (member.names.contains(name)) {
      return NameTable::Slot{name + 1, object, false};
    }
    if (member.place->facts->soname == name) return NameTable::Slot{name + 1, object, true};
  }
  return *slot;
}

void rebuild_names(Process::State& state) {
  state.names.clear();
  const bool is_musl = state.session->identity.libc == Libc::Musl;
  for (ObjectIndex i = 0; i < state.members.size(); ++i) {
    const Member& member = state.members[i];
    if (is_musl) {
      // musl never reads DT_SONAME.
      for (const NameId name : member.names) state.names.add(name, i, false);
      continue;
    }
    const auto& soname = member.place->facts->soname;
    for (const NameId name : member.names) {
      // A DT_SONAME that was asked for stays one that only DT_SONAME tells.
      const bool is_request = state.session->names.text(name) == state.objects[i].request ||
                              state.session->names.text(name) == state.objects[i].path;
      state.names.add(name, i, soname == name && !is_request);
    }
    if (soname) state.names.add(*soname, i, true);
  }
}

void renumber(Process::State& state, const ObjectList& order) {
  Places places(state.objects.size());
  for (ObjectIndex i = 0; i < order.size(); ++i) places[order[i]] = i;
  std::vector<LoadedObject> objects;
  std::vector<Member> members;
  for (const ObjectIndex old : order) {
    objects.push_back(std::move(state.objects[old]));
    members.push_back(std::move(state.members[old]));
    remap(objects.back().requested_by, places);
    remap(members.back(), places);
  }
  state.objects = std::move(objects);
  state.members = std::move(members);
  for (Request& request : state.requests) {
    remap(request.answer, places);
    remap(request.requested_by, places);
  }
  state.global_scope = mapped(state.global_scope, places);
  rebuild_names(state);
}

void unload_from(Process::State& state, ObjectIndex first) {
  state.objects.erase(state.objects.begin() + first, state.objects.end());
  state.members.erase(state.members.begin() + first, state.members.end());
  for (auto request = state.requests.rbegin(); request != state.requests.rend(); ++request) {
    if (request->step != state.step) break;
    if (request->answer && *request->answer >= first) request->answer.reset();
    if (request->requested_by && *request->requested_by >= first) request->requested_by.reset();
  }
  rebuild_names(state);
}

void unload_step(Process::State& state) {
  ObjectList kept;
  for (ObjectIndex i = 0; i < state.objects.size(); ++i) {
    if (state.objects[i].step != state.step) kept.push_back(i);
  }
  renumber(state, kept);
}

}  // namespace loadable::loader
