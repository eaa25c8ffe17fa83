// SPDX-License-Identifier: Apache-2.0
#include "testing/elf_builder.h"

#include <algorithm>

#include "testing/elf_writer.h"

namespace loadable::testing {

namespace {

constexpr std::uint64_t kExecBase = 0x400000;

struct ProgramHeader {
  std::uint32_t type = 0, flags = 0;
  std::uint64_t offset = 0, filesz = 0, memsz = 0, align = 8;
  std::uint64_t vaddr = 0;
};

/// Writes the file twice: the first time to learn where everything lies, the second time with the
/// addresses in it. No size depends on an address.
class Build {
 public:
  Build(const ElfSpec& spec, ElfLayout known)
      : spec_(spec),
        at_(std::move(known)),
        tables_(make_tables(spec)),
        types_(relocation_types(spec.machine)),
        out_(spec.elf_class == elf::ELFCLASS64, spec.data == elf::ELFDATA2MSB) {
    at_.base = spec.type == elf::ET_EXEC ? kExecBase : 0;
    plan_references();
  }

  BuiltElf run() {
    headers_ = program_headers();
    write_header();
    at_.phdr = out_.size();
    at_.phdr_types.clear();
    for (const ProgramHeader& header : headers_) write_program_header(header);
    write_notes();
    write_symbols();
    write_versions();
    write_strings();
    write_relocations();
    if (spec_.has_dynamic) write_dynamic();
    write_data();
    at_.end = out_.size();
    write_segments();
    return {out_.take(), at_};
  }

 private:
  struct Relocation {
    std::uint32_t type = 0, symbol = 0;
  };

  [[nodiscard]] bool is_64bit() const { return out_.is_64bit(); }
  [[nodiscard]] std::uint64_t word_size() const { return is_64bit() ? 8 : 4; }
  [[nodiscard]] std::uint64_t address(std::uint64_t offset) const { return at_.base + offset; }
  [[nodiscard]] bool has_symbols() const { return spec_.has_dynamic; }

  void plan_references() {
    for (std::uint32_t i = 1; i < tables_.symbols.size(); ++i) {
      const ElfSymbol& symbol = tables_.symbols[i].symbol;
      Reference reference = symbol.reference;
      if (reference == Reference::Auto) {
        const bool is_data = symbol.type == elf::STT_OBJECT || symbol.type == elf::STT_TLS;
        reference = symbol.is_defined ? Reference::None
                    : is_data         ? Reference::Data
                                      : Reference::FunctionSlot;
      }
      const std::uint32_t data = symbol.type == elf::STT_TLS ? types_.tls_module : types_.data;
      if (reference == Reference::FunctionSlot) slots_.push_back({types_.slot, i});
      if (reference == Reference::Data) data_.push_back({data, i});
      if (reference == Reference::Copy) data_.push_back({types_.copy, i});
    }
    if (spec_.uses_static_tls) data_.push_back({types_.tls_offset, 0});
  }

  std::vector<ProgramHeader> program_headers() {
    std::vector<ProgramHeader> headers;
    const auto add = [&](std::uint32_t type, std::uint32_t flags, std::uint64_t offset,
                         std::uint64_t size, std::uint64_t align) {
      headers.push_back({type, flags, offset, size, size, align, address(offset)});
    };
    if (spec_.interp) {
      add(elf::PT_PHDR, elf::PF_R, at_.phdr, at_.phdr_types.size() * phdr_size(), 8);
      add(elf::PT_INTERP, elf::PF_R, at_.interp, spec_.interp->size() + 1, 1);
    }
    add(elf::PT_LOAD, elf::PF_R | elf::PF_W, 0, at_.end, spec_.page);
    std::uint64_t offset = at_.end, page = at_.end;
    for (const ElfSegment& segment : spec_.segments) {
      page = (page + spec_.page - 1) / spec_.page * spec_.page;
      add(elf::PT_LOAD, segment.flags, offset, segment.content.size(), spec_.page);
      headers.back().vaddr = at_.base + page + offset % spec_.page;
      page = page + offset % spec_.page + segment.content.size();
      offset += segment.content.size();
    }
    if (spec_.has_dynamic)
      add(elf::PT_DYNAMIC, elf::PF_R | elf::PF_W, at_.dynamic, at_.data - at_.dynamic, word_size());
    if (!spec_.notes.empty()) add(elf::PT_NOTE, elf::PF_R, at_.notes, at_.notes_size, 4);
    if (spec_.isa_needed != 0) {
      add(elf::PT_NOTE, elf::PF_R, at_.property, property_size(), word_size());
      if (!spec_.property_in_note_only)
        add(elf::PT_GNU_PROPERTY, elf::PF_R, at_.property, property_size(), word_size());
    }
    if (spec_.tls_size != 0) {
      add(elf::PT_TLS, elf::PF_R, at_.data, 0, spec_.tls_align);
      headers.back().memsz = spec_.tls_size;
    }
    if (spec_.gnu_stack) {
      add(elf::PT_GNU_STACK, *spec_.gnu_stack, 0, 0, 16);
      headers.back().vaddr = 0;
    }
    return headers;
  }

