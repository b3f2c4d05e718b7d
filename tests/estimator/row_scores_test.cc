#include "estimator/trials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace postrider {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Trials, ScoresOfNoRowsAreTheLowest) {
  EXPECT_EQ(TrialScore().mean(), -kInfinity);
  EXPECT_TRUE(TrialScore({-100.0}).is_clearly_above(TrialScore()));
  EXPECT_FALSE(TrialScore().is_clearly_above(TrialScore()));
  EXPECT_FALSE(TrialScore().is_clearly_above(TrialScore({-100.0})));
}

TEST(Trials, TheMeanIsThatOfTheRows) { EXPECT_EQ(TrialScore({1.0, 2.0, 6.0}).mean(), 3); }

// Differences of 1 + e and 1 - e in turn, 100 rows: their mean is 1, its standard error e/10.
TrialScore above_by_one(double e) {
  std::vector<double> rows;
  for (int row = 0; row < 100; ++row) rows.push_back(std::cos(row) + 1 + (row % 2 == 0 ? e : -e));
  return TrialScore(rows);
}

TrialScore reference() {
  std::vector<double> rows;
  for (int row = 0; row < 100; ++row) rows.push_back(std::cos(row));
  return TrialScore(rows);
}

TEST(Trials, ClearIsMoreThanTwoStandardErrors) {
  EXPECT_TRUE(above_by_one(0).is_clearly_above(reference()));
  EXPECT_TRUE(above_by_one(4.9).is_clearly_above(reference()));
  EXPECT_FALSE(above_by_one(5.1).is_clearly_above(reference()));
  EXPECT_FALSE(reference().is_clearly_above(above_by_one(0)));
  EXPECT_FALSE(reference().is_clearly_above(reference()));
}

TEST(Trials, ARowThatIsImpossibleIsWorseThanAnyDoubt) {
  EXPECT_TRUE(TrialScore({0.0, -50.0}).is_clearly_above(TrialScore({0.0, -kInfinity})));
  EXPECT_FALSE(TrialScore({0.0, -kInfinity}).is_clearly_above(TrialScore({0.0, -50.0})));
  EXPECT_FALSE(TrialScore({0.0, -kInfinity}).is_clearly_above(TrialScore({0.0, -kInfinity})));
}

}  // namespace
}  // namespace postrider
