// SPDX-License-Identifier: Apache-2.0
#pragma once
// One step of a glibc process: mapping objects and their needs, breadth-first. Internal.

#include <optional>
#include <string>
#include <vector>

#include "loader/accept.h"
#include "loader/search.h"
#include "loader/state.h"

namespace loadable::loader {

/// Stands for ld.so itself while it is loaded and nothing has needed it yet.
inline constexpr ObjectIndex kPendingInterpreter = 0xfffffffeU;

/// One request of an object or of the user.
struct Ask {
  NameId written = 0;                   ///< for the report
  NameId name = 0;                      ///< tokens expanded: what is compared and searched
  ObjectIndex asker = 0;                ///< whose tokens and paths count
  std::optional<ObjectIndex> l_loader;  ///< the new object's place in the RPATH chain
  std::optional<ObjectIndex> shown;     ///< `requested_by` in the report
  std::optional<Rule> rule;             ///< said instead of the search's own (preload)
  bool needs_setuid = false;            ///< LD_PRELOAD in secure mode
};

enum class MapStatus : std::uint8_t { Loaded, AlreadyThere, Missing, Refused, NotLoaded };

struct Mapped {
  MapStatus status = MapStatus::Missing;
  ObjectIndex object = 0;
  std::string error;                       ///< what the loader says, name included
  FailureKind kind = FailureKind::Format;  ///< for Refused
  std::string path;                        ///< of what was refused
};

class Loading {
 public:
  Loading(Process::State& state, Purpose purpose);

  /// _dl_map_object. Records the request, nothing else.
  Mapped map(const Ask& ask, bool is_noload = false);
  /// _dl_map_object_deps: loads the needs of `root` (and of `preloads`, which come right after it);
  /// records what is missing and what is refused. Returns the search list, breadth-first. A miss
  /// does not stop it, as in trace mode; a refusal does.
  ObjectList map_needs(ObjectIndex root, const ObjectList& preloads);
  /// Loads ld.so if nothing has needed it: since 2.41 it always is a member.
  void append_unneeded_interpreter();
  /// Puts objects that filters moved into the order of the link map. False: none were.
  bool settle_order();

  /// The first words of trouble; empty: none.
  [[nodiscard]] const std::string& first_error() const { return first_error_; }
  [[nodiscard]] bool was_refused() const { return was_refused_; }
  void report(const Mapped& mapped, std::size_t request);

 private:
  struct Node {
    ObjectIndex object = 0;
    bool is_done = false;
  };

  Mapped answer_from_loaded(const Ask& ask, const NameTable::Slot& slot);
  Mapped refuse(const Ask& ask, const Hit& hit, FailureKind kind, std::string message, Rule rule);
  ObjectIndex append(const Ask& ask, const Hit& hit, Rule rule);
  ObjectIndex append_interpreter();
  Request& record(const Ask& ask, Rule rule, std::optional<ObjectIndex> answer);
  std::vector<Candidate> trace_of(const Ask& ask);
  bool map_needs_of(std::size_t run, std::vector<Node>& list);
  bool map_need(const FileFacts::Need& need, ObjectIndex object, std::size_t& at,
                std::vector<Node>& list);
  bool insert_filtee(ObjectIndex filtee, ObjectIndex object, std::size_t& at,
                     std::vector<Node>& list);
  std::optional<Mapped> expand_and_map(const FileFacts::Need& need, ObjectIndex object);
  void begin_order();
  void move_before(ObjectIndex moved, ObjectIndex before);
  void add_stand_in(NameId name, std::uint64_t tag, ObjectIndex asker);
  std::optional<NameId> expand(ObjectIndex object, NameId name);
  bool reserve(ObjectIndex object);
  [[nodiscard]] bool is_new(ObjectIndex object) const { return object >= first_new_; }
  /// A dlopen ends at its first miss; this emulation goes on, to tell the others. What the loader
  /// would not have come to must leave no trace in what stays.
  [[nodiscard]] bool is_past_end() const {
    return purpose_ == Purpose::Dlopen && !first_error_.empty();
  }
  void add_name(ObjectIndex object, NameId name, bool is_soname_only);

  Process::State& state_;
  Session& session_;
  Purpose purpose_;
  ObjectIndex first_new_ = 0;
  std::vector<bool> reserved_;
  std::size_t moves_ = 0;  ///< of filtees: cycles of filters have no end
  std::string first_error_;
  bool was_refused_ = false;
};

}  // namespace loadable::loader
