// SPDX-License-Identifier: Apache-2.0
// Text of the tables -> Knowledge: one function for each table, then the references between them.

#include <algorithm>
#include <array>

#include "accel/embedded_knowledge.h"
#include "accel/knowledge.h"
#include "accel/row_reader.h"
#include "base/assert.h"
#include "base/format.h"
#include "base/quote.h"
#include "base/toml.h"

namespace loadable::accel {
namespace {

constexpr std::uint64_t kMaxTable = std::uint64_t{16} << 20;

constexpr std::array<std::pair<std::string_view, Necessity>, 5> kNecessities = {
    {{"import", Necessity::Import},
     {"provider", Necessity::Provider},
     {"abort", Necessity::Abort},
     {"function", Necessity::Function},
     {"optional", Necessity::Optional}}};
constexpr std::array<std::pair<std::string_view, WitnessForm>, 3> kWitnessForms = {
    {{"text", WitnessForm::Text},
     {"symbol", WitnessForm::Symbol},
     {"assignment", WitnessForm::Assignment}}};
constexpr std::array<std::pair<std::string_view, RequestForm>, 3> kForms = {
    {{"bare", RequestForm::Bare},
     {"beside-import", RequestForm::BesideImport},
     {"import-library", RequestForm::ImportLibrary}}};
constexpr std::array<std::pair<std::string_view, Caller>, 4> kCallers = {
    {{"import", Caller::Import},
     {"interpreter", Caller::Interpreter},
     {"ctypes", Caller::Ctypes},
     {"provider", Caller::Provider}}};

Releases read_releases(RowReader& reader) {
  Releases releases{reader.optional_text("from"), reader.optional_text("to")};
  if (!releases.from.empty() && !releases.to.empty() &&
      compare_releases(releases.from, releases.to) > 0) {
    reader.reject("to", format("found {}, wanted a release from {} on", quoted(releases.to),
                               quoted(releases.from)));
  }
  return releases;
}

void read_distribution_family(RowReader& reader, Knowledge& to) {
  DistributionFamilyRow row;
  reader.read_origin(row);
  row.id = reader.text("id");
  row.packages = reader.texts("packages");
  row.what = reader.text("what");
  row.is_exclusive = reader.boolean("exclusive", true);
  if (row.packages.empty()) {
    reader.reject("packages", "is absent or empty, wanted the import packages");
  }
  to.distribution_families.push_back(std::move(row));
}

void read_witness(RowReader& reader, Knowledge& to) {
  WitnessRow row;
  reader.read_origin(row);
  row.family = reader.text("family");
  row.file = reader.text("file");
  row.form = reader.one_of<WitnessForm>("form", kWitnessForms, false);
  row.text = reader.text("text");
  row.capability = reader.optional_text("capability");
  row.has = reader.boolean("has", false);
  if (row.capability.empty() != (row.form == WitnessForm::Assignment)) {
    reader.reject("capability", "wanted what the text shows, but not with the form `assignment`");
  }
  to.witnesses.push_back(std::move(row));
}

void read_stray_file(RowReader& reader, Knowledge& to) {
  StrayFileRow row;
  reader.read_origin(row);
  row.path = reader.text("path");
  to.stray_files.push_back(std::move(row));
}

void read_conda_build(RowReader& reader, Knowledge& to) {
  CondaBuildRow row;
  reader.read_origin(row);
  row.name = reader.text("name");
  row.family = reader.text("family");
  row.gpu_words = reader.texts("gpu_words");
  row.cpu_words = reader.texts("cpu_words");
  row.providers = reader.texts("providers");
  if (row.gpu_words.empty()) reader.reject("gpu_words", "is empty, wanted parts of build strings");
  to.conda_builds.push_back(std::move(row));
}

void read_requirer(RowReader& reader, Knowledge& to) {
  RequirerRow row;
  reader.read_origin(row);
  row.name = reader.text("name");
  row.members = reader.texts("members");
  to.requirers.push_back(std::move(row));
}

void read_distribution(RowReader& reader, Knowledge& to) {
  DistributionRow row;
  reader.read_origin(row);
  row.name = reader.text("name");
  row.family = reader.text("family");
  row.releases = read_releases(reader);
  row.builds_for = reader.optional_text("builds_for");
  row.providers = reader.texts("providers");
  row.intends = reader.texts("intends");
  to.distributions.push_back(std::move(row));
}

void read_provider(RowReader& reader, Knowledge& to) {
  ProviderRow row;
  reader.read_origin(row);
  row.id = reader.text("id");
  row.family = reader.text("family");
  row.package = reader.text("package");
  row.what = reader.text("what");
  row.import_library = reader.text("import_library");
  row.provider_library = reader.text("provider_library");
  row.shared_library = reader.optional_text("shared_library");
  row.effect = reader.text("effect");
  row.import_effect = reader.text("import_effect");
  row.is_companion = reader.boolean("is_companion", false);
  row.oldest = reader.text("oldest");
  row.newest = reader.text("newest");
  to.providers.push_back(std::move(row));
}

void read_step(RowReader& reader, Knowledge& to) {
  StepRow row;
  reader.read_origin(row);
  row.id = reader.text("id");
  row.chain = reader.optional_text("chain");
  row.providers = reader.texts("providers");
  row.releases = read_releases(reader);
  row.cuda = reader.integers("cuda");
  row.what = reader.text("what");
  row.necessity = reader.one_of<Necessity>("necessity", kNecessities, false);
  row.names = reader.texts("names");
  row.form = reader.one_of<RequestForm>("form", kForms, true);
  row.caller = reader.one_of<Caller>("caller", kCallers, false);
  row.is_global = reader.boolean("is_global", false);
  row.loss = reader.optional_text("loss");
  row.effect = reader.optional_text("effect");
  if (row.names.empty() && row.form != RequestForm::ImportLibrary) {
    reader.reject("names", "is absent or empty, wanted the names that are tried");
  }
  if (row.necessity == Necessity::Function && (row.loss.empty() || row.effect.empty())) {
    reader.reject("loss", "is absent with `effect`, wanted both for a function that can be lost");
  }
  to.steps.push_back(std::move(row));
}

void read_opens(RowReader& reader, Knowledge& to) {
  OpensRow row;
  reader.read_origin(row);
  row.opener = reader.text("opener");
  row.what = reader.text("what");
  row.necessity = reader.one_of<Necessity>("necessity", kNecessities, false);
  row.names = reader.texts("names");
  row.recovered = reader.optional_text("recovered");
  row.is_versioned = reader.boolean("is_versioned", false);
  row.loss = reader.text("loss");
  row.effect = reader.text("effect");
  if (row.names.empty() == row.recovered.empty()) {
    reader.reject("names", "found both or none of `names` and `recovered`, wanted one of them");
  }
  to.opens.push_back(std::move(row));
}

void read_set(RowReader& reader, Knowledge& to) {
  SetRow row;
  reader.read_origin(row);
  row.id = reader.text("id");
  row.what = reader.text("what");
  row.front = reader.text("front");
  row.members = reader.text("members");
  to.sets.push_back(std::move(row));
}

void read_piece(RowReader& reader, Knowledge& to) {
  PieceRow row;
  reader.read_origin(row);
  row.set = reader.text("set");
  row.library = reader.text("library");
  row.necessity = reader.one_of<Necessity>("necessity", kNecessities, false);
  row.loss = reader.text("loss");
  row.effect = reader.text("effect");
  to.pieces.push_back(std::move(row));
}

void read_action(RowReader& reader, Knowledge& to) {
  ActionRow row;
  reader.read_origin(row);
  row.name = reader.text("name");
  row.package = reader.text("package");
  row.releases = read_releases(reader);
  row.is_after_import = reader.boolean("is_after_import", false);
  row.version_file = reader.optional_text("version_file");
  row.version_variable = reader.optional_text("version_variable");
  row.oldest_version = reader.optional_text("oldest_version");
  to.actions.push_back(std::move(row));
}

void read_preload(RowReader& reader, Knowledge& to) {
  PreloadRow row;
  reader.read_origin(row);
  row.action = reader.text("action");
  row.releases = read_releases(reader);
  row.package_from = reader.optional_text("package_from");
  row.cuda = reader.integers("cuda");
  row.directories = reader.texts("directories");
  row.library = reader.text("library");
  row.is_path_only = reader.boolean("is_path_only", false);
  row.is_import = reader.boolean("is_import", false);
  if (row.directories.empty()) {
    reader.reject("directories", "is absent or empty, wanted directories below the packages");
  }
  row.is_optional = reader.boolean("is_optional", false);
  row.is_global = reader.boolean("is_global", false);
  to.preloads.push_back(std::move(row));
}

void read_family(RowReader& reader, Knowledge& to) {
  FamilyRow row;
  reader.read_origin(row);
  row.stem = reader.text("stem");
  row.members = reader.members("members");
  row.symbols = reader.texts("symbols");
  for (const FamilyMember& member : row.members) {
    if (split_soname(member.soname).stem != row.stem) {
      reader.reject("members", format("found {}, wanted sonames of {}", quoted(member.soname),
                                      quoted(row.stem)));
    }
  }
  to.families.push_back(std::move(row));
}

void read_driver(RowReader& reader, Knowledge& to) {
  DriverRow row;
  reader.read_origin(row);
  row.library = reader.text("library");
  row.symbols = reader.texts("symbols");
  to.drivers.push_back(std::move(row));
}

void read_exempt(RowReader& reader, Knowledge& to) {
  ExemptRow row;
  reader.read_origin(row);
  row.path = reader.optional_text("path");
  row.package = reader.optional_text("package");
  if (row.path.empty() == row.package.empty()) {
    reader.reject("path", "found both or none of `path` and `package`, wanted one of them");
  }
  to.exempt.push_back(std::move(row));
}

void read_known_name(RowReader& reader, Knowledge& to) {
  KnownNameRow row;
  reader.read_origin(row);
  row.name = reader.text("name");
  to.known_names.push_back(std::move(row));
}

using ReadRow = void (*)(RowReader&, Knowledge&);
constexpr std::array<std::pair<std::string_view, ReadRow>, 17> kTables = {
    {{"distribution_family", read_distribution_family},
     {"distribution", read_distribution},
     {"witness", read_witness},
     {"stray_file", read_stray_file},
     {"requirer", read_requirer},
     {"conda_build", read_conda_build},
     {"provider", read_provider},
     {"step", read_step},
     {"opens", read_opens},
     {"set", read_set},
     {"piece", read_piece},
     {"action", read_action},
     {"preload", read_preload},
     {"family", read_family},
     {"driver", read_driver},
     {"exempt", read_exempt},
     {"known_name", read_known_name}}};

std::optional<Error> broken(const std::string& place, const std::string& message) {
  return Error{ErrorCode::InvalidArgument, place + ": " + message, "knowledge", std::nullopt,
               nullptr};
}

std::optional<Error> read_table(std::string_view file, const std::string& name,
                                const TomlValue& value, Knowledge& to) {
  const auto* table = std::find_if(kTables.begin(), kTables.end(),
                                   [&](const auto& known) { return known.first == name; });
  if (table == kTables.end()) {
    std::string wanted;
    for (const auto& known : kTables)
      wanted += format("{}[[{}]]", wanted.empty() ? "" : ", ", known.first);
    return broken(std::string(file),
                  format("table {} (line {}) is unknown, wanted `date` or one of {}", quoted(name),
                         value.line, wanted));
  }
  if (value.kind != TomlValue::Kind::List) {
    return broken(std::string(file), format("{} (line {}): found {}, wanted rows written as [[{}]]",
                                            quoted(name), value.line, to_string(value.kind), name));
  }
  std::size_t number = 0;
  for (const TomlValue& item : value.items) {
    const std::string place = format("{}, [[{}]] {}", file, name, ++number);
    if (item.kind != TomlValue::Kind::Table) {
      return broken(place, format("found {}, wanted a table", to_string(item.kind)));
    }
    RowReader reader(item, place);
    table->second(reader, to);
    if (auto error = reader.finish()) return error;
  }
  return std::nullopt;
}

std::optional<Error> read_file(const EmbeddedFile& file, Knowledge& to) {
  const auto parsed = parse_toml(file.text, file.name);
  if (!parsed) return parsed.error();
  for (const auto& [name, value] : parsed->members) {
    if (name == "date") {
      if (value.kind != TomlValue::Kind::Text) {
        return broken(std::string(file.name), format("`date` (line {}): found {}, wanted a string",
                                                     value.line, to_string(value.kind)));
      }
      to.date = std::max(to.date, value.text);
      continue;
    }
    if (auto error = read_table(file.name, name, value, to)) return error;
  }
  return std::nullopt;
}

// ---- references between the tables ----

std::optional<Error> check_ids(const Row& row, const std::vector<std::string>& ids,
                               const Knowledge& knowledge) {
  for (const std::string& id : ids) {
    if (knowledge.provider(id) == nullptr) {
      return broken(row.place, format("provider {} has no [[provider]] row", quoted(id)));
    }
  }
  return std::nullopt;
}

template <class Rows, class Key>
std::optional<Error> check_unique(const Rows& rows, Key key) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (key(rows[i]) == key(rows[j])) {
        return broken(rows[i].place,
                      format("{} is in {} too", quoted(key(rows[i])), rows[j].place));
      }
    }
  }
  return std::nullopt;
}

