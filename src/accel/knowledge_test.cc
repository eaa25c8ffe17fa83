// SPDX-License-Identifier: Apache-2.0
#include "accel/knowledge.h"

#include <gtest/gtest.h>

namespace loadable::accel {
namespace {
TEST(Knowledge, Reads) { EXPECT_FALSE(built_in_knowledge().date.empty()); }
}  // namespace
}  // namespace loadable::accel
