// SPDX-License-Identifier: Apache-2.0
#include "loader/binding.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/format.h"
#include "loader/provided.h"
#include "loader/symbols.h"
#include "loader/versions.h"

namespace loadable::loader {
namespace {

/// Until here a version whose file has lost its versions stops the process (check_match).
constexpr Version kAcceptsLostVersions{2, 41, 0};

enum class Found : std::uint8_t { No, Yes, Aborts };

SymbolAnswers& answers_of(const Process::State& state) {
  std::vector<const File*> files;
  for (const ObjectIndex object : state.global_scope) files.push_back(state.objects[object].file);
  return state.session->global_answers(files);
}

class Binder {
 public:
  Binder(Process::State& state, const BindOptions& options)
      : state_(state), options_(options), global_answers_(answers_of(state)) {}

  void bind(ObjectIndex object);
  [[nodiscard]] const std::string& first_error() const { return first_error_; }

 private:
  using Scope = std::vector<const ObjectList*>;

  Found look_up(const SymbolQuery& query, const Scope& scope);
  const SymbolIndex* index_of(ObjectIndex object);
  [[nodiscard]] bool was_fully_bound(const File& file, ObjectIndex object) const;
  [[nodiscard]] bool is_in_tree(const File* file) const;
  Found look_in(const SymbolQuery& query, ObjectIndex object);
  Found look_in_global(const SymbolQuery& query);
  [[nodiscard]] std::uint16_t last_version(const elf::ElfObject& object) const;
  [[nodiscard]] Scope scope_of(ObjectIndex object, const ObjectList& self) const;
  void report(ObjectIndex object, const SymbolQuery& query, Found found);
  void report_unread(ObjectIndex object, const File& file);

