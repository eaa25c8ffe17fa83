// SPDX-License-Identifier: Apache-2.0
// What src/elf reads, as lines of text that a script can compare with another reader's.
//   elf_dump PATH…        dumps objects     elf_dump --build DIRECTORY   writes objects into it
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/format.h"
#include "elf/object.h"
#include "elf/symbols.h"
#include "testing/elf_builder.h"
#include "tree/tree.h"

namespace loadable {
namespace {

void line(const std::string& text) { std::puts(text.c_str()); }

std::string hex(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte b : bytes) text += format("{:02x}", std::to_integer<int>(b));
  return text;
}

void dump_dynamic(const elf::Dynamic& dynamic) {
  for (const auto& name : dynamic.needed) line("needed " + name);
  for (const auto& name : dynamic.auxiliary) line("auxiliary " + name);
  for (const auto& name : dynamic.filter) line("filter " + name);
  if (dynamic.soname) line("soname " + *dynamic.soname);
  if (dynamic.rpath) line("rpath " + *dynamic.rpath);
  if (dynamic.runpath) line("runpath " + *dynamic.runpath);
  for (const auto& [tag, value] :
       {std::pair("STRTAB", dynamic.strtab), std::pair("STRSZ", dynamic.strsz),
        std::pair("SYMTAB", dynamic.symtab), std::pair("GNU_HASH", dynamic.gnu_hash),
        std::pair("HASH", dynamic.hash), std::pair("VERSYM", dynamic.versym),
        std::pair("VERNEED", dynamic.verneed), std::pair("VERDEF", dynamic.verdef),
        std::pair("RELASZ", dynamic.relasz), std::pair("RELSZ", dynamic.relsz),
        std::pair("PLTRELSZ", dynamic.pltrelsz), std::pair("RELRSZ", dynamic.relrsz)}) {
    if (value != 0) line(format("number {} {:x}", tag, value));
  }
}

void dump_symbols(const elf::SymbolTable& table) {
  for (std::size_t i = 1; i < table.symbols.size(); ++i) {
    const elf::Symbol& symbol = table.symbols[i];
    line(format("symbol {} {:x} {:x} {} {} {} {} {} {} {}", i, symbol.value, symbol.size,
                int{symbol.type}, int{symbol.bind}, int{symbol.visibility}, symbol.section,
                symbol.version, symbol.is_hidden_version ? 1 : 0, symbol.name));
  }
}

void dump_object(const elf::ElfObject& object) {
  const elf::Header& header = object.header;
  line(format("header {} {} {} {} {}", int{header.elf_class()}, int{header.data()}, header.type,
              header.machine, header.phnum));
  for (const elf::Segment& segment : object.segments) {
    line(format("segment {:x} {:x} {:x} {:x} {:x} {:x} {:x}", segment.type, segment.flags,
                segment.offset, segment.vaddr, segment.filesz, segment.memsz, segment.align));
  }
  if (object.interpreter) line("interpreter " + *object.interpreter);
  if (object.build_id) line("build_id " + hex(*object.build_id));
  if (object.abi_tag) {
    line(format("abi_tag {}.{}.{}", (*object.abi_tag)[1], (*object.abi_tag)[2],
                (*object.abi_tag)[3]));
  }
  dump_dynamic(object.dynamic);
  for (const auto& version : object.needed_versions) {
    line(format("version_need {} {} {} {}", version.file, version.version, version.flags,
                version.index));
  }
  for (const auto& version : object.defined_versions) {
    std::string parents;
    for (const auto& parent : version.parents) parents += " " + parent;
    line(format("version_definition {} {} {}{}", version.version, version.flags, version.index,
                parents));
  }
  for (const auto& defect : object.defects) line("defect " + defect.field + ": " + defect.message);
}

void dump(const tree::Tree& root, const std::string& path) {
  line("file " + path);
  auto source = root.open(tree::Path(path));
  if (!source) return line("error " + source.error().to_string());
  const auto object = elf::read_object(**source);
  if (!object) return line("error " + object.error().to_string());
  dump_object(*object);
  const auto symbols = elf::read_symbols(**source, *object);
  if (!symbols) return line("error " + symbols.error().to_string());
  dump_symbols(*symbols);
}

bool write(const std::string& path, const testing::ElfSpec& spec) {
  std::ofstream out(path, std::ios::binary);
  for (const std::byte b : testing::build_elf(spec)) out.put(std::to_integer<char>(b));
  return static_cast<bool>(out.flush());
}

/// An object that the loader of this machine should take.
testing::ElfSpec native_spec() {
  testing::ElfSpec spec;
#if defined(__aarch64__)
  spec.machine = elf::EM_AARCH64;
#endif
  spec.soname = "libnative.so.1";
  spec.needed = {"libc.so.6"};
  spec.versions = {{"V1", {}, 0, {}}, {"V2", {"V1"}, 0, {}}};
  spec.symbols = {testing::defines("made_f", "V1"), testing::wants("puts")};
  spec.hash = testing::HashStyle::Both;
  spec.relative_relocations = 2;
  spec.tls_size = 16;
  spec.notes = {testing::build_id_note("0123"), testing::dlopen_note("[]")};
  spec.segments = {{elf::PF_R, "more"}};
  return spec;
}

/// One object of each class and byte order, with every table, and the native one.
int build(const std::string& directory) {
  if (!write(directory + "/native", native_spec())) return 1;
  for (const std::uint8_t elf_class : {elf::ELFCLASS32, elf::ELFCLASS64}) {
    for (const std::uint8_t data : {elf::ELFDATA2LSB, elf::ELFDATA2MSB}) {
      testing::ElfSpec spec;
      spec.elf_class = elf_class;
      spec.data = data;
      spec.machine = elf_class == elf::ELFCLASS32
                         ? (data == elf::ELFDATA2LSB ? elf::EM_386 : elf::EM_PPC)
                         : (data == elf::ELFDATA2LSB ? elf::EM_X86_64 : elf::EM_PPC64);
      spec.interp = "/lib/ld.so.1";
      spec.soname = "libmade.so.1";
      spec.needed = {"libc.so.6", "libm.so.6"};
      spec.auxiliary = {"libaux.so"};
      spec.runpath = "$ORIGIN:/opt";
      spec.versions = {{"V1", {}, 0, {}}, {"V2", {"V1"}, 0, {}}};
      spec.symbols = {testing::defines("f", "V1"), testing::defines("g", "V2"),
                      testing::wants("puts", "GLIBC_2.0", "libc.so.6"), testing::wants("plain")};
      spec.hash = testing::HashStyle::Both;
      spec.tls_size = 16;
      if (!write(format("{}/made-{}-{}", directory, int{elf_class}, int{data}), spec)) return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace loadable

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "--build") return loadable::build(arguments[1]);
  auto root = loadable::tree::open_host_tree("/");
  if (!root) return 2;
  for (const std::string& path : arguments) loadable::dump(**root, path);
  return 0;
}