  [[nodiscard]] std::uint64_t phdr_size() const { return is_64bit() ? 56 : 32; }
  [[nodiscard]] std::uint64_t property_size() const { return 16 + (is_64bit() ? 16 : 12); }

  void write_header() {
    out_.text(
        "\x7f"
        "ELF");
    out_.byte(spec_.elf_class);
    out_.byte(spec_.data);
    out_.byte(1);
    out_.byte(spec_.osabi);
    out_.byte(spec_.abi_version);
    out_.zeros(7);
    out_.half(spec_.type);
    out_.half(spec_.machine);
    out_.word(1);
    out_.addr(spec_.interp ? address(at_.data) : 0);
    out_.addr(is_64bit() ? 64 : 52);
    out_.addr(0);
    out_.word(spec_.header_flags);
    out_.half(is_64bit() ? 64 : 52);
    out_.half(phdr_size());
    out_.half(headers_.size());
    out_.half(0);
    out_.half(0);
    out_.half(0);
  }

  void write_program_header(const ProgramHeader& header) {
    at_.phdr_types.push_back(header.type);
    out_.word(header.type);
    if (is_64bit()) out_.word(header.flags);
    out_.addr(header.offset);
    out_.addr(header.vaddr);
    out_.addr(header.vaddr);
    out_.addr(header.filesz);
    out_.addr(header.memsz);
    if (!is_64bit()) out_.word(header.flags);
    out_.addr(header.align);
  }

  void write_notes() {
    if (spec_.interp) {
      at_.interp = out_.size();
      out_.text(*spec_.interp);
      out_.byte(0);
    }
    if (spec_.isa_needed != 0) {
      at_.property = out_.align(8);
      write_note_head("GNU", property_size() - 16, elf::NT_GNU_PROPERTY_TYPE_0);
      out_.word(elf::GNU_PROPERTY_X86_ISA_1_NEEDED);
      out_.word(4);
      out_.word(spec_.isa_needed);
      if (is_64bit()) out_.word(0);
    }
    if (!spec_.notes.empty()) at_.notes = out_.align(4);
    for (const ElfNote& note : spec_.notes) {
      write_note_head(note.owner, note.descriptor.size(), note.type);
      out_.text(note.descriptor);
      out_.align(4);
    }
    if (!spec_.notes.empty()) at_.notes_size = out_.size() - at_.notes;
  }

  void write_note_head(const std::string& owner, std::uint64_t size, std::uint32_t type) {
    out_.word(owner.size() + 1);
    out_.word(size);
    out_.word(type);
    out_.text(owner);
    out_.byte(0);
    out_.align(4);
  }

  void write_symbols() {
    if (!has_symbols()) return;
    at_.dynsym = out_.align(8);
    for (const SymbolRow& row : tables_.symbols) write_symbol(row);
    if (spec_.hash == HashStyle::Sysv || spec_.hash == HashStyle::Both) {
      at_.hash = out_.align(8);
      write_sysv_hash(out_, tables_);
    }
    if (spec_.hash == HashStyle::Gnu || spec_.hash == HashStyle::Both) {
      at_.gnu_hash = out_.align(8);
      write_gnu_hash(out_, tables_);
    }
  }

  void write_symbol(const SymbolRow& row) {
    const ElfSymbol& symbol = row.symbol;
    const bool is_null = &row == &tables_.symbols.front();
    const bool is_defined = symbol.is_defined && !is_null;
    const std::uint64_t value =
        !is_defined ? 0 : (symbol.type == elf::STT_TLS ? 0 : address(at_.data));
    const std::uint64_t size = is_defined ? symbol.size : 0;
    const std::uint64_t info = is_null ? 0U : (unsigned{symbol.bind} << 4) | symbol.type;
    // Any index of a section does: there are none.
    const std::uint64_t section = is_defined ? 1 : 0;
    out_.word(row.name);
    if (!is_64bit()) {
      out_.addr(value);
      out_.addr(size);
    }
    out_.byte(info);
    out_.byte(is_null ? 0 : symbol.visibility);
    out_.half(section);
    if (is_64bit()) {
      out_.addr(value);
      out_.addr(size);
    }
  }

