// SPDX-License-Identifier: Apache-2.0
#include "accel/providers.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/holds.h"
#include "base/quote.h"
#include "python/extension_tags.h"

namespace loadable::accel {
namespace {

using inventory::Distribution;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + quoted(name);
  return text;
}

std::vector<std::string> losses_of(const Knowledge& knowledge) {
  std::vector<std::string> losses;
  const auto add = [&losses](const std::string& loss) {
    if (!loss.empty() && !holds(losses, loss)) losses.push_back(loss);
  };
  for (const StepRow& row : knowledge.steps) add(row.loss);
  for (const OpensRow& row : knowledge.opens) add(row.loss);
  return losses;
}

/// What an environment holds of one provider's family.
struct Members {
  const Distribution* carrier = nullptr;   // carries the provider
  const Distribution* other = nullptr;     // of the family, without it
  const Distribution* intender = nullptr;  // exists for it alone
};

class Finder {
 public:
  Finder(const Knowledge& knowledge, const inventory::Inventory& inventory, tree::Walk& walk,
         std::size_t environment)
      : knowledge_(knowledge), inventory_(inventory), walk_(walk), environment_(environment) {}

  std::optional<ProviderInstance> find(const ProviderRow& row, bool is_required) {
    const Members members = members_of(row);
    ProviderInstance instance;
    instance.id = row.id;
    instance.environment = environment_;
    instance.is_companion = row.is_companion;
    instance.states_gpu_intent = members.intender != nullptr;
    place(row, members, instance);
    const bool lies_there = exists(instance.provider_library);
    name_owner(members, lies_there, instance);
    find_import_library(row, instance);
    note_missing(row, members.carrier, instance);
    instance.is_shipped = lies_there || holds(instance.files_missing, instance.provider_library);
    instance.is_cpu_build = !instance.is_shipped && members.other != nullptr;
    choose_plan(row, instance);
    if (instance.is_shipped || instance.states_gpu_intent || is_required) return instance;
    return std::nullopt;
  }

 private:
  [[nodiscard]] const std::vector<std::string>& import_path() const {
    static const std::vector<std::string> kNone;
    return environment_ < inventory_.environments.size()
               ? inventory_.environments[environment_].site_directories
               : kNone;
  }

  // Does its directory come first on sys.path?
  [[nodiscard]] bool comes_before(const Distribution& one, const Distribution& other) const {
    const std::vector<std::string>& sites = import_path();
    return std::find(sites.begin(), sites.end(), one.site_directory) <
           std::find(sites.begin(), sites.end(), other.site_directory);
  }

  // The first directory of sys.path that has the package wins: a namespace counts last.
  [[nodiscard]] std::string hiding(const std::string& package, const std::string& site) const {
    for (const std::string& directory : import_path()) {
      if (directory == site) return {};
      const std::string place = directory + "/" + package;
      if (walk_.resolve(place + "/__init__.py")) return place;
      if (walk_.resolve(place + ".py")) return place + ".py";
    }
    return {};  // not on sys.path itself: nobody can tell
  }

  Members members_of(const ProviderRow& row) const {
    Members members;
    for (const Distribution& distribution : inventory_.distributions) {
      if (distribution.environment != environment_) continue;
      const DistributionRow* known =
          knowledge_.distribution(distribution.normalized, distribution.version);
      if (known == nullptr) continue;
      if (holds(known->intends, row.id) && members.intender == nullptr) {
        members.intender = &distribution;
      }
      if (known->family != row.family) continue;
      auto& place = holds(known->providers, row.id) ? members.carrier : members.other;
      if (place == nullptr || comes_before(distribution, *place)) place = &distribution;
    }
    return members;
  }

  // The package directory: where its distribution lies, else the first place that has the package.
  void place(const ProviderRow& row, const Members& members, ProviderInstance& instance) const {
    std::string site;
    if (members.carrier != nullptr) {
      site = members.carrier->site_directory;
    } else if (members.other != nullptr) {
      site = members.other->site_directory;
    } else {
      for (const std::string& directory : import_path()) {
        if (site.empty() && walk_.resolve(directory + "/" + row.package)) site = directory;
      }
    }
    if (site.empty()) return;
    instance.hidden_by = hiding(row.package, site);
    if (exists(instance.hidden_by + "/" + row.provider_library)) {  // a copy that carries it too
      site = tree::Path(instance.hidden_by).parent().text();
      instance.hidden_by.clear();
    }
    instance.package_dir = site + "/" + row.package;
    instance.provider_library = instance.package_dir + "/" + row.provider_library;
    if (!row.shared_library.empty()) {
      instance.shared_library = instance.package_dir + "/" + row.shared_library;
    }
  }

  void name_owner(const Members& members, bool lies_there, ProviderInstance& instance) const {
    const Distribution* owner = members.carrier;
    if (owner == nullptr && lies_there) owner = inventory_.owner_of(instance.provider_library);
    if (owner == nullptr) owner = members.other;
    if (owner == nullptr) return;
    instance.distribution = owner->name;
    instance.version = owner->version;
  }

  [[nodiscard]] bool exists(const std::string& path) const {
    if (path.empty()) return false;
    const auto& found = walk_.resolve(path);
    return found.has_value() || found.error().code == ErrorCode::PermissionDenied;
  }

  // Files that the pattern of the extension module fits: on the disk, else named by a list.
  [[nodiscard]] std::vector<std::string> import_candidates(const tree::Path& pattern,
                                                           bool is_there) const {
    std::vector<std::string> found;
    if (!is_there) {
      for (const inventory::MissingFile& missing : inventory_.missing) {
        if (fits(pattern.text(), missing.path)) found.push_back(missing.path);
      }
      return found;
    }
    const auto entries = walk_.list(pattern.parent());
    if (!entries) return found;
    for (const tree::Entry& entry : *entries) {
      if (fits(std::string(pattern.name()), entry.name)) {
        found.push_back(pattern.parent().join(entry.name).text());
      }
    }
    return found;
  }

