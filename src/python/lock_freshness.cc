// SPDX-License-Identifier: Apache-2.0
#include "python/lock_freshness.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/quote.h"
#include "python/names.h"
#include "python/requirement.h"

namespace loadable::python {
namespace {

using Texts = std::vector<std::string>;

/// A requirement of either side.
struct Wish {
  std::string name;          ///< normalised
  std::string text;          ///< `packaging[x]>=24`, in one spelling for both sides
  std::string extra, group;  ///< behind which; empty: always
  Marker marker;
};

/// `>=3,<4.0` and `<4, >=3` ask for the same.
std::string canonical(const SpecifierSet& specifiers) {
  Texts clauses;
  for (Specifier clause : specifiers.clauses()) {
    if (const auto version = Version::parse(clause.text)) {
      const bool needs_length = clause.is_prefix || clause.comparison == Comparison::Compatible;
      clause.text = version->to_string();
      while (!needs_length && clause.text.ends_with(".0"))
        clause.text.resize(clause.text.size() - 2);
    }
    clauses.push_back(clause.to_string());
  }
  std::sort(clauses.begin(), clauses.end());
  std::string text;
  for (const std::string& clause : clauses) text += (text.empty() ? "" : ",") + clause;
  return text;
}

std::string wish_text(const std::string& name, Texts extras, const std::string& rest) {
  std::sort(extras.begin(), extras.end());
  std::string text = normalize_name(name);
  for (std::size_t i = 0; i < extras.size(); ++i) text += (i == 0 ? "[" : ",") + extras[i];
  return text + (extras.empty() ? "" : "]") + rest;
}

/// Names that [tool.uv.sources] serves from elsewhere than an index: no specifier is locked then.
std::set<std::string> sourced_names(const TomlValue& project) {
  std::set<std::string> names;
  const TomlValue* tool = project.find("tool");
  const TomlValue* uv = tool == nullptr ? nullptr : tool->find("uv");
  const TomlValue* sources = uv == nullptr ? nullptr : uv->find("sources");
  if (sources == nullptr) return names;
  const auto is_elsewhere = [](const TomlValue& source) {
    return source.kind == TomlValue::Kind::Table && source.find("index") == nullptr;
  };
  for (const TomlMember& entry : sources->members) {
    const bool is_list = entry.value.kind == TomlValue::Kind::List;
    const bool is_one =
        is_list ? std::any_of(entry.value.items.begin(), entry.value.items.end(), is_elsewhere)
                : is_elsewhere(entry.value);
    if (is_one) names.insert(normalize_name(entry.key));
  }
  return names;
}

/// One item of `requires-dist` and its kin.
Wish locked_wish(const TomlValue& item, LockFields& fields, const std::set<std::string>& sourced) {
  Wish wish;
  const std::string name = fields.text(item, "name");
  std::string rest;
  const bool is_elsewhere =
      std::any_of(item.members.begin(), item.members.end(), [](const TomlMember& member) {
        return member.key == "git" || member.key == "url" || member.key == "path" ||
               member.key == "directory" || member.key == "editable" || member.key == "virtual";
      });
  if (is_elsewhere || sourced.contains(normalize_name(name))) {
    rest = " @";
  } else if (const auto specifiers = SpecifierSet::parse(fields.text(item, "specifier"))) {
    rest = canonical(*specifiers);
  }
  wish.name = normalize_name(name);
  wish.text = wish_text(name, fields.texts(item, "extras"), rest);
  wish.marker = fields.marker(item, "marker");
  return wish;
}

Wish wish_of(const Requirement& requirement, const std::set<std::string>& sourced) {
  Wish wish;
  const bool is_elsewhere = !requirement.url.empty() || sourced.contains(requirement.normalized);
  wish.name = requirement.normalized;
  wish.text = wish_text(requirement.name, requirement.extras,
                        is_elsewhere ? " @" : canonical(requirement.specifiers));
  wish.marker = requirement.marker;
  return wish;
}

void add_locked(const TomlValue* list, const std::string& group, LockFields& fields,
                const std::set<std::string>& sourced, std::vector<Wish>& out) {
  if (list == nullptr) return;
  for (const TomlValue& item : list->items) {
    if (item.kind != TomlValue::Kind::Table) continue;
    Wish wish = locked_wish(item, fields, sourced);
    wish.group = group;
    out.push_back(std::move(wish));
  }
}

std::vector<MarkerEnvironment> environments_of(const std::string& requires_python) {
  struct Platform {
    const char *system, *sys_platform, *os_name, *machine;
  };
  constexpr Platform kPlatforms[] = {{"Linux", "linux", "posix", "x86_64"},
                                     {"Linux", "linux", "posix", "aarch64"},
                                     {"Darwin", "darwin", "posix", "arm64"},
                                     {"Windows", "win32", "nt", "AMD64"}};
  Texts releases = releases_for(requires_python);
  if (releases.empty()) releases = {"3.9", "3.11", "3.13"};
  std::vector<MarkerEnvironment> environments;
  for (const std::string& release : releases) {
    for (const Platform& platform : kPlatforms) {
      auto environment = MarkerEnvironment::for_interpreter(release, platform.machine);
      environment.variables["sys_platform"] = platform.sys_platform;
      environment.variables["platform_system"] = platform.system;
      environment.variables["os_name"] = platform.os_name;
      environments.push_back(std::move(environment));
    }
  }
  return environments;
}

/// Where requirements are asked for: the markers of a lock are simplified, so that their texts tell
/// nothing, and only what holds counts.
struct Grid {
  std::vector<MarkerEnvironment> environments;
  Texts extras;  ///< the first is none

