// SPDX-License-Identifier: Apache-2.0
#pragma once
// What all copies of one process share: configuration that is fixed at its start, and memories of
// answers that cannot change because the tree does not. Internal to this folder.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loader/cache.h"
#include "loader/hwcaps.h"
#include "loader/process.h"
#include "loader/symbols.h"
#include "loader/tokens.h"
#include "loader/tunables.h"

namespace loadable::loader {

using NameId = std::uint32_t;
using DirId = std::uint32_t;

/// Strings as small numbers, so that a request is compared and hashed as an integer.
class Names {
 public:
  NameId intern(std::string_view text);
  [[nodiscard]] const std::string& text(NameId id) const { return texts_[id].str(); }
  [[nodiscard]] const SharedString& shared(NameId id) const { return texts_[id]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::deque<SharedString> texts_;
  std::unordered_map<std::string_view, NameId> ids_;
};

/// One element of a search list, as the loader keeps it.
struct SearchDir {
  std::string name;      ///< with a slash at its end; empty: the working directory
  std::string absolute;  ///< the same, inside the root
  bool is_relative = false;
  bool is_scanned = false;
  std::vector<std::uint32_t> subdirs;  ///< indices of Hwcaps::subdirs that are directories
};

/// A file that a search came to, under the name that the loader would give it.
struct Hit {
  const File* file = nullptr;  ///< null for a file that could not be read
  SharedString path;           ///< absolute inside the root, links unresolved
  NameId loader_name = 0;      ///< l_name: relative where the search was
  std::string refusal;         ///< the loader's words when it ends the load
};

/// What one directory has under one name.
struct Probe {
  Outcome outcome = Outcome::Absent;
  bool ends_list = false;        ///< an errno with which open_path gives up
  bool saw_other_class = false;  ///< something was skipped for its class
  ErrorCode error = ErrorCode::NotFound;
  const Hit* hit = nullptr;  ///< for Found and Unusable
};

/// What the loader derives from an object's file alone.
struct FileFacts {
  struct Need {
    std::uint64_t tag = 0;  ///< DT_NEEDED, DT_AUXILIARY or DT_FILTER
    NameId name = 0;
    bool has_dollar = false;  ///< it may hold tokens
  };
  std::vector<Need> needs;  ///< in file order
  std::optional<NameId> soname;
};

/// What it derives from a file and the name under which it was loaded.
struct Placement {
  const File* file = nullptr;
  const FileFacts* facts = nullptr;
  SharedString origin;  ///< the value of $ORIGIN
  bool has_runpath = false;
  std::vector<DirId> rpath, runpath;
};

/// A question to the global scope. The names live in symbol tables of the Store.
struct SymbolKey {
  std::string_view name, version, file;
  std::uint32_t hash = 0;
  LookupClass type = LookupClass::Data;
  bool is_hidden = false;
  bool operator==(const SymbolKey&) const = default;
};

struct SymbolKeyHash {
  std::size_t operator()(const SymbolKey& key) const {
    return key.hash ^ (key.version.size() + key.file.size() * 31U) * std::size_t{0x9e3779b1U};
  }
};

using SymbolAnswers = std::unordered_map<SymbolKey, std::uint8_t, SymbolKeyHash>;

struct Session {
  Session(Store& a_store, Environment an_environment, Identity an_identity);

  /// The directory of a search list element, interned.
  DirId directory(std::string_view element);
  /// A list of directories: split, tokens expanded, duplicates dropped (fillin_rpath).
  std::vector<DirId> search_list(std::string_view list, std::string_view separators,
                                 const TokenValues& values);
  [[nodiscard]] TokenValues tokens(std::optional<std::string_view> origin, bool is_program) const;
  const FileFacts* facts_of(const File& file);
  /// `loader_name` as the loader has it; a program's origin is its resolved path.
  const Placement* place(const File& file, const std::string& path, NameId loader_name,
                         bool is_program);
  /// Makes a path of the loader's absolute: relative ones count from the working directory.
  [[nodiscard]] std::string absolute(std::string_view path) const;
  const Cache& cache();
  /// Why there is no cache to look into: `not there`, why it is not used, or what kept it from
  /// being read; else empty.
  const std::string& cache_absence();
  const std::optional<std::string>& cached(NameId name);
  /// Null for an object whose symbols cannot be read.
  const SymbolIndex* symbols_of(const File& file);
  [[nodiscard]] std::string why_no_symbols(const File& file) const;
  /// Answers of a global scope of exactly these files, forgotten when the scope is another.
  SymbolAnswers& global_answers(const std::vector<const File*>& files);
  /// Files all of whose references were found, and the files outside of the global scope that
  /// answered them: where those are in the scope again, nothing can be undefined again. Holds for
  /// the scope last given to global_answers(), and for RTLD_NOW.
  std::unordered_map<const File*, std::vector<const File*>>& fully_bound() { return fully_bound_; }

  Store& store;
  const Environment environment;
  const Identity identity;
  const Hwcaps hwcaps;
  const Tunables tunables;
  Names names;
  std::vector<SearchDir> dirs;
  std::vector<DirId> env_dirs, system_dirs;
  std::vector<std::string> trusted_dirs;   ///< system directories with a slash at their end
  std::vector<std::unique_ptr<Hit>> hits;  ///< by loader_name
  std::unordered_map<std::uint64_t, Probe> probes;  ///< by directory and name

 private:
  std::unordered_map<std::string, DirId> dir_ids_;
  std::unordered_map<const File*, std::unique_ptr<FileFacts>> facts_;
  std::vector<std::unique_ptr<Placement>> placements_, program_placements_;  ///< by loader_name
  std::optional<Cache> cache_;
  std::string cache_absence_;
  std::unordered_map<NameId, std::optional<std::string>> cache_answers_;
  std::unordered_map<const File*, std::unique_ptr<SymbolIndex>> symbols_;
  void forget_dropped_symbols();
  std::uint64_t symbols_generation_ = 0;
  std::vector<const File*> answered_scope_;
  SymbolAnswers answers_;
  std::unordered_map<const File*, std::vector<const File*>> fully_bound_;
};

}  // namespace loadable::loader
