// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "testing/elf_writer.h"

namespace loadable::testing {

namespace {

// The hashes are written here a second time, not taken from src/elf: a wrong one there must not
// agree with a wrong one here.
std::uint32_t hash_sysv(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    const std::uint32_t high = hash >> 28;
    hash = (hash ^ (high << 4)) & 0x0fffffff;
  }
  return hash;
}

std::uint32_t hash_gnu(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = (hash << 5) + hash + static_cast<unsigned char>(c);
  return hash;
}

std::vector<ElfVersion> with_base(const ElfSpec& spec) {
  std::vector<ElfVersion> versions = spec.versions;
  for (const ElfSymbol& symbol : spec.symbols) {
    const bool known = std::any_of(versions.begin(), versions.end(),
                                   [&](const auto& v) { return v.name == symbol.version; });
    if (symbol.is_defined && !symbol.version.empty() && !known)
      versions.push_back({symbol.version, {}, 0, {}});
  }
  if (!versions.empty()) {
    versions.insert(versions.begin(),
                    ElfVersion{spec.soname.value_or("base"), {}, elf::VER_FLG_BASE, {}});
  }
  return versions;
}

void add_needed_version(Tables& tables, const ElfNeededVersion& version) {
  auto& files = tables.needed_versions;
  auto file = std::find_if(files.begin(), files.end(),
                           [&](const auto& entry) { return entry.first == version.file; });
  if (file == files.end()) {
    files.push_back({version.file, {}});
    file = files.end() - 1;
  }
  for (const ElfNeededVersion& known : file->second) {
    if (known.version == version.version) return;
  }
  file->second.push_back(version);
}

std::uint16_t version_index(const Tables& tables, const ElfSymbol& symbol) {
  const std::uint16_t hidden = symbol.is_hidden_version ? 0x8000 : 0;
  if (symbol.version.empty()) return symbol.bind == elf::STB_LOCAL ? 0 : 1;
  std::uint16_t index = 1;
  for (const ElfVersion& version : tables.versions) {
    if (symbol.is_defined && version.name == symbol.version)
      return static_cast<std::uint16_t>(index | hidden);
    ++index;
  }
  index = static_cast<std::uint16_t>(std::max<std::size_t>(tables.versions.size(), 1) + 1);
  for (const auto& [file, versions] : tables.needed_versions) {
    for (const ElfNeededVersion& version : versions) {
      if (file == symbol.version_file && version.version == symbol.version) return index;
      ++index;
    }
  }
  return 1;
}

void add_symbols(Tables& tables, const ElfSpec& spec) {
  tables.symbols.emplace_back();
  tables.symbols[0].version = 0;
  std::vector<SymbolRow> defined;
  for (const ElfSymbol& symbol : spec.symbols) {
    SymbolRow row{symbol, tables.strings.add(symbol.name), version_index(tables, symbol),
                  hash_gnu(symbol.name), hash_sysv(symbol.name)};
    (symbol.is_defined ? defined : tables.symbols).push_back(std::move(row));
  }
  tables.first_defined = static_cast<std::uint32_t>(tables.symbols.size());
  tables.buckets = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(defined.size() / 3));
  std::stable_sort(defined.begin(), defined.end(), [&](const auto& a, const auto& b) {
    return a.gnu_hash % tables.buckets < b.gnu_hash % tables.buckets;
  });
  std::move(defined.begin(), defined.end(), std::back_inserter(tables.symbols));
}

}  // namespace

std::uint32_t hash_of_version(std::string_view name) { return hash_sysv(name); }

Tables make_tables(const ElfSpec& spec) {
  Tables tables;
  for (const auto* list : {&spec.needed, &spec.auxiliary, &spec.filter}) {
    for (const std::string& name : *list) tables.strings.add(name);
  }
  tables.versions = with_base(spec);
  for (const ElfNeededVersion& version : spec.needed_versions) add_needed_version(tables, version);
  for (const ElfSymbol& symbol : spec.symbols) {
    if (!symbol.is_defined && !symbol.version.empty())
      add_needed_version(tables, {symbol.version_file, symbol.version, 0, {}});
  }
  tables.has_versions = !tables.versions.empty() || !tables.needed_versions.empty();
  add_symbols(tables, spec);
  return tables;
}

