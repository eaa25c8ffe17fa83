// SPDX-License-Identifier: Apache-2.0
#include "cli/host.h"

#include <unistd.h>

#if defined(__x86_64__)
#if defined(__clang__)
// The header is one for C; g++ knows the name. NOLINTNEXTLINE(*-reserved-identifier,*-naming)
#define _Bool bool
#endif
#include <cpuid.h>
#include <sys/platform/x86.h>
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
  __cpuid(0, eax, ebx, ecx, edx);
  return ebx == signature_INTEL_ebx && ecx == signature_INTEL_ecx && edx == signature_INTEL_edx;
}

template <std::size_t N>
bool are_active(const std::array<unsigned, N>& features) {
  return std::all_of(features.begin(), features.end(),
                     [](unsigned feature) { return x86_cpu_active(feature) != 0; });
}

/// The level of the psABI, from what glibc itself asked the CPU at start (get-isa-level.h of glibc
/// 2.33). Asking again takes a tenth of a short run in a virtual machine, which traps at each
/// CPUID.
loader::CpuLevel x86_level() {
  if (!are_active(
          std::to_array<unsigned>({x86_cpu_CMPXCHG16B, x86_cpu_LAHF64_SAHF64, x86_cpu_POPCNT,
                                   x86_cpu_SSE3, x86_cpu_SSSE3, x86_cpu_SSE4_1, x86_cpu_SSE4_2}))) {
    return loader::CpuLevel::Baseline;
  }
  if (!are_active(
          std::to_array<unsigned>({x86_cpu_AVX, x86_cpu_AVX2, x86_cpu_BMI1, x86_cpu_BMI2,
                                   x86_cpu_F16C, x86_cpu_FMA, x86_cpu_LZCNT, x86_cpu_MOVBE}))) {
    return loader::CpuLevel::V2;
  }
  const bool is_v4 = are_active(std::to_array<unsigned>(
      {x86_cpu_AVX512F, x86_cpu_AVX512BW, x86_cpu_AVX512CD, x86_cpu_AVX512DQ, x86_cpu_AVX512VL}));
  return is_v4 ? loader::CpuLevel::V4 : loader::CpuLevel::V3;
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
