// SPDX-License-Identifier: Apache-2.0
#include "loader/store.h"

#include <span>
#include <unordered_map>
#include <utility>

#include "base/format.h"

namespace loadable::loader {
namespace {

struct FileIdHash {
  std::size_t operator()(const tree::FileId& id) const {
    return static_cast<std::size_t>(id.inode * 0x9e3779b97f4a7c15U ^ id.device);
  }
};

/// Only regular files are opened: a directory is EISDIR to the loader's read, anything else could
/// block or has no content.
std::optional<Error> refusal_of(const tree::Found& found) {
  if (found.stat.kind == tree::Kind::Regular) return std::nullopt;
  if (found.stat.kind == tree::Kind::Directory) {
    return Error{ErrorCode::IsADirectory, "is a directory, wanted a file", found.physical.text(),
                 std::nullopt, nullptr};
  }
  return Error{ErrorCode::Unsupported, "is a special file, wanted a regular file",
               found.physical.text(), std::nullopt, nullptr};
}

/// A file whose EI_DATA is another than its bytes say.
class PatchedSource final : public ByteSource {
 public:
  PatchedSource(ByteSource& inner, Endian endian) : inner_(inner), endian_(endian) {}
  [[nodiscard]] std::uint64_t size() const override { return inner_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    auto count = inner_.read_at(offset, out);
    if (count && offset <= elf::EI_DATA && elf::EI_DATA - offset < *count) {
      out[elf::EI_DATA - offset] =
          std::byte{endian_ == Endian::Little ? elf::ELFDATA2LSB : elf::ELFDATA2MSB};
    }
    return count;
  }

 private:
  ByteSource& inner_;
  Endian endian_;
};

}  // namespace

struct Store::Memory {
  explicit Memory(tree::Walk& a_walk) : walk(a_walk) {}

  tree::Walk& walk;
  std::shared_ptr<ReadAhead> ahead;
  std::unordered_map<tree::FileId, std::unique_ptr<File>, FileIdHash> files;
  std::unordered_map<const File*, std::unique_ptr<File>> reread;
  /// Files that exist and cannot be opened or read: the answer by physical path.
  std::unordered_map<std::string, Error> refused;
  std::unordered_map<const File*, Result<elf::SymbolTable>> symbols;
  std::uint64_t symbols_generation = 0;

  Result<Reading> read(const tree::Path& physical) {
    if (ahead) {
      if (auto reading = ahead->take(physical.text())) return std::move(*reading);
    }
    return read_file(walk.tree(), physical);
  }
};

Store::Store(tree::Walk& walk) : memory_(std::make_unique<Memory>(walk)) {}
Store::~Store() = default;

void Store::read_ahead_with(std::shared_ptr<ReadAhead> ahead) { memory_->ahead = std::move(ahead); }

Result<const File*> Store::open(std::string_view path) {
  const Result<tree::Found>& found = memory_->walk.resolve(path);
  if (!found) return fail(found.error());
  const auto known = memory_->files.find(found->stat.id);
  if (known != memory_->files.end()) return known->second.get();
  if (auto refusal = refusal_of(*found)) return fail(std::move(*refusal));
  const auto refused = memory_->refused.find(found->physical.text());
  if (refused != memory_->refused.end()) return fail(refused->second);

  Result<Reading> reading = memory_->read(found->physical);
  if (!reading) {
    memory_->refused.emplace(found->physical.text(), reading.error());
    return fail(std::move(reading.error()));
  }
  auto file = std::make_unique<File>(File{found->physical, found->stat, reading->size,
                                          std::move(reading->header), std::move(reading->object)});
  const File* result = file.get();
  memory_->files.emplace(found->stat.id, std::move(file));
  return result;
}

const File& Store::reread(const File& file, Endian endian) {
  auto& slot = memory_->reread[&file];
  if (slot) return *slot;
  auto source = memory_->walk.tree().open_regular(file.physical);
  if (!source) {
    slot = std::make_unique<File>(file);
    return *slot;
  }
  PatchedSource patched(**source, endian);
  auto object = elf::read_object(patched);
  auto header = object ? Result<elf::Header>(object->header) : elf::read_header(patched);
  slot = std::make_unique<File>(
      File{file.physical, file.stat, file.first_bytes, std::move(header), std::move(object)});
  return *slot;
}

Result<const elf::SymbolTable*> Store::symbols(const File& file) {
  auto known = memory_->symbols.find(&file);
  if (known == memory_->symbols.end()) {
    if (!file.object) return fail(file.object.error());
    auto source = memory_->walk.tree().open_regular(file.physical);
    if (!source) return fail(source.error());
    known = memory_->symbols.emplace(&file, elf::read_symbols(**source, *file.object)).first;
  }
  if (!known->second) return fail(known->second.error());
  return &*known->second;
}

void Store::drop_symbols() {
  memory_->symbols.clear();
  ++memory_->symbols_generation;
}

std::uint64_t Store::symbols_generation() const { return memory_->symbols_generation; }

tree::Walk& Store::walk() { return memory_->walk; }

}  // namespace loadable::loader
