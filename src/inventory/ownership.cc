// SPDX-License-Identifier: Apache-2.0
#include "inventory/ownership.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/quote.h"
#include "inventory/claims.h"
#include "inventory/file_hashes.h"
#include "inventory/ownership_states.h"

namespace loadable::inventory {
namespace {

using tree::Path;

// Of one path; more owners than that are compared with the first ones only.
constexpr std::size_t kMaxOwners = 32;

constexpr std::size_t kShownHash = 80;  // bytes of a hash in a message

bool is_in_metadata(std::string_view path) {
  return path.find(".dist-info/") != std::string_view::npos ||
         path.find(".egg-info/") != std::string_view::npos;
}

/// What is worked out for one file.
struct Judged {
  std::vector<std::optional<RecordedHash>> hashes;  ///< of its rows
  std::optional<std::size_t> job;                   ///< index into the jobs
  bool is_contested = false;
};

class Judge {
 public:
  Judge(tree::Walk& walk, const Inventory& inventory, const OwnershipOptions& options)
      : walk_(walk), inventory_(inventory), options_(options) {}

  OwnershipFacts run();

 private:
  void collect_claims();
  void choose_jobs();
  [[nodiscard]] bool is_launcher(const ClaimedFile& file) const;
  [[nodiscard]] bool is_contest(const ClaimedFile& file, const Judged& judged) const;
  void add_job(const ClaimedFile& file, Judged* judged);
  void note_unknown(const ClaimedFile& file, const Judged& judged);
  [[nodiscard]] Match match_of(const Judged& judged, std::size_t row, bool is_gone) const;
  void file_overlaps(std::size_t at);
  void pair_overlap(std::size_t at, std::size_t a, std::size_t b, const std::vector<Claim>& claims);
  void file_altered(std::size_t at);
  void hidden_modules();
  void say_incidents();

  tree::Walk& walk_;
  const Inventory& inventory_;
  const OwnershipOptions& options_;
  std::vector<ClaimedFile> files_;
  std::vector<Judged> judged_;
  std::vector<HashJob> jobs_;
  std::vector<HiddenPair> hidden_pairs_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Overlap> overlaps_;
  std::map<std::uint32_t, std::pair<std::size_t, std::string>> unknown_;  ///< files, one hash
  OwnershipFacts facts_;
};

void Judge::collect_claims() {
  Claims claims(walk_, inventory_);
  claims.want_shared();
  for (const std::string& path : options_.also) claims.want_asked(path);
  hidden_pairs_ = find_hidden_pairs(walk_, inventory_);
  for (const HiddenPair& pair : hidden_pairs_) {
    for (const std::string& path : {pair.module, pair.package_init}) {
      if (inventory_.find_object(path) == nullptr) claims.want_owner(path);
    }
  }
  if (options_.hashes_all) claims.want_all();
  files_ = claims.collect();
  facts_.incidents = std::move(claims.incidents);
}

// pip, uv and conda each write their own launchers: two of one name differ, and do the same.
bool Judge::is_launcher(const ClaimedFile& file) const {
  const Path directory = Path(file.path).parent();
  if (directory.name() != "bin" && directory.name() != "Scripts") return false;
  const std::string above = directory.parent().text();
  return std::any_of(file.rows.begin(), file.rows.end(), [&](const ClaimRow& row) {
    const std::string& site = inventory_.distributions[row.distribution].site_directory;
    return above == prefix_of_site(site) || above == site;
  });
}

// Do two lists disagree, as far as their texts tell?
bool Judge::is_contest(const ClaimedFile& file, const Judged& judged) const {
  const ClaimRow* first = nullptr;
  std::size_t first_at = 0;
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    if (file.rows[i].hash.empty()) continue;
    if (first == nullptr) {
      first = &file.rows[i];
      first_at = i;
      continue;
    }
    const bool is_same = file.rows[i].hash == first->hash ||
                         (judged.hashes[i] && judged.hashes[i] == judged.hashes[first_at]);
    if (!is_same) return true;
  }
  return false;
}

void Judge::add_job(const ClaimedFile& file, Judged* judged) {
  HashJob job;
  job.path = file.path;
  for (const auto& hash : judged->hashes) {
    if (hash && std::find(job.kinds.begin(), job.kinds.end(), hash->kind) == job.kinds.end()) {
      job.kinds.push_back(hash->kind);
    }
  }
  judged->job = jobs_.size();
  jobs_.push_back(std::move(job));
}

void Judge::note_unknown(const ClaimedFile& file, const Judged& judged) {
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    if (file.rows[i].hash.empty() || judged.hashes[i]) continue;
    auto& [count, example] = unknown_[file.rows[i].distribution];
    if (count++ == 0) example = file.rows[i].hash;
  }
}

void Judge::choose_jobs() {
  judged_.resize(files_.size());
  for (std::size_t at = 0; at < files_.size(); ++at) {
    ClaimedFile& file = files_[at];
    Judged& judged = judged_[at];
    if (file.rows.size() > kMaxOwners) file.rows.resize(kMaxOwners);
    for (const ClaimRow& row : file.rows) judged.hashes.push_back(parse_hash(row.hash));
    const bool counts = !is_in_metadata(file.path) && !is_launcher(file);
    judged.is_contested = counts && is_contest(file, judged);
    const bool has_hash = std::any_of(file.rows.begin(), file.rows.end(),
                                      [](const ClaimRow& row) { return !row.hash.empty(); });
    const bool is_wanted =
        judged.is_contested || ((file.is_asked || options_.hashes_all) && has_hash);
    if (file.is_gone || !is_wanted) continue;
    note_unknown(file, judged);
    add_job(file, &judged);
  }
}