  // The one that this interpreter imports: its own tag before abi3 before none.
  [[nodiscard]] const std::string* imported_of(const std::vector<std::string>& paths) const {
    const std::string* best = nullptr;
    const auto rank = [](const std::string& path) {
      const std::string_view tag = python::extension_tag(path);
      return tag.empty() ? 2 : (tag.starts_with("abi3") ? 1 : 0);
    };
    for (const std::string& path : paths) {
      const std::string_view tag = python::extension_tag(path);
      const bool is_imported = environment_ >= inventory_.environments.size() ||
                               python::imports_tag(inventory_.environments[environment_], tag);
      if (is_imported && (best == nullptr || rank(path) < rank(*best))) best = &path;
    }
    return best;
  }

  void find_import_library(const ProviderRow& row, ProviderInstance& instance) const {
    if (instance.package_dir.empty()) return;
    const tree::Path pattern(instance.package_dir + "/" + row.import_library);
    const std::vector<std::string> there = import_candidates(pattern, true);
    const std::string* chosen = imported_of(there);
    std::vector<std::string> gone;
    if (chosen == nullptr) {
      gone = import_candidates(pattern, false);
      chosen = imported_of(gone);
    }
    const bool is_foreign = chosen == nullptr && !there.empty();
    if (is_foreign) chosen = &there.front();
    if (chosen == nullptr && !gone.empty()) chosen = &gone.front();
    if (chosen == nullptr) return;
    instance.import_library = *chosen;
    if (environment_ >= inventory_.environments.size()) return;
    const python::Environment& environment = inventory_.environments[environment_];
    if (is_foreign) {
      instance.foreign_tag = python::extension_tag(*chosen);
    }
    const std::string& site = environment.unsearched_site;
    if (!site.empty() && instance.package_dir.starts_with(site + "/")) {
      instance.unsearched_site = site;
    }
    if (!is_foreign && instance.unsearched_site.empty()) return;
    instance.python = environment.version;
    instance.suffixes = python::extension_suffixes(environment);
  }

  // Named by a list and gone; without a list, what the plan opens and that is not there.
  void note_missing(const ProviderRow& row, const Distribution* carrier,
                    ProviderInstance& instance) const {
    if (carrier == nullptr) return;
    std::vector<std::string> wanted = {instance.import_library, instance.shared_library,
                                       instance.provider_library};
    if (instance.import_library.empty()) {
      wanted.front() = instance.package_dir + "/" + row.import_library;
      std::erase(wanted.front(), '*');
    }
    for (const std::string& path : wanted) {
      if (path.empty() || exists(path)) continue;
      const bool is_listed =
          std::any_of(inventory_.missing.begin(), inventory_.missing.end(),
                      [&](const inventory::MissingFile& missing) { return missing.path == path; });
      // A companion that no list names was never part of this build.
      const bool is_planned = !carrier->has_list && !row.is_companion;
      if (is_listed || is_planned) instance.files_missing.push_back(path);
    }
  }

  static void choose_plan(const ProviderRow& row, ProviderInstance& instance) {
    instance.plan_release = instance.version;
    if (instance.version.empty() || compare_releases(instance.version, row.newest) > 0) {
      instance.plan_release = row.newest;
    } else if (compare_releases(instance.version, row.oldest) < 0) {
      instance.plan_release = row.oldest;
    }
    instance.is_plan_exact = instance.plan_release == instance.version;
  }

  const Knowledge& knowledge_;
  const inventory::Inventory& inventory_;
  tree::Walk& walk_;
  std::size_t environment_;
};

}  // namespace

Result<Requirement> parse_requirement(std::string_view text, const Knowledge& knowledge) {
  Requirement requirement;
  std::size_t at = text.find('+');
  requirement.provider = std::string(text.substr(0, at));
  if (knowledge.provider(requirement.provider) == nullptr) {
    return fail(ErrorCode::InvalidArgument,
                format("found {}, wanted one of {}", quoted(requirement.provider),
                       listed(knowledge.provider_ids())),
                "--require");
  }
  const std::vector<std::string> losses = losses_of(knowledge);
  while (at != std::string_view::npos) {
    const std::size_t end = text.find('+', at + 1);
    const std::string loss(text.substr(at + 1, end == std::string_view::npos ? end : end - at - 1));
    if (!holds(losses, loss)) {
      return fail(ErrorCode::InvalidArgument,
                  format("found {} behind {}, wanted one of {}", quoted(loss),
                         quoted(requirement.provider), listed(losses)),
                  "--require");
    }
    requirement.losses.push_back(loss);
    at = end;
  }
  return requirement;
}

Result<std::string> parse_after(std::string_view text, const Knowledge& knowledge) {
  if (knowledge.action(text) != nullptr) return std::string(text);
  return fail(ErrorCode::InvalidArgument,
              format("found {}, wanted one of {}", quoted(text), listed(knowledge.action_names())),
              "--after");
}

std::vector<ProviderInstance> find_providers(const Knowledge& knowledge,
                                             const inventory::Inventory& inventory,
                                             tree::Walk& walk, std::size_t environment,
                                             const std::vector<std::string>& required) {
  std::vector<ProviderInstance> instances;
  Finder finder(knowledge, inventory, walk, environment);
  for (const ProviderRow& row : knowledge.providers) {
    if (auto instance = finder.find(row, holds(required, row.id))) {
      instances.push_back(std::move(*instance));
    }
  }
  return instances;
}

}  // namespace loadable::accel
