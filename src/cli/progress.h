// SPDX-License-Identifier: Apache-2.0
#pragma once
// One line on a terminal's standard error that says how far long work is; gone at its end.

#include <chrono>
#include <cstddef>
#include <string_view>

namespace loadable::cli {

class Progress {
 public:
  /// `is_shown`: standard error is a terminal, and the user did not ask for quiet.
  explicit Progress(bool is_shown);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Draws at most ten times a second, and only after the first half second.
  void show(std::string_view stage, std::size_t done, std::size_t total) const;

 private:
  bool is_shown_;
  std::chrono::steady_clock::time_point begin_;
  mutable std::chrono::steady_clock::time_point next_;
  mutable bool is_drawn_ = false;
};

}  // namespace loadable::cli
