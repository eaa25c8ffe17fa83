// SPDX-License-Identifier: Apache-2.0
#include "cli/host.h"

#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <string_view>

#include "base/format.h"
#include "base/quote.h"

// NOLINTNEXTLINE(readability-redundant-declaration,cppcoreguidelines-avoid-non-const-global-variables)
extern char** environ;

namespace loadable::cli {
namespace {

bool is_loader_variable(std::string_view name) {
  return name.starts_with("LD_") || name == "GLIBC_TUNABLES";
}

#if defined(__x86_64__)
bool has_vendor_intel() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return false;
  return ebx == signature_INTEL_ebx && ecx == signature_INTEL_ecx && edx == signature_INTEL_edx;
}

/// Bits of CPUID leaves 1 and 0x80000001 (ecx) that the levels of the psABI ask for and for which
/// clang's builtin has no name.
struct MoreFeatures {
  bool has_v2 = false;  ///< CMPXCHG16B, LAHF-SAHF
  bool has_v3 = false;  ///< MOVBE, F16C, LZCNT
};

MoreFeatures more_features() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned basic = 0;
  unsigned extended = 0;
  unsigned edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &basic, &edx) == 0) return {};
  if (__get_cpuid(0x80000001U, &eax, &ebx, &extended, &edx) == 0) return {};
  const auto has = [](unsigned word, unsigned bit) { return (word >> bit & 1U) != 0; };
  return {has(basic, 13) && has(extended, 0), has(basic, 22) && has(basic, 29) && has(extended, 5)};
}

loader::CpuLevel x86_level() {
  __builtin_cpu_init();
  const MoreFeatures more = more_features();
  const bool is_v2 = more.has_v2 && __builtin_cpu_supports("popcnt") != 0 &&
                     __builtin_cpu_supports("ssse3") != 0 &&
                     __builtin_cpu_supports("sse4.1") != 0 && __builtin_cpu_supports("sse4.2") != 0;
  const bool is_v3 = is_v2 && more.has_v3 && __builtin_cpu_supports("avx2") != 0 &&
                     __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
                     __builtin_cpu_supports("fma") != 0;
  const bool is_v4 =
      is_v3 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0;
  if (is_v4) return loader::CpuLevel::V4;
  if (is_v3) return loader::CpuLevel::V3;
  return is_v2 ? loader::CpuLevel::V2 : loader::CpuLevel::Baseline;
}
#endif

}  // namespace

std::vector<std::pair<std::string, std::string>> host_variables() {
  std::vector<std::pair<std::string, std::string>> result;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view text = *at;
    const std::size_t equals = text.find('=');
    if (equals == text.npos) continue;
    result.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> host_loader_variables() {
  auto all = host_variables();
  std::erase_if(all, [](const auto& variable) { return !is_loader_variable(variable.first); });
  return all;
}

std::vector<std::pair<std::string, std::string>> host_python_variables() {
  constexpr std::array<std::string_view, 4> kNames = {"HOME", "PYTHONNOUSERSITE", "PYTHONPATH",
                                                      "PYTHONUSERBASE"};
  auto all = host_variables();
  std::erase_if(all, [&](const auto& variable) {
    return std::find(kNames.begin(), kNames.end(), variable.first) == kNames.end();
  });
  return all;
}

std::string host_directory() {
  std::array<char, 4096> buffer{};
  const char* text = ::getcwd(buffer.data(), buffer.size());
  return text != nullptr && *text == '/' ? text : "/";
}

loader::Cpu host_cpu() {
  loader::Cpu cpu;
#if defined(__x86_64__)
  cpu.level = x86_level();
  const bool is_haswell = cpu.level >= loader::CpuLevel::V3 && has_vendor_intel();
  cpu.platform = is_haswell ? "haswell" : "x86_64";
#else
  cpu.level = loader::CpuLevel::Baseline;
#endif
  return cpu;
}

Result<std::pair<std::string, std::string>> parse_variable(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) {
    return fail(
        ErrorCode::InvalidArgument,
        format("--env {} has no name and value, wanted `NAME=VALUE`", loadable::quoted(text)));
  }
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace loadable::cli
