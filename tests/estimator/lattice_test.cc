// Targets that are counts, ratings or rounded: judged by the mass of their cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "base/random.h"
#include "data/target_scales.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::vector<double> multiples(double step, std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(step * static_cast<double>(i * 7 % 23));
  return out;
}

TEST(LatticeStep, IsTheLargestWhoseMultiplesTheyAre) {
  for (const double step : {1.0, 0.5, 0.25, 0.1, 0.02, 1000.0, 2e6}) {
    EXPECT_DOUBLE_EQ(lattice_step(multiples(step, 60), 0, 1, 5 * step), step) << step;
  }
}

TEST(LatticeStep, PassesOverMissingTargets) {
  std::vector<double> targets = multiples(0.5, 80);
  targets[3] = kMissing;
  EXPECT_EQ(lattice_step(targets, 0, 1, 3), 0.5);
}

TEST(LatticeStep, IsNoneWhereNoScoreWouldNotice) {
  EXPECT_EQ(lattice_step(multiples(0.01, 60), 0, 1, 11), 0);  // a thousandth of 11
  EXPECT_EQ(lattice_step(multiples(1.0 / 3, 60), 0, 1, 2),
            0);                                           // thirds are multiples of no decimal
  EXPECT_EQ(lattice_step(multiples(1, 40), 0, 1, 5), 0);  // few
  EXPECT_EQ(lattice_step(std::vector<double>(60, 4.0), 0, 1, 1), 0);
}

TEST(LatticeStep, IsThatOfItsColumn) {
  std::vector<double> targets;
  for (int i = 0; i < 60; ++i) {
    targets.push_back(i % 9);
    targets.push_back(std::sqrt(i + 0.5));
  }
  EXPECT_EQ(lattice_step(targets, 0, 2, 2.5), 1);
  EXPECT_EQ(lattice_step(targets, 1, 2, 2), 0);
}

struct Rows {
  std::vector<double> x, y;
};

// Ratings 2 x + 4 with noise, rounded; each row stands there twice, so that a density could tell them without end.
Rows ratings(std::size_t count, std::uint64_t seed) {
  Rows out;
  RandomStream random(seed, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = random.uniform(-2, 2), y = std::round(2 * x + 4 + 0.5 * random.normal());
    for (int copy = 0; copy < 2; ++copy) {
      out.x.push_back(x);
      out.y.push_back(y);
    }
  }
  return out;
}

EstimatorOptions quick(bool learned_shape) {
  EstimatorOptions out;
  out.hidden = {10};
  out.ensemble_size = 8;
  out.encoding = Encoding::standard;
  out.target_scale = EstimatorOptions::TargetScale::plain;
  out.learned_shape = learned_shape;
  out.training.max_epochs = 10;
  return out;
}

class Ratings : public testing::TestWithParam<bool> {
 protected:
  Ratings() : model(quick(GetParam())) { model.fit(rows.x, rows.y); }
  const Rows rows = ratings(200, 1), some = ratings(20, 2);
  Regressor model;
};

TEST_P(Ratings, AreScoredByTheMassOfTheirCells) {
  ASSERT_EQ(model.target_steps(), std::vector<double>{1});
  const Distributions at = model.distributions(some.x);
  std::vector<double> low = some.y, high = some.y;
  for (std::size_t i = 0; i < some.y.size(); ++i) {
    low[i] -= 0.5;
    high[i] += 0.5;
  }
  const std::vector<double> found = at.log_densities(some.y), below = at.below(low),
                            up_to = at.below(high);
  constexpr double kRounding = 1e-7;
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(std::exp(found[i]), up_to[i] - below[i], kRounding);
}

// No probability is above 1, whatever neighbours tell of a row's copy.
TEST_P(Ratings, HaveScoresBelowZero) {
  ASSERT_TRUE(model.out_of_fold_score());
  EXPECT_LT(model.out_of_fold_score()->log_likelihood, 0);
  for (const double each : model.distributions(rows.x).log_densities(rows.y)) EXPECT_LE(each, 0);
}

TEST_P(Ratings, AreStillOnALatticeInAFile) {
  std::stringstream file;
  model.save(file);
  const Regressor again = Regressor::load(file);
  EXPECT_EQ(again.target_steps(), model.target_steps());
  EXPECT_EQ(again.log_likelihood(some.x, some.y), model.log_likelihood(some.x, some.y));
}

INSTANTIATE_TEST_SUITE_P(PlainAndShaped, Ratings, testing::Bool());

// Where cells are far narrower than the noise it is the density.
TEST(Lattice, OfNarrowCellsIsTheDensity) {
  Rows rows;
  RandomStream random(3, 0);
  for (int i = 0; i < 300; ++i) {
    rows.x.push_back(random.uniform(-2, 2));
    rows.y.push_back(std::round(100 * (rows.x.back() + random.normal())) / 100);
  }
  Regressor model(quick(false));
  model.fit(rows.x, rows.y);
  ASSERT_EQ(model.target_steps(), std::vector<double>{0.01});
  const Distributions at = model.distributions(std::vector<double>{0.3});
  constexpr double kNear = 1e-3;
  const double slope =
      (at.below(std::vector<double>{kNear})[0] - at.below(std::vector<double>{-kNear})[0]) /
      (2 * kNear);
  EXPECT_NEAR(std::exp(at.log_densities(std::vector<double>{0})[0]), slope, 1e-4 * slope);
}

}  // namespace
}  // namespace postrider
