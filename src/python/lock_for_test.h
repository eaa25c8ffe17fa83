// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of lock files share.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "python/lock.h"

namespace loadable::python {

inline Selection on(std::string_view version) {
  Selection selection;
  selection.environment = MarkerEnvironment::for_interpreter(version, "x86_64");
  return selection;
}

inline std::vector<std::string> names_of(const Lock& lock,
                                         const Selection& selection = on("3.11")) {
  std::vector<std::string> names;
  for (const Installed& installed : installed_of(lock, selection)) {
    const LockedPackage& package = lock.packages[installed.package];
    names.push_back(package.normalized + " " + package.version);
  }
  return names;
}

inline std::vector<std::string> chain_to(const Lock& lock, std::string_view name,
                                         const Selection& selection = on("3.11")) {
  for (const Installed& installed : installed_of(lock, selection)) {
    if (lock.packages[installed.package].normalized == name) return installed.chain;
  }
  return {"not installed"};
}

inline Lock lock_of(std::string_view text, LockFormat kind, const std::string& name = "/p/lock") {
  auto lock = parse_lock(text, name, kind);
  EXPECT_TRUE(lock) << (lock ? "" : lock.error().to_string());
  return lock ? std::move(*lock) : Lock{};
}

}  // namespace loadable::python
