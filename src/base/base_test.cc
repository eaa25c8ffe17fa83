// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/quote.h"
#include "base/result.h"

namespace loadable {
namespace {

TEST(BaseQuote, ControlBytesAndInvalidUtf8AreEscaped) {
  EXPECT_EQ(printable("a\nb\x1b[0m\xff\\"), "a\\nb\\x1b[0m\\xff\\\\");
  EXPECT_EQ(printable("ü€"), "ü€");
  EXPECT_EQ(valid_utf8("a\xff"), "a\xEF\xBF\xBD");
}

TEST(BaseBytes, AReadPastTheEndIsNothing) {
  const auto bytes = as_bytes("\x01\x02\x03\x04");
  EXPECT_EQ(load<std::uint32_t>(bytes, 0, Endian::Little), 0x04030201U);
  EXPECT_EQ(load<std::uint32_t>(bytes, 0, Endian::Big), 0x01020304U);
  EXPECT_FALSE(load<std::uint32_t>(bytes, 1, Endian::Little));
  EXPECT_FALSE(load<std::uint32_t>(bytes, ~std::uint64_t{0}, Endian::Little));
}

TEST(BaseBytes, ASourceShorterThanAskedIsTruncated) {
  MemorySource source("abc");
  const auto result = read_exactly(source, 1, 3, 100);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::Truncated);
}

TEST(BaseResult, AnErrorNamesSubjectOffsetAndCause) {
  const Error cause{ErrorCode::Io, "no", {}, {}, {}};
  const Error error{ErrorCode::Malformed, "bad", "f", 64, std::make_shared<Error>(cause)};
  EXPECT_EQ(error.to_string(), "f: bad (at offset 0x40): no");
}

}  // namespace
}  // namespace loadable
