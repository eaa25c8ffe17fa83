// SPDX-License-Identifier: Apache-2.0
#include "report/check.h"

namespace loadable::report {

std::string paint(const Style& style, check::Severity severity, const std::string& text) {
  if (!style.has_color) return text;
  const char* color = "\x1b[1;36m";
  if (severity == check::Severity::Error) color = "\x1b[1;31m";
  if (severity == check::Severity::Warning) color = "\x1b[1;33m";
  return color + text + "\x1b[0m";
}

std::string bold(const Style& style, const std::string& text) {
  return style.has_color ? "\x1b[1m" + text + "\x1b[0m" : text;
}

std::string shown_path(const std::string& path, const std::string& base) {
  if (base.size() < 2 || path.size() <= base.size() + 1) return path;
  if (!path.starts_with(base)) return path;
  if (base.back() == '/') return path.substr(base.size());
  return path[base.size()] == '/' ? path.substr(base.size() + 1) : path;
}

}  // namespace loadable::report
