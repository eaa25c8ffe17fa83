// SPDX-License-Identifier: Apache-2.0
// A directory of this machine as a root. Every operation starts at one descriptor of that root, so
// no path of the target can be mistaken for one of the host; nothing is opened that could block or
// that acts when it is opened (FIFOs, devices).

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "base/format.h"
#include "base/quote.h"
#include "tree/errors.h"
#include "tree/tree.h"

namespace loadable::tree {
namespace {

constexpr std::size_t kMaxEntries = 1'000'000;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

Kind kind_of_mode(unsigned mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return Kind::Directory;
    case S_IFLNK:
      return Kind::Symlink;
    case S_IFIFO:
      return Kind::Fifo;
    case S_IFSOCK:
      return Kind::Socket;
    case S_IFCHR:
      return Kind::CharDevice;
    case S_IFBLK:
      return Kind::BlockDevice;
    default:
      return Kind::Regular;
  }
}

Stat stat_of(const struct ::stat& raw) {
  Stat stat;
  stat.kind = kind_of_mode(raw.st_mode);
  stat.mode = raw.st_mode & 07777U;
  stat.size = static_cast<std::uint64_t>(raw.st_size);
  stat.links = raw.st_nlink;
  stat.id = {raw.st_dev, raw.st_ino};
  return stat;
}

ErrorCode code_of_errno(int number) {
  switch (number) {
    case ENOENT:
      return ErrorCode::NotFound;
    case ENOTDIR:
      return ErrorCode::NotADirectory;
    case EISDIR:
      return ErrorCode::IsADirectory;
    case EACCES:
    case EPERM:
      return ErrorCode::PermissionDenied;
    case ELOOP:
      return ErrorCode::TooManyLinks;
    case ENAMETOOLONG:
      return ErrorCode::NameTooLong;
    default:
      return ErrorCode::Io;
  }
}

tl::unexpected<Error> fail_errno(int number, const Path& path) {
  const ErrorCode code = code_of_errno(number);
  if (code != ErrorCode::Io) return fail(code, std::string(file_error_text(code)), path.text());
  return fail(code, format("input or output error (errno {})", number), path.text());
}

class HostSource final : public ByteSource {
 public:
  HostSource(Descriptor fd, std::uint64_t size, Path path)
      : fd_(std::move(fd)), size_(size), path_(std::move(path)) {}
  [[nodiscard]] std::uint64_t size() const override { return size_; }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset >= size_) return std::size_t{0};
    while (true) {
      const ssize_t count = ::pread(fd_.get(), out.data(), out.size(), static_cast<off_t>(offset));
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) return fail_errno(errno, path_);
    }
  }

 private:
  Descriptor fd_;
  std::uint64_t size_;
  Path path_;
};

class HostTree final : public Tree {
 public:
  explicit HostTree(Descriptor root) : root_(std::move(root)) {}

  [[nodiscard]] Result<Stat> stat(const Path& physical) const override {
    struct ::stat raw {};
    if (::fstatat(root_.get(), relative(physical), &raw, AT_SYMLINK_NOFOLLOW) != 0) {
      return fail_errno(errno, physical);
    }
    return stat_of(raw);
  }

  [[nodiscard]] Result<std::string> read_link(const Path& physical) const override {
    std::array<char, PATH_MAX> buffer{};
    const ssize_t length =
        ::readlinkat(root_.get(), relative(physical), buffer.data(), buffer.size());
    if (length < 0) return fail_errno(errno, physical);
    return std::string(buffer.data(), static_cast<std::size_t>(length));
  }

  [[nodiscard]] Result<std::vector<Entry>> list(const Path& physical) const override;
  [[nodiscard]] Result<std::unique_ptr<ByteSource>> open(const Path& physical) const override;
  [[nodiscard]] Result<std::unique_ptr<ByteSource>> open_regular(
      const Path& physical) const override;
  [[nodiscard]] bool is_pseudo(const Path& physical) const override;

 private:
  // What the *at calls want: the path without its leading slashes, `.` for the root.
  static const char* relative(const Path& physical) {
    const char* text = physical.text().c_str();
    while (*text == '/') ++text;
    return *text == '\0' ? "." : text;
  }

  // Opens without following any link, so that a directory swapped for a link leads nowhere.
  [[nodiscard]] Descriptor open_below(const Path& physical, int flags) const {
    const int all = flags | O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
    open_how how{};
    how.flags = static_cast<std::uint64_t>(all);
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
    const long fd = ::syscall(SYS_openat2, root_.get(), relative(physical), &how, sizeof(how));
    // Kernels before 5.6, and sandboxes that filter the call.
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
      return Descriptor(::openat(root_.get(), relative(physical), all));
    }
    return Descriptor(static_cast<int>(fd));
  }

  Result<Kind> kind_of_entry(int directory, const char* name, unsigned char type,
                             const Path& path) const;

  Descriptor root_;
};

// Fields of struct linux_dirent64 (getdents64(2)) by offset.
constexpr std::size_t kDirentLength = 16, kDirentType = 18, kDirentName = 19;

