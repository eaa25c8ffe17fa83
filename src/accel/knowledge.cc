// SPDX-License-Identifier: Apache-2.0
#include "accel/knowledge.h"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include "base/holds.h"

namespace loadable::accel {
namespace {

template <class Rows, class Predicate>
auto find_row(const Rows& rows, Predicate predicate) -> const typename Rows::value_type* {
  const auto found = std::find_if(rows.begin(), rows.end(), predicate);
  return found == rows.end() ? nullptr : &*found;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The next number of a release and what follows it; nothing when it does not begin with one.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::vector<std::uint64_t> numbers_of(std::string_view release) {
  std::vector<std::uint64_t> numbers;
  while (auto number = take_number(release)) {
    numbers.push_back(*number);
    if (!release.starts_with('.')) break;
    release.remove_prefix(1);
  }
  return numbers;
}

}  // namespace

bool fits(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

int compare_releases(std::string_view a, std::string_view b) {
  auto left = numbers_of(a);
  auto right = numbers_of(b);
  const std::size_t length = std::max(left.size(), right.size());
  left.resize(length);
  right.resize(length);
  if (left == right) return 0;
  return left < right ? -1 : 1;
}

bool Releases::contains(std::string_view release) const {
  return (from.empty() || compare_releases(release, from) >= 0) &&
         (to.empty() || compare_releases(release, to) <= 0);
}

Soname split_soname(std::string_view name) {
  const std::size_t at = name.rfind(".so");
  if (at == std::string_view::npos) return {std::string(name), {}};
  const std::string_view rest = name.substr(at + 3);
  const bool is_versioned = rest.size() > 1 && rest[0] == '.' && is_digit(rest[1]);
  if (!is_versioned) return {std::string(name), {}};
  return {std::string(name.substr(0, at + 3)), std::string(rest.substr(1))};
}

bool StepRow::applies(std::string_view provider, std::string_view release,
                      std::optional<int> cuda_major) const {
  if (!holds(providers, provider) || !releases.contains(release)) return false;
  return cuda.empty() ||
         (cuda_major && std::find(cuda.begin(), cuda.end(), *cuda_major) != cuda.end());
}

bool FamilyRow::is_ambiguous(std::string_view soname) const {
  const FamilyMember* first = nullptr;
  for (const FamilyMember& member : members) {
    if (member.soname != soname) continue;
    if (first != nullptr && first->cuda != member.cuda) return true;
    first = &member;
  }
  return false;
}

const ProviderRow* Knowledge::provider(std::string_view id) const {
  return find_row(providers, [&](const ProviderRow& row) { return row.id == id; });
}

const DistributionRow* Knowledge::distribution(std::string_view normalised_name,
                                               std::string_view release) const {
  const std::string name(normalised_name);
  const DistributionRow* row =
      find_row(distributions, [&](const DistributionRow& one) { return one.name == name; });
  if (row == nullptr) {
    row = find_row(distributions, [&](const DistributionRow& one) {
      return one.name.find('*') != std::string::npos && fits(one.name, name);
    });
  }
  const bool is_covered = row != nullptr && (release.empty() || row->releases.contains(release));
  return is_covered ? row : nullptr;
}

const DistributionFamilyRow* Knowledge::distribution_family(std::string_view id) const {
  return find_row(distribution_families,
                  [&](const DistributionFamilyRow& row) { return row.id == id; });
}

const ActionRow* Knowledge::action(std::string_view name) const {
  return find_row(actions, [&](const ActionRow& row) { return row.name == name; });
}

const FamilyRow* Knowledge::family(std::string_view soname) const {
  const std::string stem = split_soname(soname).stem;
  return find_row(families, [&](const FamilyRow& row) { return row.stem == stem; });
}

std::optional<int> Knowledge::cuda_of(std::string_view soname) const {
  const FamilyRow* row = family(soname);
  if (row == nullptr || row->is_ambiguous(soname)) return std::nullopt;
  for (const FamilyMember& member : row->members) {
    if (member.soname == soname && member.cuda != 0) return member.cuda;
  }
  return std::nullopt;
}

std::vector<PackageHint> Knowledge::packages_of(std::string_view soname) const {
  std::vector<PackageHint> hints;
  const FamilyRow* row = family(soname);
  if (row == nullptr) return hints;
  for (const FamilyMember& member : row->members) {
    if (member.soname == soname) hints.push_back({member.cuda, member.package, member.directory});
  }
  return hints;
}

bool Knowledge::is_other_major(std::string_view wanted, std::string_view present) const {
  const Soname a = split_soname(wanted);
  const Soname b = split_soname(present);
  if (a.stem != b.stem || a.version.empty() || b.version.empty()) return false;
  // libx.so.12.9 is a release of libx.so.12, not another major.
  const auto left = numbers_of(a.version);
  const auto right = numbers_of(b.version);
  const std::size_t common = std::min(left.size(), right.size());
  return !std::equal(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(common),
                     right.begin());
}

bool Knowledge::is_stray(const std::string& path) const {
  return std::any_of(stray_files.begin(), stray_files.end(),
                     [&](const StrayFileRow& row) { return fits(row.path, path); });
}

bool Knowledge::is_driver(std::string_view name) const {
  const std::string text(name);
  return std::any_of(drivers.begin(), drivers.end(),
                     [&](const DriverRow& row) { return fits(row.library, text); });
}

const SetRow* Knowledge::set_of(std::string_view soname) const {
  const std::string text(soname);
  return find_row(sets, [&](const SetRow& row) { return fits(row.members, text); });
}

const PieceRow* Knowledge::piece(std::string_view soname) const {
  const std::string text(soname);
  return find_row(pieces, [&](const PieceRow& row) { return fits(row.library, text); });
}

std::vector<std::string> Knowledge::provider_ids() const {
  std::vector<std::string> ids;
  for (const ProviderRow& row : providers) ids.push_back(row.id);
  return ids;
}

std::vector<std::string> Knowledge::action_names() const {
  std::vector<std::string> names;
  for (const ActionRow& row : actions) names.push_back(row.name);
  return names;
}

std::vector<loader::Provided> Knowledge::provided(const std::vector<std::string>& patterns) const {
  std::vector<loader::Provided> list;
  for (const DriverRow& row : drivers) list.push_back({row.library, row.symbols});
  for (const std::string& pattern : patterns) {
    loader::Provided given{pattern, {}};
    for (const FamilyRow& row : families) {
      const bool covers =
          std::any_of(row.members.begin(), row.members.end(),
                      [&](const FamilyMember& member) { return fits(pattern, member.soname); });
      if (covers) given.symbols.insert(given.symbols.end(), row.symbols.begin(), row.symbols.end());
    }
    // What a library defines that no table knows cannot be told from what nothing defines.
    if (given.symbols.empty()) given.symbols.emplace_back("*");
    list.push_back(std::move(given));
  }
  return list;
}

}  // namespace loadable::accel
