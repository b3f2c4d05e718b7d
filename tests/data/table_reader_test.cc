#include "data/table_reader.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "complaint.h"
#include "data/read_cells.h"
#include "files.h"

namespace postrider {
using namespace internal;
namespace {

TableReader reader_of(const std::string& text, const TableOptions& options = {},
                      const Schema* schema = nullptr, std::size_t piece = SIZE_MAX) {
  return table_reader_of(memory_bytes(text, "t", piece), "t", options, schema);
}

constexpr const char* kPeople =
    "name,age,sex,income\nann,31,f,1000\nbob,NA,m,2000\ncid,18,m,\ndan,77,,500\n";

TEST(TableReader, InfersReadsAndTellsLines) {
  TableReader reader = reader_of(kPeople, {.target = "income", .ignored = {"name"}});
  const Schema& schema = reader.schema();
  EXPECT_EQ(schema.target(), 3u);
  EXPECT_TRUE(schema.columns[1].has_missing);
  EXPECT_EQ(schema.columns[2].categories, (std::vector<std::string>{"f", "m"}));
  Table chunk;
  ASSERT_TRUE(reader.next(chunk));
  EXPECT_EQ(chunk.rows(), 4u);
  EXPECT_EQ(chunk.line(0), 2u);
  EXPECT_EQ(chunk.line(3), 5u);
  EXPECT_TRUE(chunk.has_target());
  EXPECT_TRUE(chunk.column(0).numbers.empty());
  EXPECT_EQ(chunk.column(1).numbers[3], 77);
  EXPECT_TRUE(std::isnan(chunk.column(1).numbers[1]));
  EXPECT_TRUE(std::isnan(chunk.column(3).numbers[2]));
  EXPECT_EQ(chunk.column(2).codes, (std::vector<std::uint32_t>{0, 1, 1, Table::Column::kMissing}));
  EXPECT_FALSE(reader.next(chunk));
  EXPECT_EQ(chunk.rows(), 0u);
  EXPECT_EQ(reader.rows(), 4u);
  EXPECT_EQ(reader.bytes_decoded(), std::string(kPeople).size());
}

TEST(TableReader, SampleChunkAndPieceSizesDoNotMatterToWhatIsRead) {
  RandomStream random(7, 0);
  std::string csv = "a,b,k,y\n", svm;
  for (std::size_t row = 0; row < 60; ++row) {
    csv += std::to_string(random.uniform()) + "," + (random.below(5) == 0 ? "NA" : "2.5e1") + "," +
           (random.below(2) == 0 ? "red" : "blue") + "," + std::to_string(row) + "\n";
    svm += std::to_string(row) + " 1:" + std::to_string(random.uniform()) + " 3:2\n";
  }
  for (const std::string& text : {csv, svm}) {
    // All of them see both colours and all indices in the sample.
    const auto whole = cells_of(reader_of(text, {}));
    for (const std::size_t sample : {20, 59, 60, 61})
      for (const std::size_t chunk : {1, 7, 1000})
        for (const std::size_t piece : {1, 10, 100'000}) {
          TableReader reader =
              reader_of(text, {.sample_rows = sample, .chunk_rows = chunk}, nullptr, piece);
          EXPECT_EQ(cells_of(std::move(reader)), whole) << sample << " " << chunk << " " << piece;
        }
  }
}

TEST(TableReader, AModelsColumnsAreFoundByNameInAnyOrder) {
  const Schema schema = reader_of(kPeople, {.target = "income", .ignored = {"name"}}).schema();
  TableReader reader = reader_of("sex,extra,age\nm,1,40\nx,2,\n", {}, &schema);
  Table chunk;
  ASSERT_TRUE(reader.next(chunk));
  EXPECT_EQ(chunk.schema(), schema);
  EXPECT_FALSE(chunk.has_target());
  EXPECT_EQ(chunk.column(1).numbers[0], 40);
  EXPECT_EQ(chunk.column(2).codes, (std::vector<std::uint32_t>{1, Table::Column::kUnknown}));
  EXPECT_EQ(trouble([&] { reader_of("sex,income\nm,1\n", {}, &schema); }),
            "cannot use t: it has no column \"age\", which the model needs");
}

TEST(TableReader, WhatTheFirstRowsDidNotShowIsAnErrorOrUnknown) {
  const std::string text = "x,k,y\n1,a,p\n2,b,q\n";
  const TableOptions options{.target = "y", .sample_rows = 2};
  const auto later = [&](const std::string& row) {
    return trouble([&] { cells_of(reader_of(text + row, options)); });
  };
  EXPECT_EQ(later("3,c,p\n"), "no trouble");
  EXPECT_EQ(later("3,a,r\n").find("t, line 4: column \"y\": \"r\" is none of the classes"), 0u);
  EXPECT_EQ(later("z,a,p\n").find("t, line 4: column \"x\": \"z\" is not a number"), 0u);
  EXPECT_EQ(trouble([&] { cells_of(reader_of("1 1:2\n2 1:3\n1 2:5\n", {.sample_rows = 2})); }),
            "t, line 3: the index 2 is above all of the first rows; infer the schema from more");
}

TEST(TableReader, WhatPeopleWriteIsUnderstood) {
  std::string text = "when;price;share;town;y\n";
  for (int row = 0; row < 30; ++row)
    text += std::to_string(1 + row % 28) + ".11.2026;\"" + std::to_string(row) + ",5 €\";" +
            std::to_string(row) + "%;a;" + std::to_string(row) + "\n";
  text += "-;n.a.;-999%;b;6O\n";
  TableReader reader = reader_of(text, {.target = "y", .na = {"-999"}});
  const Schema schema = reader.schema();
  EXPECT_EQ(schema.na, (std::vector<std::string>{"-999"}));
  EXPECT_EQ(schema.columns[0].kind, ColumnSchema::Kind::date);
  EXPECT_EQ(schema.columns[1].form, ColumnSchema::Form::decimal_comma);
  EXPECT_EQ(schema.columns[1].unit, "€");
  EXPECT_EQ(schema.columns[2].unit, "%");
  EXPECT_NE(schema.columns[4].note.find("\"6O\" is none of the numbers"), std::string::npos);
  EXPECT_EQ(schema.columns[4].place, "line 32");
  Table chunk;
  ASSERT_TRUE(reader.next(chunk));
  EXPECT_EQ(chunk.column(1).numbers[7], 7.5);
  EXPECT_EQ(date_text(chunk.column(0).numbers[1]), "2026-11-02");
  for (const std::size_t c : {0, 1, 2, 4})
    EXPECT_TRUE(std::isnan(chunk.column(c).numbers[30])) << c;
  // New rows are read in the same way, and a plain number, too: its point would be between thousands.
  TableReader later = reader_of("when;price;share;town\n3.12.2026;1.234;-999;b\n", {}, &schema);
  ASSERT_TRUE(later.next(chunk));
  EXPECT_EQ(chunk.column(1).numbers[0], 1234);
  EXPECT_TRUE(std::isnan(chunk.column(2).numbers[0]));
  TableReader other = reader_of("when;price;share;town\n12/03/2026;$5;1;b\n", {}, &schema);
  EXPECT_NE(trouble([&] { other.next(chunk); }).find("has another unit"), std::string::npos);
}

TEST(TableReader, WhereCommasAreDecimalPointsAreBetweenThousands) {
  TableReader reader = reader_of("a;b\n1,5;1\n2,25;2\n1.234;3\n", {.sample_rows = 2});
  EXPECT_EQ(cells_of(std::move(reader))[0],
            (std::vector<std::string>{"1.500000", "2.250000", "1234.000000"}));
}

TEST(TableReader, AClassThatIsANumberIsFoundByItsValue) {
  const Schema schema = reader_of("x,y\n1,0\n2,1\n", {.target = "y"}).schema();
  TableReader later = reader_of("x,y\n1,1.0\n2,0.0\n3,2\n", {}, &schema);
  Table chunk;
  ASSERT_TRUE(later.next(chunk));
  EXPECT_EQ(chunk.column(1).codes, (std::vector<std::uint32_t>{1, 0, Table::Column::kUnknown}));
}

TEST(TableReader, SparseTextIsATableOfNumbers) {
  TableReader reader = reader_of("+1 1:5 3:1\n-1 3:1\n+1 1:2 3:1 4:?\n", {.classify = true});
  const Schema& schema = reader.schema();
  ASSERT_EQ(schema.columns.size(), 5u);
  EXPECT_EQ(schema.columns[0].name, "label");
  EXPECT_EQ(schema.columns[0].categories, (std::vector<std::string>{"-1", "+1"}));
  EXPECT_EQ(schema.columns[2].note, "constant");
  EXPECT_EQ(schema.columns[3].note, "constant");
  EXPECT_TRUE(schema.columns[4].has_missing);
  Table chunk;
  ASSERT_TRUE(reader.next(chunk));
  EXPECT_EQ(chunk.column(0).codes, (std::vector<std::uint32_t>{1, 0, 1}));
  EXPECT_EQ(chunk.column(1).numbers, (std::vector<double>{5, 0, 2}));
  EXPECT_TRUE(std::isnan(chunk.column(4).numbers[2]));
  const Schema known = reader.schema();
  TableReader again = reader_of("1:7 9:9\n", {}, &known);
  ASSERT_TRUE(again.next(chunk));
  EXPECT_EQ(chunk.column(1).numbers, (std::vector<double>{7}));
  EXPECT_EQ(chunk.column(0).codes[0], Table::Column::kMissing);
}

TEST(TableReader, FilesAreNamedInMessages) {
  const TemporaryFolder folder;
  const std::string path = folder.file("data.csv");
  write_bytes(path, "a,b\n1\n");
  EXPECT_EQ(trouble([&] { TableReader reader(path); }),
            path + ", line 2: has 1 cells, and the header has 2");
  write_bytes(path, "a,b\n");
  EXPECT_EQ(trouble([&] { TableReader reader(path); }), "cannot read " + path + ": it has no rows");
  write_bytes(path, "a,b\n1,2\n");
  TableReader reader(path);
  EXPECT_EQ(reader.path(), path);
  EXPECT_EQ(reader.file_bytes(), 8u);
}

// One line that says there are many columns must not take memory for all rows.
TEST(TableReader, AWideRowAmongManyNarrowOnesIsCheap) {
  std::string text;
  for (std::size_t row = 0; row < 50'000; ++row) text += row % 2 == 0 ? "1 1:2\n" : "0 1:3\n";
  text += "1 1:2 100000:1\n0 1:3\n";
  TableReader reader = reader_of(text, {});
  std::size_t rows = 0;
  for (Table chunk; reader.next(chunk);) rows += chunk.rows();
  EXPECT_EQ(rows, 50'002u);
}

// With many columns the rows that were looked at first are handed out in several chunks: each row with
// its own cells.
TEST(TableReader, AWideSampleIsHandedOutInParts) {
  constexpr std::size_t kRows = 4000, kColumns = 3000, kPeriod = 7;
  std::string text = "0";
  for (std::size_t c = 1; c <= kColumns; ++c) text += ' ' + std::to_string(c) + ":1";
  for (std::size_t row = 1; row < kRows; ++row)
    text += '\n' + std::to_string(row % kPeriod) + " 1:" + std::to_string(row);
  TableReader reader = reader_of(text + "\n", {.chunk_rows = 10});
  std::size_t rows = 0, chunks = 0, wrong = 0;
  for (Table chunk; reader.next(chunk); ++chunks)
    for (std::size_t row = 0; row < chunk.rows(); ++row, ++rows) {
      const std::size_t value = rows == 0 ? 1 : rows;
      wrong += chunk.column(0).numbers[row] != static_cast<double>(rows % kPeriod) ||
               chunk.column(1).numbers[row] != static_cast<double>(value) ||
               chunk.line(row) != rows + 1;
    }
  EXPECT_EQ(rows, kRows);
  EXPECT_GT(chunks, 1u);
  EXPECT_EQ(wrong, 0u);
}

// Thirty rows, of which ten stand there twice; with `number`, each row also has one of its own.
std::string with_copies(bool number) {
  std::string out = number ? "customer,area,number\n" : "customer,area\n";
  for (std::size_t k = 0; k < 40; ++k) {
    out.append("c").append(std::to_string(k % 30)).append(",").append(std::to_string(k % 30));
    out += number ? "," + std::to_string(k) + "\n" : "\n";
  }
  return out;
}

TEST(TableReader, IdentifiersAreCountedInRowsThatDiffer) {
  EXPECT_EQ(reader_of(with_copies(false)).schema().columns[0].note,
            "an identifier: 30 different texts in 40 cells, 10 of them in copies of rows");
  // Rows that differ are no copies, unless in a column that is left out.
  EXPECT_EQ(reader_of(with_copies(true)).schema().columns[0].kind, ColumnSchema::Kind::categorical);
  EXPECT_EQ(reader_of(with_copies(true), {.ignored = {"number"}}).schema().columns[0].kind,
            ColumnSchema::Kind::ignored);
}

TEST(TableReader, KeysAreKeptAlsoWhereTheSchemaIsInferred) {
  for (const std::size_t sample : {std::size_t{2}, std::size_t{100}}) {
    TableReader reader = reader_of(
        kPeople,
        {.target = "income", .ignored = {"name"}, .sample_rows = sample, .keys = {"name", "age"}});
    Table all, chunk;
    while (reader.next(chunk)) all.append(chunk);
    ASSERT_EQ(all.rows(), 4u);
    EXPECT_EQ(all.key(0, 0), "ann");
    EXPECT_EQ(all.key(0, 3), "dan");
    EXPECT_EQ(all.key(1, 1), "NA");
    EXPECT_EQ(all.selected(std::vector<std::size_t>{3}).key(0, 0), "dan");
    EXPECT_EQ(all.line(3), 5u);
    EXPECT_EQ(all.column(1).numbers[3], 77);
  }
}

// The column of groups tells who is meant, which no new group knows: it is no input, unless somebody says what it is.
TEST(TableReader, GroupsAreKeptBesideTheRows) {
  const std::string text = "shop,x,w,y\na,1,1,2\nb,2,2,5\na,4,1,9\n";
  TableOptions options{.target = "y", .keys = {"x"}, .weights = "w"};
  keep_group("shop", options);
  TableReader reader = reader_of(text, options);
  EXPECT_EQ(reader.schema().columns[0].kind, ColumnSchema::Kind::ignored);
  Table chunk;
  ASSERT_TRUE(reader.next(chunk));
  EXPECT_EQ(chunk.keys(0), (std::vector<std::string>{"1", "2", "4"}));
  EXPECT_EQ(chunk.keys(1), (std::vector<std::string>{"a", "b", "a"}));
  EXPECT_TRUE(Table().keys(0).empty());
  TableOptions named{.target = "y", .categorical = {"shop"}};
  keep_group("shop", named);
  EXPECT_EQ(reader_of(text, named).schema().columns[0].kind, ColumnSchema::Kind::categorical);
  TableOptions said{.target = "y", .ignored = {"shop"}};
  keep_group("shop", said);
  EXPECT_EQ(said.ignored, std::vector<std::string>{"shop"});
  keep_group("sho", said);
  EXPECT_EQ(complaint([&] { reader_of(text, said); }),
            "ignored = \"sho\": must be one of the columns: \"shop\", \"x\", \"w\", \"y\"");
}

TEST(TableReader, WeightsAreNumbersBesideTheRows) {
  const std::string text = "x,w,y\n1,0.5,2\n2,3,5\n4,0,9\n";
  TableReader reader = reader_of(text, {.target = "y", .sample_rows = 2, .weights = "w"});
  EXPECT_EQ(reader.schema().columns[1].kind, ColumnSchema::Kind::ignored);
  EXPECT_EQ(reader.schema().columns[1].note, "how often rows count");
  Table all, chunk;
  while (reader.next(chunk)) all.append(chunk);
  EXPECT_EQ(all.weights(), (std::vector<double>{0.5, 3, 0}));
  EXPECT_EQ(all.selected(std::vector<std::size_t>{1}).weights(), std::vector<double>{3});
  // Also by a schema, which knows nothing of weights.
  const Schema schema = reader.schema();
  TableReader later = reader_of("w,x,y\n7,1,2\n", {.weights = "w"}, &schema);
  later.next(chunk);
  EXPECT_EQ(chunk.weights(), std::vector<double>{7});
  EXPECT_NE(complaint([&] { reader_of(text, {.target = "y", .weights = "y"}); }).find("weights"),
            std::string::npos);
  try {
    TableReader wrong = reader_of("x,w,y\n1,1,2\n2,much,5\n", {.target = "y", .weights = "w"});
    wrong.next(chunk);
    FAIL() << "a text is no weight";
  } catch (const CorruptFile& trouble) {
    EXPECT_NE(std::string(trouble.what()).find("line 3: the weight \"much\""), std::string::npos);
  }
}

}  // namespace
}  // namespace postrider
