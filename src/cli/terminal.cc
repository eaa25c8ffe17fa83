// SPDX-License-Identifier: Apache-2.0
// Standard output, standard error, and files that the user names.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/format.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/new_file.h"

namespace loadable::cli {
namespace {

void tell(std::string_view kind, std::string_view message) {
  static_cast<void>(write_all(STDERR_FILENO, format("loadable: {}: {}\n", kind, message)));
}

bool fail_output(const std::string& path, const std::string& temporary) {
  tell_error(format("cannot write {}: {}", loadable::quoted(path), std::strerror(errno)));
  if (!temporary.empty()) ::unlink(temporary.c_str());
  return false;
}

/// The file behind a link: a report must not take the place of the link itself.
std::string behind_link(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

bool write_file(const std::string& named, std::string_view report) {
  const std::string path = behind_link(named);
  struct stat info = {};
  // A device or a pipe has no place beside it to rename from.
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return fail_output(path, {});
    const bool is_written = write_all(fd, report);
    return (::close(fd) == 0 && is_written) || fail_output(path, {});
  }
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return fail_output(path, {});
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool is_written = write_all(fd, report) && ::fchmod(fd, 0666 & ~mask) == 0;
  if (::close(fd) != 0 || !is_written) return fail_output(path, temporary);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return fail_output(path, temporary);
  return true;
}

}  // namespace

bool Terminal::uses_color() const {
  if (color == Color::Always) return true;
  if (color == Color::Never || !output.empty()) return false;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return false;
  return ::isatty(STDOUT_FILENO) == 1;
}

bool write_report(const Terminal& terminal, std::string_view report) {
  if (!terminal.output.empty()) return write_file(terminal.output, report);
  if (write_all(STDOUT_FILENO, report)) return true;
  // The reader of a pipe went away: that is its right (`loadable ldd … | head`).
  if (errno == EPIPE) return true;
  tell_error(format("cannot write the report: {}", std::strerror(errno)));
  return false;
}

void tell_error(std::string_view message) { tell("error", message); }
void tell_error(const Error& error) { tell("error", printable(error.to_string())); }

void tell_warning(const Terminal& terminal, std::string_view message) {
  if (!terminal.is_quiet) tell("warning", message);
}

}  // namespace loadable::cli
