#include "data/encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "data/kept_inputs.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t kNone = Table::Column::kMissing, kUnknown = Table::Column::kUnknown;

Schema example() {
  Schema out;
  out.columns = {{.name = "age", .has_missing = true},
                 {.name = "id", .kind = ColumnSchema::Kind::ignored},
                 {.name = "y", .target = true},
                 {.name = "sex", .kind = ColumnSchema::Kind::categorical, .categories = {"f", "m"}},
                 {.name = "town",
                  .kind = ColumnSchema::Kind::categorical,
                  .has_missing = true,
                  .categories = {"a", "b", "c"}},
                 {.name = "only", .kind = ColumnSchema::Kind::categorical, .categories = {"z"}}};
  return out;
}

Table table() {
  return Table(example(), {{.numbers = {30, kMissing, 5}},
                           {},
                           {.numbers = {1, 2, 3}},
                           {.codes = {0, 1, kUnknown}},
                           {.codes = {2, kNone, kUnknown}},
                           {.codes = {0, kNone, kUnknown}}});
}

std::vector<double> encoded(const Encoder& encoder, const std::vector<std::size_t>& rows) {
  SparseInputs out;
  encoder.encode(table(), rows, out);
  EXPECT_TRUE(std::ranges::all_of(out.values, [](double value) { return value != 0; }));
  return all_numbers(out);
}

void expect_same(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (std::isnan(expected[k]))
      EXPECT_TRUE(std::isnan(found[k])) << k;
    else
      EXPECT_EQ(found[k], expected[k]) << k;
  }
}

TEST(Encoder, FeaturesAreNamedByTheirColumns) {
  const std::vector<Schema::Feature> expected{
      {"age", 0},      {"age is missing", 0}, {"sex = m", 3},         {"town = a", 4},
      {"town = b", 4}, {"town = c", 4},       {"town is missing", 4}, {"only = z", 5}};
  EXPECT_EQ(Encoder(example(), true).features(), expected);
  const std::vector<Schema::Feature> bare{{"age", 0},      {"sex = m", 3},  {"town = a", 4},
                                          {"town = b", 4}, {"town = c", 4}, {"only = z", 5}};
  EXPECT_EQ(Encoder(example(), false).features(), bare);
}

TEST(Encoder, ValuesMissingOnesAndUnknownCategories) {
  const double n = kMissing;
  expect_same(encoded(Encoder(example(), true), {0, 1, 2}), {30, 0, 0, 0, 0, 1, 0, 1,  //
                                                             n,  1, 1, n, n, n, 1, n,  //
                                                             5,  0, n, n, n, n, 0, n});
  expect_same(encoded(Encoder(example(), false), {2, 0}), {5, n, n, n, n, n,  //
                                                           30, 0, 0, 0, 1, 1});
}

TEST(Encoder, DatesAndSharedInputs) {
  Schema schema;
  schema.columns = {
      {.name = "when",
       .kind = ColumnSchema::Kind::date,
       .has_missing = true,
       .form = ColumnSchema::Form::year_first,
       .parts = {ColumnSchema::DatePart::trend, ColumnSchema::DatePart::hour}},
      {.name = "town", .kind = ColumnSchema::Kind::categorical, .categories = {"a"}, .hashed = 2},
      {.name = "y", .target = true}};
  const std::vector<Schema::Feature> expected{{"when: trend", 0},        {"when: hour", 0},
                                              {"when: hour, sine", 0},   {"when: hour, cosine", 0},
                                              {"when is missing", 0},    {"town = a", 1},
                                              {"town, other text 1", 1}, {"town, other text 2", 1}};
  const Encoder encoder(schema, true);
  EXPECT_EQ(encoder.features(), expected);
  const Table table(schema, {{.numbers = {86400, kMissing}}, {.codes = {2, kNone}}, {}});
  SparseInputs found;
  encoder.encode(table, std::vector<std::size_t>{0, 1}, found);
  const double n = kMissing;
  expect_same(all_numbers(found), {1, 0, 0, 1, 0, 0, 0, 1,  //
                                   n, n, n, n, 1, n, n, n});
}

TEST(Encoder, MeansStandInForWhatIsMissing) {
  // Rows 1 10, ? 20, 5 ? and 0 0.
  SparseInputs rows{2, {0, 2, 4, 6, 6}, {0, 1, 0, 1, 0, 1}, {1, 10, kMissing, 20, 5, kMissing}};
  const std::vector<double> means = means_of(rows);
  EXPECT_EQ(means, (std::vector<double>{2, 10}));
  fill_missing(rows, means);
  EXPECT_EQ(rows.values, (std::vector<double>{1, 10, 2, 20, 5, 10}));
}

// That takes many columns of numbers, few of which are not zero; categories do not count.
TEST(Encoder, ZerosStayZerosWhereNearlyAllNumbersAre) {
  const auto keeps = [](std::size_t numbers, std::size_t written_of_ten) {
    Schema schema;
    std::vector<Table::Column> columns;
    for (std::size_t c = 0; c < numbers; ++c) {
      schema.columns.push_back({.name = std::to_string(c)});
      Table::Column& column = columns.emplace_back();
      for (std::size_t row = 0; row < 10; ++row)
        column.numbers.push_back((row + c) % 10 < written_of_ten ? 2.5 : 0);
    }
    schema.columns.push_back(
        {.name = "town", .kind = ColumnSchema::Kind::categorical, .categories = {"a", "b", "c"}});
    columns.push_back({.codes = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0}});
    const Encoder encoder(schema, false);
    SparseInputs rows;
    std::vector<std::size_t> all(10);
    std::iota(all.begin(), all.end(), std::size_t{0});
    encoder.encode(Table(schema, columns), all, rows);
    return encoder.keeps_zeros(rows);
  };
  EXPECT_TRUE(keeps(200, 0));
  EXPECT_FALSE(keeps(200, 2));
  EXPECT_FALSE(keeps(20, 0));
}

}  // namespace
}  // namespace postrider