  /// As many questions as real projects never need.
  void bound(std::size_t wishes) {
    constexpr std::size_t kMaxAsked = 200'000;
    const std::size_t each = std::max<std::size_t>(wishes, 1);
    extras.resize(std::clamp<std::size_t>(kMaxAsked / each, 1, extras.size()));
    const std::size_t row = each * extras.size();
    environments.resize(std::clamp<std::size_t>(kMaxAsked / row, 1, environments.size()));
  }

  /// `six>=1.16`, for whom, where; a sorted set for each side.
  [[nodiscard]] std::set<Texts> answers(const std::vector<Wish>& wishes) const {
    std::set<Texts> found;
    for (std::size_t i = 0; i < environments.size(); ++i) {
      MarkerEnvironment environment = environments[i];
      for (const std::string& extra : extras) {
        environment.extras.clear();
        if (!extra.empty()) environment.extras.insert(extra);
        for (const Wish& wish : wishes) {
          if (!wish.extra.empty() && wish.extra != extra) continue;
          if (!wish.marker.holds(environment)) continue;
          found.insert({wish.text, wish.group, extra, format("{}", i)});
        }
      }
    }
    return found;
  }
};

/// What the first has and the second lacks, at most three, each once.
std::string listed_surplus(const std::set<Texts>& first, const std::set<Texts>& second) {
  constexpr std::size_t kMaxNamed = 3;
  Texts named;
  std::size_t more = 0;
  std::set<std::string> seen;
  for (const Texts& answer : first) {
    if (second.contains(answer) || !seen.insert(answer[0] + "\n" + answer[1]).second) continue;
    std::string text =
        answer[0].ends_with(" @") ? answer[0].substr(0, answer[0].size() - 2) : answer[0];
    text = quoted(text);
    if (!answer[1].empty()) text += format(" (group {})", quoted(answer[1]));
    if (answer[1].empty() && !answer[2].empty()) text += format(" (extra {})", quoted(answer[2]));
    if (named.size() < kMaxNamed) {
      named.push_back(std::move(text));
    } else {
      ++more;
    }
  }
  std::string text;
  for (const std::string& name : named) text += (text.empty() ? "" : ", ") + name;
  return more == 0 ? text : text + format(" and {} more", more);
}

/// `verb`: what the project does with them, `requires`.
std::string compared(const std::vector<Wish>& required, const std::vector<Wish>& locked,
                     std::string_view verb, Grid grid) {
  grid.bound(std::max(required.size(), locked.size()));
  const std::set<Texts> now = grid.answers(required);
  const std::set<Texts> then = grid.answers(locked);
  const std::string added = listed_surplus(now, then);
  const std::string removed = listed_surplus(then, now);
  if (added.empty() && removed.empty()) return {};
  if (removed.empty()) return format("{} {}, which it was not locked for", verb, added);
  if (added.empty()) return format("no longer {} {}", verb, removed);
  return format("{} {}, and was locked for {}", verb, added, removed);
}

const TomlValue* entry_of(const TomlValue& lock, std::string_view source, LockFields& fields) {
  const TomlValue* packages = fields.list(lock, "package");
  if (packages == nullptr) return nullptr;
  for (const TomlValue& package : packages->items) {
    const TomlValue* table = package.find("source");
    if (table == nullptr || table->members.empty()) continue;
    const TomlMember& first = table->members.front();
    if (first.key + " " + first.value.text == source) return &package;
  }
  return nullptr;
}

bool has_dynamic_requirements(const TomlValue& project) {
  const TomlValue* table = project.find("project");
  const TomlValue* dynamic = table == nullptr ? nullptr : table->find("dynamic");
  if (dynamic == nullptr) return false;
  return std::any_of(dynamic->items.begin(), dynamic->items.end(), [](const TomlValue& item) {
    return item.text == "dependencies" || item.text == "optional-dependencies";
  });
}

std::vector<Wish> project_wishes(const LockedPackage& root, const std::set<std::string>& sourced) {
  std::vector<Wish> wishes;
  for (const LockedDependency& edge : root.dependencies) {
    const auto requirement = Requirement::parse(edge.requirement);
    if (!requirement) continue;
    Wish wish = wish_of(*requirement, sourced);
    wish.extra = edge.extra;
    wish.group = edge.group;
    wish.marker = edge.marker;
    wishes.push_back(std::move(wish));
  }
  return wishes;
}

}  // namespace

std::string root_source(const TomlValue& lock) {
  LockFields fields("uv.lock");
  for (const char* source : {"virtual .", "editable .", "directory ."}) {
    if (entry_of(lock, source, fields) != nullptr) return source;
  }
  return {};
}

std::string uv_difference(const TomlValue& lock, std::string_view source, const TomlValue& project,
                          const std::string& file) {
  if (has_dynamic_requirements(project)) return {};
  LockFields fields(file);
  Lock wishes;
  const LockedPackage root = project_root(project, fields, wishes, ProjectTables::Uv);
  const std::set<std::string> sourced = sourced_names(project);
  std::vector<Wish> locked;
  const TomlValue* groups = nullptr;
  if (source.empty()) {
    const TomlValue* manifest = fields.table(lock, "manifest");
    if (manifest != nullptr) groups = fields.table(*manifest, "dependency-groups");
  } else {
    const TomlValue* entry = entry_of(lock, source, fields);
    const TomlValue* metadata = entry == nullptr ? nullptr : fields.table(*entry, "metadata");
    if (metadata != nullptr) {
      add_locked(fields.list(*metadata, "requires-dist"), {}, fields, sourced, locked);
      groups = fields.table(*metadata, "requires-dev");
    }
  }
  if (groups != nullptr) {
    for (const TomlMember& group : groups->members) {
      add_locked(fields.list(*groups, group.key), normalize_name(group.key), fields, sourced,
                 locked);
    }
  }
  Grid grid{environments_of(wishes.requires_python), {""}};
  for (const std::string& extra : wishes.extras) grid.extras.push_back(extra);
  std::string difference =
      compared(project_wishes(root, sourced), locked, "requires", std::move(grid));
  if (difference.empty() || fields.has_failed()) return {};
  return format("{} {}", quoted(root.name), difference);
}

std::string uv_manifest_difference(const TomlValue& lock, const TomlValue& project,
                                   const std::string& file) {
  LockFields fields(file);
  Lock wishes;
  project_root(project, fields, wishes, ProjectTables::Uv);
  const std::set<std::string> sourced = sourced_names(project);
  static const TomlValue kNone;
  const TomlValue* stated = fields.table(lock, "manifest");
  const TomlValue& manifest = stated == nullptr ? kNone : *stated;
  const Grid grid{environments_of(wishes.requires_python), {""}};
  // uv passes over what is new and touches nothing that is locked (measured with uv 0.13.9).
  std::set<std::string> touched;
  if (const TomlValue* packages = fields.list(lock, "package")) {
    for (const TomlValue& package : packages->items) {
      touched.insert(normalize_name(fields.text(package, "name")));
    }
  }
  const auto compare = [&](const char* key, const Texts& texts) {
    std::vector<Wish> locked;
    add_locked(fields.list(manifest, key), {}, fields, sourced, locked);
    std::set<std::string> counted = touched;
    for (const Wish& wish : locked) counted.insert(wish.name);
    std::vector<Wish> required;
    for (const std::string& text : texts) {
      const auto requirement = Requirement::parse(text);
      if (!requirement || !counted.contains(requirement->normalized)) continue;
      required.push_back(wish_of(*requirement, sourced));
    }
    return compared(required, locked, "name", grid);
  };
  for (const auto& [key, texts] :
       {std::pair{"overrides", &wishes.overrides}, std::pair{"constraints", &wishes.constraints}}) {
    if (const std::string difference = compare(key, *texts); !difference.empty()) {
      return format("its {} {}", key, difference);
    }
  }
  std::set<std::string> excluded, then;
  for (const std::string& text : fields.texts(manifest, "excludes")) {
    then.insert(normalize_name(text));
  }
  for (const std::string& text : wishes.excludes) {
    const std::string name = normalize_name(text);
    if (touched.contains(name) || then.contains(name)) excluded.insert(name);
  }
  if (excluded != then) return "it excludes other names than the lock was made with";
  const Texts releases = releases_for(wishes.requires_python);
  const bool has_others = !fields.texts(manifest, "members").empty();
  if (!has_others && !releases.empty() &&
      releases != releases_for(fields.text(lock, "requires-python"))) {
    return format("it is for Python {}, and was locked for {}", quoted(wishes.requires_python),
                  quoted(fields.text(lock, "requires-python")));
  }
  return {};
}

std::string pylock_difference(const LockText& text, const Lock& lock) {
  if (has_dynamic_requirements(*text.project)) return {};
  LockFields fields(project_file(text));
  Lock wishes;
  const LockedPackage root = project_root(*text.project, fields, wishes);
  Texts releases = releases_for(lock.requires_python);
  if (releases.empty()) releases = releases_for(wishes.requires_python);
  if (releases.empty()) releases = {"3.11", "3.13"};
  std::multimap<std::string, std::string> versions;
  for (const LockedPackage& package : lock.packages) {
    versions.emplace(package.normalized,
                     package.source.starts_with("directory") || package.source.starts_with("vcs")
                         ? std::string{}
                         : package.version);
  }
  Texts missing;
  for (const LockedDependency& edge : root.dependencies) {
    if (!edge.extra.empty() || !edge.group.empty()) continue;
    const bool counts = std::any_of(releases.begin(), releases.end(), [&](const auto& release) {
      return edge.marker.holds(MarkerEnvironment::for_interpreter(release, "x86_64"));
    });
    const auto requirement = Requirement::parse(edge.requirement);
    if (!counts || !requirement) continue;
    const auto [begin, end] = versions.equal_range(edge.name);
    const bool is_locked = std::any_of(begin, end, [&](const auto& entry) {
      const auto version = Version::parse(entry.second);
      return !version || requirement->specifiers.contains(*version);
    });
    if (!is_locked && missing.size() < 3) missing.push_back(quoted(edge.requirement));
  }
  if (missing.empty() || fields.has_failed()) return {};
  std::string list;
  for (const std::string& name : missing) list += (list.empty() ? "" : ", ") + name;
  return format("{} requires {}, which is not locked", quoted(root.name), list);
}

}  // namespace loadable::python
