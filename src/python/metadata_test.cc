// SPDX-License-Identifier: Apache-2.0
#include "python/metadata.h"

#include <gtest/gtest.h>

namespace loadable::python {
namespace {

/// Counts how many bytes are asked for.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::string_view text) : source_(text) {}
  [[nodiscard]] std::uint64_t size() const override { return source_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    auto count = source_.read_at(offset, out);
    bytes += count ? *count : 0;
    return count;
  }
  std::size_t bytes = 0;

 private:
  MemorySource source_;
};

TEST(PythonMetadata, FieldsAreReadInAnyCaseUntilTheBody) {
  const Metadata metadata = parse_metadata(
      "Metadata-Version: 2.4\r\nNAME: onnxruntime-gpu\r\nversion:1.24.4\r\n"
      "Requires-Dist: numpy (>=1.24.2)\r\nRequires-Dist: x ; extra == 'cuda'\r\n"
      "Provides-Extra: cuda\r\nRequires-Python: >=3.10\r\n\r\nName: not this\r\n");
  EXPECT_EQ(metadata.metadata_version, "2.4");
  EXPECT_EQ(metadata.name, "onnxruntime-gpu");
  EXPECT_EQ(metadata.version, "1.24.4");
  EXPECT_EQ(metadata.requires_python, ">=3.10");
  EXPECT_EQ(metadata.requires_dist,
            (std::vector<std::string>{"numpy (>=1.24.2)", "x ; extra == 'cuda'"}));
  EXPECT_EQ(metadata.provides_extra, std::vector<std::string>{"cuda"});
}

TEST(PythonMetadata, FoldedLinesAreJoined) {
  const Metadata metadata = parse_metadata("Name: x\nRequires-Dist: a\n  >=1\n\t; y\nVersion: 2\n");
  EXPECT_EQ(metadata.requires_dist, std::vector<std::string>{"a >=1 ; y"});
  EXPECT_EQ(metadata.version, "2");
}

TEST(PythonMetadata, TheFirstNameCounts) {
  EXPECT_EQ(parse_metadata("Name: a\nName: b\n").name, "a");
}

TEST(PythonMetadata, OddFilesGiveWhatTheyHold) {
  EXPECT_EQ(parse_metadata("").name, "");
  EXPECT_EQ(parse_metadata("\nName: body\n").name, "");
  EXPECT_EQ(parse_metadata("no field\nName: x").name, "x");
  EXPECT_EQ(parse_metadata(": empty\nName:\nVersion: 1").version, "1");
  EXPECT_EQ(parse_metadata("\xEF\xBB\xBFName: bom\n").name, "bom");
  EXPECT_EQ(parse_metadata("  folded first\nName: \xff\xfe\n").name, "\xff\xfe");
}

TEST(PythonMetadata, TheBodyIsNotRead) {
  const std::string text = "Name: x\nVersion: 1\n\n" + std::string(10'000'000, 'b');
  CountingSource source(text);
  const auto metadata = read_metadata(source);
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->version, "1");
  EXPECT_LE(source.bytes, 16U * 1024U);
}

TEST(PythonMetadata, HeadersMayEndAcrossABlock) {
  for (std::size_t fill = 16360; fill < 16400; ++fill) {
    const std::string text = "Name: x\nKeywords: " + std::string(fill, 'k') + "\n\nVersion: body\n";
    MemorySource source(text);
    const auto metadata = read_metadata(source);
    ASSERT_TRUE(metadata);
    EXPECT_EQ(metadata->name, "x");
    EXPECT_EQ(metadata->version, "");
  }
}

TEST(PythonMetadata, EndlessHeadersAreRefused) {
  std::string text;
  while (text.size() < 5U * 1024U * 1024U) text += "Classifier: x\n";
  MemorySource source(text);
  const auto metadata = read_metadata(source);
  ASSERT_FALSE(metadata);
  EXPECT_EQ(metadata.error().code, ErrorCode::LimitReached);
}

}  // namespace
}  // namespace loadable::python