  void write_versions() {
    if (!has_symbols() || !tables_.has_versions) return;
    at_.versym = out_.align(2);
    write_versym(out_, tables_);
    if (!tables_.versions.empty()) {
      at_.verdef = out_.align(8);
      write_verdef(out_, tables_);
    }
    if (!tables_.needed_versions.empty()) {
      at_.verneed = out_.align(8);
      write_verneed(out_, tables_);
    }
  }

  void write_strings() {
    if (!has_symbols()) return;
    StringTable& strings = tables_.strings;
    for (const auto* text : {&spec_.soname, &spec_.rpath, &spec_.runpath}) {
      if (*text) strings.add(**text);
    }
    if (spec_.string_padding != 0) strings.pad(spec_.string_padding);
    at_.dynstr = out_.size();
    at_.dynstr_size = strings.text().size();
    out_.text(strings.text());
  }

  void write_relocation(std::uint64_t offset, const Relocation& relocation, std::uint64_t addend) {
    out_.addr(address(offset));
    if (is_64bit()) {
      out_.xword((std::uint64_t{relocation.symbol} << 32) | relocation.type);
    } else {
      out_.word((std::uint64_t{relocation.symbol} << 8) | relocation.type);
    }
    if (types_.has_addend) out_.addr(addend);
  }

  [[nodiscard]] std::uint64_t relocation_size() const {
    return word_size() * (types_.has_addend ? 3 : 2);
  }
  [[nodiscard]] std::uint64_t data_count() const {
    return spec_.relative_relocations + data_.size();
  }
  /// Three words for the loader, then a word for each slot, then one for each other relocation.
  [[nodiscard]] std::uint64_t got_entry(std::uint64_t index) const {
    return at_.got + (3 + index) * word_size();
  }

  void write_relocations() {
    if (!has_symbols()) return;
    if (data_count() != 0) {
      at_.rela = out_.align(8);
      for (std::uint64_t i = 0; i < spec_.relative_relocations; ++i)
        write_relocation(got_entry(slots_.size() + i), {types_.relative, 0}, address(at_.data));
      for (std::uint64_t i = 0; i < data_.size(); ++i)
        write_relocation(got_entry(slots_.size() + spec_.relative_relocations + i), data_[i], 0);
    }
    if (!slots_.empty()) {
      at_.jmprel = out_.align(8);
      for (std::uint64_t i = 0; i < slots_.size(); ++i)
        write_relocation(got_entry(i), slots_[i], 0);
    }
    if (spec_.has_relr) {
      at_.relr = out_.align(8);
      out_.addr(address(got_entry(slots_.size() + data_count())));
    }
    at_.got = out_.align(8);
    out_.zeros((3 + slots_.size() + data_count() + 1) * word_size());
  }

  void entry(std::uint64_t tag, std::uint64_t value) {
    out_.addr(tag);
    out_.addr(value);
  }

  void write_dynamic() {
    at_.dynamic = out_.align(8);
    StringTable& strings = tables_.strings;
    for (const std::string& name : spec_.needed) entry(elf::DT_NEEDED, strings.add(name));
    for (const std::string& name : spec_.filter) entry(elf::DT_FILTER, strings.add(name));
    for (const std::string& name : spec_.auxiliary) entry(elf::DT_AUXILIARY, strings.add(name));
    if (spec_.soname) entry(elf::DT_SONAME, strings.add(*spec_.soname));
    if (spec_.rpath) entry(elf::DT_RPATH, strings.add(*spec_.rpath));
    if (spec_.runpath) entry(elf::DT_RUNPATH, strings.add(*spec_.runpath));
    if (at_.hash != 0) entry(elf::DT_HASH, address(at_.hash));
    if (at_.gnu_hash != 0) entry(elf::DT_GNU_HASH, address(at_.gnu_hash));
    entry(elf::DT_STRTAB, address(at_.dynstr));
    entry(elf::DT_SYMTAB, address(at_.dynsym));
    entry(elf::DT_STRSZ, at_.dynstr_size);
    entry(elf::DT_SYMENT, is_64bit() ? 24 : 16);
    write_version_entries();
    write_relocation_entries();
    const std::uint64_t flags = spec_.flags | (spec_.uses_static_tls ? elf::DF_STATIC_TLS : 0);
    if (flags != 0) entry(elf::DT_FLAGS, flags);
    if (spec_.flags_1 != 0) entry(elf::DT_FLAGS_1, spec_.flags_1);
    for (const auto& [tag, value] : spec_.more_dynamic) entry(tag, value);
    entry(elf::DT_NULL, 0);
  }

