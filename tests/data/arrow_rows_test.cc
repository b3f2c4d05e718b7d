#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "data/arrow_arrays.h"
#include "data/read_cells.h"
#include "data/table_reader.h"
#include "files.h"

namespace postrider {
using namespace internal;
namespace {

TableReader reader_of(const std::vector<MadeBatch>& batches, const TableOptions& options = {},
                      const Schema* schema = nullptr) {
  ArrowArrayStream stream = MadeStream(batches).stream();
  return schema == nullptr ? read_arrow(stream, options) : read_arrow(stream, *schema, options);
}

std::vector<double> numbers_of(const MadeColumn& column) {
  TableReader reader = reader_of({{{column}}}, {.numeric = {column.name}});
  Table chunk;
  reader.next(chunk);
  return chunk.column(0).numbers;
}

using Cells = std::vector<std::string>;
using Numbers = std::vector<double>;

TEST(ArrowRows, EveryTypeOfNumberIsADouble) {
  EXPECT_EQ(numbers_of(made_numbers<std::int8_t>("a", "c", {-128, 127})), (Numbers{-128, 127}));
  EXPECT_EQ(numbers_of(made_numbers<std::uint8_t>("a", "C", {0, 255})), (Numbers{0, 255}));
  EXPECT_EQ(numbers_of(made_numbers<std::int16_t>("a", "s", {-5, 300})), (Numbers{-5, 300}));
  EXPECT_EQ(numbers_of(made_numbers<std::uint16_t>("a", "S", {65535, 1})), (Numbers{65535, 1}));
  EXPECT_EQ(numbers_of(made_numbers<std::int32_t>("a", "i", {-70000, 7})), (Numbers{-70000, 7}));
  EXPECT_EQ(numbers_of(made_numbers<std::uint32_t>("a", "I", {4294967295u, 0})),
            (Numbers{4294967295.0, 0}));
  EXPECT_EQ(numbers_of(made_numbers<std::int64_t>("a", "l", {-(1LL << 53), 3})),
            (Numbers{-9007199254740992.0, 3}));
  EXPECT_EQ(numbers_of(made_numbers<std::uint64_t>("a", "L", {1ULL << 63, 3})),
            (Numbers{9223372036854775808.0, 3}));
  EXPECT_EQ(numbers_of(made_numbers<float>("a", "f", {0.5f, -2})), (Numbers{0.5, -2}));
  EXPECT_EQ(numbers_of(made_numbers<double>("a", "g", {0.1, 1e300})), (Numbers{0.1, 1e300}));
  EXPECT_EQ(numbers_of(made_booleans("a", {true, false})), (Numbers{1, 0}));
  // One, the largest, the smallest normal, the smallest of all and minus two, of IEEE 754's binary16.
  EXPECT_EQ(
      numbers_of(made_numbers<std::uint16_t>("a", "e", {0x3c00, 0x7bff, 0x0400, 0x0001, 0xc000})),
      (Numbers{1, 65504, std::pow(2, -14), std::pow(2, -24), -2}));
}

TEST(ArrowRows, NullAndNanAreMissingAndInfiniteIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  TableReader reader =
      reader_of({{{made_numbers<double>("a", "g", {1, nan, 7}, {true, true, false}),
                   made_numbers<std::int32_t>("b", "i", {1, 2, 3}),
                   {"c", "n", 3, 3}}}});
  EXPECT_TRUE(reader.schema().columns[0].has_missing);
  EXPECT_FALSE(reader.schema().columns[1].has_missing);
  EXPECT_EQ(reader.schema().columns[2].note, "no cell has a value");
  Table chunk;
  ASSERT_TRUE(reader.next(chunk));
  EXPECT_EQ(chunk.column(0).numbers[0], 1);
  EXPECT_TRUE(std::isnan(chunk.column(0).numbers[1]));
  EXPECT_TRUE(std::isnan(chunk.column(0).numbers[2]));
  EXPECT_EQ(trouble([&] {
              cells_of(reader_of({{{made_numbers<double>("a", "g", {1, HUGE_VAL, 7})}}}));
            }),
            "the Arrow stream, row 2: column \"a\": \"inf\" is infinite; numbers must be finite");
}

TEST(ArrowRows, TextsAreCategoriesHoweverTheyAreStored) {
  const Cells texts{"red", "a very long name of a colour", "red", "", "NA"};
  const Cells expected{"red", "a very long name of a colour", "red", "missing", "missing"};
  const MadeColumn indexed = made_dictionary<std::int8_t>(
      "k", "c", {1, 0, 1, 2, 3}, made_texts("", {texts[1], texts[0], "", "NA"}));
  for (const MadeColumn& column : {made_texts("k", texts), made_texts<std::int64_t>("k", texts),
                                   made_views("k", texts), indexed}) {
    TableReader reader = reader_of({{{column}}});
    EXPECT_EQ(reader.schema().columns[0].categories, (Cells{texts[1], texts[0]})) << column.format;
    EXPECT_EQ(cells_of(std::move(reader))[0], expected) << column.format;
  }
  EXPECT_EQ(cells_of(reader_of({{{made_booleans("k", {true, false, true})}}}))[0],
            (Cells{"true", "false", "true"}));
  // A null of the array, of the dictionary's index and in the dictionary.
  EXPECT_EQ(cells_of(reader_of({{{made_texts("k", {"a", "b", "c"}, {true, true, false})}}}))[0],
            (Cells{"a", "b", "missing"}));
  const MadeColumn values = made_texts("", {"a", "b", "c"}, {true, true, false});
  EXPECT_EQ(cells_of(reader_of({{{made_dictionary<std::uint32_t>("k", "I", {0, 1, 2, 99}, values,
                                                                 {true, true, true, false})}}}))[0],
            (Cells{"a", "b", "missing", "missing"}));
}

TEST(ArrowRows, IdentifiersAreCountedInRowsThatDiffer) {
  Cells customers;
  Numbers areas, numbers;
  for (std::size_t k = 0; k < 40; ++k) {
    customers.push_back("c" + std::to_string(k % 30));
    areas.push_back(static_cast<double>(k % 30));
    numbers.push_back(static_cast<double>(k));
  }
  const MadeColumn names = made_texts("customer", customers),
                   area = made_numbers<double>("area", "g", areas),
                   number = made_numbers<double>("number", "g", numbers);
  EXPECT_EQ(reader_of({{{names, area}}}).schema().columns[0].note,
            "an identifier: 30 different texts in 40 cells, 10 of them in copies of rows");
  EXPECT_EQ(reader_of({{{names, area, number}}}).schema().columns[0].kind,
            ColumnSchema::Kind::categorical);
}

TEST(ArrowRows, NumbersInTextsAndCategoriesOfNumbers) {
  // As in a CSV file: a column of texts that are all numbers is one of numbers.
  EXPECT_EQ(numbers_of(made_texts("k", {"1", "2.5", "?"})).size(), 3u);
  EXPECT_EQ(reader_of({{{made_texts("k", {"1", "2.5"})}}}).schema().columns[0].kind,
            ColumnSchema::Kind::numeric);
  const auto categories = [](const MadeColumn& column, const TableOptions& options) {
    return reader_of({{{column}}}, options).schema().columns[0].categories;
  };
  EXPECT_EQ(categories(made_numbers<double>("k", "g", {10, 2, 0.1}), {.categorical = {"k"}}),
            (Cells{"0.1", "2", "10"}));
  EXPECT_EQ(categories(made_numbers<float>("k", "f", {0.1f, 2}), {.categorical = {"k"}}),
            (Cells{"0.1", "2"}));
  EXPECT_EQ(
      categories(made_numbers<std::int64_t>("k", "l", {1, 0}), {.target = "k", .classify = true}),
      (Cells{"0", "1"}));
  EXPECT_EQ(categories(made_dictionary<std::int32_t>("k", "i", {1, 0, 1},
                                                     made_numbers<std::int64_t>("", "l", {10, 9})),
                       {}),
            (Cells{"9", "10"}));
}

TEST(ArrowRows, BatchesOffsetsAndChunksDoNotMatterToWhatIsRead) {
  RandomStream random(3, 0);
  std::vector<double> x;
  std::vector<std::int32_t> n;
  std::vector<bool> valid;
  std::vector<std::string> k;
  for (std::size_t row = 0; row < 60; ++row) {
    x.push_back(random.uniform());
    n.push_back(static_cast<std::int32_t>(random.below(9)));
    valid.push_back(random.below(4) != 0);
    k.push_back(row % 3 == 0 ? "red" : "blue");
  }
  const auto batch = [&](std::int64_t begin, std::int64_t end, bool by_struct) {
    MadeBatch out{
        {made_numbers("x", "g", x), made_numbers("n", "i", n, valid), made_texts("k", k)}};
    out.offset = by_struct ? begin : 0;
    out.length = end - begin;
    for (MadeColumn& column : out.columns) {
      column.offset = by_struct ? 0 : begin;
      column.length = by_struct ? 60 : end - begin;
    }
    return out;
  };
  const auto whole = cells_of(reader_of({batch(0, 60, true)}));
  ASSERT_EQ(whole[0].size(), 60u);
  for (const bool by_struct : {true, false})
    for (const std::size_t sample : {20, 59, 60, 61})
      for (const std::size_t chunk : {1, 7, 1000})
        EXPECT_EQ(cells_of(reader_of({batch(0, 5, by_struct), batch(5, 5, by_struct),
                                      batch(5, 38, by_struct), batch(38, 60, by_struct)},
                                     {.sample_rows = sample, .chunk_rows = chunk})),
                  whole);
}

TEST(ArrowRows, AStreamAndItsCsvGiveTheSameSchemaAndCells) {
  const std::string csv = "x,k,b,y\n1.5,red,true,p\n,blue,false,q\n-3,red,true,\n0.1,,false,q\n";
  const std::vector<bool> valid{true, false, true, true};
  const MadeBatch batch{{made_numbers<double>("x", "g", {1.5, 9, -3, 0.1}, valid),
                         made_texts("k", {"red", "blue", "red", ""}),
                         made_booleans("b", {true, false, true, false}),
                         made_texts("y", {"p", "q", "", "q"})}};
  const TableOptions options{.target = "y"};
  TableReader text = table_reader_of(memory_bytes(csv, "t"), "t", options);
  TableReader arrow = reader_of({batch}, options);
  EXPECT_EQ(arrow.schema(), text.schema());
  EXPECT_EQ(cells_of(std::move(arrow)), cells_of(std::move(text)));
}

TEST(ArrowRows, AModelsColumnsAreFoundByNameInAnyOrder) {
  const Schema schema =
      reader_of({{{made_numbers<double>("age", "g", {1, 2}), made_texts("sex", {"f", "m"}),
                   made_numbers<double>("y", "g", {1, 3})}}},
                {.target = "y"})
          .schema();
  const MadeColumn age = made_numbers<std::int16_t>("age", "s", {40, 41});
  TableReader reader =
      reader_of({{{made_texts("sex", {"m", "x"}), {"when", "tdD", 2}, age}}}, {}, &schema);
  Table chunk;
  ASSERT_TRUE(reader.next(chunk));
  EXPECT_FALSE(chunk.has_target());
  EXPECT_EQ(chunk.column(0).numbers, (Numbers{40, 41}));
  EXPECT_EQ(chunk.column(1).codes, (std::vector<std::uint32_t>{1, Table::Column::kUnknown}));
  EXPECT_EQ(trouble([&] { reader_of({{{age}}}, {}, &schema); }),
            "cannot use the Arrow stream: it has no column \"sex\", which the model needs");
  EXPECT_EQ(
      trouble([&] {
        cells_of(reader_of({{{made_texts("age", {"1", "old"}), made_texts("sex", {"f", "m"})}}}, {},
                           &schema));
      }).find("the Arrow stream, row 2: column \"age\": \"old\" is not a number"),
      0u);
}

// Rows are counted from the first of the stream, whatever the chunks.
TEST(ArrowRows, MessagesNameTheRowOfTheStream) {
  Numbers x(10, 1.5);
  x[1] = 2;
  x[8] = std::numeric_limits<double>::infinity();
  for (const std::size_t chunk : {1, 4, 100})
    EXPECT_EQ(trouble([&] {
                cells_of(reader_of({{{made_numbers<double>("x", "g", x)}}},
                                   {.sample_rows = 3, .chunk_rows = chunk}));
              }).find("the Arrow stream, row 9: column \"x\": \"inf\" is infinite"),
              0u);
}

TEST(ArrowRows, OtherTypesAreRefusedByNameUnlessIgnored) {
  const auto said = [](const std::string& format, const TableOptions& options = {}) {
    return trouble([&] {
      reader_of({{{{"when", format, 2}, made_numbers<double>("x", "g", {1, 2})}}}, options);
    });
  };
  EXPECT_EQ(
      said("ttu"),
      "column \"when\" is a time of day (Arrow format \"ttu\"): integers, floats, booleans, dates, "
      "timestamps, texts and dictionaries of these can be read; convert it, or leave it out");
  EXPECT_NE(said("d:10,2").find("is a decimal"), std::string::npos);
  EXPECT_NE(said("+l").find("is a list"), std::string::npos);
  EXPECT_NE(said("?!").find("is Arrow format \"?!\""), std::string::npos);
  EXPECT_EQ(said("ttu", {.ignored = {"when"}}), "no trouble");
}

TEST(ArrowRows, DatesAndTimestampsOfAllUnits) {
  const double day = 86400, seconds = 20'773 * day;  // 2026-11-16
  const auto found = [](const MadeColumn& column) {
    TableReader reader = reader_of({{{column}}});
    EXPECT_EQ(reader.schema().columns[0].kind, ColumnSchema::Kind::date) << column.format;
    EXPECT_EQ(reader.schema().columns[0].form, ColumnSchema::Form::year_first);
    Table chunk;
    reader.next(chunk);
    return chunk.column(0).numbers;
  };
  EXPECT_EQ(found(made_numbers<std::int32_t>("t", "tdD", {20'773, 0})), (Numbers{seconds, 0}));
  std::int64_t unit = 1;
  for (const char* const format : {"tss:", "tsm:", "tsu:UTC", "tsn:Europe/Berlin"}) {
    const auto whole = static_cast<std::int64_t>(seconds) * unit;
    EXPECT_EQ(found(made_numbers<std::int64_t>("t", format, {whole, -unit})),
              (Numbers{seconds, -1}));
    if (unit == 1000) {
      EXPECT_EQ(found(made_numbers<std::int64_t>("t", "tdm", {whole, 0})), (Numbers{seconds, 0}));
    }
    unit *= 1000;
  }
  const Numbers missing =
      found(made_numbers<std::int32_t>("t", "tdD", {1, 2, 3}, {true, false, true}));
  EXPECT_TRUE(std::isnan(missing[1]));
}

TEST(ArrowRows, DatesAsCategoriesTextsAndMistakes) {
  const MadeColumn dates = made_numbers<std::int32_t>("t", "tdD", {20'773, 0, 0});
  EXPECT_EQ(reader_of({{{dates}}}, {.categorical = {"t"}}).schema().columns[0].categories,
            (Cells{"1970-01-01", "2026-11-16"}));
  // A model of texts reads dates, and one of dates texts.
  const Schema schema = reader_of({{{dates}}}).schema();
  EXPECT_EQ(
      cells_of(reader_of({{{made_texts("t", {"2026-11-16"})}}}, {}, &schema)),
      cells_of(reader_of({{{made_numbers<std::int32_t>("t", "tdD", {20'773})}}}, {}, &schema)));
  EXPECT_NE(trouble([&] {
              cells_of(reader_of({{{made_numbers<double>("t", "g", {1})}}}, {}, &schema));
            }).find("\"1\" is not a date"),
            std::string::npos);
  EXPECT_NE(trouble([&] {
              cells_of(reader_of({{{made_numbers<std::int64_t>("t", "tss:", {1LL << 60, 2})}}}));
            }).find("row 1: column \"t\": \"a date beyond the year 9999\" is not a date"),
            std::string::npos);
}

TEST(ArrowRows, MarkersThatAreNumbersAndTargetsOfTwo) {
  const MadeColumn column = made_numbers<double>("x", "g", {1, -999, 3});
  TableReader reader = reader_of({{{column}}}, {.na = {"-999"}});
  EXPECT_TRUE(reader.schema().columns[0].has_missing);
  Table chunk;
  ASSERT_TRUE(reader.next(chunk));
  EXPECT_TRUE(std::isnan(chunk.column(0).numbers[1]));
  EXPECT_EQ(chunk.column(0).numbers[2], 3);
  TableReader classes = reader_of({{{made_numbers<float>("x", "f", {1, 0, 1})}}}, {.target = "x"});
  EXPECT_EQ(classes.schema().columns[0].categories, (Cells{"0", "1"}));
  ASSERT_TRUE(classes.next(chunk));
  EXPECT_EQ(chunk.column(0).codes, (std::vector<std::uint32_t>{1, 0, 1}));
}

TEST(ArrowRows, KeysAndWeightsComeBesideTheRows) {
  const std::vector<MadeBatch> batches{
      {{made_numbers<std::int32_t>("id", "i", {7, 8}), made_numbers<double>("x", "g", {1, 2}),
        made_numbers<double>("w", "g", {0.5, 2})}},
      {{made_numbers<std::int32_t>("id", "i", {9}), made_numbers<double>("x", "g", {3}),
        made_numbers<double>("w", "g", {1})}}};
  TableReader reader =
      reader_of(batches, {.ignored = {"id"}, .keys = {"id"}, .weights = "w", .chunk_rows = 2});
  Table all, chunk;
  while (reader.next(chunk)) all.append(chunk);
  ASSERT_EQ(all.rows(), 3u);
  EXPECT_EQ(all.key(0, 0), "7");
  EXPECT_EQ(all.key(0, 2), "9");
  EXPECT_EQ(all.weights(), (std::vector<double>{0.5, 2, 1}));
  EXPECT_TRUE(all.column(0).numbers.empty());
}

}  // namespace
}  // namespace postrider
