#include "estimator/distributions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/access.h"
#include "complaint.h"
#include "estimator/sine.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kExact = 1e-10;

// Two rows of two targets in units of their own; two members.
const Scales kScales{{100, -3}, {10, 0.5}};
DistributionsState two_rows() {
  DistributionsState out;
  out.members = 2;
  out.workers = std::make_shared<Workers>(1);
  out.targets = TargetScales(kScales);
  for (int place = 0; place < 4; ++place)
    for (int member = 0; member < 2; ++member)
      out.outlooks.push_back(
          {0.3 * place - member, 0.2 + 0.1 * member, 0.1 * place, 0.3, 0.4, place % 2 == 1});
  return out;
}

Distributions of(DistributionsState state) {
  return Access::made_of<Distributions>(
      std::make_shared<const DistributionsState>(std::move(state)));
}

// Integrals over the density, by the trapezoid rule.
struct Integrals {
  double all = 0, mean = 0, square = 0, below = 0;
};
Integrals integrated(const Distributions& distributions, std::size_t place, double up_to) {
  const double unit = kScales.deviation[place % 2], centre = kScales.mean[place % 2];
  constexpr double kStep = 2e-3, kRange = 60;
  Integrals out;
  for (double u = -kRange; u < kRange; u += kStep) {
    const double y = centre + unit * u;
    std::vector<double> targets(4, std::nan(""));
    targets[place] = y;
    const double share = std::exp(distributions.log_densities(targets)[place]) * unit * kStep;
    out.all += share;
    out.mean += share * y;
    out.square += share * y * y;
    out.below += y < up_to ? share : 0;
  }
  return out;
}

// One row of a target that is learned as its root: the mean of the root is 4, its deviation 2.
Distributions one_root(double mean, double noise) {
  DistributionsState out;
  out.members = 2;
  out.targets = TargetScales(Scales{{18}, {15}}, {TargetColumn(4, 2, 0.5)});
  out.outlooks = {outlook_of(mean, 0.2, noise), outlook_of(mean + 0.3, 0.1, 0.1, 0.2, noise)};
  return of(std::move(out));
}

// Over y, which is what a user sees: what the scale keeps below zero is at zero.
TEST(Distributions, RootsHaveTheMomentsOfTheirDensity) {
  for (const double mean : {-0.5, 0.5, 2.0}) {
    const Distributions distributions = one_root(mean, 0.1);
    constexpr double kStep = 0.01;
    double all = 0, first = 0, second = 0;
    for (double y = 0.5 * kStep; y < 2000; y += kStep) {
      const double share = kStep * std::exp(distributions.log_densities(std::vector<double>{y})[0]);
      all += share;
      first += share * y;
      second += share * y * y;
    }
    const Forecast found = distributions.moments();
    EXPECT_NEAR(all, 1 - distributions.below(std::vector<double>{0.0})[0], 1e-4);
    EXPECT_NEAR(found.mean[0], first, 1e-3 * first);
    EXPECT_NEAR(found.variance[0], second - first * first, 1e-3 * second);
    EXPECT_GT(found.noise_variance[0], 0);
    EXPECT_LT(found.noise_variance[0], found.variance[0]);
  }
}

TEST(Distributions, OfRootsNothingIsNegative) {
  const Distributions distributions = one_root(-3, 0.5);
  EXPECT_GE(distributions.moments().mean[0], 0);
  for (const double bound : distributions.intervals(0.99)) EXPECT_GE(bound, 0);
  for (const double sample : distributions.samples(200, 1, 0)) EXPECT_GE(sample, 0);
  EXPECT_EQ(distributions.quantiles(std::vector<double>{0.01})[0], 0);
  EXPECT_TRUE(std::isfinite(distributions.log_densities(std::vector<double>{0.0})[0]));
  EXPECT_TRUE(std::isfinite(distributions.log_densities(std::vector<double>{-1.0})[0]));
}

TEST(Distributions, RootsWithoutNoiseLeaveOnlyDoubt) {
  EXPECT_NEAR(one_root(1, 1e-12).moments().noise_variance[0], 0, 1e-6);
}

