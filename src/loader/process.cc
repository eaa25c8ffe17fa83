// SPDX-License-Identifier: Apache-2.0
#include "loader/process.h"

#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "loader/glibc.h"
#include "loader/identify.h"
#include "loader/musl.h"
#include "loader/search.h"
#include "loader/state.h"

namespace loadable::loader {
namespace {

Error unsupported(const std::string& program, std::string message) {
  return Error{ErrorCode::Unsupported, std::move(message), program, std::nullopt, nullptr};
}

/// Why no loader would be asked to start this file.
std::optional<Error> refuse_program(const std::string& program, const File& file) {
  if (!file.header || !file.header->has_magic()) {
    return unsupported(program, "is no ELF file");
  }
  if (!file.object) return file.object.error();
  const elf::ElfObject& object = *file.object;
  if (object.header.type == elf::ET_REL) {
    return unsupported(program, "is a relocatable object: the linker reads it, no loader does");
  }
  if (object.header.type == elf::ET_CORE) return unsupported(program, "is a core dump");
  if (object.header.type != elf::ET_EXEC && object.header.type != elf::ET_DYN) {
    return unsupported(program,
                       format("has e_type {}, wanted ET_EXEC or ET_DYN", object.header.type));
  }
  const bool is_static = !object.interpreter && (object.header.type == elf::ET_EXEC ||
                                                 !object.has_dynamic || object.is_pie());
  if (is_static)
    return unsupported(program, "is statically linked: no loader loads anything for it");
  return std::nullopt;
}

/// The identity to judge for: the file's, with what the user states instead.
Identity effective_identity(Identity found, const std::optional<Identity>& stated) {
  if (!stated) return found;
  const bool is_same_libc = stated->libc == found.libc;
  found.libc = stated->libc;
  found.version = stated->version;
  found.is_version_known = true;
  if (!stated->system_dirs.empty()) {
    found.system_dirs = stated->system_dirs;
  } else if (!is_same_libc && stated->libc == Libc::Musl) {
    found.system_dirs = {"/lib", "/usr/local/lib", "/usr/lib"};
  } else if (!is_same_libc) {
    found.system_dirs = {"/lib64", "/usr/lib64"};
  }
  if (!stated->lib_token.empty()) found.lib_token = stated->lib_token;
  return found;
}

std::string absolute_path(const Environment& environment, const std::string& path) {
  if (path.starts_with('/')) return path;
  return environment.cwd.ends_with('/') ? environment.cwd + path : environment.cwd + '/' + path;
}

/// `./app` is shown without its dot; `..` may stand behind a link and stays.
std::string without_dots(std::string path) {
  for (std::size_t at = path.find("/./"); at != path.npos; at = path.find("/./", at)) {
    path.erase(at, 2);
  }
  return path;
}

/// Why the kernel would not start the interpreter; nothing: it is absent.
std::optional<std::string> interpreter_defect(const Error& error) {
  switch (error.code) {
    case ErrorCode::NotFound:
    case ErrorCode::NotADirectory:
    case ErrorCode::TooManyLinks:
      return std::nullopt;
    default:
      return error.to_string();
  }
}

/// A loader that the kernel maps and that dies at once: a part of it is not there.
std::optional<Error> loader_damage(Store& store, const std::string& interpreter) {
  const auto file = store.open(interpreter);
  if (!file || !(*file)->object) return std::nullopt;
  const elf::Segment* segment = (*file)->object->truncated_segment();
  if (segment == nullptr) return std::nullopt;
  std::string message = format("a segment of {} bytes at offset {} does not fit into {} bytes",
                               segment->filesz, segment->offset, (*file)->stat.size);
  return Error{ErrorCode::Truncated, std::move(message), {}, std::nullopt, nullptr};
}

/// A process that never starts: nothing but the interpreter is judged.
void refuse_interpreter(Process::State& state, const Error& error) {
  state.has_interpreter = false;
  const auto defect = interpreter_defect(error);
  if (!defect) {
    Missing missing;
    missing.name = state.interpreter;
    missing.request = std::string::npos;
    state.missing.push_back(std::move(missing));
    return;
  }
  Failure failure;
  failure.object = state.interpreter;
  failure.requested_by = state.program;
  failure.message = "the interpreter cannot be started: " + *defect;
  state.failures.push_back(std::move(failure));
}

void add_program(Process::State& state, const File& file) {
  Session& session = *state.session;
  const bool is_direct = file.object->interpreter.has_value();
  const std::string path = session.absolute(state.program);
  Member member;
  member.has_identity = false;  // glibc does not know the inode of the program (rtld.c)
  member.names = session.names.intern("");
  if (!is_direct) member.names.push_back(session.names.intern(state.program));
  member.place = session.place(file, path, session.names.intern(path), true);
  LoadedObject object;
  object.request = state.program;
  object.path = without_dots(path);
  object.file = &file;
  if (member.place->facts->soname)
    object.soname = session.names.shared(*member.place->facts->soname);
  state.objects.push_back(std::move(object));
  state.members.push_back(std::move(member));
  rebuild_names(state);
}

}  // namespace

Result<Process> Process::start(Store& store, const std::string& program, Environment environment) {
  const std::string path = absolute_path(environment, program);
  const auto file = store.open(path);
  if (!file) {
    Error error = file.error();
    if (error.subject.empty()) error.subject = program;
    return fail(std::move(error));
  }
  if (auto refusal = refuse_program(program, **file)) return fail(std::move(*refusal));
  const elf::ElfObject& object = *(*file)->object;

  auto state = std::make_unique<State>();
  state->program = program;
  state->interpreter = object.interpreter.value_or(default_interpreter(store, object));
  auto identity = identify_loader(store, absolute_path(environment, state->interpreter));
  if (identity && identity->machine != object.header.machine) {
    identity = fail(ErrorCode::Malformed, format("is built for {}, the program for {}",
                                                 elf::machine_name(identity->machine),
                                                 elf::machine_name(object.header.machine)));
  }
  if (identity) {
    if (auto damage = loader_damage(store, identity->interpreter)) identity = fail(*damage);
  }
  if (!identity) {
    Identity unknown;
    unknown.machine = object.header.machine;
    unknown.elf_class = object.header.elf_class();
    unknown.is_big_endian = object.header.endian() == Endian::Big;
    unknown.is_version_known = false;
    unknown.interpreter = state->interpreter;
    state->session = std::make_shared<Session>(store, std::move(environment), unknown);
    add_program(*state, **file);
    refuse_interpreter(*state, identity.error());
    return Process(std::move(state));
  }
  const auto stated = environment.stated;
  state->session = std::make_shared<Session>(store, std::move(environment),
                                             effective_identity(std::move(*identity), stated));
  add_program(*state, **file);
  if (state->session->identity.libc == Libc::Musl) {
    start_musl(*state);
    rebuild_names(*state);
  } else {
    start_glibc(*state);
  }
  return Process(std::move(state));
}

StepResult Process::dlopen(const std::string& request, const DlopenOptions& options) {
  ++state_->step;
  const auto caller = options.caller ? find(*options.caller) : std::optional<ObjectIndex>(0);
  if (!caller) {
    StepResult result;
    result.step = state_->step;
    result.error = format("{} is not loaded, so it cannot call dlopen", quoted(*options.caller));
    return result;
  }
  if (state_->session->identity.libc == Libc::Glibc) {
    return dlopen_glibc(*state_, request, *caller, options);
  }
  StepResult result = dlopen_musl(*state_, request, options);
  rebuild_names(*state_);
  return result;
}

Request Process::search(const std::string& request, const DlopenOptions& options) const {
  Request result;
  result.name = request;
  result.requested_by = options.caller ? find(*options.caller) : std::optional<ObjectIndex>(0);
  result.step = state_->step;
  const NameId name = state_->session->names.intern(request);
  if (const NameTable::Slot* slot = state_->names.find(name)) {
    result.answer = slot->object;
    result.rule = slot->is_soname_only ? Rule::Soname : Rule::Name;
    result.path = state_->objects[slot->object].path;
  }
  if (state_->session->identity.libc == Libc::Musl) {
    result.tried = trace_musl(*state_, request, result.requested_by);
    const bool is_found = !result.tried.empty() && result.tried.back().outcome == Outcome::Found;
    if (!result.answer && is_found) {
      result.rule = result.tried.back().rule;
      result.path = result.tried.back().path;
    }
    return result;
  }
  const SearchResult found =
      search_glibc(*state_, name, result.requested_by.value_or(0), {&result.tried, false});
  if (!result.answer) {
    result.rule = found.rule;
    if (found.outcome == Outcome::Found) result.path = found.hit->path;
  }
  return result;
}

std::optional<ObjectIndex> Process::find(std::string_view path_or_name) const {
  for (ObjectIndex i = 0; i < state_->objects.size(); ++i) {
    if (state_->objects[i].path == path_or_name) return i;
  }
  const NameTable::Slot* slot = state_->names.find(state_->session->names.intern(path_or_name));
  if (slot != nullptr && slot->object < state_->objects.size()) return slot->object;
  const auto file = state_->session->store.open(state_->session->absolute(path_or_name));
  if (!file) return std::nullopt;
  for (ObjectIndex i = 0; i < state_->objects.size(); ++i) {
    if (state_->objects[i].file == *file) return i;
  }
  return std::nullopt;
}

void Process::forget_answered_requests() {
  std::vector<Request> kept;
  std::vector<std::size_t> moved(state_->requests.size());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    moved[i] = kept.size();
    if (!state_->requests[i].answer) kept.push_back(std::move(state_->requests[i]));
  }
  state_->requests = std::move(kept);
  for (auto* list : {&state_->missing, &state_->provided}) {
    for (Missing& missing : *list) {
      if (missing.request < moved.size()) missing.request = moved[missing.request];
    }
  }
}

const std::string& Process::program() const { return state_->program; }
const std::string& Process::interpreter() const { return state_->interpreter; }
bool Process::has_interpreter() const { return state_->has_interpreter; }
const Identity& Process::identity() const { return state_->session->identity; }
const Environment& Process::environment() const { return state_->session->environment; }
const std::vector<LoadedObject>& Process::objects() const { return state_->objects; }
const std::vector<Request>& Process::requests() const { return state_->requests; }
const std::vector<Missing>& Process::missing() const { return state_->missing; }
const std::vector<Missing>& Process::provided() const { return state_->provided; }
const std::vector<Failure>& Process::failures() const { return state_->failures; }
const std::vector<Failure>& Process::warnings() const { return state_->warnings; }

Process::Process(std::unique_ptr<State> state) : state_(std::move(state)) {}
Process::Process(const Process& other) : state_(std::make_unique<State>(*other.state_)) {}
Process& Process::operator=(const Process& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Process::Process(Process&&) noexcept = default;
Process& Process::operator=(Process&&) noexcept = default;
Process::~Process() = default;

}  // namespace loadable::loader
