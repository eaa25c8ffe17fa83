// SPDX-License-Identifier: Apache-2.0
// Which installations a lock allows.

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/holds.h"
#include "base/quote.h"
#include "exam/lock.h"
#include "exam/platform.h"
#include "python/names.h"
#include "python/specifier.h"

namespace loadable::exam {
namespace {

using python::Lock;
using python::Selection;

/// More than any project has; the rest is examined together only.
constexpr std::size_t kMaxSingle = 50;

using Names = std::vector<std::string>;

std::string listed(const Names& names) {
  if (names.empty()) return "none";
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + quoted(name);
  return text;
}

/// `extra:cpu` and `group:dev` of a selection, defaults included.
Names items_of(const Lock& lock, const Selection& selection) {
  Names items;
  for (const std::string& extra : selection.all_extras ? lock.extras : selection.extras) {
    items.push_back("extra:" + extra);
  }
  for (const std::string& group : selection.all_groups ? lock.groups : selection.groups) {
    items.push_back("group:" + group);
  }
  if (selection.no_default_groups) return items;
  for (const std::string& group : lock.default_groups) items.push_back("group:" + group);
  return items;
}

/// The first two of a selection that exclude each other; empty: none.
std::string clash(const Lock& lock, const Selection& selection) {
  const Names items = items_of(lock, selection);
  for (const python::Conflict& conflict : lock.conflicts) {
    std::string first;
    for (const std::string& item : conflict) {
      if (!holds(items, item)) continue;
      if (!first.empty()) return format("{} and {}", quoted(first), quoted(item));
      first = item;
    }
  }
  return {};
}

Result<Selection> chosen(const Lock& lock, const PlannedOptions& options) {
  Selection selection;
  const auto add = [](const Names& wanted, const Names& known, const char* what,
                      Names& out) -> Result<bool> {
    for (const std::string& text : wanted) {
      const std::string name = python::normalize_name(text);
      if (!holds(known, name)) {
        return fail(ErrorCode::InvalidArgument,
                    format("{} {} is not in it; it has: {}", what, quoted(text), listed(known)));
      }
      out.push_back(name);
    }
    return true;
  };
  if (auto done = add(options.extras, lock.extras, "--extra", selection.extras); !done) {
    return fail(done.error());
  }
  if (auto done = add(options.groups, lock.groups, "--group", selection.groups); !done) {
    return fail(done.error());
  }
  selection.all_extras = options.all_extras;
  selection.all_groups = options.all_groups;
  selection.no_default_groups = options.no_default_groups;
  if (const std::string both = clash(lock, selection); !both.empty()) {
    return fail(ErrorCode::InvalidArgument,
                format("{} exclude each other in this lock (`conflicts`)", both), lock.path);
  }
  return selection;
}

void add_item(const std::string& item, Selection& selection) {
  const std::string name = item.substr(item.find(':') + 1);
  (item.starts_with("extra:") ? selection.extras : selection.groups).push_back(name);
}

std::string words_of(const Names& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i == 5 && items.size() > 6) return text + format(" and {} more", items.size() - i);
    const std::size_t colon = items[i].find(':');
    text +=
        (i == 0 ? "" : ", ") + items[i].substr(0, colon) + " " + quoted(items[i].substr(colon + 1));
  }
  return text;
}

/// As many as exclude no other, beginning with `first`.
NamedSelection together(const Lock& lock, const Names& all, const std::string& first) {
  NamedSelection named;
  Names taken;
  const auto take = [&](const std::string& item) {
    Selection trial = named.selection;
    add_item(item, trial);
    if (!clash(lock, trial).empty()) return;
    named.selection = std::move(trial);
    taken.push_back(item);
  };
  take(first);
  for (const std::string& item : all) {
    if (item != first) take(item);
  }
  named.name = "with " + words_of(taken);
  return named;
}

/// The default, each item alone, and as many together as may be.
std::vector<NamedSelection> allowed(const Lock& lock) {
  std::vector<NamedSelection> selections = {{}};
  Names items;
  for (const std::string& extra : lock.extras) items.push_back("extra:" + extra);
  for (const std::string& group : lock.groups) {
    if (!holds(lock.default_groups, group)) items.push_back("group:" + group);
  }
  if (items.size() > kMaxSingle) items.resize(kMaxSingle);
  for (const std::string& item : items) {
    NamedSelection named;
    add_item(item, named.selection);
    // A default group that it excludes is left out, as the user has to.
    if (!clash(lock, named.selection).empty()) named.selection.no_default_groups = true;
    named.name = "with " + words_of({item});
    selections.push_back(std::move(named));
  }
  if (items.size() > 1) {
    const bool is_free = lock.conflicts.empty();
    for (const std::string& first : items) {
      selections.push_back(together(lock, items, first));
      if (is_free) break;
    }
  }
  const bool has_members =
      std::any_of(lock.packages.begin(), lock.packages.end(),
                  [](const auto& package) { return package.is_member && !package.is_root; });
  if (has_members) {
    NamedSelection named;
    named.selection.all_packages = true;
    named.name = "with all members of the workspace";
    selections.push_back(std::move(named));
  }
  return selections;
}

}  // namespace

Result<std::vector<NamedSelection>> selections_of(const Lock& lock, const PlannedOptions& options) {
  const auto platform = parse_platform(options.platform);
  if (!platform) return fail(platform.error());
  if (!options.python_version.empty() && !python::Version::parse(options.python_version)) {
    return fail(ErrorCode::InvalidArgument,
                format("--python-version {} is no release, wanted one like `3.11`",
                       quoted(options.python_version)));
  }
  std::vector<NamedSelection> selections;
  if (options.selects()) {
    auto selection = chosen(lock, options);
    if (!selection) return fail(selection.error());
    NamedSelection named;
    named.selection = std::move(*selection);
    selections.push_back(std::move(named));
  }
  for (NamedSelection& named : allowed(lock)) {
    named.is_asked_about = !options.selects();
    named.is_chosen = selections.empty();
    selections.push_back(std::move(named));
  }
  Names releases = python::releases_for(lock.requires_python);
  bool is_assumed = false;
  if (!options.python_version.empty()) {
    releases = {options.python_version};
  } else if (releases.empty()) {
    is_assumed = true;
    releases = {"3.11", "3.13", "3.9", "3.10", "3.12", "3.14"};
  }
  // All selections for the first release, then the same for each other: the markers may differ.
  std::vector<NamedSelection> all;
  for (const std::string& release : releases) {
    for (NamedSelection named : selections) {
      named.selection.environment = environment_of(release, *platform);
      named.release = release;
      // A list that names no Python: markers may tell any two apart, but whether a provider is
      // there is asked of the usual ones alone.
      named.is_chosen = named.is_chosen && !(is_assumed && release != "3.11" && release != "3.13");
      // Of an unasked selection any release will do.
      if (!named.is_asked_about && release != releases.front()) continue;
      if (!all.empty() && release != releases.front()) {
        named.name += (named.name.empty() ? "on Python " : ", on Python ") + release;
      }
      all.push_back(std::move(named));
    }
  }
  return all;
}

}  // namespace loadable::exam
