// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/quote.h"
#include "check/remedies.h"
#include "check/rules.h"

namespace loadable::check {

void static_tls(const Subject& subject, Rulings& out) {
  for (const Break& fault : subject.breaks) {
    if (fault.failure.kind != loader::FailureKind::Tls) continue;
    Ruling ruling = break_ruling(
        subject, fault, "static-tls",
        format("{} cannot load: {} needs more static thread-local storage than is left",
               subject.title, quoted(file_name(fault.failure.object))));
    ruling.finding.locations.push_back(
        {fault.failure.object, fault.distribution, std::nullopt, Role::Library});
    ruling.finding.remedies.push_back(
        {"load-first",
         "import this package first, or give the loader more room",
         {"export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096"},
         {},
         false});
    out.push_back(std::move(ruling));
  }
}

}  // namespace loadable::check
