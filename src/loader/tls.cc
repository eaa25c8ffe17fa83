// SPDX-License-Identifier: Apache-2.0
#include "loader/tls.h"

#include <algorithm>

namespace loadable::loader {
namespace {

constexpr std::uint64_t kLibcBytes = 144, kOtherBytes = 144;  // LIBC_IE_TLS, OTHER_IE_TLS
constexpr std::uint64_t kLegacyBytes = 144;                   // LEGACY_TLS: 1664 in all by default
constexpr std::uint64_t kHuge = std::uint64_t{1} << 40U;

/// PT_TLS as the loader keeps it.
struct Block {
  std::uint64_t size = 0, align = 1, first_byte = 0;
};

std::optional<Block> block_of(const LoadedObject& object) {
  if (object.file == nullptr || !object.file->object) return std::nullopt;
  std::optional<Block> block;
  for (const elf::Segment& segment : object.file->object->segments) {
    if (segment.type != elf::PT_TLS || segment.memsz == 0) continue;
    const std::uint64_t align = std::max<std::uint64_t>(segment.align, 1);
    if ((align & (align - 1)) != 0 || align > kHuge || segment.memsz > kHuge) continue;
    block = Block{segment.memsz, align, segment.vaddr & (align - 1)};
  }
  return block;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) & ~(align - 1);
}

/// Does the thread pointer stand above the blocks (x86, s390), or below (ARM, RISC-V, POWER)?
bool is_block_below(const Identity& identity) {
  return identity.machine == elf::EM_X86_64 || identity.machine == elf::EM_386 ||
         identity.machine == elf::EM_S390;
}

class Layout {
 public:
  explicit Layout(bool is_below) : is_below_(is_below), offset_(is_below ? 0 : 16) {}

  std::uint64_t add(const Block& block) { return is_below_ ? add_below(block) : add_above(block); }
  [[nodiscard]] std::uint64_t used() const { return offset_; }
  [[nodiscard]] std::uint64_t alignment() const { return alignment_; }

 private:
  std::uint64_t add_below(const Block& block) {
    alignment_ = std::max(alignment_, block.align);
    const std::uint64_t first = (~block.first_byte + 1) & (block.align - 1);
    if (free_bottom_ - free_top_ >= block.size) {
      const std::uint64_t at = round_up(free_top_ + block.size - first, block.align) + first;
      if (at <= free_bottom_) {
        free_top_ = at;
        return at;
      }
    }
    const std::uint64_t at = round_up(offset_ + block.size - first, block.align) + first;
    if (at > offset_ + block.size + (free_bottom_ - free_top_)) {
      free_top_ = offset_;
      free_bottom_ = at - block.size;
    }
    offset_ = at;
    return at;
  }

  std::uint64_t add_above(const Block& block) {
    alignment_ = std::max(alignment_, block.align);
    const std::uint64_t first = (~block.first_byte + 1) & (block.align - 1);
    std::uint64_t at = round_up(offset_, block.align);
    if (at - offset_ < first) at += block.align;
    offset_ = at + block.size - first;
    return at - first;
  }

  bool is_below_;
  std::uint64_t offset_, alignment_ = 64, free_top_ = 0, free_bottom_ = 0;
};

/// _dl_try_allocate_static_tls; `is_optional`: TLS descriptors, which can do without.
std::optional<std::uint64_t> try_claim(StaticTls& tls, const Block& block, bool is_below,
                                       bool is_optional) {
  if (block.align > tls.alignment || tls.size < tls.used) return std::nullopt;
  const std::uint64_t free = tls.size - tls.used;
  const std::uint64_t wanted = block.size + block.first_byte;
  std::uint64_t use = 0;
  if (is_below) {
    if (free < wanted) return std::nullopt;
    use = free - (free - wanted) / block.align * block.align - block.first_byte;
  } else {
    const std::uint64_t start =
        round_up(tls.used - std::min(tls.used, block.first_byte), block.align) + block.first_byte;
    use = start + block.size - tls.used;
    if (use > free) return std::nullopt;
  }
  if (is_optional) {
    if (use > tls.optional) return std::nullopt;
    tls.optional -= use;
  }
  tls.used += use;
  return tls.used;
}

}  // namespace

