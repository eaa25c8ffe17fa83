// SPDX-License-Identifier: Apache-2.0
// /etc/ld.so.conf of any bytes: as one text, and as a file that may include itself.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "loader/conf.h"
#include "tree/memory_tree.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto conf = loadable::loader::parse_conf_text(text, "/etc/ld.so.conf");
  for (const auto& directory : conf.directories) {
    LOADABLE_ASSERT(directory.path.starts_with('/'), "directories are absolute");
  }
  loadable::tree::MemoryTree tree;
  tree.add_file("/etc/ld.so.conf", text);
  tree.add_file("/etc/ld.so.conf.d/a.conf", "/opt/a\ninclude /etc/ld.so.conf\n");
  loadable::tree::Walk walk(tree);
  LOADABLE_ASSERT(loadable::loader::read_conf(walk).size() <= 4096 * (size + 1), "bounded");
  return 0;
}
