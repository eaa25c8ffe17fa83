// SPDX-License-Identifier: Apache-2.0
#include "exam/plan_trace.h"

#include "accel/providers.h"
#include "accel/run.h"
#include "base/format.h"
#include "base/quote.h"
#include "exam/providers.h"
#include "exam/scene.h"
#include "exam/unseen.h"

namespace loadable::exam {
namespace {

/// Why no environment's plan can be run.
tl::unexpected<Error> fail_not_shipped(const Scene& scene, const accel::ProviderInstance* other,
                                       const std::string& provider) {
  for (const python::Environment& environment : scene.inventory.environments) {
    const std::string unseen = unseen_place(scene.inventory, environment);
    if (unseen.empty()) continue;
    return fail(ErrorCode::NotFound,
                format("not found, and {} cannot be looked into", quoted(unseen)), provider);
  }
  std::string message = "no distribution that ships it is installed here";
  if (other != nullptr && other->is_cpu_build) {
    message = format("{} {} is installed, which is built without it", other->distribution,
                     other->version);
  }
  return fail(ErrorCode::NotFound, std::move(message), provider);
}

}  // namespace

Result<bool> trace_plan(target::Target& target, const accel::Knowledge& knowledge,
                        const Options& options, const std::string& provider,
                        const PlanVisitor& visit) {
  if (auto known = accel::parse_requirement(provider, knowledge); !known) {
    return fail(known.error().code, known.error().message, "NAME");
  }
  Scene scene(target, knowledge, options, look_around(target, options));
  std::optional<accel::ProviderInstance> other;
  for (std::size_t i = 0; i < scene.inventory.environments.size(); ++i) {
    const python::Environment& environment = scene.inventory.environments[i];
    const auto instances =
        accel::find_providers(knowledge, scene.inventory, *target.walk, i, {provider});
    for (const accel::ProviderInstance& instance : instances) {
      if (instance.id != provider) continue;
      if (!instance.is_shipped) {
        if (!other || instance.is_cpu_build) other = instance;
        continue;
      }
      if (environment.program.empty()) {
        return fail(ErrorCode::NotFound, "its environment has no interpreter inside of this root",
                    environment.prefix);
      }
      auto process = start_program(scene, environment.program,
                                   {.with_host = true, .binds_symbols = true, .traces_all = true});
      if (!process) return fail(process.error());
      visit(accel::run_plan(knowledge, instance, *process, scene.store,
                            run_context(scene, environment)));
      return true;
    }
  }
  return fail_not_shipped(scene, other ? &*other : nullptr, provider);
}

}  // namespace loadable::exam
