// SPDX-License-Identifier: Apache-2.0
#include "loader/versions.h"

#include <algorithm>

#include "base/format.h"

namespace loadable::loader {
namespace {

constexpr std::string_view kRelrVersion = "GLIBC_ABI_DT_RELR";
constexpr Version kRelrCheck{2, 36, 0};

/// The first object in the link map that was asked for by this name.
std::optional<ObjectIndex> find_named(const Process::State& state, NameId name) {
  const auto is_known = [&](ObjectIndex object) {
    return state.members[object].names.contains(name);
  };
  const NameTable::Slot* slot = state.names.find(name);
  if (slot == nullptr) return std::nullopt;
  if (!state.order.empty()) {
    const auto first = std::find_if(state.order.begin(), state.order.end(), [&](ObjectIndex each) {
      return each < kStandIn && is_known(each);
    });
    return first == state.order.end() ? std::nullopt : std::optional(*first);
  }
  if (is_known(slot->object)) return slot->object;
  for (ObjectIndex i = 0; i < state.members.size(); ++i) {
    if (is_known(i)) return i;
  }
  return std::nullopt;
}

class Checker {
 public:
  Checker(Process::State& state, VersionMode mode) : state_(state), mode_(mode) {}

  void check(ObjectIndex requirer);
  [[nodiscard]] const std::string& first_error() const { return first_error_; }

 private:
  void match(ObjectIndex requirer, ObjectIndex provider, const elf::NeededVersion& version);
  [[nodiscard]] Failure complaint(std::string object, std::string message,
                                  const elf::NeededVersion& version, ObjectIndex requirer) const;
  void fail_with(std::string object, std::string message, const elf::NeededVersion& version,
                 ObjectIndex requirer);
  void warn(std::string object, std::string message, const elf::NeededVersion& version,
            ObjectIndex requirer);
  void check_relr(ObjectIndex requirer, const elf::ElfObject& object);

  Process::State& state_;
  VersionMode mode_;
  std::string first_error_;
};

/// What the loader says of `object` about a version that `requirer` needs.
Failure Checker::complaint(std::string object, std::string message,
                           const elf::NeededVersion& version, ObjectIndex requirer) const {
  Failure failure;
  failure.object = std::move(object);
  failure.kind = FailureKind::Version;
  failure.message = std::move(message);
  failure.step = state_.step;
  failure.symbol = version.version;
  failure.library = version.file;
  failure.requested_by = state_.path_of(requirer);
  return failure;
}

void Checker::fail_with(std::string object, std::string message, const elf::NeededVersion& version,
                        ObjectIndex requirer) {
  if (first_error_.empty()) first_error_ = object + ": " + message;
  state_.failures.push_back(complaint(std::move(object), std::move(message), version, requirer));
}

void Checker::warn(std::string object, std::string message, const elf::NeededVersion& version,
                   ObjectIndex requirer) {
  if (mode_ != VersionMode::Start) return;
  state_.warnings.push_back(complaint(std::move(object), std::move(message), version, requirer));
}

void Checker::match(ObjectIndex requirer, ObjectIndex provider, const elf::NeededVersion& version) {
  const elf::ElfObject& object = *state_.objects[provider].file->object;
  const std::string& by = state_.path_of(requirer);
  if (object.defined_versions.empty()) {
    warn(state_.path_of(provider), format("no version information available (required by {})", by),
         version, requirer);
    return;
  }
  for (const elf::DefinedVersion& defined : object.defined_versions) {
    if (defined.hash == version.hash && defined.version == version.version) return;
  }
  if ((version.flags & elf::VER_FLG_WEAK) != 0) {
    warn(state_.path_of(provider),
         format("weak version `{}' not found (required by {})", version.version, by), version,
         requirer);
    return;
  }
  fail_with(state_.path_of(provider),
            format("version `{}' not found (required by {})", version.version, by), version,
            requirer);
}

/// A file with DT_RELR must say so by a version of libc, for old loaders to refuse it.
void Checker::check_relr(ObjectIndex requirer, const elf::ElfObject& object) {
  if (!object.dynamic.has_relr || object.needed_versions.empty() ||
      state_.session->identity.version < kRelrCheck) {
    return;
  }
  const auto& versions = object.needed_versions;
  const auto& needed = object.dynamic.needed;
  if (std::any_of(versions.begin(), versions.end(),
                  [](const auto& version) { return version.version == kRelrVersion; }) ||
      std::none_of(needed.begin(), needed.end(),
                   [](const std::string& name) { return name.starts_with("libc.so."); })) {
    return;
  }
  elf::NeededVersion version;
  version.version = kRelrVersion;
  fail_with(state_.path_of(requirer), "DT_RELR without GLIBC_ABI_DT_RELR dependency", version,
            requirer);
}

void Checker::check(ObjectIndex requirer) {
  const File* file = state_.objects[requirer].file;
  if (file == nullptr || !file->object) return;
  const elf::ElfObject& object = *file->object;
  const std::string* last = nullptr;
  VersionProvider provider;
  for (const elf::NeededVersion& version : object.needed_versions) {
    const bool is_same_file = last != nullptr && *last == version.file;
    if (!is_same_file) {
      provider = find_version_provider(state_, version.file);
      last = &version.file;
      if (!provider.object && !provider.is_absent) {
        fail_with(state_.path_of(requirer),
                  format("versions of {} are required, and no loaded object was asked for by that "
                         "name (Assertion `needed != NULL' failed)",
                         version.file),
                  version, requirer);
      }
    }
    if (provider.object) match(requirer, *provider.object, version);
  }
  check_relr(requirer, object);
}

}  // namespace

VersionProvider find_version_provider(const Process::State& state, const std::string& file) {
  const NameId name = state.session->names.intern(file);
  const auto object = find_named(state, name);
  const auto& stand_ins = state.stand_ins;
  if (std::any_of(stand_ins.begin(), stand_ins.end(), [&](const StandIn& each) {
        return each.name == name && (!object || each.before <= *object);
      })) {
    return {std::nullopt, true};
  }
  if (object) return {object, false};
  const auto is_it = [&](const Missing& miss) {
    return miss.step == state.step && miss.name == file;
  };
  const bool is_absent = std::any_of(state.missing.begin(), state.missing.end(), is_it) ||
                         std::any_of(state.provided.begin(), state.provided.end(), is_it);
  return {std::nullopt, is_absent};
}

std::string check_versions(Process::State& state, const ObjectList& objects, VersionMode mode) {
  Checker checker(state, mode);
  for (const ObjectIndex object : objects) checker.check(object);
  return checker.first_error();
}

}  // namespace loadable::loader
