// SPDX-License-Identifier: Apache-2.0
#include "exam/plan_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exam/venv_for_test.h"

namespace loadable::exam {
namespace {

using ::testing::HasSubstr;

class PlanTrace : public VenvPlan {
 protected:
  Result<bool> trace(const std::string& provider, const PlanVisitor& visit) {
    target::Target target;
    target.kind = target::Kind::Venv;
    target.root = "/other";
    target.path = "/venv";
    target.tree = std::make_unique<Borrowed>(tree_);
    target.walk = std::make_unique<tree::Walk>(*target.tree);
    auto environment = python::read_venv(*target.walk, tree::Path("/venv"));
    EXPECT_TRUE(environment);
    target.environments = {*environment};
    return trace_plan(target, accel::built_in_knowledge(), options_, provider, visit);
  }

  std::string refusal(const std::string& provider) {
    const auto traced = trace(provider, [](const accel::ProviderRun&) { ADD_FAILURE(); });
    return traced ? "" : traced.error().to_string();
  }
};

TEST_F(PlanTrace, ShowsTheSearchOfWhatThePlanAsksFor) {
  add_release("1.24.4", {"libcublasLt.so.12", "libcudnn.so.9"});
  add_cuda12();
  tree_.add_file(accel::kSite + "/onnxruntime_gpu-1.24.4.dist-info/METADATA",
                 "Name: onnxruntime-gpu\nVersion: 1.24.4\n");
  options_.stated = {{"LD_LIBRARY_PATH", accel::kSite + "/nvidia/cublas/lib"}};
  std::vector<std::string> found, missing;
  const auto traced = trace("onnxruntime:cuda", [&](const accel::ProviderRun& run) {
    for (const loader::Request& request : run.process->requests()) {
      EXPECT_FALSE(request.tried.empty() && request.rule != loader::Rule::Name)
          << request.name.str();
      (request.path.empty() ? missing : found).push_back(request.name);
    }
  });
  EXPECT_TRUE(traced);
  EXPECT_THAT(found, ::testing::Contains("libcublasLt.so.12"));
  EXPECT_THAT(found, ::testing::Contains(accel::kCuda));
  EXPECT_THAT(missing, ::testing::Contains("libcudnn.so.9"));
}

TEST_F(PlanTrace, WhatIsNotShippedCannotBeTraced) {
  tree_.remove(accel::kSite + "/onnxruntime");
  tree_.add_directory(accel::kSite);
  EXPECT_EQ(refusal("onnxruntime:cuda"),
            "onnxruntime:cuda: no distribution that ships it is installed here");
  tree_.add_file(accel::kSite + "/onnxruntime-1.24.4.dist-info/METADATA",
                 "Name: onnxruntime\nVersion: 1.24.4\n");
  EXPECT_EQ(refusal("onnxruntime:cuda"),
            "onnxruntime:cuda: onnxruntime 1.24.4 is installed, which is built without it");
  tree_.deny(accel::kSite);
  EXPECT_THAT(refusal("onnxruntime:cuda"), HasSubstr("cannot be looked into"));
  EXPECT_THAT(refusal("onnxruntime:gpu"), HasSubstr("wanted one of `onnxruntime:cuda`"));
}

}  // namespace
}  // namespace loadable::exam
