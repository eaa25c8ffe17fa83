// SPDX-License-Identifier: Apache-2.0
// requirements.txt as pip 26 reads it (pip/_internal/req/req_file.py): files that include files,
// constraints, editables, options; and the comments with which pip-compile and uv say who required
// what.

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/format.h"
#include "base/quote.h"
#include "python/lock_fields.h"
#include "python/names.h"

namespace loadable::python {
namespace {

constexpr int kMaxDepth = 20;
constexpr std::size_t kMaxFiles = 1000;
constexpr std::size_t kMaxProblems = 100;

std::string_view stripped(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\f\v");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\f\v") - begin + 1);
}

/// Where a comment begins: `#` at the start of the line or behind a blank.
std::size_t comment_start(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return at;
  }
  return line.size();
}

/// A wheel, archive or folder rather than a requirement.
bool is_path(std::string_view text) {
  return text.starts_with('.') || text.starts_with('/') || text.starts_with("file:") ||
         text.ends_with(".whl") || text.find("://") != std::string_view::npos;
}

/// `-r`, `--requirement`: the option, and its value behind a blank, `=` or nothing.
std::optional<std::string_view> option_value(std::string_view line, std::string_view brief,
                                             std::string_view full) {
  if (line.starts_with(full)) {
    const std::string_view rest = line.substr(full.size());
    if (rest.starts_with('=') || rest.starts_with(' ') || rest.starts_with('\t')) {
      return stripped(rest.substr(1));
    }
    return std::nullopt;
  }
  if (!line.starts_with(brief)) return std::nullopt;
  return stripped(line.substr(brief.size()));
}

struct Line {
  std::string text;  ///< continued lines joined, without the comment
  std::string comment;
  std::size_t number = 0;
};

/// Logical lines. A comment ends a continued line, as in pip.
std::vector<Line> logical_lines(std::string_view text) {
  std::vector<Line> lines;
  Line line;
  std::size_t number = 0;
  const auto flush = [&] {
    if (line.number != 0) lines.push_back(std::move(line));
    line = {};
  };
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    std::string_view raw = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    if (line.number == 0) line.number = number;
    const std::size_t comment = comment_start(raw);
    const bool has_comment = comment < raw.size();
    if (has_comment) line.comment = std::string(stripped(raw.substr(comment + 1)));
    std::string_view part = raw.substr(0, comment);
    const bool continues = !has_comment && part.ends_with('\\');
    if (continues) part.remove_suffix(1);
    line.text += part;
    if (!continues) flush();
  }
  flush();
  return lines;
}

class RequirementsReader {
 public:
  RequirementsReader(const ReadIncluded& read, const std::string& file) : read_(read) {
    lock_.format = LockFormat::Requirements;
    lock_.path = file;
    lock_.is_flat = true;
  }

  Result<Lock> read(std::string_view text, const std::string& file) {
    if (auto done = read_file(text, file, 0); !done) return fail(done.error());
    add_wishes_of_folders();
    apply_constraints();
    // A list is complete when a compiler wrote it; pins by hand are wishes all the same.
    lock_.is_resolved = has_hashes_ || !reasons_.empty();
    for (const LockedPackage& package : lock_.packages) {
      if (package.version.empty() && package.source.empty()) lock_.is_resolved = false;
    }
    apply_reasons();
    return std::move(lock_);
  }

 private:
  Result<bool> read_file(std::string_view text, const std::string& file, int depth) {
    if (depth > kMaxDepth) {
      return fail(ErrorCode::LimitReached, format("files included over {} deep", kMaxDepth), file);
    }
    if (!visited_.insert(file).second) return true;
    if (visited_.size() > kMaxFiles) {
      return fail(ErrorCode::LimitReached, format("over {} files included", kMaxFiles), file);
    }
    std::string current;  // name of the last requirement, which `# via` is about
    bool is_via = false;
    for (const Line& line : logical_lines(text)) {
      const std::string_view content = stripped(line.text);
      if (content.empty()) {
        read_comment(line.comment, current, is_via);
        continue;
      }
      is_via = false;
      auto name = read_line(content, file, line.number, depth);
      if (!name) return fail(name.error());
      current = std::move(*name);
      if (!line.comment.empty()) read_comment(line.comment, current, is_via);
    }
    return true;
  }

  /// `# via fastembed`, `# via a, b`, or `# via` and one `#   name` a line.
  void read_comment(std::string_view comment, const std::string& current, bool& is_via) {
    if (current.empty() || comment.empty()) {
      is_via = false;
      return;
    }
    if (comment == "via" || comment.starts_with("via ")) {
      is_via = true;
      comment.remove_prefix(3);
    } else if (!is_via) {
      return;
    }
    while (!comment.empty()) {
      const std::size_t comma = comment.find(',');
      const std::string_view reason = stripped(comment.substr(0, comma));
      if (!reason.empty()) reasons_.push_back({current, std::string(reason)});
      comment.remove_prefix(comma == std::string_view::npos ? comment.size() : comma + 1);
    }
  }