TEST(Distributions, IntervalsHoldTheTargetsWhoseLevelsAreBelowTheirs) {
  DistributionsState with_scores = two_rows();
  with_scores.left_out = {LeftOutScores({0.1, 0.7, 1.2, 3}), LeftOutScores({0.01, 0.02, 2, 2.5})};
  // Reaches in the place of the scores: one that is too far, and one that asks for less than the beliefs do.
  DistributionsState with_reach = with_scores;
  with_reach.reach = {StreamReach(LeftOutScores({2, 3, 4, 5})), StreamReach(LeftOutScores({0, 0}))};
  for (const Distributions& distributions : {of(two_rows()), of(with_scores), of(with_reach)})
    for (const double level : {0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
      const std::vector<double> bounds = distributions.intervals(level);
      for (double u = -6; u < 6; u += 0.01) {
        const std::vector<double> targets{100 + 10 * u, -3 + 0.5 * u, 100 + 10 * u, -3 + 0.5 * u};
        const std::vector<double> levels = distributions.levels(targets);
        for (std::size_t place = 0; place < 4; ++place)
          EXPECT_EQ(levels[place] < level,
                    bounds[2 * place] <= targets[place] && targets[place] <= bounds[2 * place + 1])
              << place << " " << level << " " << u;
      }
    }
}

// Quantiles stand beside intervals and come from the beliefs: an interval is never narrower than that of the beliefs at a
// level lower by 0.1, whatever rows told.
TEST(Distributions, IntervalsAreNotMuchNarrowerThanThoseOfTheBeliefs) {
  DistributionsState short_ones = two_rows();
  short_ones.left_out.assign(2, LeftOutScores(std::vector<double>(50, 0.01)));
  DistributionsState far_ones = two_rows();
  far_ones.left_out.assign(2, LeftOutScores(std::vector<double>(50, 2.5)));
  const Distributions beliefs = of(two_rows());
  EXPECT_EQ(of(short_ones).intervals(0.9), beliefs.intervals(0.8));
  const double tail = 0.5 * std::erfc(2.5 / std::numbers::sqrt2);
  const std::vector<double> found = of(far_ones).intervals(0.9),
                            expected = beliefs.quantiles(std::vector<double>{tail, 1 - tail});
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6);
}

TEST(Distributions, AStreamsReachIsInThePlaceOfScores) {
  DistributionsState state = two_rows();
  state.left_out.assign(2, LeftOutScores(std::vector<double>(50, 2.5)));
  const LeftOutScores others(std::vector<double>(50, 1.75));
  DistributionsState only_others = two_rows();
  only_others.left_out.assign(2, others);
  state.reach.assign(2, StreamReach(others));
  const std::vector<double> found = of(state).intervals(0.9),
                            expected = of(only_others).intervals(0.9);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6);
}

