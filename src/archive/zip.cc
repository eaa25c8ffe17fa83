// SPDX-License-Identifier: Apache-2.0
#include "archive/zip.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "archive/zip_source.h"
#include "base/format.h"
#include "base/quote.h"

namespace loadable::archive {
namespace {

constexpr std::uint64_t kMostMembers = 1'000'000;
constexpr std::uint64_t kEntryHeader = 46;  // bytes of a directory entry before its name
constexpr std::uint64_t kEndRecord = 22;
constexpr std::uint64_t kLongestComment = 0xffff;
constexpr std::size_t kLongestName = 0xffff;
constexpr std::size_t kPiece = std::size_t{1} << 20;  // memory grows with what is there, not said
constexpr std::uint16_t kEncrypted = 1;

/// `..` as a component, or a path that begins at a root (of Windows too: pip would join it there).
std::string fault_of_name(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.find('\0') != std::string_view::npos) return "holds a zero byte";
  if (name.front() == '/' || name.front() == '\\') return "is absolute";
  if (name.size() > 1 && name[1] == ':') return "begins with a drive";
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("/\\", at), name.size());
    if (name.substr(at, end - at) == "..") return "climbs out";
    at = end + 1;
  }
  return {};
}

std::string words_of(int status) {
  switch (status) {
    case UNZ_CRCERROR:
      return "its checksum is not the one that the directory states";
    case UNZ_BADZIPFILE:
      return "what lies there is not what the directory states";
    case Z_DATA_ERROR:
      return "its compressed data is broken";
    case Z_BUF_ERROR:
    case UNZ_EOF:
    case UNZ_ERRNO:
      return "its data ends early";
    default:
      return format("its data cannot be unpacked (zlib {})", status);
  }
}

/// Why minizip would not open it: it does not say.
Error explain_refusal(WindowedSource& source) {
  if (source.error) return *source.error;
  const std::uint64_t size = source.source->size();
  const std::uint64_t tail = std::min(size, kEndRecord + kLongestComment);
  const auto bytes = read_exactly(*source.source, size - tail, tail, tail);
  if (!bytes) return bytes.error();
  const std::string_view text = as_text(*bytes);
  const std::size_t at = text.rfind("PK\x05\x06");
  if (at == std::string_view::npos) {
    return {ErrorCode::Malformed,
            format("no zip archive: no end of a directory in its last {} bytes", tail), "",
            std::nullopt, nullptr};
  }
  const auto disk = load<std::uint16_t>(*bytes, at + 4, Endian::Little);
  const auto length = load<std::uint32_t>(*bytes, at + 12, Endian::Little);
  const auto begin = load<std::uint32_t>(*bytes, at + 16, Endian::Little);
  const auto comment = load<std::uint16_t>(*bytes, at + 20, Endian::Little);
  const std::uint64_t end = size - tail + at;
  if (!disk || !length || !begin || !comment) {
    return {ErrorCode::Truncated, "the end of its directory is cut off, wanted 22 bytes", "", end,
            nullptr};
  }
  // minizip finds no end that is the very beginning.
  if (end == 0) return {ErrorCode::Malformed, "no member is in it", "", std::nullopt, nullptr};
  if (*disk != 0 && *disk != 0xffff) {
    return {ErrorCode::Unsupported,
            format("part {} of a split archive, wanted one that is whole", *disk), "", end,
            nullptr};
  }
  return {ErrorCode::Malformed,
          format("its directory is said to be {} bytes at offset {}, wanted one that ends before "
                 "{}, where its end is marked",
                 *length, *begin, end),
          "", end, nullptr};
}

}  // namespace

struct ZipArchive::State {
  State(std::unique_ptr<ByteSource> a_source, std::string a_name)
      : source(std::move(a_source)), shown(std::move(a_name)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (zip != nullptr) unzClose(zip);
  }

