// SPDX-License-Identifier: Apache-2.0
#include "accel/providers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tree/memory_tree.h"

namespace loadable::accel {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kSite = "/venv/lib/python3.11/site-packages";
const std::string kCapi = kSite + "/onnxruntime/capi/";
const std::string kModule = kCapi + "onnxruntime_pybind11_state.cpython-311-x86_64-linux-gnu.so";
const std::string kCuda = kCapi + "libonnxruntime_providers_cuda.so";

class Providers : public ::testing::Test {
 protected:
  Providers() {
    python::Environment environment;
    environment.prefix = "/venv";
    environment.site_directories = {kSite};
    environment.major = 3;
    environment.minor = 11;
    inventory_.environments = {environment};
    tree_.add_directory(kSite);
  }
  void install(const std::string& name, const std::string& version) {
    inventory::Distribution distribution;
    distribution.name = name;
    distribution.normalized = name;
    distribution.version = version;
    distribution.site_directory = kSite;
    distribution.environment = 0;
    distribution.has_list = true;
    inventory_.distributions.push_back(distribution);
  }
  void add_gpu_files() {
    tree_.add_file(kModule, "");
    tree_.add_file(kCuda, "");
    tree_.add_file(kCapi + "libonnxruntime_providers_shared.so", "");
    tree_.add_file(kCapi + "libonnxruntime_providers_tensorrt.so", "");
  }
  std::vector<ProviderInstance> find(const std::vector<std::string>& required = {}) {
    walk_ = std::make_unique<tree::Walk>(tree_);
    return find_providers(built_in_knowledge(), inventory_, *walk_, 0, required);
  }

  inventory::Inventory inventory_;
  tree::MemoryTree tree_;
  std::unique_ptr<tree::Walk> walk_;
};

TEST_F(Providers, AnEarlierDirectoryOfSysPathHidesThePackage) {
  install("onnxruntime-gpu", "1.24.4");
  add_gpu_files();
  inventory_.environments[0].site_directories = {"/first", kSite, "/last"};
  tree_.add_file("/last/onnxruntime/__init__.py", "");
  EXPECT_EQ(find().front().hidden_by, "");
  // A namespace counts last.
  tree_.add_directory("/first/onnxruntime/capi");
  EXPECT_EQ(find().front().hidden_by, "");
  tree_.add_file("/first/onnxruntime/__init__.py", "");
  EXPECT_EQ(find().front().hidden_by, "/first/onnxruntime");
  EXPECT_EQ(find().front().package_dir, kSite + "/onnxruntime");
  // One that carries the provider itself is the one that is imported.
  tree_.add_file("/first/onnxruntime/capi/libonnxruntime_providers_cuda.so", "");
  EXPECT_EQ(find().front().hidden_by, "");
  EXPECT_EQ(find().front().package_dir, "/first/onnxruntime");
}

TEST_F(Providers, OfTwoThatCarryItTheFirstOnSysPathIsImported) {
  inventory_.environments[0].site_directories = {"/z", kSite};
  install("onnxruntime-gpu", "1.24.4");
  install("onnxruntime-gpu", "1.23.2");
  inventory_.distributions.back().site_directory = "/z";
  add_gpu_files();
  EXPECT_EQ(find().front().package_dir, "/z/onnxruntime");
  EXPECT_EQ(find().front().version, "1.23.2");
}

TEST_F(Providers, OfTheGpuWheelAreCudaAndItsCompanion) {
  install("onnxruntime-gpu", "1.24.4");
  add_gpu_files();
  const auto found = find();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].id, "onnxruntime:cuda");
  EXPECT_TRUE(found[0].is_shipped);
  EXPECT_TRUE(found[0].states_gpu_intent);
  EXPECT_FALSE(found[0].is_companion);
  EXPECT_EQ(found[0].version, "1.24.4");
  EXPECT_EQ(found[0].import_library, kModule);
  EXPECT_EQ(found[0].provider_library, kCuda);
  EXPECT_TRUE(found[0].is_plan_exact);
  EXPECT_THAT(found[0].files_missing, IsEmpty());
  EXPECT_EQ(found[1].id, "onnxruntime:tensorrt");
  EXPECT_FALSE(found[1].states_gpu_intent);
  EXPECT_TRUE(found[1].is_companion);
}

TEST_F(Providers, AreNoneInACpuBuildUnlessRequired) {
  install("onnxruntime", "1.24.4");
  tree_.add_file(kModule, "");
  EXPECT_THAT(find(), IsEmpty());
  const auto found = find({"onnxruntime:cuda"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].is_shipped);
  EXPECT_TRUE(found[0].is_cpu_build);
  EXPECT_EQ(found[0].distribution, "onnxruntime");
  EXPECT_THAT(found[0].files_missing, IsEmpty());
}

TEST_F(Providers, ThatNothingShipsAreThereWhenRequired) {
  EXPECT_THAT(find(), IsEmpty());
  const auto found = find({"onnxruntime:cuda"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].is_shipped);
  EXPECT_FALSE(found[0].is_cpu_build);
  EXPECT_EQ(found[0].distribution, "");
}

TEST_F(Providers, AreIntendedByDistributionsOfOtherFamilies) {
  install("fastembed-gpu", "0.9.1");
  install("onnxruntime", "1.24.4");
  tree_.add_file(kModule, "");
  const auto found = find();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].states_gpu_intent);
  EXPECT_TRUE(found[0].is_cpu_build);
}

