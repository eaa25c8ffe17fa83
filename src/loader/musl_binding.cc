// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/format.h"
#include "loader/binding.h"
#include "loader/musl.h"
#include "loader/provided.h"

namespace loadable::loader {
namespace {

/// From here on the names of glibc's large-file functions are found under their plain names.
constexpr Version kKnowsLargeFileNames{1, 2, 4};

constexpr std::array<std::string_view, 60> kLargeFileNames = {
    "aio_cancel",  "aio_error",  "aio_fsync", "aio_read",      "aio_return",
    "aio_suspend", "aio_write",  "alphasort", "creat",         "fallocate",
    "fgetpos",     "fopen",      "freopen",   "fseeko",        "fsetpos",
    "fstat",       "fstatat",    "fstatfs",   "fstatvfs",      "ftello",
    "ftruncate",   "ftw",        "getdents",  "getrlimit",     "glob",
    "globfree",    "lio_listio", "lockf",     "lseek",         "lstat",
    "mkostemp",    "mkostemps",  "mkstemp",   "mkstemps",      "mmap",
    "nftw",        "open",       "openat",    "posix_fadvise", "posix_fallocate",
    "pread",       "preadv",     "prlimit",   "pwrite",        "pwritev",
    "readdir",     "scandir",    "sendfile",  "setrlimit",     "stat",
    "statfs",      "statvfs",    "tmpfile",   "truncate",      "versionsort",
    "__fxstat",    "__fxstatat", "__lxstat",  "__xstat",       "readdir_r"};

bool is_found(Process::State& state, ObjectIndex object, std::string_view name, bool needs_def) {
  const Placement* place = state.members[object].place;
  if (place == nullptr) return false;
  const SymbolIndex* index = state.session->symbols_of(*place->file);
  return index != nullptr && index->find_any(name, elf::gnu_hash(name), needs_def) != nullptr;
}

/// get_lfs64: `fopen64` is musl's `fopen`.
bool is_large_file_name(Process::State& state, std::string_view name) {
  if (state.session->identity.version < kKnowsLargeFileNames) return false;
  if (name == "readdir64_r") return true;
  if (!name.ends_with("64")) return false;
  const std::string_view plain = name.substr(0, name.size() - 2);
  return std::find(kLargeFileNames.begin(), kLargeFileNames.end(), plain) != kLargeFileNames.end();
}

bool look_up(Process::State& state, const ObjectList& scope, const elf::Symbol& symbol,
             const elf::Reference& reference) {
  for (const ObjectIndex object : scope) {
    if (reference.is_copy && object == scope.front()) continue;
    if (is_found(state, object, symbol.name, reference.is_function_slot)) return true;
  }
  return is_large_file_name(state, symbol.name);
}

void bind_one(Process::State& state, ObjectIndex object, const ObjectList& scope, bool is_lazy,
              std::string& first_error) {
  const File& file = *state.members[object].place->file;
  const SymbolIndex* index = state.session->symbols_of(file);
  // What is deferred under RTLD_LAZY: functions and addresses alike.
  if (index == nullptr) {
    const std::string error = add_unread_symbols(state, object, file);
    if (first_error.empty()) first_error = error;
    return;
  }
  if (is_lazy && !file.object->dynamic.has_bind_now) return;
  const elf::SymbolTable& table = index->table();
  std::vector<bool> is_told(table.symbols.size());
  for (const elf::Reference& reference : table.references) {
    if (reference.symbol >= table.symbols.size()) continue;
    const elf::Symbol& symbol = table.symbols[reference.symbol];
    if (symbol.bind == elf::STB_LOCAL) continue;
    const bool is_optional = symbol.section == elf::SHN_UNDEF && symbol.bind == elf::STB_WEAK;
    if (is_optional || look_up(state, scope, symbol, reference)) continue;
    if (is_told[reference.symbol]) continue;
    is_told[reference.symbol] = true;
    if (may_be_provided(state, std::string(symbol.name), {})) continue;
    Failure failure;
    failure.object = state.path_of(object);
    failure.kind = FailureKind::Symbol;
    failure.message =
        format("Error relocating {}: {}: symbol not found", failure.object, symbol.name);
    failure.step = state.step;
    failure.symbol = std::string(symbol.name);
    failure.requested_by = failure.object;
    if (first_error.empty()) first_error = failure.message;
    state.failures.push_back(std::move(failure));
  }
}

}  // namespace

std::string bind_musl(Process::State& state, const ObjectList& objects, const ObjectList& scope,
                      bool is_lazy) {
  std::string first_error;
  for (const ObjectIndex object : objects) {
    const bool is_itself = object != 0 && !state.members[object].has_identity;
    if (is_itself || state.members[object].place == nullptr) continue;
    bind_one(state, object, scope, is_lazy, first_error);
  }
  return first_error;
}

}  // namespace loadable::loader
