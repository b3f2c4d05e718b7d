#include "encode/supervised_cuts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> ramp(std::size_t count) {
  std::vector<double> out(count);
  std::iota(out.begin(), out.end(), 0.0);
  return out;
}

TEST(SupervisedCuts, LieWhereClassesChange) {
  const std::vector<double> x = ramp(90);
  std::vector<double> y;
  for (const double value : x) y.push_back(value < 30 ? 0 : (value < 70 ? 1 : 0));
  EXPECT_EQ(supervised_cuts(x, {y, 2}), (std::vector<double>{29.5, 69.5}));
}

TEST(SupervisedCuts, LieWhereNumbersChange) {
  const std::vector<double> x = ramp(80);
  std::vector<double> y;
  for (const double value : x) y.push_back(value < 20 ? 5 : -5);
  EXPECT_EQ(supervised_cuts(x, {y}), (std::vector<double>{19.5}));
}

TEST(SupervisedCuts, AnyOutputCounts) {
  const std::vector<double> x = ramp(80);
  std::vector<double> y;
  for (const double value : x) {
    y.push_back(value < 20 ? 5 : -5);
    y.push_back(value < 60 ? 1 : 2);
  }
  EXPECT_EQ(supervised_cuts(x, {y, 0, 2}), (std::vector<double>{19.5, 59.5}));
}

TEST(SupervisedCuts, AreNoneWhereNothingIsTold) {
  RandomStream random(1, 0);
  const std::vector<double> x = ramp(2000);
  std::vector<double> classes, numbers;
  for (std::size_t i = 0; i < x.size(); ++i) {
    classes.push_back(random.uniform() < 0.5 ? 0 : 1);
    numbers.push_back(random.normal());
  }
  EXPECT_TRUE(supervised_cuts(x, {classes, 2}).empty());
  EXPECT_TRUE(supervised_cuts(x, {numbers}).empty());
}

TEST(SupervisedCuts, MoreRowsAllowMoreLeaves) {
  RandomStream random(2, 0);
  std::vector<std::size_t> found;
  for (const std::size_t rows : {200, 20000}) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < rows; ++i) {
      x.push_back(random.uniform());
      y.push_back(std::sin(12 * x.back()) + 0.5 * random.normal());
    }
    found.push_back(supervised_cuts(x, {y}).size());
    EXPECT_LE(found.back(), 31u);
  }
  EXPECT_GT(found[0], 2u);
  EXPECT_GT(found[1], 2 * found[0]);
}

TEST(SupervisedCuts, LeavesHaveEnoughRows) {
  const std::vector<double> x = ramp(100);
  std::vector<double> y(100, 0);
  y[0] = y[1] = 1000;
  for (const double cut : supervised_cuts(x, {y}, {.rows_per_leaf = 5})) EXPECT_GE(cut, 4.5);
  EXPECT_EQ(supervised_cuts(x, {y}, {.rows_per_leaf = 2}).front(), 1.5);
}

TEST(SupervisedCuts, MissingNumbersAreLeftOut) {
  std::vector<double> x = ramp(90), y;
  for (const double value : x) y.push_back(value < 30 ? 0 : 1);
  x.insert(x.end(), 50, kNaN);
  y.insert(y.end(), 50, 0);
  EXPECT_EQ(supervised_cuts(x, {y, 2}), (std::vector<double>{29.5}));
  const std::vector<double> nothing(5, kNaN), any(5, 0);
  EXPECT_TRUE(supervised_cuts(nothing, {any, 2}).empty());
}

// A row of weight w is w rows.
TEST(SupervisedCuts, WeightsCountRows) {
  const std::vector<double> x = ramp(40);
  std::vector<double> y, weights, repeated_x, repeated_y;
  for (const double value : x) {
    y.push_back(std::cos(value / 4));
    weights.push_back(value < 15 ? 3 : 1);
    for (int k = 0; k < static_cast<int>(weights.back()); ++k) {
      repeated_x.push_back(value);
      repeated_y.push_back(y.back());
    }
  }
  const std::vector<double> found = supervised_cuts(x, {y, 0, 1, weights});
  EXPECT_FALSE(found.empty());
  EXPECT_EQ(found, supervised_cuts(repeated_x, {repeated_y}));
}

}  // namespace
}  // namespace postrider
