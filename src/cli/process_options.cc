// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "base/format.h"
#include "base/quote.h"
#include "cli/host.h"
#include "cli/ldd_command.h"

namespace loadable::cli {
namespace {

/// --env replaces what the caller's environment says.
void set_variable(loader::Environment& environment, std::pair<std::string, std::string> variable) {
  std::erase_if(environment.variables,
                [&](const auto& each) { return each.first == variable.first; });
  environment.variables.push_back(std::move(variable));
}

}  // namespace

void add_process_options(CLI::App& app, ProcessOptions& options) {
  app.add_option("--root", options.root,
                 "The directory that is `/` for the program; other than `/`, the caller's "
                 "variables do not count")
      ->option_text("DIR");
  app.add_option("--env", options.variables,
                 "A variable of the process, for example LD_LIBRARY_PATH")
      ->option_text("K=V")
      ->take_all()
      ->type_size(1)
      ->allow_extra_args(false);
  app.add_option("--cwd", options.cwd, "Its working directory, inside the root")
      ->option_text("DIR");
  app.add_option("--cpu", options.cpu, "x86-64-v1 to x86-64-v4; without it, this machine's CPU")
      ->option_text("LEVEL");
  app.add_option("--libc", options.libc,
                 "Judge for this C library instead of the one found, for example glibc-2.41")
      ->option_text("NAME-VERSION");
  app.add_flag("--symbols", options.binds_symbols, "Bind symbols too, as `ldd -r` does");
  app.add_flag("--secure", options.is_secure, "As for a set-user-ID program (AT_SECURE)");
}

Result<std::unique_ptr<tree::Tree>> open_root(const ProcessOptions& options) {
  auto root = tree::open_host_tree(options.root);
  if (root) return root;
  Error error = root.error();
  if (error.subject.empty()) error.subject = "--root " + options.root;
  return fail(std::move(error));
}

Result<loader::Environment> make_environment(const ProcessOptions& options) {
  loader::Environment environment;
  environment.cpu = host_cpu();
  environment.is_secure = options.is_secure;
  environment.binds_symbols = options.binds_symbols;
  if (options.is_host()) {
    environment.variables = host_loader_variables();
    environment.cwd = host_directory();
  }
  for (const auto& text : options.variables) {
    auto variable = parse_variable(text);
    if (!variable) return fail(variable.error());
    set_variable(environment, std::move(*variable));
  }
  if (!options.cwd.empty()) {
    if (!options.cwd.starts_with('/')) {
      return fail(ErrorCode::InvalidArgument,
                  format("--cwd {} is relative, wanted a path that begins with `/`",
                         loadable::quoted(options.cwd)));
    }
    environment.cwd = options.cwd;
  }
  if (!options.cpu.empty()) {
    const auto level = loader::parse_cpu(options.cpu);
    if (!level) return fail(level.error());
    environment.cpu = {*level, {}};
  }
  if (!options.libc.empty()) {
    const auto libc = loader::parse_libc(options.libc);
    if (!libc) return fail(libc.error());
    loader::Identity stated;
    stated.libc = libc->first;
    stated.version = libc->second;
    environment.stated = stated;
  }
  return environment;
}

}  // namespace loadable::cli
