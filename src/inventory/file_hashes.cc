// SPDX-License-Identifier: Apache-2.0
#include "inventory/file_hashes.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "base/bytes.h"

namespace loadable::inventory {
namespace {

using tree::Path;
using tree::Walk;

constexpr std::size_t kMaxThreads = 64;
constexpr std::uint64_t kLarge = std::uint64_t{16} << 20U;

bool is_gone(ErrorCode code) {
  return code == ErrorCode::NotFound || code == ErrorCode::NotADirectory;
}

void fail_job(HashJob* job, const Error& error) {
  job->state = is_gone(error.code) ? FileState::Gone : FileState::Unreadable;
  job->problem = error.message;
}

// Only the thread of the walk may ask it. Most files are no links, and the walk need not remember
// them. True: the file is there and is to be read.
bool find_file(Walk& walk, HashJob* job) {
  auto stat = walk.tree().stat(Path(job->path));
  if (stat && stat->kind != tree::Kind::Symlink) {
    job->physical = job->path;
  } else {
    const auto& found = walk.resolve(job->path);
    if (!found) {
      fail_job(job, found.error());
      return false;
    }
    job->physical = found->physical.text();
    stat = found->stat;
  }
  job->size = stat->size;
  job->state = FileState::Hashed;
  if (stat->kind != tree::Kind::Regular) {
    job->state = FileState::Unreadable;
    job->problem = "not a regular file";
    return false;
  }
  return !job->kinds.empty();
}

// Reads one file; touches nothing but the job, so that threads need no lock.
void hash_file(const tree::Tree& tree, HashJob* job) {
  const auto source = tree.open(Path(job->physical));
  if (!source) return fail_job(job, source.error());
  job->size = (*source)->size();
  for (const DigestKind kind : job->kinds) {
    auto digest = digest_of(**source, kind);
    if (!digest) return fail_job(job, digest.error());
    job->digests.push_back(std::move(*digest));
  }
}

/// What the threads share: whose turn it is, and how far they are.
struct Queue {
  const tree::Tree& tree;
  std::vector<HashJob*> jobs;
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> done{0};

  bool take() {
    const std::size_t at = next.fetch_add(1);
    if (at >= jobs.size()) return false;
    hash_file(tree, jobs[at]);
    done.fetch_add(jobs[at]->size);
    return true;
  }
};

}  // namespace

std::optional<RecordedHash> parse_hash(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    constexpr std::size_t kSha256Digits = 64, kMd5Digits = 32;
    if (text.size() != kSha256Digits && text.size() != kMd5Digits) return std::nullopt;
    auto raw = from_hex(text);
    if (!raw) return std::nullopt;
    const bool is_md5 = text.size() == kMd5Digits;
    return RecordedHash{is_md5 ? DigestKind::Md5 : DigestKind::Sha256, std::move(*raw)};
  }
  const auto kind = digest_kind(text.substr(0, equals));
  if (!kind) return std::nullopt;
  auto raw = from_base64_url(text.substr(equals + 1));
  if (!raw) return std::nullopt;
  return RecordedHash{*kind, std::move(*raw)};
}

std::string write_hash(const RecordedHash& hash) {
  return std::string(digest_name(hash.kind)) + "=" + to_base64_url(hash.raw);
}

HashTotals hash_files(Walk& walk, std::vector<HashJob>* jobs, std::size_t threads,
                      const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  Queue queue{walk.tree(), {}, {}, {}};
  std::uint64_t total = 0;
  for (HashJob& job : *jobs) {
    if (!find_file(walk, &job)) continue;
    queue.jobs.push_back(&job);
    total += job.size;
  }
  // Large files first: one of a gigabyte begun last would leave the other threads idle. The others
  // in the order of their paths, in which they lie on a disk.
  std::stable_sort(queue.jobs.begin(), queue.jobs.end(), [](const HashJob* a, const HashJob* b) {
    return (a->size < kLarge ? 0 : a->size) > (b->size < kLarge ? 0 : b->size);
  });
  std::vector<std::jthread> helpers;
  const std::size_t wanted = std::min({threads, kMaxThreads, queue.jobs.size()});
  try {
    while (helpers.size() + 1 < wanted) {
      helpers.emplace_back([&queue] {
        while (queue.take()) continue;
      });
    }
  } catch (const std::system_error&) {
    // A limit on processes: this thread does the work alone.
  }
  while (queue.take()) {
    if (progress) progress(queue.done.load(), total);
  }
  helpers.clear();
  if (progress && total > 0) progress(total, total);
  HashTotals totals;
  for (const HashJob* job : queue.jobs) {
    if (job->state != FileState::Hashed) continue;
    ++totals.files;
    totals.bytes += job->size;
  }
  return totals;
}

}  // namespace loadable::inventory
