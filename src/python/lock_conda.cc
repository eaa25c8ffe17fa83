// SPDX-License-Identifier: Apache-2.0
// environment.yml: conda's packages, and a list of requirements for pip among them.

#include <algorithm>

#include "base/format.h"
#include "base/quote.h"
#include "base/yaml.h"
#include "python/lock_fields.h"
#include "python/names.h"

namespace loadable::python {
namespace {

/// `conda-forge::numpy>=1.26`, `python=3.11`, `x 1.2.*`, `x=1.2=*cuda*`, `y[version='>1',build=*]`
/// (conda's documentation of package match specifications).
struct MatchSpec {
  std::string name, version, build;
  bool is_exact = false;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::string number_of(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return {};
  std::string version(text.substr(0, text.find_first_of(" =,|*")));
  while (version.ends_with('.')) version.pop_back();
  return version;
}

/// `[version='>1', build=*cuda*]`, which counts before what stands in front of it.
void read_brackets(std::string_view text, MatchSpec& spec) {
  while (!text.empty()) {
    const std::size_t equal = text.find('=');
    if (equal == std::string_view::npos) return;
    const std::string_view key = trimmed(text.substr(0, equal));
    text = trimmed(text.substr(equal + 1));
    const bool is_quoted = text.starts_with('\'') || text.starts_with('"');
    const char stop = is_quoted ? text.front() : ',';
    if (is_quoted) text.remove_prefix(1);
    const std::size_t end = std::min(text.find(stop), text.size());
    const std::string_view value = trimmed(text.substr(0, end));
    if (key == "build") spec.build = std::string(value);
    if (key == "version") {
      const std::size_t digit = value.find_first_not_of(" =");
      spec.version = digit == std::string_view::npos ? "" : number_of(value.substr(digit));
    }
    const std::size_t comma = text.find(',', std::min(end, text.size()));
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
}

/// `=1.2=*cuda*`, ` >=1.2 *cuda*`: a version and a build behind the name.
void read_parts(std::string_view rest, MatchSpec& spec) {
  const std::size_t begin = rest.find_first_not_of(" =");
  if (begin == std::string_view::npos) return;
  spec.is_exact = rest.substr(0, begin).find("==") != std::string_view::npos;
  rest.remove_prefix(begin);
  const bool is_range = rest.find_first_of("<>!~") == 0;
  const std::size_t end = rest.find_first_of(is_range ? " " : " =");
  spec.version = number_of(rest.substr(0, end));
  if (end == std::string_view::npos) return;
  const std::size_t build = rest.find_first_not_of(" =", end);
  if (build != std::string_view::npos) spec.build = std::string(trimmed(rest.substr(build)));
}

MatchSpec match_spec(std::string_view text) {
  if (const std::size_t channel = text.rfind("::"); channel != std::string_view::npos) {
    text.remove_prefix(channel + 2);
  }
  const std::size_t end = std::min(text.find_first_of(" =<>!~[;"), text.size());
  MatchSpec spec;
  spec.name = std::string(text.substr(0, end));
  const std::string_view rest = text.substr(end);
  const std::size_t open = std::min(rest.find('['), rest.size());
  read_parts(rest.substr(0, open), spec);
  if (open < rest.size()) {
    const std::string_view inside = rest.substr(open + 1);
    read_brackets(inside.substr(0, inside.rfind(']')), spec);
  }
  return spec;
}

class CondaReader {
 public:
  explicit CondaReader(const std::string& file) : file_(file) {
    lock_.format = LockFormat::CondaYaml;
    lock_.path = file;
    lock_.is_flat = true;
    lock_.is_resolved = false;
  }

  Result<Lock> read(const YamlValue& document) {
    if (document.kind != YamlValue::Kind::Table) {
      return wrong(document, "the document", "a table");
    }
    const YamlValue* dependencies = document.find("dependencies");
    if (dependencies == nullptr || dependencies->kind == YamlValue::Kind::Null) {
      return std::move(lock_);
    }
    if (dependencies->kind != YamlValue::Kind::List) {
      return wrong(*dependencies, "dependencies", "a list");
    }
    for (const YamlValue& item : dependencies->items) {
      if (item.kind == YamlValue::Kind::Text) {
        add_conda(item);
      } else if (item.kind == YamlValue::Kind::Table) {
        if (auto done = read_table(item); !done) return fail(done.error());
      } else {
        return wrong(item, "dependencies", "a list of scalars and tables");
      }
    }
    return std::move(lock_);
  }

 private:
  tl::unexpected<Error> wrong(const YamlValue& value, std::string_view key,
                              std::string_view wanted) {
    return fail(ErrorCode::Malformed,
                format("line {}: {} is {}, wanted {}", value.line, quoted(key),
                       to_string(value.kind), wanted),
                file_);
  }

  void add_conda(const YamlValue& item) {
    const MatchSpec spec = match_spec(item.text);
    if (spec.name.empty()) return;
    if (spec.name == "python" && !spec.version.empty()) {
      lock_.requires_python = "==" + spec.version + (spec.is_exact ? "" : ".*");
    }
    LockedPackage package;
    package.name = spec.name;
    package.normalized = normalize_name(spec.name);
    package.version = spec.version;
    package.build = spec.build;
    package.is_conda = true;
    package.source = "conda";
    package.place = format("{}:{}", file_, item.line);
    lock_.packages.push_back(std::move(package));
  }

  Result<bool> read_table(const YamlValue& table) {
    const YamlValue* pip = table.find("pip");
    if (pip == nullptr || pip->kind == YamlValue::Kind::Null) return true;
    if (pip->kind != YamlValue::Kind::List) return wrong(*pip, "pip", "a list");
    for (const YamlValue& item : pip->items) {
      if (item.kind != YamlValue::Kind::Text) return wrong(item, "pip", "a list of scalars");
      pip_lines_.push_back({item.text, item.line});
    }
    return true;
  }

 public:
  struct PipLine {
    std::string text;
    std::uint32_t line = 0;
  };
  [[nodiscard]] const std::vector<PipLine>& pip_lines() const { return pip_lines_; }

 private:
  std::string file_;
  Lock lock_;
  std::vector<PipLine> pip_lines_;
};

/// The lines of the pip section as a requirements file, each on its own line of the original, so
/// that the places are right.
std::string as_requirements(const std::vector<CondaReader::PipLine>& lines) {
  std::string text;
  std::uint32_t at = 1;
  for (const CondaReader::PipLine& line : lines) {
    // Of a list in one line each entry still has its own.
    if (!text.empty() && !text.ends_with('\n')) {
      text += '\n';
      ++at;
    }
    for (; at < line.line; ++at) text += '\n';
    for (const char c : line.text) text += c == '\n' ? ' ' : c;
  }
  return text;
}

}  // namespace

Result<Lock> read_conda_yaml(std::string_view text, const std::string& file,
                             const ReadIncluded& read) {
  const auto document = parse_yaml(text, file);
  if (!document) return fail(document.error());
  CondaReader reader(file);
  auto lock = reader.read(*document);
  if (!lock) return lock;
  auto pip = read_requirements(as_requirements(reader.pip_lines()), file, read);
  if (!pip) return pip;
  for (LockedPackage& package : pip->packages) lock->packages.push_back(std::move(package));
  lock->constraints = std::move(pip->constraints);
  lock->problems = std::move(pip->problems);
  return lock;
}

}  // namespace loadable::python
