// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules, one function and one file each (rule_NAME.cc): facts of one subject -> rulings.

#include "check/ruling.h"

namespace loadable::check {

void absent_library(const Subject& subject, Rulings& out);
void altered_file(const Subject& subject, Rulings& out);
void conflicting_distributions(const Subject& subject, Rulings& out);
void cpu_build(const Subject& subject, Rulings& out);
void cpu_too_old(const Subject& subject, Rulings& out);
void damaged_library(const Subject& subject, Rulings& out);
void depends_on_caller_environment(const Subject& subject, Rulings& out);
void driver_stub(const Subject& subject, Rulings& out);
void executable_stack(const Subject& subject, Rulings& out);
void family_mismatch(const Subject& subject, Rulings& out);
void gutted_package(const Subject& subject, Rulings& out);
void hard_family_dependency(const Subject& subject, Rulings& out);
void incomplete_library_set(const Subject& subject, Rulings& out);
void installed_together(const Subject& subject, Rulings& out);
void libc_too_old(const Subject& subject, Rulings& out);
void loads_by_accident(const Subject& subject, Rulings& out);
void missing_file(const Subject& subject, Rulings& out);
void missing_symbol(const Subject& subject, Rulings& out);
void missing_symbol_version(const Subject& subject, Rulings& out);
void mixed_cuda_majors(const Subject& subject, Rulings& out);
void mixed_library_set(const Subject& subject, Rulings& out);
void not_shipped(const Subject& subject, Rulings& out);
void overwritten_file(const Subject& subject, Rulings& out);
void searches_working_directory(const Subject& subject, Rulings& out);
void shadowed_library(const Subject& subject, Rulings& out);
void stale_loader_cache(const Subject& subject, Rulings& out);
void stale_metadata(const Subject& subject, Rulings& out);
void static_tls(const Subject& subject, Rulings& out);
void unreachable_library(const Subject& subject, Rulings& out);
void unowned_library(const Subject& subject, Rulings& out);
void version_skew(const Subject& subject, Rulings& out);
void wrong_interpreter(const Subject& subject, Rulings& out);
void wrong_libc(const Subject& subject, Rulings& out);

/// All of them over one subject, in the order of their `order`.
[[nodiscard]] Rulings judge(const Subject& subject);

}  // namespace loadable::check
