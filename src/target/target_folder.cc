// SPDX-License-Identifier: Apache-2.0
#include "target/target_folder.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

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

Result<python::Environment> read_target_folder(const Spec& spec, Walk& walk, const Path& folder) {
  std::optional<Path> program;
  if (!spec.python.empty()) {
    program = stated_python(spec, walk);
  } else {
    program = own_python(walk, folder);
    if (!program) program = find_program(spec, walk, kProgram);
  }
  if (!program) return fail_without_python(spec);
  auto interpreter = python::read_interpreter(walk, *program);
  if (interpreter) return python::with_folder(std::move(*interpreter), folder.text());
  return fail(Error{interpreter.error().code,
                    format("{} cannot be read as the interpreter that imports from this folder; "
                           "name another one with --python",
                           quoted(program->text())),
                    {},
                    std::nullopt,
                    std::make_shared<Error>(interpreter.error())});
}

}  // namespace loadable::target
