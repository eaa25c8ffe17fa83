// SPDX-License-Identifier: Apache-2.0
#include "cli/shim_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "accel/knowledge.h"
#include "base/format.h"
#include "base/quote.h"
#include "cli/host.h"
#include "cli/new_file.h"
#include "inventory/collect.h"
#include "remedy/shim.h"
#include "target/target.h"

namespace loadable::cli {
namespace {

constexpr std::string_view kExamples =
    "loadable shim onnxruntime\n"
    "loadable shim onnxruntime --target .venv --output wheels\n"
    "loadable shim onnxruntime --version 1.24.4\n"
    "pip install $(loadable shim onnxruntime --quiet) fastembed";

struct ShimOptions {
  Terminal terminal;
  std::string distribution, version, target;
};

const Command& shim_command() {
  static const Command command = {"shim", kShimSummary, run_shim, declare_shim};
  return command;
}

void add_shim_options(CLI::App& app, ShimOptions& options) {
  prepare_app(app, shim_command(), kExamples, options.terminal);
  app.get_option("--output")
      ->description("Write the wheel into this directory; default: the working directory")
      ->option_text("DIR");
  app.add_option("--version", options.version,
                 "Its version; default: that of the build for the GPU in TARGET, else the newest "
                 "that is known")
      ->option_text("V");
  app.add_option("--target", options.target,
                 "An environment: the build that is installed there is required")
      ->option_text("TARGET");
  app.add_option("DISTRIBUTION", options.distribution,
                 "The one whose place the wheel takes: onnxruntime, fastembed …")
      ->required();
}

/// What an environment holds; nothing without --target.
Result<std::optional<std::vector<remedy::Installed>>> installed_in(const ShimOptions& options) {
  if (options.target.empty()) return std::nullopt;
  target::Spec spec;
  spec.path = options.target;
  spec.cwd = host_directory();
  if (const char* path = std::getenv("PATH")) spec.search_path = path;
  auto target = target::resolve_target(spec);
  if (!target) return fail(target.error());
  inventory::Scope scope;
  if (target->kind == target::Kind::Rootfs) scope.below = target->path;
  scope.environments = target->environments;
  const inventory::Inventory inventory = inventory::collect(*target->walk, std::move(scope));
  std::vector<remedy::Installed> installed;
  for (const inventory::Distribution& distribution : inventory.distributions) {
    installed.push_back({distribution.name, distribution.version});
  }
  return installed;
}

struct Place {
  std::string shown, absolute;
};

Place place_of(const std::string& directory, const std::string& file_name) {
  Place place;
  place.shown = directory.empty() ? file_name : directory + "/" + file_name;
  const bool is_absolute = place.shown.starts_with('/');
  place.absolute = is_absolute ? place.shown : host_directory() + "/" + place.shown;
  return place;
}

Result<remedy::ShimSpec> decide(const ShimOptions& options) {
  const auto installed = installed_in(options);
  if (!installed) return fail(installed.error());
  const auto* list = installed->has_value() ? &**installed : nullptr;
  return remedy::choose_shim(accel::built_in_knowledge(), options.distribution, options.version,
                             list);
}

int fail_with(const Error& error) {
  tell_error(error);
  return kExitUnable;
}

}  // namespace

void declare_shim(CLI::App& app) {
  static ShimOptions options;
  add_shim_options(app, options);
}

int run_shim(const Invocation& invocation) {
  ShimOptions options;
  CLI::App app;
  add_shim_options(app, options);
  if (const auto status = parse_arguments(app, invocation)) return *status;
  const auto spec = decide(options);
  if (!spec) return fail_with(spec.error());
  const auto shim = remedy::build_shim(*spec);
  if (!shim) return fail_with(shim.error());

  std::string directory = options.terminal.output;
  while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
  const Place place = place_of(directory == "." ? "" : directory, shim->file_name);
  const auto written = write_new_file(place.shown, shim->bytes);
  if (!written) return fail_with(written.error());
  options.terminal.output.clear();
  if (!write_report(options.terminal, place.shown + "\n")) return kExitUnable;
  if (options.terminal.is_quiet) return kExitClean;
  std::string told = remedy::shim_instructions(*spec, place.absolute, place.shown);
  if (*written == NewFile::AlreadyThere) {
    told = format("{} is there already, with the same bytes\n\n", loadable::quoted(place.shown)) +
           told;
  }
  return write_all(STDERR_FILENO, told) ? kExitClean : kExitUnable;
}

}  // namespace loadable::cli
