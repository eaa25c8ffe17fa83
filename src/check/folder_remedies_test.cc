// SPDX-License-Identifier: Apache-2.0
#include "check/folder_remedies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/family_remedies.h"
#include "check/remedies.h"

namespace loadable::check {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

FolderFacts facts() {
  FolderFacts facts;
  facts.folder = "/app/deps";
  facts.content["onnxruntime"] = {{"/app/deps/onnxruntime", "/app/deps/onnxruntime-1.dist-info"},
                                  false};
  facts.content["onnxruntime-gpu"] = {
      {"/app/deps/onnxruntime", "/app/deps/onnxruntime_gpu-1.dist-info"}, false};
  facts.content["nvidia-curand-cu12"] = {{"/app/deps/nvidia_curand_cu12-1.dist-info"}, true};
  return facts;
}

std::vector<std::string> turned(const std::vector<std::string>& commands) {
  Finding finding;
  finding.remedies.push_back({"reinstall", "", commands, {}, false});
  turn_to_folder(facts(), finding);
  return finding.remedies.front().commands;
}

TEST(FolderRemedies, WhatPipCannotUninstallIsRemovedByHand) {
  EXPECT_THAT(turned({"/usr/bin/python3 -m pip uninstall -y onnxruntime onnxruntime-gpu",
                      "/usr/bin/python3 -m pip install --no-deps onnxruntime-gpu==1"}),
              ElementsAre("rm -r /app/deps/onnxruntime /app/deps/onnxruntime-1.dist-info "
                          "/app/deps/onnxruntime_gpu-1.dist-info",
                          "/usr/bin/python3 -m pip install --target /app/deps --no-deps "
                          "onnxruntime-gpu==1"));
  EXPECT_THAT(turned({"uv pip uninstall --python /p onnxruntime",
                      "uv pip install --python /p --no-deps onnxruntime"}),
              ElementsAre("rm -r /app/deps/onnxruntime /app/deps/onnxruntime-1.dist-info",
                          "uv pip install --target /app/deps --python /p --no-deps onnxruntime"));
  EXPECT_THAT(turned({"pip uninstall -y unknown", "pip uninstall -y unknown"}), IsEmpty());
}

TEST(FolderRemedies, AnInstallationGoesToTheFolder) {
  EXPECT_THAT(turned({"pip install --force-reinstall --no-deps onnxruntime==1"}),
              ElementsAre("rm -r /app/deps/onnxruntime /app/deps/onnxruntime-1.dist-info",
                          "pip install --target /app/deps --no-deps onnxruntime==1"));
  EXPECT_THAT(turned({"pip install 'onnxruntime-gpu[cuda,cudnn]'"}),
              ElementsAre("pip install --target /app/deps 'onnxruntime-gpu[cuda,cudnn]'"));
}

TEST(FolderRemedies, IntoASharedDirectoryUvInstalls) {
  EXPECT_THAT(turned({"pip install --force-reinstall --no-deps nvidia-curand-cu12==1"}),
              ElementsAre("uv pip install --target /app/deps --reinstall --no-deps "
                          "nvidia-curand-cu12==1"));
  EXPECT_THAT(turned({"pip install 'nvidia-cublas-cu12'"}),
              ElementsAre("uv pip install --target /app/deps 'nvidia-cublas-cu12'"));
}

TEST(FolderRemedies, APathWithBlanksStaysAsItIs) {
  const std::string python = shell_word("/a  b/it's  here/install/python");
  EXPECT_THAT(
      turned({python + " -m pip uninstall -y onnxruntime-gpu",
              python + " -m pip install --no-deps onnxruntime-gpu==1"}),
      ElementsAre("rm -r /app/deps/onnxruntime /app/deps/onnxruntime_gpu-1.dist-info",
                  python + " -m pip install --target /app/deps --no-deps onnxruntime-gpu==1"));
  EXPECT_THAT(turned({"uv pip install --python " + python + " x"}),
              ElementsAre("uv pip install --target /app/deps --python " + python + " x"));
}

TEST(FolderRemedies, OtherCommandsStay) {
  EXPECT_THAT(
      turned({"export LD_LIBRARY_PATH=/x", "loadable shim onnxruntime --output wheels"}),
      ElementsAre("export LD_LIBRARY_PATH=/x", "loadable shim onnxruntime --output wheels"));
}

TEST(FolderRemedies, OfAFamilyNoneIsForAnEnvironmentOrAProject) {
  FamilyConflict conflict;
  conflict.wanted = "onnxruntime-gpu";
  conflict.wanted_version = "1";
  conflict.unwanted = {"onnxruntime"};
  Finding finding;
  finding.remedies =
      family_remedies(conflict, {PackageTool::UvPip, PackageTool::Uv, PackageTool::Pip});
  turn_to_folder(facts(), finding);
  ASSERT_FALSE(finding.remedies.empty());
  for (const Remedy& remedy : finding.remedies) {
    std::string text;
    for (const std::string& command : remedy.commands) text += command + "\n";
    EXPECT_EQ(text.find("uninstall"), std::string::npos) << text;
    EXPECT_EQ(text.find("uv lock"), std::string::npos) << text;
    EXPECT_NE(text.find("install --target /app/deps "), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace loadable::check