std::optional<Error> check_family(const Row& row, const std::string& family,
                                  const Knowledge& knowledge) {
  if (knowledge.distribution_family(family) != nullptr) return std::nullopt;
  return broken(row.place, format("family {} has no [[distribution_family]] row", quoted(family)));
}

std::optional<Error> check_families(const Knowledge& knowledge) {
  for (const auto& row : knowledge.distributions) {
    if (auto error = check_family(row, row.family, knowledge)) return error;
  }
  for (const auto& row : knowledge.witnesses) {
    if (auto error = check_family(row, row.family, knowledge)) return error;
  }
  for (const auto& row : knowledge.providers) {
    if (auto error = check_family(row, row.family, knowledge)) return error;
  }
  for (const auto& row : knowledge.conda_builds) {
    if (auto error = check_family(row, row.family, knowledge)) return error;
  }
  for (const auto& row : knowledge.requirers) {
    for (const std::string& member : row.members) {
      if (knowledge.distribution(member) != nullptr) continue;
      return broken(row.place, format("{} is a member of no family", quoted(member)));
    }
  }
  return check_unique(knowledge.distribution_families, [](const auto& row) { return row.id; });
}

std::optional<Error> check_references(const Knowledge& knowledge) {
  if (auto error = check_families(knowledge)) return error;
  for (const auto& row : knowledge.distributions) {
    if (auto error = check_ids(row, row.providers, knowledge)) return error;
    if (auto error = check_ids(row, row.intends, knowledge)) return error;
  }
  for (const auto& row : knowledge.conda_builds) {
    if (auto error = check_ids(row, row.providers, knowledge)) return error;
  }
  for (const auto& row : knowledge.steps) {
    if (row.providers.empty()) return broken(row.place, "`providers` is absent or empty");
    if (auto error = check_ids(row, row.providers, knowledge)) return error;
  }
  for (const auto& row : knowledge.preloads) {
    if (knowledge.action(row.action) == nullptr) {
      return broken(row.place, format("action {} has no [[action]] row", quoted(row.action)));
    }
  }
  for (const auto& row : knowledge.pieces) {
    const bool has_set = std::any_of(knowledge.sets.begin(), knowledge.sets.end(),
                                     [&](const SetRow& set) { return set.id == row.set; });
    if (!has_set) return broken(row.place, format("set {} has no [[set]] row", quoted(row.set)));
  }
  if (auto error = check_unique(knowledge.providers, [](const auto& row) { return row.id; })) {
    return error;
  }
  if (auto error = check_unique(knowledge.families, [](const auto& row) { return row.stem; })) {
    return error;
  }
  if (auto error = check_unique(knowledge.actions, [](const auto& row) { return row.name; })) {
    return error;
  }
  return check_unique(knowledge.distributions, [](const auto& row) { return row.name; });
}

}  // namespace

