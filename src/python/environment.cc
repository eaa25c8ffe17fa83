// SPDX-License-Identifier: Apache-2.0
#include "python/environment.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/format.h"
#include "base/quote.h"
#include "python/extension_tags.h"
#include "python/names.h"
#include "python/pyvenv_cfg.h"
#include "python/site_directories.h"

namespace loadable::python {
namespace {

using tree::Kind;
using tree::Path;
using tree::Walk;

constexpr std::uint64_t kMaxCfg = std::uint64_t{1} << 20U;
constexpr int kMaxDepth = 64;  // of a prefix, when its library is searched upwards

bool is_directory(Walk& walk, const Path& path) {
  const auto& found = walk.resolve(path);
  return found && found->stat.kind == Kind::Directory;
}

bool is_regular(Walk& walk, const Path& path) {
  const auto& found = walk.resolve(path);
  return found && found->stat.kind == Kind::Regular;
}

std::string physical_of(Walk& walk, const Path& path) {
  const auto& found = walk.resolve(path);
  return found ? found->physical.text() : std::string{};
}

// `python3.11` -> (3, 11); nothing for `python3`, `python3.11-config`.
std::optional<std::pair<int, int>> release_of_name(std::string_view name) {
  constexpr std::string_view kPrefix = "python";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  // A free-threaded or debug build: `python3.13t`, `python3.11d`.
  while (name.ends_with('t') || name.ends_with('d') || name.ends_with('m')) name.remove_suffix(1);
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  std::pair<int, int> release;
  const char* end = name.data() + name.size();
  const auto major = std::from_chars(name.data(), name.data() + dot, release.first);
  const auto minor = std::from_chars(name.data() + dot + 1, end, release.second);
  if (major.ec != std::errc{} || major.ptr != name.data() + dot) return std::nullopt;
  if (minor.ec != std::errc{} || minor.ptr != end) return std::nullopt;
  return release;
}

void set_version(Environment* environment, std::string_view version) {
  const std::size_t second = version.find('.', version.find('.') + 1);
  const auto release = release_of_name(format("python{}", version.substr(0, second)));
  if (!release) return;
  environment->version = version;
  std::tie(environment->major, environment->minor) = *release;
}

// The newest lib/python3.X of a prefix that holds `content`.
void guess_version(Walk& walk, Environment* environment, const std::string& prefix,
                   std::string_view content) {
  if (environment->major != 0 || prefix.empty()) return;
  std::pair<int, int> newest{0, 0};
  for (const std::string_view library : {"lib", "lib64"}) {
    const Path directory = Path(prefix).join(library);
    const auto entries = walk.list(directory);
    if (!entries) continue;
    for (const tree::Entry& entry : *entries) {
      const auto release = release_of_name(entry.name);
      if (!release || *release <= newest) continue;
      if (walk.resolve(directory.join(entry.name).join(content))) newest = *release;
    }
  }
  if (newest.first != 0) set_version(environment, format("{}.{}", newest.first, newest.second));
}

// The library of a prefix: a directory with os.py, as getpath.py's landmark.
std::string standard_library_of(Walk& walk, const Path& prefix, const std::string& name) {
  for (const std::string_view library : {"lib", "lib64"}) {
    const Path directory = prefix.join(library).join(name);
    for (const std::string_view landmark : {"os.py", "os.pyc", "lib-dynload"}) {
      if (walk.resolve(directory.join(landmark))) return physical_of(walk, directory);
    }
  }
  return {};
}

// getpath.py search_up: from the program's directory towards the root.
void find_base(Walk& walk, Environment* environment, const std::string& start) {
  if (start.empty() || environment->major == 0) return;
  Path directory(start);
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    std::string library = standard_library_of(walk, directory, environment->directory_name());
    if (!library.empty()) {
      environment->base_prefix = physical_of(walk, directory);
      environment->standard_library = std::move(library);
      return;
    }
    if (directory.text() == "/") return;
    directory = directory.parent();
  }
}

void find_lib_dynload(Walk& walk, Environment* environment) {
  if (environment->base_prefix.empty()) return;
  const std::string& name = environment->directory_name();
  for (const std::string_view library : {"lib", "lib64"}) {
    const Path path = Path(environment->base_prefix).join(library).join(name).join("lib-dynload");
    if (!is_directory(walk, path)) continue;
    environment->lib_dynload = physical_of(walk, path);
    return;
  }
}

void add_site_packages(Walk& walk, Environment* environment, const std::string& prefix) {
  if (prefix.empty() || environment->major == 0) return;
  const std::string name = environment->directory_name();
  for (const std::string_view library : {"lib", "lib64"}) {
    add_site_directory(walk, environment,
                       Path(prefix).join(library).join(name).join("site-packages"), true);
  }
}

// The system's interpreter of a distribution also reads what its administrator installed, and
// Debian's calls both dist-packages (its patched site.py).
void add_system_site_packages(Walk& walk, Environment* environment) {
  const std::string& prefix = environment->base_prefix;
  const std::string name = environment->directory_name();
  if (prefix == "/usr") {
    add_site_directory(walk, environment, Path("/usr/local/lib").join(name).join("dist-packages"),
                       true);
    add_site_directory(walk, environment, Path("/usr/lib/python3/dist-packages"), true);
    add_site_directory(walk, environment, Path("/usr/lib").join(name).join("dist-packages"), true);
    // Fedora's patched sysconfig installs below /usr/local; Debian's never has site-packages there.
    const bool is_debian = is_directory(walk, Path("/usr/lib/python3/dist-packages"));
    if (!is_debian) add_site_packages(walk, environment, "/usr/local");
  }
  add_site_packages(walk, environment, prefix);
}

void find_executable(Walk& walk, Environment* environment, const Path& directory) {
  std::vector<std::string> names = {"python", "python3"};
  if (environment->major != 0) names.push_back(environment->directory_name());
  for (const std::string& name : names) {
    const Path path = directory.join(name);
    if (walk.resolve_parent(path)) {
      environment->executable = path.text();
      break;
    }
  }
  if (environment->executable.empty()) {
    environment->problems.push_back(format("{} holds no interpreter", quoted(directory.text())));
    return;
  }
  if (is_regular(walk, Path(environment->executable))) {
    environment->program = physical_of(walk, Path(environment->executable));
    return;
  }
  std::string leads;
  if (const auto link = walk.resolve_parent(Path(environment->executable))) {
    if (const auto target = walk.tree().read_link(link->physical)) {
      leads = ", a link to " + quoted(*target) + ",";
    }
  }
  environment->problems.push_back(
      format("{}{} is no file inside this root", quoted(environment->executable), leads));
}

// A virtual environment whose own link is broken is judged with the interpreter of its `home`.
void fall_back_to_home(Walk& walk, Environment* environment, const PyvenvCfg& cfg) {
  if (!environment->program.empty()) return;
  std::vector<std::string> paths;
  if (!cfg.executable.empty()) paths.push_back(cfg.executable);
  if (!cfg.base_executable.empty()) paths.push_back(cfg.base_executable);
  if (!cfg.home.empty()) {
    const Path home(cfg.home);
    if (environment->major != 0) paths.push_back(home.join(environment->directory_name()).text());
    paths.push_back(home.join("python3").text());
    paths.push_back(home.join("python").text());
  }
  for (const std::string& path : paths) {
    if (!path.starts_with('/') || !is_regular(walk, Path(path))) continue;
    environment->program = physical_of(walk, Path(path));
    environment->problems.push_back(
        format("judged with {}, which `pyvenv.cfg` names", quoted(environment->program)));
    return;
  }
}

/// The program's own name counts, and not the release that made the environment: a base interpreter
/// that was upgraded, or another image's.
void settle_venv_version(Environment* environment) {
  const auto release = release_of_name(Path(environment->program).name());
  const bool is_known =
      release && environment->major == release->first && environment->minor == release->second;
  if (!release || is_known) return;
  set_version(environment, format("{}.{}", release->first, release->second));
}

/// Packages of a release that this environment's interpreter is not: of the one that made it, else
/// the newest that lies there.
void add_unsearched_site(Walk& walk, Environment* environment, std::string_view made_by) {
  const auto is_own = [&](const Environment& other) {
    return other.major == environment->major && other.minor == environment->minor;
  };
  Environment maker;
  set_version(&maker, made_by);
  if (is_own(maker)) maker = Environment{};
  guess_version(walk, &maker, environment->prefix, "site-packages");
  if (environment->major == 0 || is_own(maker)) return;
  add_site_packages(walk, &maker, environment->prefix);
  if (maker.site_directories.empty()) return;
  environment->unsearched_site = maker.site_directories.front();
  environment->site_directories = std::move(maker.site_directories);
}

/// PyPy's packages lie in a directory of its own, and its process is another one: neither is
/// judged.
void note_pypy(Walk& walk, Environment* environment) {
  const Path library = Path(environment->prefix).join("lib");
  const auto entries = walk.list(library);
  if (!entries) return;
  for (const tree::Entry& entry : *entries) {
    if (!entry.name.starts_with("pypy3.")) continue;
    environment->unread.push_back(
        {library.join(entry.name).text(), "a library of PyPy, which is not examined"});
  }
}

void finish(Walk& walk, Environment* environment) {
  find_lib_dynload(walk, environment);
  environment->soabi = find_soabi(walk, *environment);
  if (environment->kind == EnvironmentKind::Bare) return;
  if (environment->major == 0) {
    environment->problems.emplace_back("the Python version cannot be told");
  } else if (environment->standard_library.empty()) {
    environment->problems.push_back(
        format("no standard library of {} inside this root", environment->directory_name()));
  }
}

}  // namespace

