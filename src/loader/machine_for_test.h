// SPDX-License-Identifier: Apache-2.0
#pragma once
// A small root in memory with a loader of a stated release, for the tests of this folder.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loader/process.h"
#include "testing/elf_builder.h"
#include "tree/memory_tree.h"
#include "tree/walk.h"

namespace loadable::loader {

inline constexpr const char* kInterpreter = "/lib64/ld-linux-x86-64.so.2";
inline constexpr const char* kMuslInterpreter = "/lib/ld-musl-x86_64.so.1";

/// The bytes of a loader: what identify_loader reads of a real one.
inline std::vector<std::byte> loader_file(const std::string& release) {
  testing::ElfSpec spec;
  spec.soname = "ld-linux-x86-64.so.2";
  testing::ElfSegment constants;
  constants.content =
      std::string("\0/lib/x86_64-linux-gnu/\0/usr/lib/x86_64-linux-gnu/\0/lib/\0", 57) +
      std::string("/usr/lib/\0lib/x86_64-linux-gnu\0", 31) + "ld.so (Example GLIBC " + release +
      "-1) stable release version " + release + ".\n" + std::string(1, '\0');
  spec.segments = {constants};
  return testing::build_elf(spec);
}

inline std::vector<std::byte> musl_file(const std::string& release) {
  testing::ElfSpec spec;
  spec.soname = "libc.musl-x86_64.so.1";
  testing::ElfSegment constants;
  constants.content = std::string(1, '\0') + release + std::string(1, '\0') +
                      "/lib:/usr/local/lib:/usr/lib" + std::string(1, '\0');
  spec.segments = {constants};
  return testing::build_elf(spec);
}

class Machine {
 public:
  explicit Machine(const std::string& release = "2.36") {
    tree.add_file(kInterpreter, loader_file(release), 0755);
    environment.cpu = {CpuLevel::V3, "haswell"};
  }

  static Machine with_musl(const std::string& release = "1.2.3") {
    Machine machine;
    machine.tree.remove(kInterpreter);
    machine.tree.add_file(kMuslInterpreter, musl_file(release), 0755);
    machine.interpreter = kMuslInterpreter;
    return machine;
  }

  /// A program at /bin/x.
  Machine& program(testing::ElfSpec spec) {
    spec.interp = interpreter;
    tree.add_file("/bin/x", testing::build_elf(spec), 0755);
    return *this;
  }
  Machine& program(std::vector<std::string> needed, std::optional<std::string> runpath = {},
                   std::optional<std::string> rpath = {}) {
    testing::ElfSpec spec;
    spec.needed = std::move(needed);
    spec.runpath = std::move(runpath);
    spec.rpath = std::move(rpath);
    return program(std::move(spec));
  }
  Machine& file(const std::string& path, const testing::ElfSpec& spec) {
    tree.add_file(path, testing::build_elf(spec));
    return *this;
  }
  /// A library whose soname is the name of its file.
  Machine& library(const std::string& path, std::vector<std::string> needed = {},
                   std::optional<std::string> runpath = {}, std::optional<std::string> rpath = {}) {
    testing::ElfSpec spec;
    spec.soname = path.substr(path.rfind('/') + 1);
    spec.needed = std::move(needed);
    spec.runpath = std::move(runpath);
    spec.rpath = std::move(rpath);
    return file(path, spec);
  }
  Machine& variable(std::string name, std::string value) {
    environment.variables.emplace_back(std::move(name), std::move(value));
    return *this;
  }

  Result<Process> try_start(const std::string& path = "/bin/x") {
    walk = std::make_unique<tree::Walk>(tree);
    store = std::make_unique<Store>(*walk);
    return Process::start(*store, path, environment);
  }
  Process start(const std::string& path = "/bin/x") {
    auto process = try_start(path);
    if (!process) throw std::runtime_error(process.error().to_string());
    return std::move(*process);
  }

  tree::MemoryTree& tree_ref() { return tree; }

  std::unique_ptr<tree::MemoryTree> owned = std::make_unique<tree::MemoryTree>();
  tree::MemoryTree& tree = *owned;
  std::unique_ptr<tree::Walk> walk;
  std::unique_ptr<Store> store;
  Environment environment;
  std::string interpreter = kInterpreter;
};

/// Paths of the link map, the program first.
inline std::vector<std::string> paths(const Process& process) {
  std::vector<std::string> result;
  for (const auto& object : process.objects()) result.push_back(object.path);
  return result;
}

inline std::vector<std::string> missing(const Process& process) {
  std::vector<std::string> result;
  for (const auto& miss : process.missing()) result.push_back(miss.name);
  return result;
}

inline std::string path_of(const Process& process, const std::string& request) {
  for (const auto& each : process.requests()) {
    if (each.name == request) return each.path;
  }
  return "never asked for";
}

}  // namespace loadable::loader
