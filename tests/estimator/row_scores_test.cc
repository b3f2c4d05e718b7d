#include "estimator/row_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace postrider {
using namespace internal;
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RowScores scores(std::vector<double> of) {
  std::vector<std::uint32_t> rows(of.size());
  std::iota(rows.begin(), rows.end(), 0U);
  return {rows, of};
}

TEST(RowScores, ThoseOfNoRowsAreTheLowest) {
  EXPECT_EQ(RowScores().mean(), -kInfinity);
  EXPECT_TRUE(difference(scores({-100.0}), {}).is_clear());
  EXPECT_FALSE(difference({}, {}).is_clear());
  EXPECT_FALSE(difference({}, scores({-100.0})).is_clear());
  EXPECT_LT(difference({}, scores({-100.0})).mean, 0);
}

TEST(RowScores, TheMeanIsThatOfTheRows) { EXPECT_EQ(scores({1.0, 2.0, 6.0}).mean(), 3); }

// Differences of 1 + e and 1 - e in turn, 100 rows: their mean is 1, its standard error e/10.
RowScores above_by_one(double e) {
  std::vector<double> rows;
  for (int row = 0; row < 100; ++row) rows.push_back(std::cos(row) + 1 + (row % 2 == 0 ? e : -e));
  return scores(rows);
}

RowScores reference() {
  std::vector<double> rows;
  for (int row = 0; row < 100; ++row) rows.push_back(std::cos(row));
  return scores(rows);
}

TEST(RowScores, ClearIsMoreThanTwoStandardErrors) {
  EXPECT_NEAR(difference(above_by_one(3), reference()).mean, 1, 1e-12);
  EXPECT_NEAR(difference(above_by_one(3), reference()).standard_error, 0.3, 1e-12);
  EXPECT_TRUE(difference(above_by_one(0), reference()).is_clear());
  EXPECT_TRUE(difference(above_by_one(4.9), reference()).is_clear());
  EXPECT_FALSE(difference(above_by_one(5.1), reference()).is_clear());
  EXPECT_FALSE(difference(reference(), above_by_one(0)).is_clear());
  EXPECT_FALSE(difference(reference(), reference()).is_clear());
}

// A lead of 1 with a standard error of 0.24 is 4.2 of them.
TEST(RowScores, TheFirstThatIsNotBehindBeyondDoubt) {
  const RowScores low = reference(), high = above_by_one(2.4), higher = above_by_one(0);
  EXPECT_EQ(first_not_behind({low, high}, 4), 1);
  EXPECT_EQ(first_not_behind({low, high}, 5), 0);
  EXPECT_EQ(first_not_behind({high, low}, 4), 0);
  EXPECT_EQ(first_not_behind({low, high, higher}, 4), 1);  // of the same mean
  EXPECT_EQ(first_not_behind({low, scores(std::vector<double>(100, 0)), higher}, 4), 2);
  EXPECT_EQ(first_not_behind({low}, 4), 0);
}

TEST(RowScores, RowsThatOnlyOneHasDoNotCount) {
  const RowScores a{{1, 3, 4, 9}, {5, 1, 2, 100}}, b{{0, 3, 4}, {-100, 0, 0}};
  EXPECT_DOUBLE_EQ(difference(a, b).mean, 1.5);
  EXPECT_DOUBLE_EQ(difference(a, b).standard_error, std::sqrt(0.5) / 2);
  EXPECT_EQ(difference({{1}, {5}}, {{2}, {1}}).mean, 0);
}

TEST(RowScores, ARowThatIsImpossibleIsWorseThanAnyDoubt) {
  EXPECT_TRUE(difference(scores({0.0, -50.0}), scores({0.0, -kInfinity})).is_clear());
  EXPECT_FALSE(difference(scores({0.0, -kInfinity}), scores({0.0, -50.0})).is_clear());
  EXPECT_FALSE(difference(scores({0.0, -kInfinity}), scores({0.0, -kInfinity})).is_clear());
}

}  // namespace
}  // namespace postrider
