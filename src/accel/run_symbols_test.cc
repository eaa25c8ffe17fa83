// SPDX-License-Identifier: Apache-2.0
// Load plans bind symbols: what the bridge and the driver define must be there.

#include <gmock/gmock.h>

#include "accel/plan_test.h"

namespace loadable::accel {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(Plan, AStubThatLacksTheSymbolBreaksTheProvider) {
  add_cuda13();
  add_1_31_1();
  add("/usr/lib/libcuda.so.1", with_symbols(library("libcuda.so.1"), {defines("cuInit")}));
  const auto result = run(all_directories());
  EXPECT_FALSE(loads(result, "provider"));
  ASSERT_THAT(result.process->failures(), Not(IsEmpty()));
  EXPECT_EQ(result.process->failures()[0].symbol, "cuTensorMapEncodeTiled");
  EXPECT_THAT(result.expected_at_run_time, IsEmpty());
}

TEST_F(Plan, TheBridgeMustBeLoadedGloballyFirst) {
  add_cuda12();
  add_1_24_4();
  for (StepRow& row : knowledge_.steps) row.is_global = false;
  const auto result = run(all_directories());
  EXPECT_FALSE(loads(result, "provider"));
  ASSERT_THAT(result.process->failures(), Not(IsEmpty()));
  EXPECT_EQ(result.process->failures()[0].symbol, "Provider_GetHost");
}

TEST_F(Plan, WithoutTheBridgeTheFailureNamesWhatFollows) {
  add_cuda12();
  add_1_24_4();
  tree_.remove(kShared);
  const auto result = run(all_directories());
  EXPECT_FALSE(loads(result, "providers-shared"));
  EXPECT_FALSE(loads(result, "provider"));
  ASSERT_THAT(result.process->failures(), Not(IsEmpty()));
  EXPECT_EQ(result.process->failures()[0].symbol, "Provider_GetHost");
}

}  // namespace
}  // namespace loadable::accel
