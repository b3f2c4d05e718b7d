// Rows that cannot be read and are passed over, and readers that are watched.
#include <gtest/gtest.h>

#include "data/read_cells.h"
#include "data/table_reader.h"
#include "files.h"

namespace postrider {
using namespace internal;
namespace {

TableReader reader_of(const std::string& text, const TableOptions& options,
                      const Schema* schema = nullptr, std::size_t piece = SIZE_MAX) {
  return table_reader_of(memory_bytes(text, "t", piece), "t", options, schema);
}

std::vector<std::size_t> lines_of(TableReader& reader) {
  std::vector<std::size_t> out;
  for (Table chunk; reader.next(chunk);)
    for (std::size_t row = 0; row < chunk.rows(); ++row) out.push_back(chunk.line(row));
  return out;
}

constexpr const char* kBroken = "a,b\n1,2\n3\n4,5,6\n7,8\n9,\"open\n10,11\n12,\"x\"y\n13,14\n";

TEST(TableReaderSkip, RowsWithTooManyOrTooFewCells) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, SIZE_MAX})
    for (const std::size_t sample : {std::size_t{1}, std::size_t{100}}) {
      TableReader reader =
          reader_of(kBroken, {.numeric = {"a", "b"}, .sample_rows = sample, .skip_bad = true},
                    nullptr, piece);
      EXPECT_EQ(lines_of(reader), (std::vector<std::size_t>{2, 5, 7, 9}));
      EXPECT_EQ(reader.skipped().count, 4u);
      ASSERT_EQ(reader.skipped().reasons.size(), 4u);
      EXPECT_EQ(reader.skipped().reasons[0], "t, line 3: has 1 cells, and the header has 2");
    }
  EXPECT_NE(trouble([] {
              TableReader reader = reader_of(kBroken, {});
              lines_of(reader);
            }).find("line 3"),
            std::string::npos);
}

TEST(TableReaderSkip, TextsAmongNumbers) {
  const std::string text = "a,b\n1,2\nx,3\n4,y\n5,6\n";
  // In the rows of the sample, and in those behind it.
  for (const std::size_t sample : {std::size_t{1}, std::size_t{100}}) {
    TableReader reader = reader_of(
        text,
        {.numeric = {"a", "b"}, .keep_constants = true, .sample_rows = sample, .skip_bad = true});
    Table all;
    std::vector<double> numbers;
    for (Table chunk; reader.next(chunk);)
      numbers.insert(numbers.end(), chunk.column(1).numbers.begin(), chunk.column(1).numbers.end());
    EXPECT_EQ(numbers, (std::vector<double>{2, 6}));
    EXPECT_EQ(reader.skipped().count, 2u);
  }
}

TEST(TableReaderSkip, ByTheSchemaOfAModelWithKeys) {
  Schema schema;
  schema.columns = {{.name = "a"}};
  TableReader reader =
      reader_of("id,a\nr,1\ns,x\nt,3\n", {.keys = {"id"}, .skip_bad = true}, &schema);
  Table chunk;
  ASSERT_TRUE(reader.next(chunk));
  ASSERT_EQ(chunk.rows(), 2u);
  EXPECT_EQ(chunk.column(0).numbers, (std::vector<double>{1, 3}));
  EXPECT_EQ(chunk.key(0, 0), "r");
  EXPECT_EQ(chunk.key(0, 1), "t");
}

TEST(TableReaderSkip, SparseText) {
  TableReader reader =
      reader_of("1 1:2\n0 1:3 x\n1 2:1 1:1\n0 1:7\n", {.keep_constants = true, .skip_bad = true});
  Table chunk;
  ASSERT_TRUE(reader.next(chunk));
  EXPECT_EQ(chunk.rows(), 2u);
  EXPECT_EQ(chunk.column(1).numbers, (std::vector<double>{2, 7}));
  EXPECT_EQ(reader.skipped().count, 2u);
}

TEST(TableReaderSkip, ManyAreCountedAndSomeAreListed) {
  std::string text = "a,b\n1,2\n";
  for (int row = 0; row < 500; ++row) text += "3\n";
  TableReader reader = reader_of(text + "4,5\n", {.skip_bad = true});
  EXPECT_EQ(lines_of(reader).size(), 2u);
  EXPECT_EQ(reader.skipped().count, 500u);
  EXPECT_EQ(reader.skipped().reasons.size(), TableReader::Skipped::kMostListed);
}

TEST(TableReaderSkip, IfNoRowCanBeReadItIsSaid) {
  EXPECT_NE(trouble([] {
              TableReader reader =
                  reader_of("a,b\n1,x\n2,y\n", {.numeric = {"b"}, .skip_bad = true});
              lines_of(reader);
            }).find("no row can be read"),
            std::string::npos);
}

TEST(TableReaderObserved, EachChunkIsShownOnce) {
  TableReader reader = reader_of("a\n1\n2\n3\n4\n5\n", {.sample_rows = 2, .chunk_rows = 2});
  std::vector<double> seen;
  reader.observe([&](const Table& chunk) {
    seen.insert(seen.end(), chunk.column(0).numbers.begin(), chunk.column(0).numbers.end());
  });
  lines_of(reader);
  EXPECT_EQ(seen, (std::vector<double>{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace postrider