void write_sysv_hash(Writer& out, const Tables& tables) {
  const std::size_t count = tables.symbols.size();
  std::vector<std::uint32_t> buckets(tables.buckets, 0), chains(count, 0);
  for (std::uint32_t i = 1; i < count; ++i) {
    std::uint32_t& head = buckets[tables.symbols[i].sysv_hash % tables.buckets];
    chains[i] = head;
    head = i;
  }
  out.word(buckets.size());
  out.word(count);
  for (const std::uint32_t value : buckets) out.word(value);
  for (const std::uint32_t value : chains) out.word(value);
}

void write_gnu_hash(Writer& out, const Tables& tables) {
  const std::size_t count = tables.symbols.size();
  const unsigned bits = out.is_64bit() ? 64 : 32;
  constexpr unsigned kShift = 6;
  std::uint64_t bloom = 0;
  std::vector<std::uint32_t> buckets(tables.buckets, 0);
  for (std::uint32_t i = tables.first_defined; i < count; ++i) {
    const std::uint32_t hash = tables.symbols[i].gnu_hash;
    bloom |= (std::uint64_t{1} << (hash % bits)) | (std::uint64_t{1} << ((hash >> kShift) % bits));
    std::uint32_t& bucket = buckets[hash % tables.buckets];
    if (bucket == 0) bucket = i;
  }
  out.word(tables.buckets);
  out.word(tables.first_defined);
  out.word(1);
  out.word(kShift);
  out.addr(bloom);
  for (const std::uint32_t value : buckets) out.word(value);
  for (std::uint32_t i = tables.first_defined; i < count; ++i) {
    const std::uint32_t hash = tables.symbols[i].gnu_hash;
    const bool is_last =
        i + 1 == count || tables.symbols[i + 1].gnu_hash % tables.buckets != hash % tables.buckets;
    out.word((hash & ~1U) | (is_last ? 1U : 0U));
  }
}

void write_versym(Writer& out, const Tables& tables) {
  for (const SymbolRow& row : tables.symbols) out.half(row.version);
}

void write_verdef(Writer& out, Tables& tables) {
  constexpr std::uint64_t kVerdef = 20, kVerdaux = 8;
  for (std::size_t i = 0; i < tables.versions.size(); ++i) {
    const ElfVersion& version = tables.versions[i];
    const std::uint64_t count = 1 + version.parents.size();
    out.half(1);
    out.half(version.flags);
    out.half(i + 1);
    out.half(count);
    out.word(version.hash.value_or(hash_sysv(version.name)));
    out.word(kVerdef);
    out.word(i + 1 == tables.versions.size() ? 0 : kVerdef + count * kVerdaux);
    out.word(tables.strings.add(version.name));
    out.word(version.parents.empty() ? 0 : kVerdaux);
    for (std::size_t k = 0; k < version.parents.size(); ++k) {
      out.word(tables.strings.add(version.parents[k]));
      out.word(k + 1 == version.parents.size() ? 0 : kVerdaux);
    }
  }
}

void write_verneed(Writer& out, Tables& tables) {
  constexpr std::uint64_t kVerneed = 16, kVernaux = 16;
  std::uint64_t index = std::max<std::size_t>(tables.versions.size(), 1) + 1;
  for (std::size_t i = 0; i < tables.needed_versions.size(); ++i) {
    const auto& [file, versions] = tables.needed_versions[i];
    out.half(1);
    out.half(versions.size());
    out.word(tables.strings.add(file));
    out.word(kVerneed);
    out.word(i + 1 == tables.needed_versions.size() ? 0 : kVerneed + versions.size() * kVernaux);
    for (std::size_t k = 0; k < versions.size(); ++k) {
      out.word(versions[k].hash.value_or(hash_sysv(versions[k].version)));
      out.half(versions[k].flags);
      out.half(index++);
      out.word(tables.strings.add(versions[k].version));
      out.word(k + 1 == versions.size() ? 0 : kVernaux);
    }
  }
}

RelocationTypes relocation_types(std::uint16_t machine) {
  switch (machine) {
    case elf::EM_386:
      return {5, 6, 7, 8, 35, 14, false};
    case elf::EM_ARM:
      return {20, 21, 22, 23, 17, 19, false};
    case elf::EM_AARCH64:
      return {1024, 1025, 1026, 1027, 1028, 1030, true};
    case elf::EM_PPC64:
      return {19, 20, 21, 22, 68, 73, true};
    case elf::EM_S390:
      return {9, 10, 11, 12, 54, 56, true};
    case elf::EM_RISCV:
      return {4, 2, 5, 3, 7, 11, true};
    case elf::EM_LOONGARCH:
      return {4, 2, 5, 3, 7, 11, true};
    default:
      return {};
  }
}

}  // namespace loadable::testing
