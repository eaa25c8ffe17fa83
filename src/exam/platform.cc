// SPDX-License-Identifier: Apache-2.0
#include "exam/platform.h"

#include <string_view>

#include "base/format.h"
#include "base/quote.h"

namespace loadable::exam {

Result<Platform> parse_platform(const std::string& text) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
  Platform platform{"Linux", "linux", "posix", "x86_64", has("musl")};
  if (has("aarch64") || has("arm64")) platform.machine = "aarch64";
  if (text.empty() || has("linux")) return platform;
  if (has("macos") || has("darwin")) {
    platform.system = "Darwin";
    platform.sys_platform = "darwin";
    if (platform.machine == "aarch64" || !has("x86_64")) platform.machine = "arm64";
    return platform;
  }
  if (has("win")) {
    const bool is_arm = platform.machine == "aarch64";
    return Platform{"Windows", "win32", "nt", is_arm ? "ARM64" : "AMD64", false};
  }
  return fail(ErrorCode::InvalidArgument,
              format("--platform {} is unknown; accepted: `linux`, `macos`, `windows`, with a "
                     "machine such as `aarch64-linux`",
                     quoted(text)));
}

python::MarkerEnvironment environment_of(const std::string& release, const Platform& platform) {
  auto environment = python::MarkerEnvironment::for_interpreter(release, platform.machine);
  environment.variables["sys_platform"] = platform.sys_platform;
  environment.variables["platform_system"] = platform.system;
  environment.variables["os_name"] = platform.os_name;
  return environment;
}

}  // namespace loadable::exam
