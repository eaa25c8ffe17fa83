// SPDX-License-Identifier: Apache-2.0
#include "target/target.h"

#include "base/format.h"
#include "base/quote.h"
#include "target/kinds.h"
#include "target/target_folder.h"

namespace loadable::target {
namespace {

using tree::Path;

Path host_path(const Spec& spec, const std::string& text) {
  return text.starts_with('/') ? Path(text) : Path(spec.cwd).join(text);
}

/// Which path is meant, and how to call it in messages.
struct Choice {
  std::string path, shown;
};

Result<Choice> choose(const Spec& spec, tree::Walk& walk) {
  if (!spec.path.empty()) return Choice{spec.path, spec.path};
  if (spec.root) return Choice{"/", *spec.root};
  const Path local = Path(spec.cwd).join(".venv");
  if (walk.resolve(local)) return Choice{local.text(), ".venv"};
  if (!spec.virtual_env.empty()) return Choice{spec.virtual_env, spec.virtual_env};
  if (!spec.conda_prefix.empty()) return Choice{spec.conda_prefix, spec.conda_prefix};
  return fail(ErrorCode::NotFound,
              format("no TARGET given and none found: there is no `.venv` in {}, and neither "
                     "`VIRTUAL_ENV` nor `CONDA_PREFIX` is set; accepted: {}",
                     quoted(spec.cwd), accepted_kinds()));
}

tl::unexpected<Error> fail_lookup(const Spec& spec, const Choice& choice, const Error& error) {
  std::string message = error.message;
  if (spec.root) message += format(" inside the root {}", quoted(*spec.root));
  if (error.code == ErrorCode::NotFound) message += format("; accepted: {}", accepted_kinds());
  return fail(error.code, std::move(message), choice.shown);
}

/// What to name instead of a file that says what is required and that cannot be read.
std::string_view instead_of(std::string_view name) {
  if (name == "Pipfile") return "`pipenv lock` makes a `Pipfile.lock` of it, which can be read";
  if (name == "setup.py") return "what it requires only a run would tell";
  return {};
}

tl::unexpected<Error> fail_unknown(tree::Walk& walk, const Path& path, const tree::Found& found,
                                   const Choice& choice) {
  const bool is_directory = found.stat.kind == tree::Kind::Directory;
  std::string tried = is_directory
                          ? "this directory holds no `pyvenv.cfg`, no `conda-meta/`, no "
                            "`bin/python3`, no `.dist-info` directories, no `usr/` or "
                            "`etc/` and no loader"
                          : "this file is no Python interpreter (an executable named `python…`)";
  const std::string_view name = path.name();
  if (!is_directory && !instead_of(name).empty()) {
    return fail(ErrorCode::Unsupported,
                format("{} is not read: {}", quoted(name), instead_of(name)), choice.shown);
  }
  const bool is_text = !is_directory && (name.ends_with(".txt") || name.ends_with(".in"));
  const bool is_yaml = !is_directory && (name.ends_with(".yml") || name.ends_with(".yaml"));
  if (is_text || is_yaml) {
    return fail(
        ErrorCode::InvalidArgument,
        format("what this file is cannot be told by its name; if it is {}, say `--kind "
               "requirements`; accepted: {}",
               is_text ? "a requirements file" : "an environment of conda", accepted_kinds()),
        choice.shown);
  }
  if (is_directory && walk.resolve(path.join(".venv/pyvenv.cfg"))) {
    tried += "; its virtual environment is " + quoted(Path(choice.shown).name()) + "/.venv";
  }
  if (is_directory) {
    const std::string inside = target_folder_inside(walk, path);
    if (!inside.empty()) {
      tried += "; distributions lie in " + quoted(Path(choice.shown).join(inside).text());
    }
  }
  return fail(ErrorCode::InvalidArgument, format("{}; accepted: {}", tried, accepted_kinds()),
              choice.shown);
}

tl::unexpected<Error> fail_unsupported(tree::Walk& walk, const Path& path, const Guess& guess,
                                       const Choice& choice) {
  std::string message = format("{} ({}), which is not supported yet; accepted: {}",
                               described(guess.kind), guess.because, accepted_kinds());
  if (walk.resolve(path.join(".venv/pyvenv.cfg"))) {
    message +=
        format("; to examine its virtual environment, name {}", quoted(choice.shown + "/.venv"));
  }
  return fail(ErrorCode::Unsupported, std::move(message), choice.shown);
}

/// A directory that may not be searched is no target: nothing in it can be asked for, so that its
/// kind would be a guess from nothing.
std::optional<Error> refuse_closed(tree::Walk& walk, const Path& path, const tree::Found& found,
                                   const Choice& choice) {
  if (found.stat.kind != tree::Kind::Directory) return std::nullopt;
  const auto& inside = walk.resolve(path.join("pyvenv.cfg"));
  if (inside || inside.error().code != ErrorCode::PermissionDenied) return std::nullopt;
  return Error{ErrorCode::PermissionDenied, "this directory cannot be searched: permission denied",
               choice.shown, std::nullopt, nullptr};
}

Result<python::Environment> read_environment(tree::Walk& walk, Kind kind, const Path& path,
                                             const tree::Found& found) {
  switch (kind) {
    case Kind::Venv:
      return python::read_venv(walk, path);
    case Kind::Conda:
      return python::read_conda_prefix(walk, path);
    default:
      return python::read_interpreter(
          walk, found.stat.kind == tree::Kind::Directory ? path.join("bin/python3") : path);
  }
}

// Reads a root directory by itself, so that its links stay inside of it.
Result<Target> open_root_directory(const Spec& spec, const OpenRoot& open, Target target,
                                   const tree::Found& found) {
  if (found.stat.kind != tree::Kind::Directory) {
    return fail(ErrorCode::NotADirectory, "a root directory is wanted, this is none", target.shown);
  }
  const auto entries = target.walk->list(Path(found.physical.text()));
  if (!entries) {
    return fail(entries.error().code, format("cannot be listed: {}", entries.error().message),
                target.shown);
  }
  target.path = found.physical.text();
  // `/usr` of a system with one tree for programs is a part of its root, not a root.
  if (spec.root || target.path == "/" || target.path == "/usr") return target;
  auto tree = open(found.physical.text());
  if (!tree) return fail(std::move(tree.error()));
  target.root = found.physical.text();
  target.walk.reset();
  target.tree = std::move(*tree);
  target.walk = std::make_unique<tree::Walk>(*target.tree);
  target.path = "/";
  return target;
}

/// Nothing of it is installed: it has no environment. `found` lives in the walk of the target.
Result<Target> take_planned(Target target, const tree::Found& found) {
  const bool is_directory = found.stat.kind == tree::Kind::Directory;
  const bool may_be_one = target.kind == Kind::Project || target.kind == Kind::Wheelhouse;
  if (is_directory && !may_be_one) {
    return fail(ErrorCode::IsADirectory,
                format("{} is wanted, this is a directory", described(target.kind)), target.shown);
  }
  if (!is_directory && target.kind == Kind::Wheelhouse) {
    return fail(ErrorCode::NotADirectory,
                format("{} is wanted, this is none", described(target.kind)), target.shown);
  }
  target.path = found.physical.text();
  return target;
}

/// As stated, else guessed.
std::optional<Guess> guess_of(const Spec& spec, tree::Walk& walk, const Path& path,
                              const tree::Found& found) {
  auto guess = guess_kind(walk, path, found, spec.root.has_value());
  const bool is_folder = guess && guess->is_target_folder;
  if (spec.kind)
    return Guess{*spec.kind, "as stated", is_folder && *spec.kind == Kind::Interpreter};
  if (!is_folder || !spec.root || !spec.python.empty()) return guess;
  // Without an interpreter in that root the folder is still a part of it.
  if (read_target_folder(spec, walk, found.physical)) return guess;
  return Guess{Kind::Rootfs, "a directory of the root given"};
}

Result<Target> take_folder(const Spec& spec, Target target, const Path& folder) {
  auto environment = read_target_folder(spec, *target.walk, folder);
  if (!environment) {
    Error error = environment.error();
    error.subject = target.shown;
    return fail(std::move(error));
  }
  target.path = folder.text();
  target.environments.push_back(std::move(*environment));
  return target;
}

}  // namespace

Result<Target> resolve_target(const Spec& spec, const OpenRoot& open) {
  Target target;
  target.root = spec.root ? host_path(spec, *spec.root).text() : "/";
  auto tree = open(target.root);
  if (!tree) {
    return fail(tree.error().code, format("the root cannot be opened: {}", tree.error().message),
                spec.root.value_or("/"));
  }
  target.tree = std::move(*tree);
  target.walk = std::make_unique<tree::Walk>(*target.tree);
  tree::Walk& walk = *target.walk;

  const auto choice = choose(spec, walk);
  if (!choice) return fail(choice.error());
  target.shown = choice->shown;
  const Path path = spec.root ? Path(choice->path) : host_path(spec, choice->path);
  const auto& found = walk.resolve(path);
  if (!found) return fail_lookup(spec, *choice, found.error());

  if (auto closed = refuse_closed(walk, path, *found, *choice)) return fail(std::move(*closed));
  const std::optional<Guess> guessed = guess_of(spec, walk, path, *found);
  if (!guessed) return fail_unknown(walk, path, *found, *choice);
  const Guess& guess = *guessed;
  if (!is_supported(guess.kind)) return fail_unsupported(walk, path, guess, *choice);
  target.kind = guess.kind;
  if (guess.kind == Kind::Rootfs) {
    const tree::Found where = *found;
    return open_root_directory(spec, open, std::move(target), where);
  }
  if (is_planned(guess.kind)) return take_planned(std::move(target), *found);
  if (guess.is_target_folder) {
    const Path folder = found->physical;
    return take_folder(spec, std::move(target), folder);
  }
  auto environment = read_environment(walk, guess.kind, path, *found);
  if (!environment) {
    Error error = environment.error();
    return fail(
        Error{error.code == ErrorCode::PermissionDenied ? error.code : ErrorCode::InvalidArgument,
              format("no {} can be read there", to_string(guess.kind)), choice->shown, std::nullopt,
              std::make_shared<Error>(std::move(error))});
  }
  target.path = guess.kind == Kind::Interpreter ? environment->executable : environment->prefix;
  target.environments.push_back(std::move(*environment));
  return target;
}

}  // namespace loadable::target
