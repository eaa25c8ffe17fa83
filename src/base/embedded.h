// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of the source tree that cmake/embed.cmake puts into the program, byte for byte.

#include <string_view>

namespace loadable {

/// One embedded file. `name` is its name without the folder (`onnxruntime.toml`); `text` its bytes.
/// Both live as long as the program. Tables of them are sorted by name.
struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

}  // namespace loadable
