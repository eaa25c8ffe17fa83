// SPDX-License-Identifier: Apache-2.0
#include "archive/zip.h"

#include <gtest/gtest.h>

namespace loadable::archive {
namespace {

std::string two_members() { return *write_zip({{"a/x.txt", "first"}, {"b", "second"}}); }

Result<ZipArchive> open_bytes(std::string_view bytes) {
  return ZipArchive::open(std::make_unique<MemorySource>(bytes), "x.whl");
}

std::string refusal_of(std::string_view bytes) {
  const auto archive = open_bytes(bytes);
  return archive ? "opened" : archive.error().to_string();
}

/// What reading member `b` says.
std::string reading_b(std::string_view bytes) {
  auto archive = open_bytes(bytes);
  if (!archive) return archive.error().to_string();
  const auto text = archive->read("b", 100);
  return text ? *text : text.error().to_string();
}

/// `bytes` with `with` written over them at `at`.
std::string patched(std::string bytes, std::size_t at, std::string_view with) {
  return bytes.replace(at, with.size(), with);
}

/// `bytes` with each `from` replaced by `to`, of one length: local header and directory alike.
std::string renamed(std::string bytes, std::string_view from, std::string_view to) {
  for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + 1)) {
    bytes.replace(at, to.size(), to);
  }
  return bytes;
}

std::size_t end_record(const std::string& bytes) { return bytes.rfind("PK\x05\x06"); }
std::size_t first_entry(const std::string& bytes) { return bytes.find("PK\x01\x02"); }

TEST(ZipArchive, GivesWhatWasWritten) {
  auto archive = open_bytes(two_members());
  ASSERT_TRUE(archive) << archive.error().to_string();
  ASSERT_EQ(archive->members().size(), 2U);
  EXPECT_EQ(archive->members()[0].name, "a/x.txt");
  EXPECT_EQ(archive->members()[0].size, 5U);
  EXPECT_EQ(archive->members()[0].packed_size, 5U);
  EXPECT_EQ(archive->members()[0].crc, 0x9271ee57U);
  EXPECT_EQ(*archive->read("a/x.txt", 5), "first");
  EXPECT_EQ(*archive->read("b", 100), "second");
  EXPECT_EQ(*archive->read("a/x.txt", 100), "first") << "in any order, and again";
  EXPECT_EQ(archive->find("c"), nullptr);
}

TEST(ZipArchive, IsWrittenTheSameEveryTime) {
  EXPECT_EQ(two_members(), two_members());
  EXPECT_NE(two_members(), *write_zip({{"b", "second"}, {"a/x.txt", "first"}}));
}

TEST(ZipArchive, IsRefusedWhenItHoldsNothing) {
  EXPECT_EQ(refusal_of(*write_zip({})), "x.whl: no member is in it");
  auto archive = open_bytes("#!" + *write_zip({}));
  ASSERT_TRUE(archive) << archive.error().to_string();
  EXPECT_TRUE(archive->members().empty());
}

TEST(ZipArchive, MayFollowOtherBytes) {
  EXPECT_EQ(reading_b("#!/usr/bin/env python3\n" + two_members()), "second");
}

TEST(ZipArchive, ReadsNoMoreThanTheLimit) {
  auto archive = open_bytes(two_members());
  ASSERT_TRUE(archive);
  const auto text = archive->read("b", 5);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::LimitReached);
  EXPECT_EQ(text.error().to_string(), "x.whl: the member `b`: 6 bytes unpacked, wanted at most 5");
}

TEST(ZipArchive, SaysThatAMemberIsNotThere) {
  auto archive = open_bytes(two_members());
  ASSERT_TRUE(archive);
  EXPECT_EQ(archive->read("c", 5).error().to_string(), "x.whl: no member is named `c`");
}

TEST(ZipArchive, RefusesWhatIsNone) {
  EXPECT_EQ(refusal_of(""), "x.whl: no zip archive: no end of a directory in its last 0 bytes");
  EXPECT_EQ(refusal_of("<html>not found</html>"),
            "x.whl: no zip archive: no end of a directory in its last 22 bytes");
}

TEST(ZipArchive, RefusesEveryTruncation) {
  const std::string whole = two_members();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(refusal_of(whole.substr(0, length)), "opened") << length;
  }
}