std::string Environment::directory_name() const {
  return major == 0 ? std::string{} : format("python{}.{}", major, minor);
}

Result<Environment> read_venv(Walk& walk, const Path& prefix) {
  const auto text = walk.read_text(prefix.join("pyvenv.cfg"), kMaxCfg);
  if (!text) return fail(text.error());
  const PyvenvCfg cfg = parse_pyvenv_cfg(*text);
  Environment environment;
  environment.kind = EnvironmentKind::Venv;
  environment.prefix = physical_of(walk, prefix);
  environment.includes_system_site_packages = cfg.includes_system_site_packages;
  set_version(&environment, cfg.version);
  guess_version(walk, &environment, environment.prefix, "site-packages");
  find_executable(walk, &environment, prefix.join("bin"));
  fall_back_to_home(walk, &environment, cfg);
  settle_venv_version(&environment);
  // getpath.py starts at `home`; the program's own directory serves where that is a link.
  find_base(walk, &environment, cfg.home.starts_with('/') ? cfg.home : std::string{});
  if (environment.base_prefix.empty() && !environment.program.empty()) {
    find_base(walk, &environment, Path(environment.program).parent().text());
  }
  add_site_packages(walk, &environment, environment.prefix);
  if (environment.site_directories.empty()) add_unsearched_site(walk, &environment, cfg.version);
  note_pypy(walk, &environment);
  environment.own_site_directories = environment.site_directories.size();
  if (environment.includes_system_site_packages) add_system_site_packages(walk, &environment);
  finish(walk, &environment);
  return environment;
}

