#include "postrider/table_builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "postrider/error.h"

namespace postrider {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Schema example() {
  Schema out;
  out.columns = {
      {.name = "age", .has_missing = true},
      {.name = "id", .kind = ColumnSchema::Kind::ignored},
      {.name = "y", .target = true},
      {.name = "floor", .kind = ColumnSchema::Kind::categorical, .categories = {"1", "2"}},
      {.name = "day",
       .kind = ColumnSchema::Kind::date,
       .form = ColumnSchema::Form::year_first,
       .parts = {ColumnSchema::DatePart::trend}},
      {.name = "price", .form = ColumnSchema::Form::decimal_comma, .unit = "$"}};
  out.na = {"-999"};
  return out;
}

TEST(TableBuilder, CellsAreReadAsThoseOfAFile) {
  Table::Builder builder(example());
  builder.set(0, 30.5);
  builder.set(1, "whatever");
  builder.set(3, 2.0);
  builder.set(4, "1970-01-03");
  builder.set(5, "$1.234,5");
  builder.end_row();
  builder.set(0, "41");
  builder.set(2, 7.0);
  builder.set(3, "none of them");
  builder.end_row();
  EXPECT_EQ(builder.rows(), 2u);
  const Table table = builder.finish();
  ASSERT_EQ(table.rows(), 2u);
  EXPECT_EQ(table.schema(), example());
  EXPECT_EQ(table.column(0).numbers, (std::vector<double>{30.5, 41}));
  EXPECT_TRUE(table.column(1).numbers.empty());
  EXPECT_TRUE(std::isnan(table.column(2).numbers[0]));
  EXPECT_EQ(table.column(2).numbers[1], 7);
  EXPECT_EQ(table.column(3).codes, (std::vector<std::uint32_t>{1, Table::Column::kUnknown}));
  EXPECT_EQ(table.column(4).numbers[0], 2 * 86400.0);
  EXPECT_TRUE(std::isnan(table.column(4).numbers[1]));
  EXPECT_EQ(table.column(5).numbers[0], 1234.5);
}

TEST(TableBuilder, WhatIsMissing) {
  Table::Builder builder(example());
  builder.set(0, -999.0);
  builder.set(3, kMissing);
  builder.set(5, "NA");
  builder.end_row();
  const Table table = builder.finish();
  EXPECT_TRUE(std::isnan(table.column(0).numbers[0]));
  EXPECT_EQ(table.column(3).codes[0], Table::Column::kMissing);
  EXPECT_TRUE(std::isnan(table.column(4).numbers[0]));
  EXPECT_TRUE(std::isnan(table.column(5).numbers[0]));
  EXPECT_FALSE(table.has_target());
}

TEST(TableBuilder, BeginsAnewAndForgetsARowThatDidNotEnd) {
  Table::Builder builder(example());
  builder.set(0, 1.0);
  builder.set(2, 1.0);
  builder.end_row();
  builder.set(0, 2.0);
  EXPECT_EQ(builder.finish().column(0).numbers, std::vector<double>{1});
  EXPECT_EQ(builder.rows(), 0u);
  builder.end_row();
  const Table second = builder.finish();
  EXPECT_TRUE(std::isnan(second.column(0).numbers[0]));
  EXPECT_FALSE(second.has_target());
  EXPECT_EQ(builder.finish().rows(), 0u);
}

TEST(TableBuilder, RefusesWhatMakesNoSense) {
  Table::Builder builder(example());
  EXPECT_THROW(builder.set(6, 1.0), InvalidArgument);
  EXPECT_THROW(builder.set(0, "old"), CorruptFile);
  EXPECT_THROW(builder.set(0, std::numeric_limits<double>::infinity()), CorruptFile);
  EXPECT_THROW(builder.set(4, "soon"), CorruptFile);
  builder.set(0, 3.0);
  builder.end_row();
  try {
    builder.set(0, "old");
    FAIL();
  } catch (const CorruptFile& error) {
    EXPECT_NE(std::string(error.what()).find("row 2: column \"age\": \"old\""), std::string::npos)
        << error.what();
  }
  builder.end_row();
  const Table table = builder.finish();
  EXPECT_EQ(table.column(0).numbers[0], 3);
  EXPECT_TRUE(std::isnan(table.column(0).numbers[1]));
}

}  // namespace
}  // namespace postrider
