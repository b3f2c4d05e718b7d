#include "encode/relevance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kSlope = 0.05;
constexpr std::size_t kColumns = 3;

// The second column decides; the others are chance.
struct Rows {
  explicit Rows(std::size_t count) {
    RandomStream random(7, 1);
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t c = 0; c < kColumns; ++c) inputs.push_back(100 * random.normal());
      targets.push_back(std::sin(inputs[row * kColumns + 1] / 60));
    }
  }
  std::vector<ColumnEncoding> encodings(std::span<const double> weights = {}) const {
    return relevance_encodings(Inputs(inputs).of_columns(kColumns), {targets, 0, 1, weights},
                               kSlope);
  }
  // The deviation of the inputs that a column becomes.
  static double relevance(const ColumnEncoding& column) { return 100 / column.unit; }

  std::vector<double> inputs, targets;
};

TEST(Relevance, TheColumnThatDecidesIsTheLargest) {
  for (const std::size_t count : {20U, 60U, 900U}) {
    const std::vector<ColumnEncoding> found = Rows(count).encodings();
    EXPECT_GT(Rows::relevance(found[1]), 3 * Rows::relevance(found[0])) << count;
    EXPECT_GT(Rows::relevance(found[1]), 3 * Rows::relevance(found[2])) << count;
    for (const ColumnEncoding& column : found) EXPECT_EQ(column.kind, Encoding::relevance);
  }
}

TEST(Relevance, OfClassesTheColumnThatDecidesThem) {
  Rows rows(60);
  for (double& target : rows.targets) target = target > 0.3 ? 2 : target > -0.3 ? 1 : 0;
  const std::vector<ColumnEncoding> found =
      relevance_encodings(Inputs(rows.inputs).of_columns(kColumns), {rows.targets, 3}, kSlope);
  EXPECT_GT(Rows::relevance(found[1]), 3 * Rows::relevance(found[0]));
}

TEST(Relevance, RowsWithoutWeightSayNothing) {
  Rows rows(60);
  std::vector<double> weights(60, 1);
  const std::vector<ColumnEncoding> before = rows.encodings(weights);
  for (std::size_t row = 0; row < 60; ++row) {
    rows.inputs.insert(rows.inputs.end(), {static_cast<double>(row % 7), 0, 5});
    rows.targets.push_back(row % 2 == 0 ? 3 : -3);
    weights.push_back(0);
  }
  const std::vector<ColumnEncoding> after = rows.encodings(weights);
  EXPECT_GT(Rows::relevance(after[1]), 3 * Rows::relevance(after[0]));
  EXPECT_NEAR(before[1].mean, after[1].mean, 1e-9);
}

TEST(Relevance, MissingNumbersAndConstantColumnsGiveNumbers) {
  Rows rows(40);
  for (std::size_t row = 0; row < 40; ++row) {
    rows.inputs[row * kColumns] = 5;
    if (row % 3 == 0) rows.inputs[row * kColumns + 1] = std::nan("");
  }
  for (const ColumnEncoding& column : rows.encodings())
    EXPECT_TRUE(std::isfinite(column.unit) && column.unit > 0);
  for (double& target : rows.targets) target = 4;
  for (const ColumnEncoding& column : rows.encodings())
    EXPECT_TRUE(std::isfinite(column.unit) && column.unit > 0);
}

}  // namespace
}  // namespace postrider