void lay_out_static_tls(Process::State& state) {
  const Tunables& tunables = state.session->tunables;
  Layout layout(is_block_below(state.session->identity));
  for (ObjectIndex i = 0; i < state.objects.size(); ++i) {
    if (const auto block = block_of(state.objects[i])) {
      state.members[i].tls_offset = layout.add(*block);
    }
  }
  const std::uint64_t surplus = (tunables.namespaces - 1) * kLibcBytes +
                                tunables.namespaces * kOtherBytes +
                                std::min(tunables.optional_static_tls, kHuge) + kLegacyBytes;
  state.tls.used = layout.used();
  state.tls.alignment = layout.alignment();
  state.tls.size = round_up(layout.used() + surplus, layout.alignment());
  state.tls.optional = tunables.optional_static_tls;
}

bool refers_to_static_tls(const Process::State& state, ObjectIndex object) {
  const File* file = state.objects[object].file;
  if (file == nullptr || !file->object) return false;
  // The flag says it for free; relocations are read only where symbols are bound anyway.
  return file->object->dynamic.has_static_tls || state.session->environment.binds_symbols;
}

namespace {

/// Does that file define the symbol? The first few questions are answered by looking through its
/// table: an index of all its symbols costs more than they do.
bool defines(Session& session, const File& file, std::string_view name, std::size_t asked) {
  constexpr std::size_t kFew = 16;
  if (asked > kFew) {
    const SymbolIndex* index = session.symbols_of(file);
    return index != nullptr && index->find_any(name, elf::gnu_hash(name), true) != nullptr;
  }
  const auto table = session.store.symbols(file);
  return table && defines_any(**table, name);
}

}  // namespace

ObjectList tls_providers(const Process::State& state, ObjectIndex object, ObjectIndex first) {
  ObjectList result;
  ObjectList candidates;
  for (ObjectIndex i = first; i < state.objects.size(); ++i) {
    if (i != object && block_of(state.objects[i])) candidates.push_back(i);
  }
  if (candidates.empty()) return result;
  // Without an index of its definitions, which nobody asks for here.
  const auto table = state.session->store.symbols(*state.members[object].place->file);
  if (!table) return result;
  std::size_t count = 0;
  for (const elf::Reference& reference : (*table)->references) {
    if (reference.symbol >= (*table)->symbols.size()) continue;
    const elf::Symbol& symbol = (*table)->symbols[reference.symbol];
    if (!reference.is_static_tls || symbol.section != elf::SHN_UNDEF) continue;
    ++count;
    for (const ObjectIndex candidate : candidates) {
      if (!defines(*state.session, *state.members[candidate].place->file, symbol.name, count)) {
        continue;
      }
      if (std::find(result.begin(), result.end(), candidate) == result.end()) {
        result.push_back(candidate);
      }
      break;
    }
  }
  return result;
}

namespace {

/// What an object's relocations need static TLS of: itself, or what it refers to.
ObjectList static_blocks_of(const Process::State& state, ObjectIndex object, ObjectIndex first) {
  const elf::ElfObject& elf_object = *state.objects[object].file->object;
  ObjectList result;
  if (refers_to_static_tls(state, object)) result = tls_providers(state, object, first);
  if (elf_object.tls_size != 0 && elf_object.dynamic.has_static_tls) result.push_back(object);
  return result;
}

}  // namespace

std::string claim_static_tls(Process::State& state, ObjectIndex first) {
  const Identity& identity = state.session->identity;
  const bool is_below = is_block_below(identity);
  // Objects are relocated from the last to the first.
  for (auto i = static_cast<ObjectIndex>(state.objects.size()); i-- > first;) {
    if (state.objects[i].file == nullptr || !state.objects[i].file->object) continue;
    ObjectList owners = static_blocks_of(state, i, first);
    const bool is_required = !owners.empty();
    // TLS descriptors, which can do without, are the rule on aarch64 and rare on x86-64.
    if (!is_required && identity.machine == elf::EM_AARCH64) owners.push_back(i);
    for (const ObjectIndex owner : owners) {
      const auto block = block_of(state.objects[owner]);
      if (!block || state.members[owner].tls_offset) continue;
      state.members[owner].tls_offset = try_claim(state.tls, *block, is_below, !is_required);
      if (state.members[owner].tls_offset || !is_required) continue;
      Failure failure;
      failure.object = state.path_of(owner);
      failure.kind = FailureKind::Tls;
      failure.message = state.path_of(owner) + ": cannot allocate memory in static TLS block";
      failure.step = state.step;
      state.failures.push_back(failure);
      return failure.message;
    }
  }
  return {};
}

}  // namespace loadable::loader