TEST(Distributions, IntervalsWithoutScoresLieBetweenQuantiles) {
  const Distributions distributions = of(two_rows());
  EXPECT_EQ(distributions.intervals(0.5), distributions.quantiles(std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(complaint([&] { distributions.intervals(1); }),
            "level = 1: must be above 0 and below 1");
}

TEST(Distributions, MomentsAndProbabilitiesAreIntegralsOfTheDensity) {
  const Distributions distributions = of(two_rows());
  const Forecast moments = distributions.moments();
  ASSERT_EQ(distributions.size(), 4u);
  const std::vector<double> targets{103, -2.9, 95, -3.4};
  const std::vector<double> below = distributions.below(targets);
  for (const std::size_t place : {0u, 3u}) {
    const Integrals found = integrated(distributions, place, targets[place]);
    const double unit = kScales.deviation[place % 2];
    EXPECT_NEAR(found.all, 1, 1e-6);
    EXPECT_NEAR(found.mean, moments.mean[place], 1e-5 * unit);
    EXPECT_NEAR((found.square - found.mean * found.mean) / moments.variance[place], 1, 1e-3);
    EXPECT_NEAR(found.below, below[place], 2e-3);  // a step's share
    EXPECT_LT(moments.noise_variance[place], moments.variance[place]);
  }
}

TEST(Distributions, QuantilesInvertProbabilities) {
  const Distributions distributions = of(two_rows());
  const std::vector<double> levels{1e-5, 0.1, 0.5, 0.97};
  const std::vector<double> quantiles = distributions.quantiles(levels);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    std::vector<double> targets;
    for (std::size_t place = 0; place < 4; ++place)
      targets.push_back(quantiles[place * levels.size() + k]);
    for (const double below : distributions.below(targets)) EXPECT_NEAR(below, levels[k], kExact);
  }
  for (const double bad : {0.0, 1.0, -0.1, std::nan("")})
    EXPECT_NE(complaint([&] { distributions.quantiles(std::vector{bad}); }), "no complaint");
}

TEST(Distributions, OfOneGaussianTheyHaveTheTextbookDensity) {
  DistributionsState state{1,  {{1, 0.5, 0, 0, 0.25, false}}, TargetScales(Scales{{5}, {2}}), {},
                           {}, std::make_shared<Workers>(1)};
  const Distributions one = of(std::move(state));
  const double variance = 4 * 0.75, y = 8;
  EXPECT_NEAR(one.moments().mean[0], 7, kExact);
  EXPECT_NEAR(one.moments().variance[0], variance, kExact);
  EXPECT_NEAR(one.log_densities(std::vector{y})[0],
              -0.5 * std::log(2 * std::numbers::pi * variance) - 0.5 * (y - 7) * (y - 7) / variance,
              kExact);
}

TEST(Distributions, TargetsMayBeMissingOrBeyondAllMeasureAndMustBeAsMany) {
  const Distributions distributions = of(two_rows());
  const std::vector<double> targets{std::nan(""), 1e300, 100, -3};
  const std::vector<double> found = distributions.log_densities(targets);
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_EQ(found[1], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(found[2]));
  EXPECT_EQ(distributions.below(targets)[1], 1);
  EXPECT_EQ(complaint([&] { distributions.below(std::vector{1.0}); }),
            "targets = 1: must be one for each prediction");
}

TEST(Distributions, OfNoRowsThereIsNothing) {
  const Distributions none;
  EXPECT_EQ(none.size(), 0u);
  EXPECT_TRUE(none.moments().mean.empty());
  EXPECT_TRUE(none.quantiles(std::vector{0.5}).empty());
  EXPECT_TRUE(none.samples(3, 1).empty());
  EXPECT_TRUE(none.below({}).empty());
}

TEST(Distributions, ThreadsChangeNothing) {
  DistributionsState state = two_rows();
  const Distributions one = of(state);
  state.workers = std::make_shared<Workers>(3);
  const Distributions three = of(std::move(state));
  const std::vector<double> levels{0.2, 0.8};
  EXPECT_EQ(one.quantiles(levels), three.quantiles(levels));
  EXPECT_EQ(one.samples(5, 7), three.samples(5, 7));
}

// More rows than are predicted at once.
TEST_F(NoisySine, ARegressorsOwnAnswersAreThoseOfItsDistributions) {
  Regressor regressor({.hidden = {5}, .ensemble_size = 2, .training = {.max_epochs = 3}});
  regressor.fit(training.x, training.y);
  std::vector<double> at, targets;
  for (std::size_t row = 0; row < 5000; ++row) {
    at.push_back(1e-3 * static_cast<double>(row) - 2);
    targets.push_back(std::sin(at.back()));
  }
  const Distributions whole = regressor.distributions(at);
  const std::vector<double> levels{0.3, 0.95};
  EXPECT_EQ(regressor.quantiles(at, levels), whole.quantiles(levels));
  EXPECT_EQ(regressor.samples(at, 2, 11, 4), whole.samples(2, 11, 4));
  EXPECT_EQ(regressor.predict(at).variance, whole.moments().variance);
  double sum = 0;
  for (const double log_density : whole.log_densities(targets)) sum += log_density;
  EXPECT_NEAR(regressor.log_likelihood(at, targets), sum / 5000, kExact);
}

}  // namespace
}  // namespace postrider
