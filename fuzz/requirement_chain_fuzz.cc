// SPDX-License-Identifier: Apache-2.0
// Chains of requirements. The text is a graph: a line `name: requirement` each.
#include <cstdint>
#include <set>
#include <string>

#include "base/assert.h"
#include "base/bytes.h"
#include "python/names.h"
#include "python/requirement_chain.h"

using namespace loadable;  // NOLINT: a fuzz target is its own program

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = as_text(std::as_bytes(std::span(data, size)));
  std::vector<python::Requirer> all;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t colon = line.find(':');
    const std::string name(line.substr(0, colon));
    if (all.empty() || all.back().name != name) all.push_back({name, "1", {}});
    if (colon != std::string_view::npos) {
      all.back().requires_dist.emplace_back(line.substr(colon + 1));
    }
  }
  auto environment = python::MarkerEnvironment::for_interpreter("3.11", "x86_64");
  environment.extras = {"x"};
  for (const char* target : {"a", "b", "onnxruntime"}) {
    constexpr std::size_t kLimit = 5;
    std::size_t length = 1;
    for (const auto& chain : python::chains_to(target, all, environment, kLimit)) {
      LOADABLE_ASSERT(chain.size() >= length, "the shortest come first");
      length = chain.size();
      std::set<std::pair<std::string, std::string>> seen;
      for (const auto& link : chain) {
        const std::string name = python::normalize_name(link.requirer);
        LOADABLE_ASSERT(name != target, "a chain does not pass through its end");
        LOADABLE_ASSERT(seen.emplace(name, link.extra).second, "a chain has no cycle");
      }
    }
  }
  return 0;
}