  void write_version_entries() {
    if (at_.versym != 0) entry(elf::DT_VERSYM, address(at_.versym));
    if (at_.verdef != 0) {
      entry(elf::DT_VERDEF, address(at_.verdef));
      entry(elf::DT_VERDEFNUM, tables_.versions.size());
    }
    if (at_.verneed != 0) {
      entry(elf::DT_VERNEED, address(at_.verneed));
      entry(elf::DT_VERNEEDNUM, tables_.needed_versions.size());
    }
  }

  void write_relocation_entries() {
    constexpr std::uint64_t kPltGot = 3;
    const bool rela = types_.has_addend;
    if (at_.rela != 0) {
      entry(rela ? elf::DT_RELA : elf::DT_REL, address(at_.rela));
      entry(rela ? elf::DT_RELASZ : elf::DT_RELSZ, data_count() * relocation_size());
      entry(rela ? elf::DT_RELAENT : elf::DT_RELENT, relocation_size());
      if (spec_.relative_relocations != 0)
        entry(rela ? elf::DT_RELACOUNT : elf::DT_RELCOUNT, spec_.relative_relocations);
    }
    if (at_.jmprel != 0) {
      entry(kPltGot, address(at_.got));
      entry(elf::DT_PLTRELSZ, slots_.size() * relocation_size());
      entry(elf::DT_PLTREL, rela ? elf::DT_RELA : elf::DT_REL);
      entry(elf::DT_JMPREL, address(at_.jmprel));
    }
    if (at_.relr != 0) {
      entry(elf::DT_RELR, address(at_.relr));
      entry(elf::DT_RELRSZ, word_size());
      entry(elf::DT_RELRENT, word_size());
    }
  }

  void write_data() {
    at_.data = out_.align(8);
    std::uint64_t size = 16;
    for (const SymbolRow& row : tables_.symbols) size = std::max(size, row.symbol.size);
    out_.zeros(size);
  }

  void write_segments() {
    for (const ElfSegment& segment : spec_.segments) out_.text(segment.content);
  }

  const ElfSpec& spec_;
  ElfLayout at_;
  Tables tables_;
  RelocationTypes types_;
  Writer out_;
  std::vector<ProgramHeader> headers_;
  std::vector<Relocation> slots_, data_;
};

}  // namespace

ElfSymbol defines(std::string name, std::string version) {
  ElfSymbol symbol;
  symbol.name = std::move(name);
  symbol.version = std::move(version);
  return symbol;
}

ElfSymbol wants(std::string name) { return wants(std::move(name), {}, {}); }

ElfSymbol wants(std::string name, std::string version, std::string file) {
  ElfSymbol symbol;
  symbol.name = std::move(name);
  symbol.is_defined = false;
  symbol.version = std::move(version);
  symbol.version_file = std::move(file);
  return symbol;
}

BuiltElf build_elf_with_layout(const ElfSpec& spec) {
  ElfLayout layout = Build(spec, {}).run().layout;
  BuiltElf built = Build(spec, layout).run();
  if (spec.truncate_at) built.bytes.resize(std::min(built.bytes.size(), *spec.truncate_at));
  return built;
}

std::vector<std::byte> build_elf(const ElfSpec& spec) { return build_elf_with_layout(spec).bytes; }

std::vector<std::byte> simple_library(std::string soname, std::vector<std::string> needed,
                                      std::optional<std::string> runpath) {
  ElfSpec spec;
  spec.soname = std::move(soname);
  spec.needed = std::move(needed);
  spec.runpath = std::move(runpath);
  return build_elf(spec);
}

void poke(std::vector<std::byte>& bytes, std::uint64_t offset, std::uint64_t value, int width) {
  const bool is_big = bytes.size() > elf::EI_DATA &&
                      std::to_integer<std::uint8_t>(bytes[elf::EI_DATA]) == elf::ELFDATA2MSB;
  for (int i = 0; i < width; ++i) {
    const int shift = 8 * (is_big ? width - 1 - i : i);
    bytes.at(offset + static_cast<std::uint64_t>(i)) =
        static_cast<std::byte>((value >> shift) & 0xff);
  }
}

namespace {

std::string little_word(std::uint32_t value) {
  std::string text;
  for (int i = 0; i < 4; ++i) text.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
  return text;
}

}  // namespace

ElfNote abi_tag_note(std::uint32_t major, std::uint32_t minor, std::uint32_t patch) {
  return {"GNU", elf::NT_GNU_ABI_TAG,
          little_word(0) + little_word(major) + little_word(minor) + little_word(patch)};
}

ElfNote build_id_note(std::string bytes) { return {"GNU", elf::NT_GNU_BUILD_ID, std::move(bytes)}; }

ElfNote dlopen_note(std::string json) {
  json.push_back('\0');
  return {"FDO", elf::NT_FDO_DLOPEN_METADATA, std::move(json)};
}

}  // namespace loadable::testing
