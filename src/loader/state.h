// SPDX-License-Identifier: Apache-2.0
#pragma once
// One emulated process. Copied to fork the emulation, so it holds only what changes after its
// start. Internal to this folder.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loader/session.h"

namespace loadable::loader {

using ObjectList = std::vector<ObjectIndex>;

/// Names under which loaded objects answer. Of several objects with one name the first in the link
/// map answers.
class NameTable {
 public:
  struct Slot {
    std::uint32_t name = 0;  ///< NameId + 1; 0: free
    ObjectIndex object = 0;
    bool is_soname_only = false;  ///< known from DT_SONAME, never asked for
  };

  void add(NameId name, ObjectIndex object, bool is_soname_only);
  [[nodiscard]] const Slot* find(NameId name) const;
  /// From now on `to` answers where `from` did.
  void replace(ObjectIndex from, ObjectIndex to);
  void clear();

 private:
  void insert(const Slot& slot);
  std::vector<Slot> slots_;  ///< open addressing; a power of two
  std::size_t count_ = 0;
};

/// The few names of one object, without an allocation.
class NameList {
 public:
  NameList& operator=(NameId only) {
    many_.clear();
    few_[0] = only;
    count_ = 1;
    return *this;
  }
  void push_back(NameId name) {
    if (count_ < few_.size()) {
      few_[count_] = name;
    } else {
      if (many_.empty()) many_.assign(few_.begin(), few_.end());
      many_.push_back(name);
    }
    ++count_;
  }
  [[nodiscard]] const NameId* begin() const { return many_.empty() ? few_.data() : many_.data(); }
  [[nodiscard]] const NameId* end() const { return begin() + count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] NameId front() const { return *begin(); }
  [[nodiscard]] bool contains(NameId name) const {
    return std::find(begin(), end(), name) != end();
  }

 private:
  std::array<NameId, 4> few_{};
  std::vector<NameId> many_;  ///< all of them, once they are more than few_ holds
  std::size_t count_ = 0;
};

/// What the loader's struct link_map holds beyond LoadedObject.
struct Member {
  const Placement* place = nullptr;
  std::optional<ObjectIndex> loader;  ///< l_loader: none for the program and what is dlopened
  NameList names;                     ///< l_name and l_libname
  bool has_identity = true;           ///< false: never found by inode (program, ld.so itself)
  bool is_global = false;
  ObjectList direct_needs;  ///< musl: what its DT_NEEDED came to
  /// Breadth-first closure, once it was the program or directly dlopened.
  std::shared_ptr<const ObjectList> searchlist;
  std::optional<std::uint64_t> tls_offset;  ///< of its block in the static TLS area
};

/// What glibc puts into the link map for a miss of a program start that it traces: an entry without
/// content, which answers to no request, but to a file whose versions are needed.
struct StandIn {
  NameId name = 0;
  ObjectIndex before = 0;  ///< the object that follows it in the link map
};

/// Use of the static TLS area of the main thread, in bytes (elf/dl-reloc.c, TLS_TCB_AT_TP and
/// TLS_DTV_AT_TP alike).
struct StaticTls {
  std::uint64_t used = 0, size = 0, alignment = 64, optional = 0;
};

/// In State::order: not an object, but the stand-in of the number that follows.
inline constexpr ObjectIndex kStandIn = 0x80000000U;

struct Process::State {
  std::shared_ptr<Session> session;
  SharedString program, interpreter;
  std::vector<LoadedObject> objects;
  std::vector<Member> members;  ///< by the same index
  NameTable names;
  std::vector<Request> requests;
  std::vector<Missing> missing, provided;
  std::vector<Failure> failures, warnings;
  std::vector<StandIn> stand_ins;  ///< of the start; a dlopen forgets them
  ObjectList global_scope;
  /// The link map once a filter moved something in this step, stand-ins included; empty while it is
  /// that of the indices.
  ObjectList order;
  StaticTls tls;
  bool is_stack_executable = false;
  bool has_interpreter = true;
  int step = 0;

  /// Path of a member as messages show it.
  [[nodiscard]] const std::string& path_of(ObjectIndex index) const {
    return objects[index].path.str();
  }
};

/// Puts the objects into another order of the link map: `order` holds their present indices. What
/// is not among them is unloaded.
void renumber(Process::State& state, const ObjectList& order);
/// Who answers to a name: the first in the link map.
std::optional<NameTable::Slot> answer_to(const Process::State& state, NameId name);
/// Fills State::names from the members, in the order of the link map.
void rebuild_names(Process::State& state);
/// Forgets every object from `first` on: a failed dlopen unloads what it alone had loaded.
void unload_from(Process::State& state, ObjectIndex first);
/// The same where a filter moved objects: those that were there before keep their new order.
void unload_step(Process::State& state);

}  // namespace loadable::loader