  Result<void> read_directory();
  Result<void> take_member();
  Result<void> expect_end();
  Result<void> index_names();
  Result<std::string> unpack(std::size_t index, std::uint64_t limit);
  Result<std::string> inflate(const ZipMember& member);

  /// About the archive, or about one member of it. What the source reported comes first.
  [[nodiscard]] tl::unexpected<Error> refuse(ErrorCode code, std::string message) const;
  [[nodiscard]] tl::unexpected<Error> refuse(ErrorCode code, const ZipMember& member,
                                             std::string_view message) const;

  WindowedSource source;
  std::string shown;
  unzFile zip = nullptr;
  std::vector<ZipMember> members;
  std::vector<unz64_file_pos> places;
  std::vector<unsigned long> methods;
  std::uint64_t next_entry = 0;  ///< behind the last one taken
  std::vector<char> name_buffer = std::vector<char>(kLongestName + 1);
  std::unordered_map<std::string_view, std::size_t> by_name;
};

tl::unexpected<Error> ZipArchive::State::refuse(ErrorCode code, std::string message) const {
  if (source.error) {
    Error error = *source.error;
    if (error.subject.empty()) error.subject = shown;
    return fail(std::move(error));
  }
  return fail(code, std::move(message), shown);
}

tl::unexpected<Error> ZipArchive::State::refuse(ErrorCode code, const ZipMember& member,
                                                std::string_view message) const {
  return refuse(code, format("the member {}: {}", quoted(member.name), message));
}

Result<void> ZipArchive::State::take_member() {
  unz_file_info64 info{};
  unz64_file_pos place{};
  const int status = unzGetCurrentFileInfo64(zip, &info, name_buffer.data(), name_buffer.size(),
                                             nullptr, 0, nullptr, 0);
  if (status != UNZ_OK || unzGetFilePos64(zip, &place) != UNZ_OK) {
    return refuse(ErrorCode::Malformed,
                  format("entry {} of its directory cannot be read", members.size() + 1));
  }
  std::string name(name_buffer.data(), std::min<std::size_t>(info.size_filename, kLongestName));
  ZipMember member{std::move(name), info.uncompressed_size, info.compressed_size,
                   static_cast<std::uint32_t>(info.crc), false};
  if (const std::string fault = fault_of_name(member.name); !fault.empty()) {
    return refuse(ErrorCode::Malformed,
                  format("the name {} of a member {}, wanted one that stays inside",
                         quoted(member.name), fault));
  }
  if ((info.flag & kEncrypted) != 0) {
    return refuse(ErrorCode::Unsupported, member, "it is encrypted, wanted one that is not");
  }
  if (info.disk_num_start != 0) {
    return refuse(ErrorCode::Unsupported, member,
                  format("it lies on part {} of a split archive", info.disk_num_start));
  }
  member.is_directory = member.name.back() == '/';
  members.push_back(std::move(member));
  places.push_back(place);
  methods.push_back(info.compression_method);
  next_entry = unzGetOffset64(zip) + kEntryHeader + info.size_filename + info.size_file_extra +
               info.size_file_comment;
  return {};
}

/// Python's zipfile reads the directory to its end, whatever it counts: more entries than counted
/// would be installed, and not be seen here.
Result<void> ZipArchive::State::expect_end() {
  const int status = members.empty() ? unzGoToFirstFile(zip) : unzSetOffset64(zip, next_entry);
  if (status == UNZ_OK) {
    return refuse(ErrorCode::Malformed,
                  format("its directory counts {} members and holds more", members.size()));
  }
  return {};
}

