// SPDX-License-Identifier: Apache-2.0
#include "accel/witness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/elf_builder.h"
#include "tree/memory_tree.h"

namespace loadable::accel {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kPackage = "/site/onnxruntime";
const std::string kModule = kPackage + "/capi/onnxruntime_pybind11_state.cpython-311-x.so";

class Witnesses : public ::testing::Test {
 protected:
  std::vector<Testimony> hear() {
    tree::Walk walk(tree_);
    loader::Store store(walk);
    return hear_witnesses(built_in_knowledge(), store, "onnxruntime", kPackage);
  }
  tree::MemoryTree tree_;
};

TEST_F(Witnesses, TheCpuBuildSaysThatCudaIsNotInIt) {
  tree_.add_file(kModule, std::string(3000000, 'x') + "Cuda is not available in this build");
  const auto heard = hear();
  ASSERT_THAT(heard, SizeIs(1));
  EXPECT_EQ(heard[0].path, kModule);
  EXPECT_EQ(heard[0].capability, "CUDA");
  EXPECT_FALSE(heard[0].has);
  EXPECT_EQ(heard[0].says, "holds the text `Cuda is not available in this build`");
}

TEST_F(Witnesses, ATextAcrossTwoBlocksIsFound) {
  for (std::size_t before = (1U << 20) - 30; before <= (1U << 20) + 2; ++before) {
    tree::MemoryTree tree;
    tree.add_file(kModule, std::string(before, 'x') + "cudnn_conv_algo_search" + "tail");
    tree::Walk walk(tree);
    loader::Store store(walk);
    const auto heard = hear_witnesses(built_in_knowledge(), store, "onnxruntime", kPackage);
    ASSERT_THAT(heard, SizeIs(1)) << before;
    EXPECT_TRUE(heard[0].has);
  }
}

TEST_F(Witnesses, WhatBothBuildsHoldSaysNothing) {
  tree_.add_file(kModule,
                 "CUDAExecutionProvider libonnxruntime_providers_cuda.so AzureExecutionProvider "
                 "CUDA execution provider is not enabled in this build.");
  EXPECT_THAT(hear(), IsEmpty());
}

TEST_F(Witnesses, TheGeneratedFileNamesItsDistribution) {
  tree_.add_file(kPackage + "/capi/build_and_package_info.py",
                 "# comment\npackage_name = 'onnxruntime-gpu'\n__version__ = '1.24.4'\n");
  const auto heard = hear();
  ASSERT_THAT(heard, SizeIs(1));
  EXPECT_EQ(heard[0].member, "onnxruntime-gpu");
  EXPECT_EQ(heard[0].says, "says package_name = `onnxruntime-gpu`");
}

TEST_F(Witnesses, AGeneratedFileOfAnotherShapeSaysNothing) {
  tree_.add_file(kPackage + "/capi/build_and_package_info.py",
                 "package_name\npackage_name_2 = 'x'\n package_name = 'y'\npackage_name = 'z");
  EXPECT_THAT(hear(), IsEmpty());
}

TEST_F(Witnesses, AnExportedSymbolTells) {
  testing::ElfSpec spec;
  spec.symbols = {testing::defines("OrtSessionOptionsAppendExecutionProvider_CUDA")};
  tree_.add_file(kPackage + "/capi/libonnxruntime.so.1.24.4", testing::build_elf(spec));
  const auto heard = hear();
  ASSERT_THAT(heard, SizeIs(1));
  EXPECT_TRUE(heard[0].has);
}

TEST_F(Witnesses, NoPackageAndADirectoryInPlaceOfAFileSayNothing) {
  EXPECT_THAT(hear(), IsEmpty());
  tree_.add_directory(kModule);
  EXPECT_THAT(hear(), IsEmpty());
}

}  // namespace
}  // namespace loadable::accel
