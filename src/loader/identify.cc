// SPDX-License-Identifier: Apache-2.0
// Which loader a file is: release, directories and tokens out of its read-only segments.

#include <algorithm>
#include <array>
#include <charconv>

#include "base/format.h"
#include "base/quote.h"
#include "loader/identify.h"

namespace loadable::loader {
namespace {

constexpr std::uint64_t kMaxSegment = std::uint64_t{16} * 1024 * 1024;
constexpr Version kNewestGlibc{2, 43, 0}, kNewestMusl{1, 2, 6};
constexpr std::string_view kMuslPath = "/lib:/usr/local/lib:/usr/lib";
constexpr std::string_view kRelease = "release version ";

/// Which segments are looked at: constants lie apart from code, unless the linker put them
/// together.
enum class Where : std::uint8_t { Constants, ConstantsAndCode };

/// The bytes of segments that are read and never written, one after the other.
Result<std::string> read_only_bytes(Store& store, const File& file, Where where) {
  if (!file.object) return fail(file.object.error());
  auto source = store.walk().tree().open(file.physical);
  if (!source) return fail(source.error());
  std::string result;
  for (const elf::Segment& segment : file.object->segments) {
    if (segment.type != elf::PT_LOAD || (segment.flags & elf::PF_W) != 0) continue;
    if (where == Where::Constants && (segment.flags & elf::PF_X) != 0) continue;
    const std::uint64_t begin = std::min(segment.offset, file.stat.size);
    const std::uint64_t size = std::min(segment.filesz, file.stat.size - begin);
    auto bytes = read_exactly(**source, begin, size, kMaxSegment);
    if (!bytes) return fail(bytes.error());
    result.append(as_text(*bytes)).push_back('\0');
  }
  return result;
}

std::optional<Version> version_at(std::string_view text) {
  Version version;
  const std::array<int*, 3> parts = {&version.major, &version.minor, &version.patch};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *parts.at(i));
    if (error != std::errc() || end == text.data())
      return i < 2 ? std::nullopt : std::optional(version);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const bool goes_on = text.size() > 1 && text[0] == '.' && text[1] >= '0' && text[1] <= '9';
    if (!goes_on) return i == 0 ? std::nullopt : std::optional(version);
    text.remove_prefix(1);
  }
  return version;
}

/// glibc's banner: `… stable release version 2.36.`
std::optional<Version> glibc_version(std::string_view bytes) {
  for (std::size_t at = bytes.find(kRelease); at != bytes.npos; at = bytes.find(kRelease, at + 1)) {
    if (const auto version = version_at(bytes.substr(at + kRelease.size()))) return version;
  }
  return std::nullopt;
}

/// musl keeps its release as a string of its own.
std::optional<Version> musl_version(std::string_view bytes) {
  for (std::size_t at = bytes.find("\0001.", 0, 3); at != bytes.npos;
       at = bytes.find("\0001.", at + 1, 3)) {
    const std::string_view rest = bytes.substr(at + 1);
    const std::string_view text = rest.substr(0, std::min(rest.find('\0'), std::size_t{16}));
    if (std::count(text.begin(), text.end(), '.') < 2) continue;
    if (text.find_first_not_of("0123456789.") != text.npos && text.find('-') == text.npos) {
      continue;
    }
    if (const auto version = version_at(text)) return version;
  }
  return std::nullopt;
}

bool is_directory_string(std::string_view text) {
  return text.size() > 1 && text.starts_with('/') && text.ends_with('/') &&
         text.find("lib") != text.npos && text.find('%') == text.npos;
}

/// Where from `from` on a string begins with a slash. Slashes are rare in a binary, zero bytes are
/// not: looking for those took a tenth of `ldd`.
std::size_t find_path_string(std::string_view bytes, std::size_t from) {
  for (std::size_t at = bytes.find('/', from); at != bytes.npos; at = bytes.find('/', at + 1)) {
    if (bytes[at - 1] == '\0') return at;
  }
  return bytes.npos;
}

/// The longest run of adjacent strings that begin and end with a slash: system_dirs.
std::vector<std::string> glibc_dirs(std::string_view bytes) {
  std::vector<std::string> best;
  std::vector<std::string> run;
  std::size_t next = 0;  // where the string behind the last one begins
  for (std::size_t begin = find_path_string(bytes, 1); begin != bytes.npos;
       begin = find_path_string(bytes, next)) {
    const std::size_t end = std::min(bytes.find('\0', begin), bytes.size());
    const std::string_view text = bytes.substr(begin, end - begin);
    const bool is_adjacent = begin == next;
    next = end + 1;
    const bool is_dir = is_directory_string(text);
    if (!is_adjacent || !is_dir) run.clear();
    if (is_dir) run.emplace_back(text.substr(0, text.size() - 1));
    if (run.size() > best.size()) best = run;
    if (next > bytes.size()) break;
  }
  return best;
}

/// Is `text`, which holds a slash, a whole string in there?
bool has_string(std::string_view bytes, std::string_view text) {
  const std::string whole = '\0' + std::string(text) + '\0';
  const std::size_t slash = whole.find('/');
  for (std::size_t at = bytes.find('/', slash); at != bytes.npos; at = bytes.find('/', at + 1)) {
    if (bytes.substr(at - slash).starts_with(whole)) return true;
  }
  return false;
}

