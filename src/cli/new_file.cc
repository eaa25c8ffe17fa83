// SPDX-License-Identifier: Apache-2.0
#include "cli/new_file.h"

#include <fcntl.h>
#include <stdio.h>  // NOLINT(modernize-deprecated-headers): renameat2
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/bytes.h"
#include "base/format.h"

namespace loadable::cli {
namespace {

tl::unexpected<Error> fail_errno(const std::string& path, std::string_view what, int number) {
  const ErrorCode code = number == EACCES || number == EPERM || number == EROFS
                             ? ErrorCode::PermissionDenied
                             : ErrorCode::Io;
  return fail(code, format("{}: {}", what, std::strerror(number)), path);
}

/// Are these the bytes of the file? No more of it is read than that takes.
bool has_bytes(const std::string& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  std::string found(bytes.size() + 1, '\0');
  std::size_t done = 0;
  while (done < found.size()) {
    const ssize_t count = ::read(fd, found.data() + done, found.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  ::close(fd);
  return std::string_view(found).substr(0, done) == bytes;
}

Result<NewFile> compare(const std::string& path, std::string_view bytes) {
  struct stat info = {};
  const bool is_file = ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  if (is_file && has_bytes(path, bytes)) return NewFile::AlreadyThere;
  return fail(ErrorCode::InvalidArgument,
              is_file ? "another file of this name is there, and is not replaced"
                      : "something that is no file is there, and is not replaced",
              path);
}

/// Gives the temporary file its name, unless something has that name.
int rename_without_replacing(const std::string& temporary, const std::string& path) {
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system or kernel that cannot do it in one step: by a second name.
  if (::link(temporary.c_str(), path.c_str()) != 0) return errno;
  ::unlink(temporary.c_str());
  return 0;
}

}  // namespace

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Result<NewFile> write_new_file(const std::string& path, std::string_view bytes) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!directory.empty()) std::filesystem::create_directories(directory, error);
  if (error && !std::filesystem::is_directory(directory)) {
    return fail_errno(directory.string(), "this directory cannot be made", error.value());
  }
  struct stat info = {};
  if (::lstat(path.c_str(), &info) == 0) return compare(path, bytes);
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return fail_errno(path, "cannot be written", errno);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool is_written = write_all(fd, bytes) && ::fchmod(fd, 0666 & ~mask) == 0;
  int number = is_written ? 0 : errno;
  if (::close(fd) != 0 && number == 0) number = errno;
  if (number == 0) number = rename_without_replacing(temporary, path);
  if (number == 0) return NewFile::Written;
  ::unlink(temporary.c_str());
  if (number == EEXIST) return compare(path, bytes);
  return fail_errno(path, "cannot be written", number);
}

}  // namespace loadable::cli