  /// Returns the normalised name of the requirement, or an empty one for anything else.
  Result<std::string> read_line(std::string_view line, const std::string& file, std::size_t number,
                                int depth) {
    if (const auto value = option_value(line, "-r", "--requirement")) {
      if (auto done = include(*value, file, number, depth); !done) return fail(done.error());
      return std::string{};
    }
    if (const auto value = option_value(line, "-c", "--constraint")) {
      if (auto done = constrain(*value, file, number, depth); !done) return fail(done.error());
      return std::string{};
    }
    if (const auto value = option_value(line, "-e", "--editable")) {
      return add_requirement(*value, file, number, true);
    }
    if (line.starts_with('-')) return std::string{};
    return add_requirement(line, file, number, false);
  }

  Result<bool> include(std::string_view written, const std::string& file, std::size_t number,
                       int depth) {
    const auto included = fetch(written, file, number);
    if (!included) return true;
    return read_file(included->text, included->path, depth + 1);
  }

  std::optional<IncludedFile> fetch(std::string_view written, const std::string& file,
                                    std::size_t number) {
    if (written.find("://") != std::string_view::npos) {
      add_problem(file, number, format("{} is not read: nothing is downloaded", quoted(written)));
      return std::nullopt;
    }
    auto included = read_(std::string(written), file);
    if (included) return std::move(*included);
    add_problem(file, number,
                format("{} cannot be read: {}", quoted(written), included.error().message));
    return std::nullopt;
  }

  Result<bool> constrain(std::string_view written, const std::string& file, std::size_t number,
                         int depth) {
    const auto included = fetch(written, file, number);
    if (!included || depth >= kMaxDepth) return true;
    if (!visited_.insert("-c " + included->path).second) return true;
    for (const Line& line : logical_lines(included->text)) {
      const std::string_view content = requirement_part(stripped(line.text));
      if (content.empty()) continue;
      if (const auto value = option_value(content, "-c", "--constraint")) {
        if (auto done = constrain(*value, included->path, line.number, depth + 1); !done) {
          return done;
        }
      } else if (!content.starts_with('-')) {
        lock_.constraints.emplace_back(content);
      }
    }
    return true;
  }

  /// Without the options that stand behind a requirement (`--hash=…`).
  static std::string_view requirement_part(std::string_view line) {
    const std::size_t option = line.find(" --");
    return stripped(line.substr(0, option));
  }

  Result<std::string> add_requirement(std::string_view line, const std::string& file,
                                      std::size_t number, bool is_editable) {
    const std::string_view written = requirement_part(line);
    has_hashes_ = has_hashes_ || line.find(" --hash") != std::string_view::npos;
    LockedPackage package;
    package.place = format("{}:{}", file, number);
    auto requirement = Requirement::parse(written);
    if (requirement && !is_editable) {
      package.name = requirement->name;
      package.normalized = requirement->normalized;
      package.version = pinned_version(requirement->specifiers);
      package.marker = requirement->marker;
      if (!requirement->url.empty()) set_source(requirement->url, file, package);
    } else if (is_editable || is_path(written)) {
      read_location(written, file, number, is_editable, package);
    } else {
      add_problem(file, number,
                  format("passed over: {} is no requirement such as `numpy>=1.26`: {}",
                         quoted(written), requirement.error().message));
    }
    if (package.name.empty()) return std::string{};
    if (auto count = check_package_count(lock_.packages.size() + 1, file); !count) {
      return fail(count.error());
    }
    lock_.packages.push_back(std::move(package));
    return lock_.packages.back().normalized;
  }

  void set_source(std::string_view url, const std::string& file, LockedPackage& package) {
    package.source = std::string(url);
    const std::string name = url_file_name(url);
    if (const auto wheel = parse_wheel_name(name)) {
      if (package.version.empty()) package.version = wheel->version;
      package.wheels.push_back(name);
    }
    const std::string path = local_path(url);
    if (!name.ends_with(".whl") || path.empty()) return;
    package.local_wheel = written_path(tree::Path(file).parent().text(), path).text();
  }

  /// A URL, a wheel or a folder without a name: the name is in it, or is not known.
  void read_location(std::string_view written, const std::string& file, std::size_t number,
                     bool is_editable, LockedPackage& package) {
    std::string_view location = written.substr(0, written.find(" ;"));
    if (const std::size_t marker = written.find(" ;"); marker != std::string_view::npos) {
      auto parsed = Marker::parse(written.substr(marker + 2));
      if (parsed) package.marker = std::move(*parsed);
    }
    location = stripped(location);
    if (const std::size_t egg = location.find("#egg="); egg != std::string_view::npos) {
      const std::string_view name = location.substr(egg + 5);
      package.name = std::string(name.substr(0, name.find_first_of("&[")));
    } else if (const auto wheel = parse_wheel_name(url_file_name(location))) {
      package.name = wheel->name;
      package.version = wheel->version;
    } else {
      read_project(location, file, number, is_editable, package);
      return;
    }
    package.normalized = normalize_name(package.name);
    set_source(location, file, package);
  }

