// SPDX-License-Identifier: Apache-2.0
// METADATA, and the small texts around it: names, versions, wheel names, conda-meta, dpkg, .pth.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "base/bytes.h"
#include "python/conda_meta.h"
#include "python/dpkg.h"
#include "python/metadata.h"
#include "python/names.h"
#include "python/pth.h"
#include "python/version.h"

using namespace loadable;  // NOLINT: a fuzz target is its own program

namespace {

void try_version(std::string_view text) {
  const auto version = python::Version::parse(text);
  if (!version) return;
  const auto again = python::Version::parse(version->to_string());
  LOADABLE_ASSERT(again.has_value(), "the normal form is a version");
  LOADABLE_ASSERT(*again == *version, "the normal form is the same version");
  LOADABLE_ASSERT(again->to_string() == version->to_string(), "the normal form is final");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = as_text(std::as_bytes(std::span(data, size)));
  const python::Metadata whole = python::parse_metadata(text);
  MemorySource source(text);
  const auto parts = python::read_metadata(source);
  LOADABLE_ASSERT(parts.has_value(), "small headers are read");
  LOADABLE_ASSERT(parts->name == whole.name && parts->version == whole.version &&
                      parts->requires_dist == whole.requires_dist,
                  "reading in part gives what reading the whole does");
  try_version(whole.version);
  try_version(text);
  (void)python::compare_versions(whole.version, text);
  (void)python::normalize_name(whole.name);
  (void)python::parse_info_name(text);
  (void)python::parse_wheel_name(text);
  (void)python::parse_conda_meta(text);
  (void)python::parse_dpkg_status(text);
  (void)python::parse_pth(text, tree::Path("/site"));
  return 0;
}