  Process::State& state_;
  const BindOptions& options_;
  SymbolAnswers& global_answers_;
  std::vector<std::optional<const SymbolIndex*>> indices_;  ///< by object, once asked for
  std::vector<const File*> suppliers_;  ///< of the object being bound, outside of the global scope
  std::string first_error_;
};

const SymbolIndex* Binder::index_of(ObjectIndex object) {
  if (indices_.size() <= object) indices_.resize(state_.members.size());
  auto& index = indices_[object];
  if (!index) index = state_.session->symbols_of(*state_.members[object].place->file);
  return *index;
}

bool Binder::is_in_tree(const File* file) const {
  return std::any_of(options_.tree->begin(), options_.tree->end(),
                     [&](ObjectIndex object) { return state_.objects[object].file == file; });
}

/// A library that many modules need is bound once: what answered it is asked for again, not each
/// symbol. Which of two definitions wins does not matter to whether there is one.
bool Binder::was_fully_bound(const File& file, ObjectIndex object) const {
  if (object == 0) return false;
  const auto& bound = state_.session->fully_bound();
  const auto known = bound.find(&file);
  if (known == bound.end()) return false;
  return std::all_of(known->second.begin(), known->second.end(), [&](const File* supplier) {
    return supplier == &file || is_in_tree(supplier);
  });
}

Found Binder::look_in(const SymbolQuery& query, ObjectIndex object) {
  const Member& member = state_.members[object];
  if (query.type == LookupClass::Copy && object == 0) return Found::No;
  const SymbolIndex* index = index_of(object);
  if (index == nullptr) return Found::No;
  const elf::Symbol* symbol = index->find(query);
  if (symbol == nullptr || !is_bindable(*symbol)) return Found::No;
  if (query.version != nullptr && !index->has_versions() && !query.version->file.empty() &&
      state_.session->identity.version < kAcceptsLostVersions) {
    const NameId file = state_.session->names.intern(query.version->file);
    if (member.names.contains(file)) return Found::Aborts;
  }
  return Found::Yes;
}

/// The global scope is the same for all that is loaded before it grows: its answers are kept.
Found Binder::look_in_global(const SymbolQuery& query) {
  SymbolAnswers& memory = global_answers_;
  SymbolKey key{query.name, {}, {}, query.hash, query.type};
  if (query.version != nullptr) {
    key.version = query.version->name;
    key.file = query.version->file;
    key.is_hidden = query.version->is_hidden;
  }
  const auto known = memory.find(key);
  if (known != memory.end()) return static_cast<Found>(known->second);
  Found found = Found::No;
  for (const ObjectIndex object : state_.global_scope) {
    found = look_in(query, object);
    if (found != Found::No) break;
  }
  memory.emplace(key, static_cast<std::uint8_t>(found));
  return found;
}

Found Binder::look_up(const SymbolQuery& query, const Scope& scope) {
  for (const ObjectList* list : scope) {
    if (list == &state_.global_scope) {
      if (const Found found = look_in_global(query); found != Found::No) return found;
      continue;
    }
    for (const ObjectIndex object : *list) {
      const Found found = look_in(query, object);
      if (found == Found::No) continue;
      const File* file = state_.objects[object].file;
      if (std::find(suppliers_.begin(), suppliers_.end(), file) == suppliers_.end()) {
        suppliers_.push_back(file);
      }
      return found;
    }
  }
  return Found::No;
}

/// l_scope: with DT_SYMBOLIC itself first; the global scope; the tree (turned round by DEEPBIND).
Binder::Scope Binder::scope_of(ObjectIndex object, const ObjectList& self) const {
  Scope scope;
  const File& file = *state_.members[object].place->file;
  if (file.object && file.object->dynamic.has_symbolic && !options_.is_deepbind && object != 0) {
    scope.push_back(&self);
  }
  const bool is_start = options_.tree == &state_.global_scope;
  if (options_.is_deepbind && !is_start) scope.push_back(options_.tree);
  scope.push_back(&state_.global_scope);
  if (!options_.is_deepbind && !is_start) scope.push_back(options_.tree);
  return scope;
}

void Binder::report(ObjectIndex object, const SymbolQuery& query, Found found) {
  const std::string file(query.version != nullptr ? query.version->file : std::string_view());
  if (may_be_provided(state_, std::string(query.name), file)) return;
  Failure failure;
  failure.object = state_.path_of(object);
  failure.kind = FailureKind::Symbol;
  failure.step = state_.step;
  failure.symbol = std::string(query.name);
  failure.requested_by = failure.object;
  failure.message = format("undefined symbol: {}", query.name);
  if (query.version != nullptr) {
    failure.requested_version = std::string(query.version->name);
    failure.library = std::string(query.version->file);
    failure.message += format(", version {}", query.version->name);
  }
  if (found == Found::Aborts) {
    failure.kind = FailureKind::Version;
    failure.message = format(
        "{} has no versions any more, and {} is asked of it with version {} (the loader aborts in "
        "check_match)",
        query.version->file, query.name, query.version->name);
  }
  if (first_error_.empty()) first_error_ = failure.object + ": " + failure.message;
  state_.failures.push_back(std::move(failure));
}

void Binder::report_unread(ObjectIndex object, const File& file) {
  const std::string error = add_unread_symbols(state_, object, file);
  if (first_error_.empty()) first_error_ = error;
}

bool is_bound_locally(const elf::Symbol& symbol) {
  return symbol.bind == elf::STB_LOCAL || symbol.visibility == elf::STV_HIDDEN ||
         symbol.visibility == elf::STV_INTERNAL;
}

LookupClass class_of(const elf::Reference& reference, const elf::Symbol& symbol) {
  if (reference.is_copy) return LookupClass::Copy;
  const bool is_slot = reference.is_function_slot || symbol.type == elf::STT_TLS;
  return is_slot ? LookupClass::Slot : LookupClass::Data;
}

/// The highest version index that the loader knows. In trace mode versions of a file of which it
/// finds the stand-in do not count, and what lies above is looked up without a version
/// (dl-version.c).
std::uint16_t Binder::last_version(const elf::ElfObject& object) const {
  constexpr std::uint16_t kAll = 0x7fff;
  if (state_.stand_ins.empty()) return kAll;
  std::uint16_t last = 0;
  for (const elf::NeededVersion& version : object.needed_versions) {
    if (find_version_provider(state_, version.file).is_absent) continue;
    last = std::max<std::uint16_t>(last, version.index & kAll);
  }
  for (const elf::DefinedVersion& version : object.defined_versions) {
    last = std::max<std::uint16_t>(last, version.index & kAll);
  }
  return last;
}

void Binder::bind(ObjectIndex object) {
  const File& file = *state_.members[object].place->file;
  if (was_fully_bound(file, object)) return;
  const SymbolIndex* index = index_of(object);
  if (index == nullptr) return report_unread(object, file);
  suppliers_.clear();
  bool is_complete = true;
  const bool is_lazy = options_.is_lazy && !file.object->dynamic.has_bind_now;
  const ObjectList self = {object};
  const Scope scope = scope_of(object, self);
  const elf::SymbolTable& table = index->table();
  const std::uint16_t last = last_version(*file.object);
  std::vector<bool> is_told(table.symbols.size());
  for (const elf::Reference& reference : table.references) {
    if (is_lazy && reference.is_function_slot) {
      is_complete = false;
      continue;
    }
    if (reference.symbol >= table.symbols.size()) continue;
    const elf::Symbol& symbol = table.symbols[reference.symbol];
    if (is_bound_locally(symbol)) continue;
    // What it defines itself is found in itself at the latest.
    const bool is_own = symbol.section != elf::SHN_UNDEF && table.has_hash;
    if (is_own && !reference.is_copy) continue;
    const SymbolVersion* version = symbol.version <= last ? index->version_of(symbol) : nullptr;
    const SymbolQuery query{symbol.name, elf::gnu_hash(symbol.name), version,
                            class_of(reference, symbol)};
    const Found found = look_up(query, scope);
    if (found == Found::Yes) continue;
    if (found == Found::No && symbol.bind == elf::STB_WEAK) continue;
    is_complete = false;
    if (is_told[reference.symbol]) continue;
    is_told[reference.symbol] = true;
    report(object, query, found);
  }
  if (is_complete) state_.session->fully_bound().insert_or_assign(&file, suppliers_);
}

}  // namespace

std::string add_unread_symbols(Process::State& state, ObjectIndex object, const File& file) {
  Failure failure;
  failure.object = state.path_of(object);
  failure.kind = FailureKind::Format;
  failure.step = state.step;
  failure.message = format("the symbols cannot be read: {}", state.session->why_no_symbols(file));
  state.failures.push_back(failure);
  return failure.object + ": " + failure.message;
}

std::string bind_symbols(Process::State& state, const ObjectList& objects,
                         const BindOptions& options) {
  Binder binder(state, options);
  // Objects are relocated from the last to the first; ld.so has relocated itself.
  for (auto object = objects.rbegin(); object != objects.rend(); ++object) {
    if (state.path_of(*object) == state.session->absolute(state.interpreter)) continue;
    binder.bind(*object);
  }
  return binder.first_error();
}

}  // namespace loadable::loader
