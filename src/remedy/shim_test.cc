// SPDX-License-Identifier: Apache-2.0
#include "remedy/shim.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "archive/zip.h"
#include "base/digest.h"
#include "python/metadata.h"
#include "python/names.h"
#include "python/record.h"

namespace loadable::remedy {
namespace {

const ShimSpec kSpec = {"onnxruntime", "1.31.1", "onnxruntime-gpu", "1.31.1"};

archive::ZipArchive opened(const Shim& shim) {
  return *archive::ZipArchive::open(std::make_unique<MemorySource>(shim.bytes), shim.file_name);
}

Result<ShimSpec> choose(std::string_view name, std::string_view version = {}) {
  return choose_shim(accel::built_in_knowledge(), name, version, nullptr);
}

Result<ShimSpec> choose_with(std::vector<Installed> installed, std::string_view version = {}) {
  return choose_shim(accel::built_in_knowledge(), "onnxruntime", version, &installed);
}

TEST(Shim, HoldsNothingButItsMetadata) {
  const auto shim = build_shim(kSpec);
  ASSERT_TRUE(shim);
  EXPECT_EQ(shim->file_name, "onnxruntime-1.31.1-py3-none-any.whl");
  EXPECT_TRUE(python::parse_wheel_name(shim->file_name));
  auto archive = opened(*shim);
  ASSERT_EQ(archive.members().size(), 3U);
  for (const auto& member : archive.members()) {
    EXPECT_EQ(member.name.find("onnxruntime-1.31.1.dist-info/"), 0U) << member.name;
  }
}

TEST(Shim, RequiresTheOtherMemberExactly) {
  auto archive = opened(*build_shim(kSpec));
  const auto metadata =
      python::parse_metadata(*archive.read("onnxruntime-1.31.1.dist-info/METADATA", 4096));
  EXPECT_EQ(metadata.name, "onnxruntime");
  EXPECT_EQ(metadata.version, "1.31.1");
  EXPECT_EQ(metadata.requires_dist, std::vector<std::string>{"onnxruntime-gpu==1.31.1"});
}

TEST(Shim, ListsEachFileWithItsHash) {
  auto archive = opened(*build_shim(kSpec));
  const std::string text = *archive.read("onnxruntime-1.31.1.dist-info/RECORD", 4096);
  python::RecordReader reader(text);
  python::RecordRow row;
  std::size_t rows = 0;
  while (reader.next(&row)) {
    ++rows;
    ASSERT_NE(archive.find(row.path), nullptr) << row.path;
    if (row.path.ends_with("/RECORD")) {
      EXPECT_TRUE(row.hash.empty());
      continue;
    }
    const std::string content = *archive.read(row.path, 4096);
    EXPECT_EQ(row.hash, "sha256=" + to_base64_url(digest_of(content, DigestKind::Sha256)));
    EXPECT_EQ(row.size, content.size());
  }
  EXPECT_EQ(rows, 3U);
}

TEST(Shim, IsTheSameEveryTime) {
  EXPECT_EQ(build_shim(kSpec)->bytes, build_shim(kSpec)->bytes);
  // Over releases of this program too: pip and uv lock hashes. Who changes this changes locks.
  EXPECT_EQ(to_hex(digest_of(build_shim(kSpec)->bytes, DigestKind::Sha256)),
            "5c761076c1a86a01cdd96f5c3de926fffd7a7a2a8e43b22980d7a1181bbe6bb5");
}

TEST(Shim, EscapesItsNameInFileNames) {
  const auto shim = build_shim({"faiss-cpu", "1.14.1.post1", "faiss-gpu-cu12", "1.14.1.post1"});
  EXPECT_EQ(shim->file_name, "faiss_cpu-1.14.1.post1-py3-none-any.whl");
  EXPECT_NE(opened(*shim).find("faiss_cpu-1.14.1.post1.dist-info/METADATA"), nullptr);
}

TEST(ShimChoice, IsTheNewestReleaseThatIsKnown) {
  const auto spec = choose("ONNXRuntime");
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_EQ(spec->name, "onnxruntime");
  EXPECT_EQ(spec->stands_for, "onnxruntime-gpu");
  EXPECT_EQ(spec->version, accel::built_in_knowledge().provider("onnxruntime:cuda")->newest);
  EXPECT_EQ(spec->its_version, spec->version);
}

TEST(ShimChoice, TakesTheVersionThatIsStated) {
  EXPECT_EQ(choose("onnxruntime", "v1.24.04")->version, "1.24.4");
  EXPECT_EQ(choose("onnxruntime", "1.24.4")->its_version, "1.24.4");
  EXPECT_EQ(choose("onnxruntime", "latest").error().to_string(),
            "--version: `latest` is no version, wanted one like `1.24.4`");
}

TEST(ShimChoice, FollowsWhatIsInstalled) {
  const auto spec = choose_with(
      {{"numpy", "2.0"}, {"onnxruntime", "1.32.0"}, {"Onnxruntime_GPU", "1.24.4+cu12"}});
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->version, "1.24.4");
  EXPECT_EQ(spec->stands_for, "onnxruntime-gpu");
  EXPECT_EQ(spec->its_version, "1.24.4+cu12");
  const auto stated = choose_with({{"onnxruntime-gpu", "1.19.2"}}, "1.21");
  EXPECT_EQ(stated->version, "1.21");
  EXPECT_EQ(stated->its_version, "1.19.2");
}

TEST(ShimChoice, NeedsAnotherMemberInTheTarget) {
  EXPECT_EQ(choose_with({{"onnxruntime", "1.32.0"}}).error().to_string(),
            "onnxruntime: the target holds no other distribution of its family, wanted "
            "`onnxruntime-gpu`");
}

TEST(ShimChoice, PrefersTheBuildForTheGpu) {
  const auto spec =
      choose_with({{"onnxruntime-openvino", "1.24.1"}, {"onnxruntime-gpu", "1.24.4"}});
  EXPECT_EQ(spec->stands_for, "onnxruntime-gpu");
  EXPECT_EQ(choose_with({{"onnxruntime-openvino", "1.24.1"}})->stands_for, "onnxruntime-openvino");
}

TEST(ShimChoice, SaysWhatIsAccepted) {
  const std::string unknown = choose("numpy").error().to_string();
  EXPECT_EQ(unknown.find("numpy: of no family that is known; accepted: "), 0U) << unknown;
  EXPECT_NE(unknown.find("onnxruntime"), std::string::npos);
  EXPECT_EQ(unknown.find("onnxruntime-gpu"), std::string::npos);
  EXPECT_EQ(choose("onnxruntime-gpu")
                .error()
                .to_string()
                .find("onnxruntime-gpu: it is a build for CUDA, wanted the plain one"),
            0U);
  EXPECT_EQ(choose("onnxruntime-openvino")
                .error()
                .to_string()
                .find("onnxruntime-openvino: it is a build for OpenVINO, wanted the plain one"),
            0U);
}

TEST(ShimChoice, ServesFamiliesWithoutABuildForTheGpuByATarget) {
  const std::vector<Installed> installed = {{"opencv-python-headless", "5.0.0.93"}};
  const auto spec = choose_shim(accel::built_in_knowledge(), "opencv-python", {}, &installed);
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_EQ(spec->stands_for, "opencv-python-headless");
  EXPECT_EQ(spec->version, "5.0.0.93");
  EXPECT_EQ(choose("opencv-python")
                .error()
                .to_string()
                .find("opencv-python: no build of its family for the GPU is known"),
            0U);
}

TEST(ShimInstructions, NameBothTools) {
  const std::string text = shim_instructions(kSpec, "/w/x.whl", "wheels/x.whl");
  EXPECT_NE(text.find("onnxruntime @ file:///w/x.whl"), std::string::npos);
  EXPECT_NE(text.find("constraint-dependencies = [\"onnxruntime==1.31.1\"]"), std::string::npos);
  EXPECT_NE(text.find("path = \"wheels/x.whl\""), std::string::npos);
}

}  // namespace
}  // namespace loadable::remedy
