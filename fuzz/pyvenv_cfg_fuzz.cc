// SPDX-License-Identifier: Apache-2.0
// pyvenv.cfg, also as the file of an environment whose base is looked for.
#include <cstdint>

#include "base/bytes.h"
#include "python/environment.h"
#include "python/pyvenv_cfg.h"
#include "tree/memory_tree.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace python = loadable::python;
  const auto text = loadable::as_text(std::as_bytes(std::span(data, size)));
  (void)python::parse_pyvenv_cfg(text);
  loadable::tree::MemoryTree tree;
  tree.add_file("/v/pyvenv.cfg", text).add_link("/v/bin/python", "/usr/bin/python3");
  tree.add_file("/usr/bin/python3", "", 0755).add_file("/usr/lib/python3.11/os.py", "");
  tree.add_directory("/v/lib/python3.11/site-packages");
  loadable::tree::Walk walk(tree);
  (void)python::read_venv(walk, loadable::tree::Path("/v"));
  return 0;
}