TEST(ZipArchive, RefusesNamesThatLeadOut) {
  struct Row {
    std::string_view name, message;
  };
  for (const Row row : {Row{"../x.tx", "the name `../x.tx` of a member climbs out"},
                        Row{"a/../xx", "the name `a/../xx` of a member climbs out"},
                        Row{"a\\..\\xx", "the name `a\\\\..\\\\xx` of a member climbs out"},
                        Row{"/x.text", "the name `/x.text` of a member is absolute"},
                        Row{"c:x.txt", "the name `c:x.txt` of a member begins with a drive"}}) {
    EXPECT_EQ(refusal_of(renamed(two_members(), "a/x.txt", row.name)),
              "x.whl: " + std::string(row.message) + ", wanted one that stays inside");
  }
  EXPECT_EQ(refusal_of(renamed(two_members(), "a/x.txt", std::string_view("a/x\0txt", 7))),
            "x.whl: the name `a/x\\x00txt` of a member holds a zero byte, wanted one that stays "
            "inside");
  EXPECT_EQ(refusal_of(renamed(two_members(), "a/x.txt", "a..b..c")), "opened");
}

TEST(ZipArchive, RefusesTwoMembersOfOneName) {
  EXPECT_EQ(refusal_of(renamed(*write_zip({{"a", "1"}, {"b", "2"}}), "b", "a")),
            "x.whl: two members are named `a`, wanted one");
}

TEST(ZipArchive, DatesMembersOnTheFirstDayThatTheFormatKnows) {
  // The local header: time at 10, date at 12 (day 1, month 1, year 1980 + 0).
  EXPECT_EQ(two_members().substr(10, 4), std::string("\0\0\x21\0", 4));
}

TEST(ZipArchive, RefusesACountThatIsNotThatOfTheDirectory) {
  const std::string whole = two_members();
  const std::size_t end = end_record(whole);
  const std::string_view one("\1\0\1\0", 4), three("\3\0\3\0", 4);
  EXPECT_EQ(refusal_of(patched(whole, end + 8, one)),
            "x.whl: its directory counts 1 members and holds more");
  EXPECT_EQ(refusal_of(patched(whole, end + 8, std::string_view("\0\0\0\0", 4))),
            "x.whl: its directory counts 0 members and holds more");
  EXPECT_EQ(refusal_of(patched(whole, end + 8, three)),
            "x.whl: its directory counts 3 members and holds 2");
}

TEST(ZipArchive, RefusesADirectoryOutsideOfIt) {
  const std::string whole = two_members();
  const std::string message =
      refusal_of(patched(whole, end_record(whole) + 16, "\xff\xff\xff\x7f"));
  EXPECT_EQ(message.find("x.whl: its directory is said to be"), 0U) << message;
  EXPECT_NE(message.find("at offset 2147483647, wanted one that ends before"), std::string::npos)
      << message;
}

TEST(ZipArchive, RefusesWhatIsSplitOrEncrypted) {
  const std::string whole = two_members();
  const std::size_t end = end_record(whole);
  EXPECT_NE(refusal_of(patched(whole, end + 4, std::string_view("\1\0\1\0", 4)))
                .find("x.whl: part 1 of a split archive, wanted one that is whole"),
            std::string::npos);
  EXPECT_EQ(refusal_of(patched(whole, first_entry(whole) + 8, "\1")),
            "x.whl: the member `a/x.txt`: it is encrypted, wanted one that is not");
}

TEST(ZipArchive, TellsWhatIsWrongWithAMember) {
  const std::string whole = two_members();
  EXPECT_EQ(reading_b(patched(whole, whole.find("second"), "S")),
            "x.whl: the member `b`: its checksum is not the one that the directory states");
  const std::size_t local = whole.find("PK\x03\x04", 4);
  EXPECT_EQ(reading_b(patched(whole, local, "XX")),
            "x.whl: the member `b`: what lies there is not what the directory states");
  const std::size_t entry = whole.find("PK\x01\x02", first_entry(whole) + 4);
  EXPECT_EQ(reading_b(patched(whole, entry + 10, "\x0c")),
            "x.whl: the member `b`: compressed by method 12, wanted 0 (stored) or 8 (deflated)");
}

TEST(ZipArchive, UnpacksNoMoreThanTheDirectoryStates) {
  const std::string whole = two_members();
  const std::size_t entry = whole.find("PK\x01\x02", first_entry(whole) + 4);
  EXPECT_NE(reading_b(patched(whole, entry + 24, "\x7f")), "second");
}

}  // namespace
}  // namespace loadable::archive