Result<Environment> read_conda_prefix(Walk& walk, const Path& prefix) {
  const auto entries = walk.list(prefix.join("conda-meta"));
  if (!entries) return fail(entries.error());
  Environment environment;
  environment.kind = EnvironmentKind::Conda;
  environment.prefix = physical_of(walk, prefix);
  for (const tree::Entry& entry : *entries) {
    constexpr std::string_view kPython = "python-";
    const std::string_view name = entry.name;
    if (!name.starts_with(kPython) || !name.ends_with(".json")) continue;
    const std::string_view rest = name.substr(kPython.size());
    // `python-3.11.7-h955ad1f_0.json`, not `python-dateutil-2.9.0-….json`.
    if (rest[0] >= '0' && rest[0] <= '9') set_version(&environment, rest.substr(0, rest.find('-')));
  }
  guess_version(walk, &environment, environment.prefix, "os.py");
  const bool has_python = environment.major != 0 || walk.resolve(prefix.join("bin/python"));
  if (!has_python) {
    environment.kind = EnvironmentKind::Bare;
    return environment;
  }
  find_executable(walk, &environment, prefix.join("bin"));
  find_base(walk, &environment, environment.prefix);
  add_site_packages(walk, &environment, environment.prefix);
  finish(walk, &environment);
  return environment;
}