/// DL_DST_LIB: the last component of the first directory; with Debian's patch all of it.
std::string lib_token(std::string_view bytes, const std::vector<std::string>& dirs) {
  if (dirs.empty()) return "lib";
  const std::string_view first = dirs.front();
  const std::string_view whole = first.substr(1);
  const std::string_view last = first.substr(first.rfind('/') + 1);
  if (whole != last && has_string(bytes, whole)) return std::string(whole);
  return std::string(last);
}

std::vector<std::string> default_glibc_dirs(std::uint16_t machine, std::uint8_t elf_class) {
  if (elf_class == elf::ELFCLASS64 && machine != elf::EM_AARCH64) return {"/lib64", "/usr/lib64"};
  return machine == elf::EM_AARCH64 ? std::vector<std::string>{"/lib64", "/usr/lib64"}
                                    : std::vector<std::string>{"/lib", "/usr/lib"};
}

bool is_debian(std::string_view bytes) {
  return bytes.find("(Debian GLIBC") != bytes.npos || bytes.find("(Ubuntu GLIBC") != bytes.npos;
}

/// 2.31 and older say their release in libc.so.6 alone.
std::optional<Version> version_of_libc(Store& store, const File& interpreter, Identity& identity) {
  std::vector<std::string> places = {interpreter.physical.parent().text()};
  places.insert(places.end(), identity.system_dirs.begin(), identity.system_dirs.end());
  for (const auto& place : places) {
    const auto file = store.open(place + "/libc.so.6");
    if (!file || !(*file)->object || (*file)->object->header.machine != identity.machine) continue;
    const auto bytes = read_only_bytes(store, **file, Where::ConstantsAndCode);
    if (!bytes) continue;
    if (const auto version = glibc_version(*bytes)) {
      identity.is_debian = is_debian(*bytes);
      return version;
    }
  }
  return std::nullopt;
}

void fill_glibc(Store& store, const File& file, std::string_view bytes, Identity& identity) {
  identity.libc = Libc::Glibc;
  identity.system_dirs = glibc_dirs(bytes);
  if (identity.system_dirs.empty()) {
    identity.system_dirs = default_glibc_dirs(identity.machine, identity.elf_class);
  }
  identity.lib_token = lib_token(bytes, identity.system_dirs);
  identity.is_debian = is_debian(bytes);
  auto version = glibc_version(bytes);
  if (!version) version = version_of_libc(store, file, identity);
  identity.is_version_known = version.has_value();
  identity.version = version.value_or(kNewestGlibc);
}

void fill_musl(std::string_view bytes, Identity& identity) {
  identity.libc = Libc::Musl;
  identity.system_dirs = {"/lib", "/usr/local/lib", "/usr/lib"};
  identity.lib_token = "lib";
  const auto version = musl_version(bytes);
  identity.is_version_known = version.has_value();
  identity.version = version.value_or(kNewestMusl);
}

}  // namespace

Result<Identity> identify_loader(Store& store, const std::string& interpreter) {
  const auto file = store.open(interpreter);
  if (!file) return fail(file.error());
  auto bytes = read_only_bytes(store, **file, Where::Constants);
  const bool tells = bytes && (bytes->find(kMuslPath) != bytes->npos || glibc_version(*bytes));
  if (!tells) bytes = read_only_bytes(store, **file, Where::ConstantsAndCode);
  if (!bytes) return fail(bytes.error());
  const elf::Header& header = (*file)->object->header;
  Identity identity;
  identity.interpreter = interpreter;
  identity.machine = header.machine;
  identity.elf_class = header.elf_class();
  identity.is_big_endian = header.endian() == Endian::Big;
  if (bytes->find(kMuslPath) != std::string::npos) {
    fill_musl(*bytes, identity);
  } else {
    fill_glibc(store, **file, *bytes, identity);
  }
  return identity;
}

std::string default_interpreter(Store& store, const elf::ElfObject& object) {
  const elf::Header& header = object.header;
  std::string glibc = "/lib/ld-linux.so.2";
  if (header.machine == elf::EM_X86_64) glibc = "/lib64/ld-linux-x86-64.so.2";
  if (header.machine == elf::EM_AARCH64) glibc = "/lib/ld-linux-aarch64.so.1";
  if (header.machine == elf::EM_ARM) glibc = "/lib/ld-linux-armhf.so.3";
  if (header.machine == elf::EM_PPC64) glibc = "/lib64/ld64.so.2";
  if (header.machine == elf::EM_S390) glibc = "/lib/ld64.so.1";
  if (header.machine == elf::EM_RISCV) glibc = "/lib/ld-linux-riscv64-lp64d.so.1";
  std::string arch = elf::machine_name(header.machine);
  if (header.machine == elf::EM_386) arch = "i386";
  const std::string musl = "/lib/ld-musl-" + arch + ".so.1";
  const auto& needed = object.dynamic.needed;
  const bool wants_musl = std::any_of(needed.begin(), needed.end(), [](const std::string& name) {
    return name.starts_with("libc.musl-") || name == "libc.so";
  });
  const auto exists = [&](const std::string& path) {
    return store.walk().resolve(path).has_value();
  };
  if (wants_musl ? exists(musl) : !exists(glibc) && exists(musl)) return musl;
  return glibc;
}

}  // namespace loadable::loader
