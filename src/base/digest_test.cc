// SPDX-License-Identifier: Apache-2.0
#include "base/digest.h"

#include <gtest/gtest.h>

namespace loadable {
namespace {

// FIPS 180-4 and RFC 1321: the digests of `abc`.
struct Known {
  std::string_view name, hex;
};
constexpr Known kAbc[] = {
    {"md5", "900150983cd24fb0d6963f7d28e17f72"},
    {"sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {"sha224", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"},
    {"sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"sha384",
     "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
     "8086072ba1e7cc2358baeca134c825a7"},
    {"sha512",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
     "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"}};

TEST(Digest, EveryAlgorithmGivesTheValueOfItsSpecification) {
  for (const Known& known : kAbc) {
    const auto kind = digest_kind(known.name);
    ASSERT_TRUE(kind) << known.name;
    EXPECT_EQ(to_hex(digest_of("abc", *kind)), known.hex) << known.name;
  }
}

TEST(Digest, AnAlgorithmOfAnotherNameIsNotKnown) {
  for (const std::string_view name : {"", "SHA256", "sha3_256", "blake2b", "sha2567"}) {
    EXPECT_FALSE(digest_kind(name)) << name;
  }
}

TEST(Digest, PiecesGiveWhatTheWholeGives) {
  const std::string text(std::size_t{600} * 1024 + 7, 'x');
  MemorySource source{std::string_view(text)};
  const auto pieces = digest_of(source, DigestKind::Sha256);
  ASSERT_TRUE(pieces);
  EXPECT_EQ(*pieces, digest_of(text, DigestKind::Sha256));
}

TEST(Digest, AnEmptySourceHasTheDigestOfNothing) {
  MemorySource source{std::string_view()};
  EXPECT_EQ(to_hex(digest_of(source, DigestKind::Sha256).value()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/// Says that it is longer than it is, as a file that is being truncated.
class ShrunkSource final : public ByteSource {
 public:
  [[nodiscard]] std::uint64_t size() const override { return 10; }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset >= 4) return std::size_t{0};
    out[0] = std::byte{1};
    return std::size_t{1};
  }
};

TEST(Digest, ASourceThatShrankIsAnError) {
  ShrunkSource source;
  const auto digest = digest_of(source, DigestKind::Sha256);
  ASSERT_FALSE(digest);
  EXPECT_EQ(digest.error().code, ErrorCode::Truncated);
  EXPECT_EQ(digest.error().message, "10 bytes wanted, 4 read");
}

TEST(Digest, Base64OfRecordIsUrlSafeAndWithoutPadding) {
  // RFC 4648, section 10, and the two letters that differ from plain base64.
  EXPECT_EQ(to_base64_url(""), "");
  EXPECT_EQ(to_base64_url("f"), "Zg");
  EXPECT_EQ(to_base64_url("fo"), "Zm8");
  EXPECT_EQ(to_base64_url("foo"), "Zm9v");
  EXPECT_EQ(to_base64_url("foobar"), "Zm9vYmFy");
  EXPECT_EQ(to_base64_url("\xfb\xff"), "-_8");
  for (const std::string_view text :
       {"", "f", "fo", "foo", "foob", "fooba", "foobar", "\xfb\xff"}) {
    EXPECT_EQ(from_base64_url(to_base64_url(text)).value(), text);
    EXPECT_EQ(from_hex(to_hex(text)).value(), text);
  }
  EXPECT_EQ(from_base64_url("Zg==").value(), "f");
  EXPECT_EQ(from_hex("AbCd").value(), "\xab\xcd");
}

TEST(Digest, WhatIsNoDigestIsAnErrorWithItsPlace) {
  EXPECT_EQ(from_base64_url("Zm9v+").error().message,
            "5 digits of base64, which no number of bytes makes");
  EXPECT_EQ(from_base64_url("Zm+v").error().message,
            "byte 0x2b where a digit of URL-safe base64 is wanted");
  EXPECT_EQ(from_base64_url("Zm+v").error().offset, 2U);
  EXPECT_EQ(from_hex("abc").error().message, "3 hexadecimal digits, an even number is wanted");
  EXPECT_EQ(from_hex("ag").error().message, "byte 0x67 where a hexadecimal digit is wanted");
}

}  // namespace
}  // namespace loadable
