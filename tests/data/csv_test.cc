#include "data/csv.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "files.h"

namespace postrider {
using namespace internal;
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Parsed {
  std::vector<std::string> header;
  Rows rows;
  std::vector<std::size_t> lines;
};

Parsed parse(const std::string& text, const CsvOptions& options = {},
             std::size_t piece = SIZE_MAX) {
  CsvReader reader(memory_bytes(text, "t.csv", piece), "t.csv", options);
  Parsed out;
  out.header = reader.header();
  std::vector<CellColumn> columns(out.header.size());
  for (CellColumn& column : columns) column.use = CellUse::text;
  constexpr std::size_t kRowsPerRead = 3;
  while (const std::size_t rows = reader.read(columns, kRowsPerRead)) {
    for (std::size_t r = 0; r < rows; ++r) {
      out.rows.emplace_back();
      for (CellColumn& column : columns) out.rows.back().emplace_back(column.texts[r]);
    }
    out.lines.insert(out.lines.end(), reader.row_lines().begin(), reader.row_lines().end());
    for (CellColumn& column : columns) column.texts.shorten(0);
  }
  return out;
}

std::string trouble_of(const std::string& text, const CsvOptions& options = {}) {
  return trouble([&] { parse(text, options); });
}

TEST(Csv, HeaderQuotesLineEndsAndByteOrderMark) {
  const Rows expected{{"1", "a,b"}, {"", "say \"hi\""}, {"3", "two\nlines"}};
  const std::string body = "x,\"y z\"\n1,\"a,b\"\n,\"say \"\"hi\"\"\"\n3,\"two\nlines\"";
  std::string returns;
  for (const char c : body) returns += c == '\n' ? "\r\n" : std::string(1, c);
  for (const std::string& text : {body, body + "\n", "\xef\xbb\xbf" + body, "\n\n" + body}) {
    const Parsed found = parse(text);
    EXPECT_EQ(found.header, (std::vector<std::string>{"x", "y z"}));
    EXPECT_EQ(found.rows, expected);
  }
  EXPECT_EQ(parse(body).lines, (std::vector<std::size_t>{2, 3, 4}));
  // A line end inside quotes stays as it was written.
  const Parsed found = parse(returns + "\r\n4,c\r\n");
  EXPECT_EQ(found.rows[2][1], "two\r\nlines");
  EXPECT_EQ(found.rows[3], (std::vector<std::string>{"4", "c"}));
  EXPECT_EQ(found.lines.back(), 6u);
}

TEST(Csv, BlanksAreTrimmedUnlessQuoted) {
  const Parsed found = parse("a, b ,c\n 1 ,\" 2 \",\t3\n");
  EXPECT_EQ(found.header, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(found.rows[0], (std::vector<std::string>{"1", " 2 ", "3"}));
}

TEST(Csv, DelimitersAreInferredOrGiven) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    std::string text = "a#\"b,c;d|e\"\n1#2\n";
    std::ranges::replace(text, '#', delimiter);
    EXPECT_EQ(parse(text).rows, (Rows{{"1", "2"}})) << delimiter;
    EXPECT_EQ(parse(text, {.delimiter = delimiter}).rows, (Rows{{"1", "2"}})) << delimiter;
  }
  EXPECT_EQ(parse("only\n5\n").rows, (Rows{{"5"}}));
  EXPECT_EQ(parse("a:b\n5:6\n", {.delimiter = ':'}).rows, (Rows{{"5", "6"}}));
}

TEST(Csv, EmptyLinesAreCellsOnlyWhereThereIsOneColumn) {
  EXPECT_EQ(parse("a,b\n\n1,2\n\r\n\n3,4\n\n").rows, (Rows{{"1", "2"}, {"3", "4"}}));
  EXPECT_EQ(parse("a\n1\n\n2\n").rows, (Rows{{"1"}, {""}, {"2"}}));
}

TEST(Csv, ColumnsWithoutNamesAreCounted) {
  EXPECT_EQ(parse(",b\n1,2\n").header, (std::vector<std::string>{"column_1", "b"}));
  const Parsed found = parse("5,6\n1,2\n", {.header = false});
  EXPECT_EQ(found.header, (std::vector<std::string>{"column_1", "column_2"}));
  EXPECT_EQ(found.rows, (Rows{{"5", "6"}, {"1", "2"}}));
  EXPECT_EQ(parse("0,1,2\n5,6,7\n").header, (std::vector<std::string>{"0", "1", "2"}));
}

TEST(Csv, MistakesNameTheLine) {
  EXPECT_EQ(trouble_of("a,b\n1,2\n3\n"), "t.csv, line 3: has 1 cells, and the header has 2");
  EXPECT_EQ(trouble_of("a,b\n\"x\ny\",2\n3,4,5\n"),
            "t.csv, line 4: has more cells than the header, which has 2");
  EXPECT_EQ(trouble_of("a,b\n1,\"2\n3,4\n"), "t.csv, line 2: has a quote that is not closed");
  EXPECT_EQ(
      trouble_of("a,b\n1,\"2\"x\n"),
      "t.csv, line 2: has text behind a closing quote; a quote inside quotes must be doubled");
  EXPECT_EQ(trouble_of("a,a\n1,2\n"), "t.csv, line 1: names the column \"a\" twice");
  EXPECT_EQ(trouble_of(""), "cannot read t.csv: it is empty");
  EXPECT_EQ(trouble_of("\n\r\n"), "cannot read t.csv: it is empty");
  EXPECT_EQ(trouble_of("1.5,2\n3,4\n").find("t.csv, line 1: should name the columns"), 0u);
  EXPECT_EQ(trouble_of("\xff\xfe"
                       "a")
                .find("t.csv, line 1: is UTF-16"),
            0u);
  EXPECT_EQ(trouble_of("a,b,c\n", {.most_columns = 2}).find("t.csv, line 1: has more than 2 cells"),
            0u);
}