namespace {

Environment read_system(Walk& walk, const Path& executable, const Path& program) {
  Environment environment;
  environment.executable = executable.text();
  environment.program = program.text();
  if (const auto release = release_of_name(program.name())) {
    set_version(&environment, format("{}.{}", release->first, release->second));
  }
  guess_version(walk, &environment, program.parent().parent().text(), "os.py");
  find_base(walk, &environment, program.parent().text());
  environment.prefix = environment.base_prefix;
  add_system_site_packages(walk, &environment);
  finish(walk, &environment);
  return environment;
}

}  // namespace

Result<Environment> read_interpreter(Walk& walk, const Path& executable) {
  const auto& found = walk.resolve(executable);
  if (!found) {
    return fail(found.error().code, found.error().message, executable.text());
  }
  const auto source = walk.open(executable);
  if (!source) return fail(source.error());
  constexpr std::string_view kMagic =
      "\x7f"
      "ELF";
  std::array<std::byte, kMagic.size()> magic{};
  const auto count = (*source)->read_at(0, magic);
  if (!count) return fail(count.error());
  if (as_text(magic).starts_with("#!")) {
    return fail(
        ErrorCode::InvalidArgument,
        format("is a script that starts an interpreter (as pyenv's are): give what {} prints",
               quoted(format("{} -c 'import sys; print(sys.executable)'", executable.text()))),
        executable.text());
  }
  if (as_text(magic) != kMagic) {
    return fail(ErrorCode::InvalidArgument, "is no ELF program: the interpreter itself is wanted",
                executable.text());
  }
  const Path program = found->physical;
  const Path directory = executable.parent();
  for (const Path& prefix : {directory, directory.parent()}) {
    if (!is_regular(walk, prefix.join("pyvenv.cfg"))) continue;
    auto environment = read_venv(walk, prefix);
    if (!environment) return environment;
    environment->executable = executable.text();
    environment->program = program.text();
    return environment;
  }
  Environment environment = read_system(walk, executable, program);
  if (!environment.prefix.empty() &&
      is_directory(walk, Path(environment.prefix).join("conda-meta"))) {
    auto conda = read_conda_prefix(walk, Path(environment.prefix));
    if (!conda) return conda;
    conda->executable = executable.text();
    conda->program = program.text();
    return conda;
  }
  return environment;
}

Environment with_folder(Environment interpreter, const std::string& folder) {
  interpreter.kind = EnvironmentKind::Folder;
  if (!interpreter.standard_library.empty()) {
    interpreter.behind.push_back(interpreter.standard_library);
  }
  for (std::string& site : interpreter.site_directories) {
    if (site != folder) interpreter.behind.push_back(std::move(site));
  }
  interpreter.prefix = folder;
  interpreter.site_directories = interpreter.python_path = {folder};
  interpreter.own_site_directories = 1;
  interpreter.has_user_site = interpreter.includes_system_site_packages = false;
  interpreter.unread.clear();
  return interpreter;
}

}  // namespace loadable::python
