// SPDX-License-Identifier: Apache-2.0
#pragma once
// Debian's database of packages: /var/lib/dpkg/status (and status.d of distroless images) and
// info/*.list.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace loadable::python {

struct DebianPackage {
  std::string name, version, architecture;
};

/// The packages whose state is `installed` (deb822 paragraphs; those without a Status line, as in
/// status.d, count as installed). Never fails.
[[nodiscard]] std::vector<DebianPackage> parse_dpkg_status(std::string_view text);

/// Calls `row` with each path of a .list file.
void for_each_dpkg_path(std::string_view list, const std::function<void(std::string_view)>& row);

/// Calls `row` with each path (relative to `/`) and MD5 (32 hexadecimal digits) of a .md5sums file.
/// Lines of another form are passed over.
void for_each_dpkg_md5sum(std::string_view text,
                          const std::function<void(std::string_view, std::string_view)>& row);

}  // namespace loadable::python
