// SPDX-License-Identifier: Apache-2.0
#include "target/target_folder.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/quote.h"

namespace loadable::target {
namespace {

using tree::Path;
using tree::Walk;

/// Where programs are looked for when nobody says it: confstr(_CS_PATH) and what images set.
constexpr std::string_view kUsualPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::string_view kProgram = "python3";

bool is_program(Walk& walk, const Path& path) {
  constexpr std::uint32_t kAnyExecute = 0111;
  const auto& found = walk.resolve(path);
  return found && found->stat.kind == tree::Kind::Regular && (found->stat.mode & kAnyExecute) != 0;
}

/// As execvp() looks for a name; an empty element is the working directory.
std::optional<Path> find_program(const Spec& spec, Walk& walk, std::string_view name) {
  const bool is_stated = !spec.search_path.empty() && !spec.root;
  std::string_view rest = is_stated ? std::string_view(spec.search_path) : kUsualPath;
  for (bool is_last = false; !is_last;) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string element(rest.substr(0, end));
    is_last = end == rest.size();
    rest.remove_prefix(is_last ? end : end + 1);
    const Path directory = element.starts_with('/') ? Path(element) : Path(spec.cwd).join(element);
    Path path = directory.join(name).lexically_normal();
    if (is_program(walk, path)) return path;
  }
  return std::nullopt;
}

/// What --python names: a program or an environment's directory, else a name as in the shell.
Path stated_python(const Spec& spec, Walk& walk) {
  const std::string& text = spec.python;
  const bool is_name = text.find('/') == std::string::npos;
  if (is_name) {
    if (auto found = find_program(spec, walk, text)) return std::move(*found);
  }
  const bool is_whole = text.starts_with('/') || spec.root;
  const Path path = is_whole ? Path("/").join(text) : Path(spec.cwd).join(text);
  const auto& found = walk.resolve(path);
  const bool is_directory = found && found->stat.kind == tree::Kind::Directory;
  return (is_directory ? path.join("bin/python3") : path).lexically_normal();
}

/// `/venv/bin/python` of `/venv/lib/python3.11/site-packages`.
std::optional<Path> own_python(Walk& walk, const Path& folder) {
  const Path prefix = folder.parent().parent().parent();
  if (folder.name() != "site-packages" || !walk.resolve(prefix.join("pyvenv.cfg"))) {
    return std::nullopt;
  }
  Path path = prefix.join("bin/python");
  if (!is_program(walk, path)) return std::nullopt;
  return path;
}

using Releases = std::set<std::pair<int, int>>;  // 3, 11

/// `cp311` -> 3, 11.
std::optional<std::pair<int, int>> release_of_tag(std::string_view tag) {
  constexpr std::string_view kCPython = "cp";
  if (!tag.starts_with(kCPython)) return std::nullopt;
  tag.remove_prefix(kCPython.size());
  if (tag.size() < 2 || tag.size() > 3 || tag.find_first_not_of("0123456789") != tag.npos) {
    return std::nullopt;
  }
  int minor = 0;
  for (const char c : tag.substr(1)) minor = minor * 10 + (c - '0');
  return std::pair(tag.front() - '0', minor);
}

/// The releases of CPython that the `Tag:` lines of a WHEEL allow; empty: not one by one.
Releases releases_of(std::string_view text) {
  constexpr std::string_view kHead = "Tag: ";
  Releases releases;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(kHead)) continue;
    const std::string_view tag = line.substr(kHead.size());
    const std::size_t dash = std::min(tag.find('-'), tag.size());
    const auto release = release_of_tag(tag.substr(0, dash));
    // `abi3` and `none` are for later releases too, or for nobody that we know.
    if (!release || !tag.substr(dash).starts_with("-cp")) return {};
    releases.insert(*release);
  }
  return releases;
}

/// The releases of CPython for which all distributions of the folder are built; empty: not known.
Releases wanted_releases(Walk& walk, const Path& folder) {
  constexpr std::uint64_t kLongestWheel = std::uint64_t{64} << 10U;
  constexpr std::size_t kMost = 1000;
  const auto entries = walk.list(folder);
  if (!entries) return {};
  Releases all;
  std::size_t count = 0;
  for (const tree::Entry& entry : *entries) {
    if (!entry.name.ends_with(".dist-info") || ++count > kMost) continue;
    const auto text = walk.read_text(folder.join(entry.name).join("WHEEL"), kLongestWheel);
    if (!text) continue;
    const Releases own = releases_of(*text);
    if (own.empty()) continue;
    if (all.empty()) all = own;
    std::erase_if(all, [&](const auto& release) { return !own.contains(release); });
    if (all.empty()) return {};  // for none at all
  }
  return all;
}