  /// A constraint pins what is required without a version; one with a URL says which file serves
  /// it.
  void apply_constraints() {
    std::map<std::string, Requirement> constraints;
    for (const std::string& text : lock_.constraints) {
      auto requirement = Requirement::parse(text);
      if (requirement) constraints.emplace(requirement->normalized, std::move(*requirement));
    }
    for (LockedPackage& package : lock_.packages) {
      const auto found = constraints.find(package.normalized);
      if (found == constraints.end()) continue;
      if (package.version.empty()) package.version = pinned_version(found->second.specifiers);
      if (package.source.empty() && !found->second.url.empty()) {
        set_source(found->second.url, lock_.path, package);
      }
    }
  }

  /// Reasons become edges: of packages of the list, and of the files of wishes.
  void apply_reasons() {
    std::map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < lock_.packages.size(); ++i) {
      index.emplace(lock_.packages[i].normalized, i);
    }
    for (const auto& [name, reason] : reasons_) {
      std::string requirer = reason;
      const bool is_file = requirer.starts_with("-r ");
      if (is_file) requirer = requirer.substr(3);
      const std::size_t note = requirer.find(" (");
      const bool is_project = note != std::string::npos;  // `demo (pyproject.toml)`
      if (is_project) requirer.resize(note);
      const std::string key = is_file ? requirer : normalize_name(requirer);
      auto found = index.find(key);
      if (found == index.end()) {
        if (!is_file && !is_project) continue;
        LockedPackage root;
        root.name = requirer;
        root.normalized = key;
        root.is_root = true;
        root.place = lock_.path;
        found = index.emplace(key, lock_.packages.size()).first;
        lock_.packages.push_back(std::move(root));
      }
      LockedDependency edge;
      edge.name = name;
      edge.requirement = name;
      lock_.packages[found->second].dependencies.push_back(std::move(edge));
    }
  }

  /// `.`, `./x[gpu]`, `file:///srv/x`: what the project there requires counts here.
  void read_project(std::string_view location, const std::string& file, std::size_t number,
                    bool is_editable, LockedPackage& package) {
    std::string_view folder = location;
    if (folder.starts_with("file://")) folder.remove_prefix(7);
    std::vector<std::string> extras;
    if (const std::size_t open = folder.find('['); open != std::string_view::npos) {
      if (const auto parsed = Requirement::parse("x" + std::string(folder.substr(open)))) {
        extras = parsed->extras;
      }
      folder = stripped(folder.substr(0, open));
    }
    while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
    const std::string shown = (is_editable ? "-e " : "") + quoted(location);
    const bool is_remote = folder.find("://") != std::string_view::npos;
    auto project = is_remote || ++folders_ > kMaxFiles
                       ? fail(ErrorCode::NotFound, "its name is not known")
                       : read_folder(std::string(folder), file, read_);
    if (!project) {
      add_problem(file, number,
                  format("{} is not looked into: {}", shown, project.error().message));
      return;
    }
    for (LockProblem& problem : project->problems) {
      if (lock_.problems.size() < kMaxProblems) lock_.problems.push_back(std::move(problem));
    }
    LockedPackage& root = project->packages.front();
    package.name = root.name;
    package.normalized = root.normalized;
    package.version = root.version;
    package.source = "directory " + std::string(folder);
    for (LockedDependency& edge : root.dependencies) {
      const bool is_asked =
          edge.extra.empty() || std::find(extras.begin(), extras.end(), edge.extra) != extras.end();
      if (!is_asked || !edge.group.empty()) continue;
      edge.extra.clear();
      package.dependencies.push_back(std::move(edge));
    }
    for (std::size_t i = 1; i < project->packages.size(); ++i) {
      LockedPackage& wish = project->packages[i];
      wish.is_optional = true;  // installed where the folder's markers reach it
      wishes_.push_back(std::move(wish));
    }
  }

  /// What folders require and the list does not name.
  void add_wishes_of_folders() {
    std::set<std::string> known;
    for (const LockedPackage& package : lock_.packages) known.insert(package.normalized);
    for (LockedPackage& wish : wishes_) {
      if (known.insert(wish.normalized).second) lock_.packages.push_back(std::move(wish));
    }
  }

  void add_problem(const std::string& file, std::size_t number, std::string_view text) {
    if (lock_.problems.size() >= kMaxProblems) return;
    lock_.problems.push_back({file, format("line {}: {}", number, text)});
  }

  struct Reason {
    std::string name, requirer;
  };

  const ReadIncluded& read_;
  Lock lock_;
  std::set<std::string> visited_;
  std::vector<LockedPackage> wishes_;
  std::size_t folders_ = 0;
  std::vector<Reason> reasons_;
  bool has_hashes_ = false;
};

}  // namespace

Result<Lock> read_requirements(std::string_view text, const std::string& file,
                               const ReadIncluded& read) {
  return RequirementsReader(read, file).read(text, file);
}

}  // namespace loadable::python