TEST_F(Providers, AreShippedWhenAListNamesTheirLostFile) {
  install("onnxruntime-gpu", "1.24.4");
  add_gpu_files();
  tree_.remove(kCuda);
  tree_.remove(kModule);
  inventory_.missing = {{kCuda, 0, {}, {}}, {kModule, 0, {}, {}}};
  const auto found = find();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].is_shipped);
  EXPECT_EQ(found[0].import_library, kModule);
  EXPECT_THAT(found[0].files_missing, ElementsAre(kModule, kCuda));
}

TEST_F(Providers, OfFilesWithoutADistributionAreShipped) {
  add_gpu_files();
  const auto found = find();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].is_shipped);
  EXPECT_FALSE(found[0].states_gpu_intent);
  EXPECT_EQ(found[0].plan_release, "1.31.1");
  EXPECT_FALSE(found[0].is_plan_exact);
}

TEST_F(Providers, TakeTheModuleOfTheirInterpreter) {
  install("onnxruntime-gpu", "1.24.4");
  add_gpu_files();
  tree_.add_file(kCapi + "onnxruntime_pybind11_state.cpython-310-x86_64-linux-gnu.so", "");
  tree_.add_file(kCapi + "onnxruntime_pybind11_state.cpython-312-x86_64-linux-gnu.so", "");
  EXPECT_EQ(find()[0].import_library, kModule);
}

TEST_F(Providers, WhoseModuleIsOfAnotherPythonSayWhatTheInterpreterLooksFor) {
  install("onnxruntime-gpu", "1.24.4");
  tree_.add_file(kCuda, "");
  const std::string other = kCapi + "onnxruntime_pybind11_state.cpython-312-x86_64-linux-gnu.so";
  tree_.add_file(other, "");
  inventory_.environments[0].soabi = "cpython-311-x86_64-linux-gnu";
  const auto found = find();
  EXPECT_EQ(found[0].import_library, other);
  EXPECT_EQ(found[0].foreign_tag, "cpython-312-x86_64-linux-gnu");
  EXPECT_THAT(found[0].suffixes,
              ElementsAre(".cpython-311-x86_64-linux-gnu.so", ".abi3.so", ".so"));
}

TEST_F(Providers, WhoseOwnModuleIsListedAndGoneLackItWhateverElseLiesThere) {
  install("onnxruntime-gpu", "1.24.4");
  tree_.add_file(kCuda, "");
  tree_.add_file(kCapi + "onnxruntime_pybind11_state.cpython-312-x86_64-linux-gnu.so", "");
  inventory_.missing = {{kModule, 0, {}, {}}};
  const auto found = find();
  EXPECT_EQ(found[0].import_library, kModule);
  EXPECT_EQ(found[0].foreign_tag, "");
}

TEST_F(Providers, TakeTheirOwnTagBeforeAbi3BeforeNone) {
  install("onnxruntime-gpu", "1.24.4");
  tree_.add_file(kCuda, "");
  const std::string stem = kCapi + "onnxruntime_pybind11_state";
  tree_.add_file(stem + ".so", "");
  EXPECT_EQ(find()[0].import_library, stem + ".so");
  tree_.add_file(stem + ".abi3.so", "");
  EXPECT_EQ(find()[0].import_library, stem + ".abi3.so");
  tree_.add_file(kModule, "");
  EXPECT_EQ(find()[0].import_library, kModule);
  EXPECT_EQ(find()[0].foreign_tag, "");
}

TEST_F(Providers, OfAnUnknownReleaseTakeTheNearestOlderPlan) {
  add_gpu_files();
  install("onnxruntime-gpu", "1.32.0");
  EXPECT_EQ(find()[0].plan_release, "1.31.1");
  EXPECT_FALSE(find()[0].is_plan_exact);
  inventory_.distributions[0].version = "1.14.0";
  EXPECT_EQ(find()[0].plan_release, "1.15.0");
  EXPECT_FALSE(find()[0].is_plan_exact);
}

TEST(Requirement, NamesAProviderAndLosses) {
  const Knowledge& knowledge = built_in_knowledge();
  const auto requirement = parse_requirement("onnxruntime:cuda+cudnn+cufft", knowledge);
  ASSERT_TRUE(requirement);
  EXPECT_EQ(requirement->provider, "onnxruntime:cuda");
  EXPECT_THAT(requirement->losses, ElementsAre("cudnn", "cufft"));
  EXPECT_THAT(parse_requirement("nobody:knows", knowledge).error().to_string(),
              AllOf(HasSubstr("`nobody:knows`"), HasSubstr("`onnxruntime:cuda`")));
  EXPECT_THAT(parse_requirement("onnxruntime:cuda+colour", knowledge).error().to_string(),
              AllOf(HasSubstr("`colour`"), HasSubstr("`cudnn`")));
  EXPECT_FALSE(parse_requirement("", knowledge));
  EXPECT_FALSE(parse_requirement("onnxruntime:cuda+", knowledge));
}

TEST(After, IsOneOfTheActions) {
  const Knowledge& knowledge = built_in_knowledge();
  EXPECT_EQ(parse_after("onnxruntime.preload_dlls", knowledge).value(), "onnxruntime.preload_dlls");
  EXPECT_THAT(parse_after("nobody.knows.this", knowledge).error().to_string(),
              AllOf(HasSubstr("`nobody.knows.this`"), HasSubstr("`onnxruntime.preload_dlls`"),
                    HasSubstr("`torch`")));
}

}  // namespace
}  // namespace loadable::accel