std::string release_name(const std::pair<int, int>& release) {
  return format("{}.{}", release.first, release.second);
}

/// The newest release that the folder is for and that PATH leads to, else any `python3`.
std::optional<Path> callers_python(const Spec& spec, Walk& walk, const Releases& wanted) {
  std::optional<Path> plain = find_program(spec, walk, kProgram);
  if (wanted.empty()) return plain;
  if (plain) {
    const auto interpreter = python::read_interpreter(walk, *plain);
    if (interpreter && wanted.contains({interpreter->major, interpreter->minor})) return plain;
  }
  for (auto release = wanted.rbegin(); release != wanted.rend(); ++release) {
    if (auto found = find_program(spec, walk, "python" + release_name(*release))) return found;
  }
  return plain;
}

std::string mismatch(const python::Environment& interpreter, const Releases& wanted) {
  return format(
      "its extension modules are built for CPython {}, and {} is Python {}, which does "
      "not find them: name the interpreter that will run with --python",
      release_name(*wanted.rbegin()), quoted(interpreter.executable), interpreter.version);
}

tl::unexpected<Error> fail_without_python(const Spec& spec) {
  std::string where = "the usual places of programs";
  if (spec.root) {
    where += format(" of the root {}", quoted(*spec.root));
  } else if (!spec.search_path.empty()) {
    where = "`PATH`";
  }
  return fail(ErrorCode::NotFound,
              format("this folder holds distributions (`pip install --target`), and {} leads to no "
                     "{} that could import them: name the interpreter with --python",
                     where, quoted(kProgram)));
}

}  // namespace

bool is_target_folder(Walk& walk, const Path& path) {
  const auto entries = walk.list(path);
  return entries && std::any_of(entries->begin(), entries->end(), [&](const tree::Entry& entry) {
           constexpr std::string_view kSuffix = ".dist-info";
           if (!entry.name.ends_with(kSuffix) || entry.name.size() == kSuffix.size()) return false;
           if (entry.kind != tree::Kind::Symlink) return entry.kind == tree::Kind::Directory;
           const auto& found = walk.resolve(path.join(entry.name));
           return found && found->stat.kind == tree::Kind::Directory;
         });
}

std::string target_folder_inside(Walk& walk, const Path& path) {
  constexpr std::size_t kMost = 200;
  const auto first = [&](const Path& directory, const std::string& more) -> std::string {
    const auto entries = walk.list(directory);
    if (!entries) return {};
    std::size_t count = 0;
    for (const tree::Entry& entry : *entries) {
      if (entry.kind != tree::Kind::Directory || ++count > kMost) continue;
      if (is_target_folder(walk, directory.join(entry.name + more))) return entry.name + more;
    }
    return {};
  };
  std::string inside = first(path, "");
  if (!inside.empty()) return inside;
  inside = first(path.join("lib"), "/site-packages");
  return inside.empty() ? inside : "lib/" + inside;
}

Result<python::Environment> read_target_folder(const Spec& spec, Walk& walk, const Path& folder) {
  const Releases wanted = wanted_releases(walk, folder);
  std::optional<Path> program;
  if (!spec.python.empty()) {
    program = stated_python(spec, walk);
  } else {
    program = own_python(walk, folder);
    if (!program) program = callers_python(spec, walk, wanted);
  }
  if (!program) return fail_without_python(spec);
  auto interpreter = python::read_interpreter(walk, *program);
  if (interpreter) {
    const bool fits = wanted.empty() || interpreter->major == 0 ||
                      wanted.contains({interpreter->major, interpreter->minor});
    if (!fits && spec.python.empty()) {
      return fail(ErrorCode::InvalidArgument, mismatch(*interpreter, wanted));
    }
    if (!fits) interpreter->problems.push_back(mismatch(*interpreter, wanted));
    return python::with_folder(std::move(*interpreter), folder.text());
  }
  return fail(Error{interpreter.error().code,
                    format("{} cannot be read as the interpreter that imports from this folder; "
                           "name another one with --python",
                           quoted(program->text())),
                    {},
                    std::nullopt,
                    std::make_shared<Error>(interpreter.error())});
}

}  // namespace loadable::target
