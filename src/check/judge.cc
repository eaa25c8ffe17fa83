// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "check/rules.h"

namespace loadable::check {

Rulings judge(const Subject& subject) {
  using RuleFunction = void (*)(const Subject&, Rulings&);
  // At one position of the loader's order the earlier row is the better explanation.
  constexpr std::array<RuleFunction, 33> kRules = {not_shipped,
                                                   cpu_build,
                                                   conflicting_distributions,
                                                   hard_family_dependency,
                                                   gutted_package,
                                                   version_skew,
                                                   overwritten_file,
                                                   unowned_library,
                                                   missing_file,
                                                   damaged_library,
                                                   wrong_interpreter,
                                                   wrong_libc,
                                                   incomplete_library_set,
                                                   stale_loader_cache,
                                                   unreachable_library,
                                                   family_mismatch,
                                                   absent_library,
                                                   driver_stub,
                                                   shadowed_library,
                                                   libc_too_old,
                                                   missing_symbol_version,
                                                   missing_symbol,
                                                   executable_stack,
                                                   static_tls,
                                                   cpu_too_old,
                                                   mixed_cuda_majors,
                                                   mixed_library_set,
                                                   loads_by_accident,
                                                   searches_working_directory,
                                                   depends_on_caller_environment,
                                                   stale_metadata,
                                                   installed_together,
                                                   altered_file};
  Rulings rulings;
  for (const RuleFunction rule : kRules) rule(subject, rulings);
  std::stable_sort(rulings.begin(), rulings.end(),
                   [](const Ruling& a, const Ruling& b) { return a.order < b.order; });
  return rulings;
}

}  // namespace loadable::check
