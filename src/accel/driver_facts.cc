// SPDX-License-Identifier: Apache-2.0
// What a file that answers for the driver's library is.

#include <algorithm>
#include <array>

#include "accel/process_facts.h"
#include "base/format.h"

namespace loadable::accel {
namespace {

constexpr std::uint64_t kSmallest = std::uint64_t{1} << 20;  // a real driver library has 20 MB
constexpr std::size_t kCode = 32;

bool begins(ByteView code, std::initializer_list<unsigned> bytes) {
  if (code.size() < bytes.size()) return false;
  return std::equal(bytes.begin(), bytes.end(), code.begin(), [](unsigned wanted, std::byte found) {
    return std::to_integer<unsigned>(found) == wanted;
  });
}

// x86-64: [endbr64] [push %rbp] [mov %rsp,%rbp] [mov %edi,disp8(%rbp)] mov $34,%eax
// [pop %rbp | leave] ret.
bool returns_34_x86(ByteView code) {
  const auto skip = [&code](std::initializer_list<unsigned> bytes, std::size_t length) {
    if (begins(code, bytes) && code.size() >= length) code = code.subspan(length);
  };
  skip({0xf3, 0x0f, 0x1e, 0xfa}, 4);
  skip({0x55}, 1);
  skip({0x48, 0x89, 0xe5}, 3);
  skip({0x48, 0x83, 0xec}, 4);
  skip({0x89, 0x7d}, 3);
  if (!begins(code, {0xb8, 0x22, 0x00, 0x00, 0x00})) return false;
  code = code.subspan(5);
  skip({0x5d}, 1);
  skip({0xc9}, 1);
  return begins(code, {0xc3});
}

// aarch64: [bti c] mov w0, #34; ret.
bool returns_34_arm(ByteView code) {
  if (begins(code, {0x5f, 0x24, 0x03, 0xd5})) code = code.subspan(4);
  return begins(code, {0x40, 0x04, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6});
}

bool returns_34(ByteSource& source, const elf::ElfObject& object, const elf::SymbolTable& table) {
  const auto symbol =
      std::find_if(table.symbols.begin(), table.symbols.end(), [](const elf::Symbol& candidate) {
        return candidate.name == "cuInit" && candidate.section != elf::SHN_UNDEF;
      });
  if (symbol == table.symbols.end()) return false;
  const auto offset = object.file_offset(symbol->value, 1);
  if (!offset) return false;
  std::array<std::byte, kCode> code{};
  const auto read = source.read_at(*offset, code);
  if (!read) return false;
  const ByteView bytes = ByteView(code).first(*read);
  return object.header.machine == elf::EM_AARCH64 ? returns_34_arm(bytes) : returns_34_x86(bytes);
}

bool has_stubs_component(const std::string& path) {
  return path.find("/stubs/") != std::string::npos;
}

}  // namespace

Result<DriverFacts> driver_facts(loader::Store& store, const std::string& path) {
  const auto opened = store.open(path);
  if (!opened) return fail(opened.error());
  const loader::File& file = **opened;
  DriverFacts facts;
  facts.path = path;
  facts.physical = file.physical.text();
  facts.size = file.stat.size;
  if (!file.object) return facts;  // damaged: not a stub, and the loader says so
  const auto symbols = store.symbols(file);
  auto source = store.walk().open(file.physical);
  if (symbols && source && returns_34(**source, *file.object, **symbols)) {
    facts.reason = "cuInit is code that returns 34 (CUDA_ERROR_STUB_LIBRARY)";
  } else if (has_stubs_component(facts.physical) || has_stubs_component(path)) {
    facts.reason = "it lies in a directory `stubs`";
  } else if (file.object->dynamic.needed.empty() && facts.size < kSmallest) {
    facts.reason = format(
        "it needs no library (DT_NEEDED) and has {} bytes; a driver needs libc "
        "and has over 20 million",
        facts.size);
  }
  facts.is_stub = !facts.reason.empty();
  return facts;
}

std::vector<DriverFacts> drivers_in(const Knowledge& knowledge, const loader::Process& process,
                                    loader::Store& store) {
  std::vector<DriverFacts> list;
  for (const loader::LoadedObject& object : process.objects()) {
    const std::string name(tree::Path(object.path).name());
    if (!knowledge.is_driver(object.soname) && !knowledge.is_driver(name)) continue;
    if (auto facts = driver_facts(store, object.path)) list.push_back(std::move(*facts));
  }
  return list;
}

}  // namespace loadable::accel
