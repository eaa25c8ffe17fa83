// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/format.h"

namespace loadable::cli {
namespace {

constexpr std::size_t kWidth = 24;
constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr auto kPause = std::chrono::milliseconds(100);

void draw(std::string_view text) {
  // What cannot be drawn is no loss.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Progress::Progress(bool is_shown)
    : is_shown_(is_shown), begin_(std::chrono::steady_clock::now()), next_(begin_ + kPatience) {}

Progress::~Progress() {
  if (is_drawn_) draw("\r\x1b[K");
}

void Progress::show(std::string_view stage, std::size_t done, std::size_t total) const {
  if (!is_shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kPause;
  is_drawn_ = true;
  const std::size_t full = total == 0 ? 0 : std::min(kWidth, done * kWidth / total);
  draw(format("\r\x1b[K[{}{}] {} {}/{}", std::string(full, '#'), std::string(kWidth - full, '.'),
              stage, done, total));
}

}  // namespace loadable::cli