std::optional<Kind> kind_of_type(unsigned char type) {
  constexpr unsigned char kFifo = 1, kChar = 2, kDir = 4, kBlock = 6, kFile = 8, kLink = 10,
                          kSocket = 12;
  switch (type) {
    case kFifo:
      return Kind::Fifo;
    case kChar:
      return Kind::CharDevice;
    case kDir:
      return Kind::Directory;
    case kBlock:
      return Kind::BlockDevice;
    case kFile:
      return Kind::Regular;
    case kLink:
      return Kind::Symlink;
    case kSocket:
      return Kind::Socket;
    default:
      return std::nullopt;  // DT_UNKNOWN: the file system does not say
  }
}

Result<Kind> HostTree::kind_of_entry(int directory, const char* name, unsigned char type,
                                     const Path& path) const {
  if (const auto kind = kind_of_type(type)) return *kind;
  struct ::stat raw {};
  if (::fstatat(directory, name, &raw, AT_SYMLINK_NOFOLLOW) != 0) return fail_errno(errno, path);
  return kind_of_mode(raw.st_mode);
}

Result<std::vector<Entry>> HostTree::list(const Path& physical) const {
  const Descriptor directory = open_below(physical, O_DIRECTORY);
  if (directory.get() < 0) return fail_errno(errno, physical);
  std::vector<Entry> entries;
  // Not zeroed: that took 40 % of the instructions of a walk.
  constexpr std::size_t kBuffer = std::size_t{32} * 1024;
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(kBuffer);
  while (true) {
    const long count = ::syscall(SYS_getdents64, directory.get(), buffer.get(), kBuffer);
    if (count < 0) return fail_errno(errno, physical);
    if (count == 0) break;
    const ByteView block = ByteView(buffer.get(), static_cast<std::size_t>(count));
    for (std::size_t at = 0; at + kDirentName < block.size();) {
      const auto length = load<std::uint16_t>(
          block, at + kDirentLength,
          std::endian::native == std::endian::big ? Endian::Big : Endian::Little);
      const auto name = load_string(block, at + kDirentName);
      if (!length || *length <= kDirentName || !name) break;
      const auto type = static_cast<unsigned char>(block[at + kDirentType]);
      at += *length;
      if (*name == "." || *name == "..") continue;
      const auto kind = kind_of_entry(directory.get(), name->data(), type, physical);
      if (!kind) continue;  // gone since it was listed
      entries.push_back({std::string(*name), *kind});
    }
    if (entries.size() > kMaxEntries) {
      return fail(ErrorCode::LimitReached, format("a directory with over {} entries", kMaxEntries),
                  physical.text());
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

Result<std::unique_ptr<ByteSource>> HostTree::open(const Path& physical) const {
  // Asked before it is opened: opening some devices has an effect (tapes rewind, watchdogs arm).
  const auto before = stat(physical);
  if (!before) return fail(before.error());
  if (before->kind != Kind::Regular) return fail_kind(before->kind, physical);
  return open_regular(physical);
}

Result<std::unique_ptr<ByteSource>> HostTree::open_regular(const Path& physical) const {
  Descriptor fd = open_below(physical, 0);
  if (fd.get() < 0) return fail_errno(errno, physical);
  struct ::stat raw {};
  if (::fstat(fd.get(), &raw) != 0) return fail_errno(errno, physical);
  if (!S_ISREG(raw.st_mode)) return fail_kind(kind_of_mode(raw.st_mode), physical);
  return std::unique_ptr<ByteSource>(std::make_unique<HostSource>(
      std::move(fd), static_cast<std::uint64_t>(raw.st_size), physical));
}

bool HostTree::is_pseudo(const Path& physical) const {
  // statfs(2); the three that <linux/magic.h> of Debian 12 lacks are given by value.
  constexpr unsigned long kMqueue = 0x19800202, kConfigfs = 0x62656570, kFusectl = 0x65735543,
                          kRpcPipefs = 0x67596969;
  static constexpr std::array<unsigned long, 18> kPseudo = {
      PROC_SUPER_MAGIC, SYSFS_MAGIC,    DEVPTS_SUPER_MAGIC, DEBUGFS_MAGIC,       TRACEFS_MAGIC,
      SECURITYFS_MAGIC, SELINUX_MAGIC,  CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,
      PSTOREFS_MAGIC,   EFIVARFS_MAGIC, BINFMTFS_MAGIC,     NSFS_MAGIC,          kMqueue,
      kConfigfs,        kFusectl,       kRpcPipefs};
  const Descriptor directory = open_below(physical, O_DIRECTORY | O_PATH);
  struct ::statfs raw {};
  if (directory.get() < 0 || ::fstatfs(directory.get(), &raw) != 0) return false;
  const auto type = static_cast<unsigned long>(raw.f_type);
  return std::find(kPseudo.begin(), kPseudo.end(), type) != kPseudo.end();
}

}  // namespace

Result<std::unique_ptr<Tree>> open_host_tree(const std::string& directory) {
  // O_PATH needs no read permission on the root itself; a root that is a link is followed, because
  // the user named it.
  Descriptor root(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (root.get() < 0) {
    const ErrorCode code = code_of_errno(errno);
    return fail(code, std::string(file_error_text(code)), directory);
  }
  return std::unique_ptr<Tree>(std::make_unique<HostTree>(std::move(root)));
}

}  // namespace loadable::tree
