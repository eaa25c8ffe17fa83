// SPDX-License-Identifier: Apache-2.0
#include "python/record.h"

#include <gtest/gtest.h>

#include <vector>

namespace loadable::python {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(std::string_view text) {
  Rows rows;
  RecordReader reader(text);
  RecordRow row;
  while (reader.next(&row)) {
    rows.push_back({std::string(row.path), std::string(row.hash),
                    row.size ? std::to_string(*row.size) : "none"});
  }
  return rows;
}

TEST(PythonRecord, RowsOfPipAndUv) {
  EXPECT_EQ(rows_of("a/b.py,sha256=x_y-z,12\r\n../../../bin/f,sha256=q,0\na.pyc,,\nRECORD,,\n"),
            (Rows{{"a/b.py", "sha256=x_y-z", "12"},
                  {"../../../bin/f", "sha256=q", "0"},
                  {"a.pyc", "", "none"},
                  {"RECORD", "", "none"}}));
}

TEST(PythonRecord, QuotedFieldsAreThoseOfPythonsCsv) {
  // Each compared with list(csv.reader(...)) of CPython 3.11.
  EXPECT_EQ(rows_of("\"a,b\",h,1\n"), (Rows{{"a,b", "h", "1"}}));
  EXPECT_EQ(rows_of("\"a\"\"b\",h,1\n"), (Rows{{"a\"b", "h", "1"}}));
  EXPECT_EQ(rows_of("a\"b,h,1\n"), (Rows{{"a\"b", "h", "1"}}));
  EXPECT_EQ(rows_of("\"a\"b\"c,h,1\n"), (Rows{{"ab\"c", "h", "1"}}));
  EXPECT_EQ(rows_of("\"a\nb\",\"h\",\"1\"\n"), (Rows{{"a\nb", "h", "1"}}));
  EXPECT_EQ(rows_of("\"x\",\"y\"\"\",\"2\"\r\nz,,\r\n"),
            (Rows{{"x", "y\"", "2"}, {"z", "", "none"}}));
}

TEST(PythonRecord, OddRowsLoseNothingElse) {
  EXPECT_EQ(rows_of(""), Rows{});
  EXPECT_EQ(rows_of("\n\r\n,h,1\n\na"), (Rows{{"a", "", "none"}}));
  EXPECT_EQ(rows_of("a,h"), (Rows{{"a", "h", "none"}}));
  EXPECT_EQ(rows_of("a,h,"), (Rows{{"a", "h", "none"}}));
  EXPECT_EQ(rows_of("a,h,x\nb,h,-1\nc,h,99999999999999999999\n"),
            (Rows{{"a", "h", "none"}, {"b", "h", "none"}, {"c", "h", "none"}}));
  EXPECT_EQ(rows_of("a,h,1,more,fields\nb,,\n"), (Rows{{"a", "h", "1"}, {"b", "", "none"}}));
  EXPECT_EQ(rows_of("\"never closed,h,1\nb"), (Rows{{"never closed,h,1\nb", "", "none"}}));
  EXPECT_EQ(rows_of("/abs/x,,\n"), (Rows{{"/abs/x", "", "none"}}));
}

TEST(PythonRecord, HashesOfEveryKindAreKeptAsWritten) {
  EXPECT_EQ(rows_of("a,sha512=q_-,1\nb,md5=0,2\nc,sha256=,3\nd,nonsense,4\ne,,5\nf,,\n"),
            (Rows{{"a", "sha512=q_-", "1"},
                  {"b", "md5=0", "2"},
                  {"c", "sha256=", "3"},
                  {"d", "nonsense", "4"},
                  {"e", "", "5"},
                  {"f", "", "none"}}));
}

TEST(PythonRecord, RowsThatComeTwiceComeTwice) {
  EXPECT_EQ(rows_of("a,sha256=1,1\r\na,sha256=2,2\r\na,sha256=1,1\r\n").size(), 3U);
}

TEST(PythonRecord, LineEndsOfEveryKindEndARowOutsideOfQuotes) {
  EXPECT_EQ(rows_of("a,h,1\rb,h,2\r\n\r\nc,h,3\n\rd,h,4"),
            (Rows{{"a", "h", "1"}, {"b", "h", "2"}, {"c", "h", "3"}, {"d", "h", "4"}}));
  EXPECT_EQ(rows_of("\"a\r\nb\",h,1\r\nc,,"), (Rows{{"a\r\nb", "h", "1"}, {"c", "", "none"}}));
}

TEST(PythonRecord, PathsAreKeptAsWritten) {
  EXPECT_EQ(rows_of("../../../bin/x,,\n/abs/y,,\n./z/../w,,\n\\win\\x,,\n \xC3\xA9 ,,\n"),
            (Rows{{"../../../bin/x", "", "none"},
                  {"/abs/y", "", "none"},
                  {"./z/../w", "", "none"},
                  {"\\win\\x", "", "none"},
                  {" \xC3\xA9 ", "", "none"}}));
}

TEST(PythonRecord, ManyFieldsInOneRowAreBounded) {
  std::string text = "a,h,1";
  for (int i = 0; i < 100'000; ++i) text += ",\"q\"";
  EXPECT_EQ(rows_of(text + "\nb,,\n").size(), 2U);
}

TEST(PythonRecord, QuotedFieldsPastTheThirdLeaveTheSizeAlone) {
  EXPECT_EQ(rows_of("a,\"h\",\"12\",\"99\"\n"), (Rows{{"a", "h", "12"}}));
  EXPECT_EQ(rows_of("a,h,\"12\",\"longer than a short string is\",\"99\"\n"),
            (Rows{{"a", "h", "12"}}));
}

TEST(PythonRecord, ThirtyFiveThousandRowsAreAllSeen) {
  std::string text;
  for (int i = 0; i < 35'000; ++i) {
    text += "package/module/sub/file_" + std::to_string(i) + ".py,sha256=0123456789,1234\n";
  }
  EXPECT_EQ(rows_of(text).size(), 35'000U);
}

}  // namespace
}  // namespace loadable::python
