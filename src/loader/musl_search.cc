// SPDX-License-Identifier: Apache-2.0
#include "loader/musl_search.h"

#include <algorithm>

#include "loader/accept.h"

namespace loadable::loader {
namespace {

constexpr std::uint64_t kMaxPathFile = 1024 * 1024;
constexpr std::size_t kMaxName = 255, kMaxPath = 2 * kMaxName + 2;  // char buf[2*NAME_MAX+2]
constexpr std::string_view kSeparators = ":\n";
constexpr std::string_view kPlain = "$ORIGIN", kBraced = "${ORIGIN}";

/// The rpath of an object as fixup_rpath leaves it: nothing when a `$` begins anything but ORIGIN
/// (a prefix match: `$ORIGINAL` is the origin and `AL`).
std::optional<std::string> fixed_rpath(const Process::State& state, ObjectIndex object) {
  const Placement& place = *state.members[object].place;
  if (!place.file->object) return std::nullopt;
  const elf::Dynamic& dynamic = place.file->object->dynamic;
  if (!dynamic.runpath && !dynamic.rpath) return std::nullopt;
  const std::string& text = dynamic.runpath ? *dynamic.runpath : *dynamic.rpath;
  if (text.find('$') == text.npos) return text;
  if (state.session->environment.is_secure && object == 0) return std::nullopt;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      result.push_back(text[at++]);
      continue;
    }
    const std::string_view rest = std::string_view(text).substr(at);
    if (!rest.starts_with(kPlain) && !rest.starts_with(kBraced)) return std::nullopt;
    result += place.origin.str();
    at += rest.starts_with(kPlain) ? kPlain.size() : kBraced.size();
  }
  return result;
}

class MuslSearch {
 public:
  MuslSearch(const Process::State& state, const std::string& name, std::vector<Candidate>* trace)
      : session_(*state.session), state_(state), name_(name), trace_(trace) {}

  MuslFound run(std::optional<ObjectIndex> needed_by);

 private:
  enum class Next : std::uint8_t { GoOn, Stop };

  Next open_path(std::string_view path, Rule rule, const std::string& owner);
  Next open_one(std::string path, Rule rule, const std::string& owner);
  const File* as_musl_reads(const File& file);
  [[nodiscard]] std::string_view env_path() const;

  Session& session_;
  const Process::State& state_;
  const std::string& name_;
  std::vector<Candidate>* trace_;
  MuslFound found_;
};

std::string_view MuslSearch::env_path() const {
  if (session_.environment.is_secure) return {};
  return session_.environment.variable("LD_LIBRARY_PATH").value_or("");
}

/// EI_DATA means nothing to musl: it reads every file in the machine's own order.
const File* MuslSearch::as_musl_reads(const File& file) {
  const Endian own = session_.identity.is_big_endian ? Endian::Big : Endian::Little;
  if (!file.header || file.header->endian() == own) return &file;
  return &session_.store.reread(file, own);
}

MuslSearch::Next MuslSearch::open_one(std::string path, Rule rule, const std::string& owner) {
  const std::string absolute = session_.absolute(path);
  const auto file = session_.store.open(absolute);
  found_.rule = rule;
  const ErrorCode code = file ? ErrorCode::NotFound : file.error().code;
  const bool is_unreadable = code == ErrorCode::IsADirectory || code == ErrorCode::Unsupported;
  Outcome outcome = file ? Outcome::Found : outcome_of(code);
  if (code == ErrorCode::NameTooLong) outcome = Outcome::Absent;
  if (is_unreadable) outcome = Outcome::Unusable;
  if (trace_ != nullptr) trace_->push_back({rule, absolute, outcome, {}, owner});
  if (file || is_unreadable) {
    found_.file = file ? as_musl_reads(**file) : nullptr;
    found_.is_directory = is_unreadable;
    found_.path = std::move(path);
    return Next::Stop;
  }
  found_.error = code;
  return outcome == Outcome::Unsearchable ? Next::Stop : Next::GoOn;
}

MuslSearch::Next MuslSearch::open_path(std::string_view path, Rule rule, const std::string& owner) {
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find_first_of(kSeparators, at), path.size());
    const std::string_view element = path.substr(at, end - at);
    at = end + 1;
    if (element.empty()) continue;
    if (element.size() + 1 + name_.size() >= kMaxPath) continue;
    std::string candidate(element);
    candidate.append("/").append(name_);
    if (open_one(std::move(candidate), rule, owner) == Next::Stop) return Next::Stop;
  }
  return Next::GoOn;
}

MuslFound MuslSearch::run(std::optional<ObjectIndex> needed_by) {
  if (name_.find('/') != name_.npos) {
    open_one(name_, Rule::Path, {});
    return found_;
  }
  found_.rule = Rule::Default;
  if (name_.empty() || name_.size() > kMaxName) return found_;
  if (open_path(env_path(), Rule::Env, {}) == Next::Stop) return found_;
  for (auto at = needed_by; at; at = state_.members[*at].loader) {
    const auto rpath = fixed_rpath(state_, *at);
    if (!rpath) continue;
    const bool is_runpath = state_.members[*at].place->has_runpath;
    const Rule rule = is_runpath ? Rule::Runpath : Rule::Rpath;
    if (open_path(*rpath, rule, state_.path_of(*at)) == Next::Stop) return found_;
  }
  open_path(musl_system_path(session_, state_.interpreter), Rule::Default, {});
  return found_;
}

}  // namespace

MuslFound search_musl(const Process::State& state, const std::string& name,
                      std::optional<ObjectIndex> needed_by, std::vector<Candidate>* trace) {
  return MuslSearch(state, name, trace).run(needed_by);
}

std::string musl_system_path(Session& session, const std::string& interpreter) {
  // The prefix is what stands before the last two components of the loader's own name.
  std::string prefix;
  if (interpreter.starts_with('/')) {
    const std::size_t last = interpreter.rfind('/');
    const std::size_t before = last == 0 ? 0 : interpreter.rfind('/', last - 1);
    prefix = interpreter.substr(0, before);
  }
  constexpr std::string_view kStem = "ld-musl-";
  std::string arch = elf::machine_name(session.identity.machine);
  const std::size_t stem = interpreter.rfind(kStem);
  if (stem != interpreter.npos) {
    const std::string rest = interpreter.substr(stem + kStem.size());
    arch = rest.substr(0, rest.find(".so"));
  }
  std::string file = prefix;
  file.append("/etc/ld-musl-").append(arch).append(".path");
  auto text = session.store.walk().read_text(tree::Path(file), kMaxPathFile);
  if (text) return *text;
  if (text.error().code != ErrorCode::NotFound) return {};
  return "/lib:/usr/local/lib:/usr/lib";
}

}  // namespace loadable::loader
