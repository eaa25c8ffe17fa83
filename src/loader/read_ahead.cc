// SPDX-License-Identifier: Apache-2.0
#include "loader/read_ahead.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

namespace loadable::loader {
namespace {

constexpr std::size_t kMaxWaiting = 20'000;  // bounds memory: a reading has a few kilobytes

enum class Stage : std::uint8_t { Queued, AtHand, Read, Failed, Left };  // Left: taken while queued

struct Item {
  Stage stage = Stage::Queued;
  std::optional<Reading> reading;
};

std::optional<Reading> try_read(const tree::Tree& tree, const std::string& physical) {
  try {
    auto reading = read_file(tree, tree::Path(physical));
    if (reading) return std::move(*reading);
  } catch (const std::exception&) {
    // Out of memory: whoever asks for the file meets it again, and tells.
  }
  return std::nullopt;
}

}  // namespace

Result<Reading> read_file(const tree::Tree& tree, const tree::Path& physical) {
  auto source = tree.open_regular(physical);
  if (!source) return fail(std::move(source.error()));
  auto object = elf::read_object(**source);
  auto header = object ? Result<elf::Header>(object->header) : elf::read_header(**source);
  return Reading{(*source)->size(), std::move(header), std::move(object)};
}

struct ReadAhead::Queue {
  explicit Queue(const tree::Tree& a_tree) : tree(a_tree) {}

  void work();

  const tree::Tree& tree;
  std::mutex mutex;
  std::condition_variable added, read;
  std::unordered_map<std::string, Item> items;
  std::deque<std::pair<const std::string, Item>*> waiting;  ///< elements of items, oldest first
  std::size_t idle = 0;
  bool ends = false;
  std::vector<std::thread> threads;
};

void ReadAhead::Queue::work() {
  std::unique_lock lock(mutex);
  while (true) {
    ++idle;
    added.wait(lock, [&] { return ends || !waiting.empty(); });
    --idle;
    if (ends) return;
    auto& [path, item] = *waiting.front();
    waiting.pop_front();
    if (item.stage == Stage::Left) {
      items.erase(std::string(path));
      continue;
    }
    item.stage = Stage::AtHand;
    lock.unlock();
    std::optional<Reading> reading = try_read(tree, path);
    lock.lock();
    item.stage = reading ? Stage::Read : Stage::Failed;
    item.reading = std::move(reading);
    read.notify_one();
  }
}

ReadAhead::ReadAhead(const tree::Tree& tree, unsigned threads)
    : queue_(std::make_unique<Queue>(tree)) {
  try {
    for (unsigned i = 0; i < threads; ++i) {
      queue_->threads.emplace_back([queue = queue_.get()] { queue->work(); });
    }
  } catch (const std::system_error&) {
    // A limit on threads: those that there are suffice, be it none.
  }
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->ends = true;
  }
  queue_->added.notify_all();
  for (std::thread& thread : queue_->threads) thread.join();
}

void ReadAhead::add(const std::string& physical) {
  if (queue_->threads.empty()) return;
  bool is_awaited = false;
  {
    const std::lock_guard lock(queue_->mutex);
    if (queue_->items.size() >= kMaxWaiting) return;
    const auto [item, is_new] = queue_->items.try_emplace(physical);
    if (!is_new) return;
    queue_->waiting.push_back(&*item);
    is_awaited = queue_->idle > 0;
  }
  if (is_awaited) queue_->added.notify_one();
}

std::optional<Reading> ReadAhead::take(const std::string& physical) {
  std::unique_lock lock(queue_->mutex);
  const auto known = queue_->items.find(physical);
  if (known == queue_->items.end()) return std::nullopt;
  Item& item = known->second;
  queue_->read.wait(lock, [&] { return item.stage != Stage::AtHand; });
  std::optional<Reading> reading = std::move(item.reading);
  if (item.stage == Stage::Queued || item.stage == Stage::Left) {
    item.stage = Stage::Left;  // it stays until its turn comes: the queue points to it
  } else {
    queue_->items.erase(known);
  }
  return reading;
}

}  // namespace loadable::loader
