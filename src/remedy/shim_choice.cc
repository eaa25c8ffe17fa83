// SPDX-License-Identifier: Apache-2.0
// Which member of a family a stand-in stands for, and in which version.

#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "python/names.h"
#include "python/version.h"
#include "remedy/shim.h"

namespace loadable::remedy {
namespace {

using accel::DistributionRow;
using accel::Knowledge;

/// A row that names one distribution, and not by a pattern.
bool has_plain_name(const DistributionRow& row) {
  return row.name.find_first_of("*?[") == std::string::npos;
}

bool is_for_gpu(const DistributionRow& row) {
  return !row.intends.empty() || !row.providers.empty() || row.builds_for.starts_with("CUDA");
}

bool is_plain(const DistributionRow& row) { return row.builds_for.empty() && !is_for_gpu(row); }

/// The member for the GPU that the tables put first.
const DistributionRow* gpu_member(const Knowledge& knowledge, std::string_view family) {
  const auto found = std::find_if(
      knowledge.distributions.begin(), knowledge.distributions.end(), [&](const auto& row) {
        return row.family == family && is_for_gpu(row) && has_plain_name(row);
      });
  return found == knowledge.distributions.end() ? nullptr : &*found;
}

tl::unexpected<Error> refuse(const Knowledge& knowledge, std::string_view distribution,
                             std::string_view why) {
  std::string names;
  for (const std::string& name : shim_names(knowledge)) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return fail(ErrorCode::InvalidArgument, format("{}; accepted: {}", why, names),
              std::string(distribution));
}

/// The newest release of the family's providers that the tables cover.
std::string newest_of(const Knowledge& knowledge, std::string_view family) {
  std::string newest;
  for (const accel::ProviderRow& row : knowledge.providers) {
    if (row.family == family && python::compare_versions(row.newest, newest) > 0) {
      newest = row.newest;
    }
  }
  return newest;
}

/// The other member of the family that the target holds: the GPU's first.
const Installed* counterpart(const Knowledge& knowledge, const DistributionRow& row,
                             const std::vector<Installed>& installed) {
  const Installed* other = nullptr;
  for (const Installed& entry : installed) {
    const DistributionRow* found = knowledge.distribution(python::normalize_name(entry.name));
    if (found == nullptr || found->family != row.family || found->name == row.name) continue;
    if (is_for_gpu(*found)) return &entry;
    if (other == nullptr) other = &entry;
  }
  return other;
}

Result<ShimSpec> choose_in_target(const Knowledge& knowledge, const DistributionRow& row,
                                  std::string_view version,
                                  const std::vector<Installed>& installed) {
  const Installed* member = counterpart(knowledge, row, installed);
  if (member == nullptr) {
    const DistributionRow* wanted = gpu_member(knowledge, row.family);
    return fail(ErrorCode::NotFound,
                format("the target holds no other distribution of its family, wanted {}",
                       wanted == nullptr ? "one" : quoted(wanted->name)),
                row.name);
  }
  ShimSpec spec{row.name, std::string(version), python::normalize_name(member->name),
                member->version};
  if (spec.version.empty()) {
    // A local part (`+cu12`) is of that build alone.
    const auto parsed = python::Version::parse(member->version);
    if (!parsed) {
      return fail(ErrorCode::InvalidArgument,
                  format("the version {} of {} is none of PEP 440; state one by --version",
                         quoted(member->version), quoted(member->name)),
                  row.name);
    }
    spec.version = parsed->without_local().to_string();
  }
  return spec;
}

}  // namespace

std::vector<std::string> shim_names(const Knowledge& knowledge) {
  std::vector<std::string> names;
  for (const DistributionRow& row : knowledge.distributions) {
    if (has_plain_name(row) && is_plain(row) && gpu_member(knowledge, row.family) != nullptr) {
      names.push_back(row.name);
    }
  }
  return names;
}

Result<ShimSpec> choose_shim(const Knowledge& knowledge, std::string_view distribution,
                             std::string_view version, const std::vector<Installed>* installed) {
  const DistributionRow* row = knowledge.distribution(python::normalize_name(distribution));
  if (row == nullptr || !has_plain_name(*row)) {
    return refuse(knowledge, distribution, "of no family that is known");
  }
  if (!is_plain(*row)) {
    const std::string what = row->builds_for.empty() ? "the GPU" : row->builds_for;
    return refuse(knowledge, distribution,
                  format("it is a build for {}, wanted the plain one whose place is taken", what));
  }
  std::string stated;
  if (!version.empty()) {
    const auto parsed = python::Version::parse(version);
    if (!parsed) {
      return fail(ErrorCode::InvalidArgument,
                  format("{} is no version, wanted one like `1.24.4`", quoted(version)),
                  "--version");
    }
    stated = parsed->to_string();
  }
  if (installed != nullptr) return choose_in_target(knowledge, *row, stated, *installed);
  const DistributionRow* wanted = gpu_member(knowledge, row->family);
  if (wanted == nullptr) {
    return refuse(knowledge, distribution,
                  "no build of its family for the GPU is known; name an environment that holds "
                  "another one by --target");
  }
  if (stated.empty()) stated = newest_of(knowledge, row->family);
  if (stated.empty()) {
    return fail(ErrorCode::NotFound,
                format("the tables list no release of {}; state one by --version, or an "
                       "environment that holds it by --target",
                       quoted(wanted->name)),
                row->name);
  }
  return ShimSpec{row->name, stated, wanted->name, stated};
}

}  // namespace loadable::remedy
