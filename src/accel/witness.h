// SPDX-License-Identifier: Apache-2.0
#pragma once
// What installed files say about the build that they come from: a witness that does not rest on
// hashes. Only strings that tell measured CPU wheels from measured GPU wheels count
// (knowledge/families.toml, [[witness]]).

#include <string>
#include <string_view>
#include <vector>

#include "accel/knowledge.h"
#include "loader/store.h"

namespace loadable::accel {

/// One thing that one file says.
struct Testimony {
  std::string path;
  std::string says;        ///< `holds the text ...`, `package_name = 'onnxruntime-gpu'`
  std::string member;      ///< Assignment: the distribution that the file names; else empty
  std::string capability;  ///< `CUDA`; empty with a member
  bool has = false;        ///< the build has the capability
  bool is_verified = true;
};

/// Asks the files of an import package of that family. What cannot be read says nothing. Texts are
/// searched in at most 512 MiB of a file. Sorted by path, then by the order of the rows.
[[nodiscard]] std::vector<Testimony> hear_witnesses(const Knowledge& knowledge,
                                                    loader::Store& store, std::string_view family,
                                                    const std::string& package_dir);

}  // namespace loadable::accel
