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

TEST(PythonMetadata, RequirementsOfOldWheelsAndEggsAreKeptAsTheyAre) {
  const Metadata metadata = parse_metadata(
      "Metadata-Version: 1.2\nName: old\nVersion: 1\nRequires: module (>1.0)\n"
      "Requires-Dist: numpy (>=1.24.2)\nrequires-dist: six (>=1.5) ; extra == 'x'\n"
      "REQUIRES-DIST:foo;python_version<'3'\n");
  EXPECT_EQ(metadata.requires_dist,
            (std::vector<std::string>{"numpy (>=1.24.2)", "six (>=1.5) ; extra == 'x'",
                                      "foo;python_version<'3'"}));
}

TEST(PythonMetadata, SectionsOfRequiresTxtBecomeMarkers) {
  EXPECT_EQ(parse_requires_txt("numpy>=1.2\n\n[gpu]\ncore-gpu\r\nb @ https://x/y;z\n"
                               "[:python_version < '3']\nfutures\n"
                               "[a:os_name == 'nt' or os_name == 'x']\n  pywin  \n"
                               "# remark\nc; python_version > '3'\n[a:]\nd\n[]\ne\n"),
            (std::vector<std::string>{
                "numpy>=1.2", "core-gpu; extra == \"gpu\"", "b @ https://x/y;z ; extra == \"gpu\"",
                "futures; python_version < '3'",
                "pywin; (os_name == 'nt' or os_name == 'x') and extra == \"a\"",
                "c; (python_version > '3') and ((os_name == 'nt' or os_name == 'x') and "
                "extra == \"a\")",
                "d; extra == \"a\"", "e"}));
  EXPECT_TRUE(parse_requires_txt("").empty());
}

TEST(PythonMetadata, ALongSectionCannotMultiplyItself) {
  std::string text = "[:" + std::string(500'000, 'x') + "]\n";
  for (int i = 0; i < 250'000; ++i) text += "a\n";
  EXPECT_LT(parse_requires_txt(text).size(), 20U);
}

}  // namespace
}  // namespace loadable::python