Match Judge::match_of(const Judged& judged, std::size_t row, bool is_gone) const {
  if (is_gone) return Match::Gone;
  if (!judged.job) return Match::NotAsked;
  const HashJob& job = jobs_[*judged.job];
  if (job.state == FileState::Gone) return Match::Gone;
  if (job.state == FileState::Unreadable) return Match::Unreadable;
  const auto& wanted = judged.hashes[row];
  if (!wanted) return Match::NotAsked;
  const auto kind = std::find(job.kinds.begin(), job.kinds.end(), wanted->kind);
  const auto& digest = job.digests[static_cast<std::size_t>(kind - job.kinds.begin())];
  return digest == wanted->raw ? Match::Same : Match::Different;
}

void Judge::file_overlaps(std::size_t at) {
  const ClaimedFile& file = files_[at];
  if (file.rows.size() < 2 || is_in_metadata(file.path) || is_launcher(file)) return;
  std::vector<Claim> claims;
  std::vector<std::size_t> rows;  // that have a hash
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    const ClaimRow& row = file.rows[i];
    if (row.hash.empty()) continue;
    claims.push_back({row.distribution, row.hash, match_of(judged_[at], i, file.is_gone)});
    rows.push_back(i);
  }
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = a + 1; b < rows.size(); ++b) pair_overlap(at, a, b, claims);
  }
}

void Judge::pair_overlap(std::size_t at, std::size_t a, std::size_t b,
                         const std::vector<Claim>& claims) {
  const Claim &first = claims[a], &second = claims[b];
  Overlap& overlap = overlaps_[{first.distribution, second.distribution}];
  overlap.first = first.distribution;
  overlap.second = second.distribution;
  ++overlap.shared;
  if (first.match == Match::Gone) ++overlap.gone;
  const auto one = parse_hash(first.hash), other = parse_hash(second.hash);
  const bool is_identical = first.hash == second.hash || (one && one == other) ||
                            (first.match == Match::Same && second.match == Match::Same);
  if (is_identical) {
    ++overlap.identical;
    return;
  }
  if (first.match == Match::Same) ++overlap.of_first;
  if (second.match == Match::Same) ++overlap.of_second;
  if (first.match == Match::Different && second.match == Match::Different) ++overlap.of_neither;
  overlap.differing.push_back({files_[at].path, claims});
}

// Bytes that are nobody's, of a file about which the lists agree.
void Judge::file_altered(std::size_t at) {
  const ClaimedFile& file = files_[at];
  const Judged& judged = judged_[at];
  if (!judged.job || judged.is_contested) return;
  const HashJob& job = jobs_[*judged.job];
  if (job.state != FileState::Hashed) return;
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    if (match_of(judged, i, false) != Match::Different) continue;
    const auto kind = std::find(job.kinds.begin(), job.kinds.end(), judged.hashes[i]->kind);
    const auto place = static_cast<std::size_t>(kind - job.kinds.begin());
    facts_.altered.push_back({file.path, file.rows[i].distribution, write_hash(*judged.hashes[i]),
                              write_hash({*kind, job.digests[place]}), file.rows[i].size,
                              job.size});
    return;
  }
}

void Judge::hidden_modules() {
  const auto owner = [&](const std::string& path) -> std::optional<std::uint32_t> {
    if (const Object* object = inventory_.find_object(path)) {
      if (object->owners.empty()) return std::nullopt;
      return object->owners.front().distribution;
    }
    const auto file = std::lower_bound(
        files_.begin(), files_.end(), path,
        [](const ClaimedFile& one, const std::string& wanted) { return one.path < wanted; });
    if (file == files_.end() || file->path != path || file->rows.empty()) return std::nullopt;
    return file->rows.front().distribution;
  };
  for (const HiddenPair& pair : hidden_pairs_) {
    const auto package_of = owner(pair.package_init), module_of = owner(pair.module);
    if (!package_of || !module_of || *package_of == *module_of) continue;
    facts_.hidden.push_back({pair.package, pair.module, *package_of, *module_of});
  }
}

void Judge::say_incidents() {
  for (const HashJob& job : jobs_) {
    if (job.state != FileState::Unreadable) continue;
    facts_.incidents.push_back({job.path, "cannot be compared with its hash: " + job.problem});
  }
  for (const auto& [distribution, what] : unknown_) {
    const auto& [count, example] = what;
    facts_.incidents.push_back(
        {inventory_.distributions[distribution].metadata_path,
         format("files not compared: {}, with hashes that are not understood, such as `{}`", count,
                printable(std::string_view(example).substr(0, kShownHash)))});
  }
  std::sort(facts_.incidents.begin(), facts_.incidents.end(),
            [](const Incident& a, const Incident& b) {
              return std::tie(a.path, a.message) < std::tie(b.path, b.message);
            });
}

OwnershipFacts Judge::run() {
  collect_claims();
  choose_jobs();
  const HashTotals totals = hash_files(walk_, &jobs_, options_.threads, options_.progress);
  facts_.files_hashed = totals.files;
  facts_.bytes_hashed = totals.bytes;
  for (std::size_t at = 0; at < files_.size(); ++at) {
    file_overlaps(at);
    file_altered(at);
  }
  for (auto& [pair, overlap] : overlaps_) facts_.overlaps.push_back(std::move(overlap));
  hidden_modules();
  facts_.losses = find_losses(walk_, inventory_);
  facts_.stale = find_stale(inventory_, facts_.overlaps, facts_.losses);
  facts_.unowned = find_unowned(inventory_);
  say_incidents();
  return std::move(facts_);
}

}  // namespace

OwnershipFacts find_ownership(tree::Walk& walk, const Inventory& inventory,
                              const OwnershipOptions& options) {
  return Judge(walk, inventory, options).run();
}

}  // namespace loadable::inventory