TEST(Csv, ALineMayNotGrowForever) {
  constexpr std::size_t kMost = 1 << 20;
  const CsvOptions options{.most_bytes_per_row = kMost};
  const std::string head = "a,b\n1,2\n3,";
  for (const std::string& text :
       {head + std::string(8 * kMost, 'x'), head + "\"" + std::string(8 * kMost, '\n')})
    EXPECT_EQ(trouble_of(text, options).find("t.csv, line 3: is longer than 1048576 bytes"), 0u);
  EXPECT_EQ(parse(head + std::string(kMost / 2, 'x'), options).rows[1][1].size(), kMost / 2);
}

// A second, naive parser: one state machine over bytes, for texts that have no mistakes.
Rows naive(const std::string& text, char delimiter) {
  Rows out{{""}};
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted && c == '"' && k + 1 < text.size() && text[k + 1] == '"') {
      out.back().back() += text[++k];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      out.back().back() += c;
    } else if (c == delimiter) {
      out.back().emplace_back();
    } else if (c == '\n') {
      out.push_back({""});
    } else if (c != '\r') {
      out.back().back() += c;
    }
  }
  out.pop_back();
  return out;
}

struct Written {
  std::string text;
  Rows rows;  // with the header
};

Written random_table(RandomStream& random, char delimiter) {
  const std::size_t columns = 1 + random.below(5), rows = 1 + random.below(12);
  const std::string alphabet = std::string("ab\"\n\r;,|\t 1.") + "\xc3\xa9" + '\0';
  const std::string end = random.below(2) == 0 ? "\n" : "\r\n";
  Written out;
  for (std::size_t r = 0; r <= rows; ++r) {
    out.rows.emplace_back();
    for (std::size_t c = 0; c < columns; ++c) {
      std::string cell = r == 0 ? std::string("n").append(std::to_string(c)) : std::string();
      for (std::uint64_t k = random.below(8); k > 0; --k)
        cell += alphabet[random.below(alphabet.size())];
      out.rows.back().push_back(cell);
      out.text += c == 0 ? "" : std::string(1, delimiter);
      out.text += '"';
      for (const char byte : cell) out.text += byte == '"' ? "\"\"" : std::string(1, byte);
      out.text += '"';
    }
    out.text += end;
  }
  return out;
}

TEST(Csv, WhatWasWrittenIsReadBack) {
  RandomStream random(5, 0);
  constexpr std::size_t kTables = 500;
  for (std::size_t k = 0; k < kTables; ++k) {
    const char delimiter = ",;\t|"[random.below(4)];
    const Written written = random_table(random, delimiter);
    ASSERT_EQ(naive(written.text, delimiter), written.rows);
    const Parsed found = parse(written.text, {.delimiter = delimiter}, 1 + random.below(20));
    EXPECT_EQ(found.header, written.rows[0]);
    EXPECT_EQ(found.rows, Rows(written.rows.begin() + 1, written.rows.end())) << written.text;
  }
}

// However the bytes arrive: in pieces of every size, so that every place is a boundary of some.
TEST(Csv, PiecesDoNotMatter) {
  const std::string text =
      "\xef\xbb\xbf"
      "a,\"b \"\"c\"\"\",d\r\n1.5,\"x\r\ny\",\r\n\r\n-2e3, z ,\"\"\n,,9";
  const Parsed whole = parse(text);
  ASSERT_EQ(whole.rows.size(), 3u);
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    const Parsed found = parse(text, {}, piece);
    EXPECT_EQ(found.header, whole.header) << piece;
    EXPECT_EQ(found.rows, whole.rows) << piece;
    EXPECT_EQ(found.lines, whole.lines) << piece;
  }
}

TEST(Csv, NumbersAndCodesAreReadInPlaceAsTheirTextsSay) {
  const std::string text = "x,k,y\n1,red,2.5\r\n-3e2,?,\n4 ,blue,NA\n+7,\"red\",0.1";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    CsvReader reader(memory_bytes(text, "t", piece), "t", {});
    std::vector<CellColumn> columns(3);
    columns[0].use = columns[2].use = CellUse::number;
    columns[1].use = CellUse::code;
    columns[1].dictionary = Dictionary({"red"});
    ASSERT_EQ(reader.read(columns, 10), 4u);
    EXPECT_EQ(columns[0].cells.numbers, (std::vector<double>{1, -300, 4, 7}));
    EXPECT_EQ(columns[1].cells.codes,
              (std::vector<std::uint32_t>{0, Table::Column::kMissing, Table::Column::kUnknown, 0}));
    EXPECT_EQ(columns[2].cells.numbers[0], 2.5);
    EXPECT_TRUE(columns[2].cells.numbers[1] != columns[2].cells.numbers[1]);
    EXPECT_TRUE(columns[2].cells.numbers[2] != columns[2].cells.numbers[2]);
    EXPECT_EQ(columns[2].cells.numbers[3], 0.1);
    EXPECT_EQ(reader.read(columns, 10), 0u);
  }
}

// A carriage return belongs to the line's end and to nothing else.
TEST(Csv, ACarriageReturnInsideARowIsNoBlank) {
  CsvReader reader(memory_bytes("x,y\n1\r,2\n", "t"), "t", {});
  std::vector<CellColumn> columns(2);
  columns[0].use = columns[1].use = CellUse::number;
  EXPECT_EQ(trouble([&] { reader.read(columns, 1); }).find("t, line 2: column \"\": \"1?\" is not"),
            0u);
}

}  // namespace
}  // namespace postrider