Result<void> ZipArchive::State::read_directory() {
  zlib_filefunc64_def functions = reading_from(source);
  zip = unzOpen2_64("memory", &functions);
  if (zip == nullptr) {
    Error error = explain_refusal(source);
    if (error.subject.empty()) error.subject = shown;
    return fail(std::move(error));
  }
  unz_global_info64 global{};
  unzGetGlobalInfo64(zip, &global);
  if (global.number_entry > kMostMembers) {
    return refuse(ErrorCode::LimitReached,
                  format("{} members, wanted at most {}", global.number_entry, kMostMembers));
  }
  for (std::uint64_t i = 0; i < global.number_entry; ++i) {
    const int status = i == 0 ? unzGoToFirstFile(zip) : unzGoToNextFile(zip);
    if (status != UNZ_OK) {
      return refuse(ErrorCode::Malformed,
                    format("its directory counts {} members and holds {}", global.number_entry, i));
    }
    if (auto taken = take_member(); !taken) return taken;
  }
  if (auto ended = expect_end(); !ended) return ended;
  return index_names();
}

Result<void> ZipArchive::State::index_names() {
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!by_name.emplace(members[i].name, i).second) {
      return refuse(ErrorCode::Malformed,
                    format("two members are named {}, wanted one", quoted(members[i].name)));
    }
  }
  return {};
}

Result<std::string> ZipArchive::State::inflate(const ZipMember& member) {
  std::string text;
  std::size_t done = 0;
  int status = 0;
  while (done < member.size) {
    const auto wanted = std::min<std::uint64_t>(member.size - done, kPiece);
    text.resize(done + wanted);
    status = unzReadCurrentFile(zip, text.data() + done, static_cast<unsigned>(wanted));
    if (status <= 0) break;
    done += static_cast<std::size_t>(status);
  }
  const int closed = unzCloseCurrentFile(zip);
  if (status < 0) return refuse(ErrorCode::Malformed, member, words_of(status));
  if (done != member.size) {
    return refuse(ErrorCode::Malformed, member,
                  format("{} bytes unpacked, wanted {}", done, member.size));
  }
  if (closed != UNZ_OK) return refuse(ErrorCode::Malformed, member, words_of(closed));
  return text;
}

Result<std::string> ZipArchive::State::unpack(std::size_t index, std::uint64_t limit) {
  const ZipMember& member = members[index];
  source.error.reset();
  if (member.size > limit) {
    return refuse(ErrorCode::LimitReached, member,
                  format("{} bytes unpacked, wanted at most {}", member.size, limit));
  }
  unz64_file_pos place = places[index];
  if (methods[index] != 0 && methods[index] != Z_DEFLATED) {
    return refuse(
        ErrorCode::Unsupported, member,
        format("compressed by method {}, wanted 0 (stored) or 8 (deflated)", methods[index]));
  }
  int status = unzGoToFilePos64(zip, &place);
  if (status == UNZ_OK) status = unzOpenCurrentFile(zip);
  if (status != UNZ_OK) return refuse(ErrorCode::Malformed, member, words_of(status));
  return inflate(member);
}

ZipArchive::ZipArchive(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZipArchive::ZipArchive(ZipArchive&&) noexcept = default;
ZipArchive& ZipArchive::operator=(ZipArchive&&) noexcept = default;
ZipArchive::~ZipArchive() = default;

Result<ZipArchive> ZipArchive::open(std::unique_ptr<ByteSource> source, std::string shown) {
  auto state = std::make_unique<State>(std::move(source), std::move(shown));
  if (auto done = state->read_directory(); !done) return fail(std::move(done.error()));
  return ZipArchive(std::move(state));
}

const std::vector<ZipMember>& ZipArchive::members() const { return state_->members; }

const ZipMember* ZipArchive::find(std::string_view name) const {
  const auto found = state_->by_name.find(name);
  return found == state_->by_name.end() ? nullptr : &state_->members[found->second];
}

Result<std::string> ZipArchive::read(std::string_view name, std::uint64_t limit) {
  const auto found = state_->by_name.find(name);
  if (found == state_->by_name.end()) {
    return state_->refuse(ErrorCode::NotFound, format("no member is named {}", quoted(name)));
  }
  return state_->unpack(found->second, limit);
}

}  // namespace loadable::archive
