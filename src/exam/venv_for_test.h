// SPDX-License-Identifier: Apache-2.0
#pragma once
// A virtual environment in memory, for tests of what runs on it.

#include <memory>
#include <string>
#include <vector>

#include "accel/plan_test.h"
#include "exam/exam.h"

namespace loadable::exam {

/// A tree that somebody else owns.
class Borrowed final : public tree::Tree {
 public:
  explicit Borrowed(const tree::Tree& tree) : tree_(tree) {}
  [[nodiscard]] Result<tree::Stat> stat(const tree::Path& path) const override {
    return tree_.stat(path);
  }
  [[nodiscard]] Result<std::string> read_link(const tree::Path& path) const override {
    return tree_.read_link(path);
  }
  [[nodiscard]] Result<std::vector<tree::Entry>> list(const tree::Path& path) const override {
    return tree_.list(path);
  }
  [[nodiscard]] Result<std::unique_ptr<ByteSource>> open(const tree::Path& path) const override {
    return tree_.open(path);
  }

 private:
  const tree::Tree& tree_;
};

/// The trees of accel::Plan, with `/venv` around them.
class VenvPlan : public accel::Plan {
 protected:
  void SetUp() override {
    accel::Plan::SetUp();
    tree_.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
    tree_.add_link("/venv/bin/python", "/usr/bin/python3.11");
    tree_.add_file("/usr/lib/python3.11/os.py", "");
    options_.counts_host = false;
  }

  Options options_;
};

}  // namespace loadable::exam
