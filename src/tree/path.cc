// SPDX-License-Identifier: Apache-2.0
#include "tree/tree.h"

namespace loadable::tree {

Path::Path(std::string text) : text_(std::move(text)) {
  if (text_.empty() || text_.front() != '/') text_.insert(text_.begin(), '/');
}

Path Path::join(std::string_view relative) const {
  std::string text;
  text.reserve(text_.size() + 1 + relative.size());
  text = text_;
  if (text.back() != '/') text += '/';
  text += relative;
  return Path(std::move(text));
}

Path Path::parent() const {
  const std::size_t slash = text_.rfind('/');
  return slash == 0 ? Path() : Path(text_.substr(0, slash));
}

std::string_view Path::name() const { return std::string_view(text_).substr(text_.rfind('/') + 1); }

Path Path::lexically_normal() const {
  std::string normal;
  normal.reserve(text_.size());
  std::string_view rest = text_;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      const std::size_t last = normal.rfind('/');
      normal.resize(last == std::string::npos ? 0 : last);
    } else {
      normal += '/';
      normal += part;
    }
  }
  return Path(std::move(normal));
}

bool Path::is_within(const Path& directory) const {
  std::string_view prefix = directory.text_;
  while (!prefix.empty() && prefix.back() == '/') prefix.remove_suffix(1);
  const std::string_view text = text_;
  return text.starts_with(prefix) && (text.size() == prefix.size() || text[prefix.size()] == '/');
}

}  // namespace loadable::tree
