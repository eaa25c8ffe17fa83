// SPDX-License-Identifier: Apache-2.0
// Stands in for libFuzzer in normal builds: runs the target once on each file of the given folders.
// Each input lies in a heap block of exactly its size, so that the sanitizers see every overread.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

// The name and the signature are libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void run(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const auto block = std::make_unique<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), block.get());
  LLVMFuzzerTestOneInput(block.get(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  const std::uint8_t nothing = 0;
  LLVMFuzzerTestOneInput(&nothing, 0);
  for (int i = 1; i < argc; ++i) {
    for (const auto& file : files_of(argv[i])) {
      // Named before it runs: after a crash the last line tells which file it was.
      std::printf("%s\n", file.c_str());
      std::fflush(stdout);
      run(file);
      ++count;
    }
  }
  if (count == 0) {
    std::fprintf(stderr, "no input found: a target without a corpus tests nothing\n");
    return 1;
  }
  std::printf("%zu inputs replayed\n", count);
  return 0;
}