Result<Knowledge> read_knowledge(std::span<const EmbeddedFile> files) {
  Knowledge knowledge;
  for (const EmbeddedFile& file : files) {
    if (auto error = read_file(file, knowledge)) return fail(*error);
  }
  if (auto error = check_references(knowledge)) return fail(*error);
  return knowledge;
}

const Knowledge& built_in_knowledge() {
  static const Knowledge kKnowledge = [] {
    auto read = read_knowledge(embedded_knowledge());
    LOADABLE_ASSERT(read.has_value(), read.error().to_string().c_str());
    return std::move(*read);
  }();
  return kKnowledge;
}

Result<Knowledge> load_knowledge(tree::Walk& walk, const std::string& directory) {
  const tree::Path path(directory);
  const auto entries = walk.list(path);
  if (!entries) return fail(entries.error());
  std::map<std::string, std::string> texts;
  for (const tree::Entry& entry : *entries) {
    if (!fits("*.toml", entry.name)) continue;
    auto text = walk.read_text(path.join(entry.name), kMaxTable);
    if (!text) return fail(text.error());
    texts[entry.name] = std::move(*text);
  }
  if (texts.empty()) {
    return fail(ErrorCode::NotFound, "no *.toml there, wanted tables of knowledge", directory);
  }
  std::map<std::string_view, std::string_view> chosen;
  for (const EmbeddedFile& file : embedded_knowledge()) chosen[file.name] = file.text;
  for (const auto& [name, text] : texts) chosen[name] = text;
  std::vector<EmbeddedFile> files;
  for (const auto& [name, text] : chosen) files.push_back({name, text});
  return read_knowledge(files);
}

}  // namespace loadable::accel
