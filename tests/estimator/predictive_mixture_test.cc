#include "estimator/predictive_mixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "complaint.h"
#include "estimator/sine.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kExact = 1e-10;

// As many deviations of the mean of so many draws as chance may be expected to take.
constexpr double kChance = 4.5;

const Outlook kConstant{1, 0.5, 0, 0, 0.25, false};
const Outlook kVarying{-2, 0.3, 0.4, 0.7, 0.6, true};

// The densities that log-likelihoods are made of, by the trapezoid rule.
double integrated_density(std::span<const Outlook> members, double up_to) {
  constexpr double kFrom = -80, kStep = 1e-3;
  double sum = 0;
  const auto density = [&](double y) {
    double out = 0;
    for (const Outlook& member : members) out += std::exp(member.log_density(y));
    return out / static_cast<double>(members.size());
  };
  const auto steps = static_cast<int>((up_to - kFrom) / kStep);
  for (int i = 0; i < steps; ++i) sum += kStep * density(up_to - kStep * i);
  return sum - 0.5 * kStep * density(up_to);
}

TEST(Predictive, OfOneGaussianItHasTheTextbookQuantiles) {
  const Mixture mixture(std::span(&kConstant, 1));
  const double deviation = std::sqrt(0.75);
  EXPECT_NEAR(mixture.quantile(0.5), 1, kExact);
  EXPECT_NEAR(mixture.quantile(0.975), 1 + 1.959963984540054 * deviation, kExact);
  EXPECT_NEAR(mixture.quantile(0.05), 1 - 1.6448536269514722 * deviation, kExact);
}

TEST(Predictive, BelowIsTheIntegralOfTheDensity) {
  const std::vector<Outlook> members{kConstant, kVarying};
  const Mixture mixture(members);
  constexpr double kTrapezoid = 1e-6;
  for (const double y : {-4.0, -2.0, 0.3, 2.0}) {
    EXPECT_NEAR(mixture.below(y), integrated_density(members, y), kTrapezoid) << y;
    EXPECT_NEAR(mixture.density(y),
                0.5 * (std::exp(kConstant.log_density(y)) + std::exp(kVarying.log_density(y))),
                kExact);
  }
}

// Shares of one and three are as four members of which three are the same.
TEST(Predictive, SharesCountMembersSeveralTimes) {
  std::vector<Outlook> shared{kConstant, kVarying};
  shared[1].share = 3;
  const std::vector<Outlook> repeated{kConstant, kVarying, kVarying, kVarying};
  const Mixture of_shares(shared), of_members(repeated);
  for (const double y : {-3.0, -1.0, 0.5, 1.5}) {
    EXPECT_NEAR(of_shares.below(y), of_members.below(y), kExact);
    EXPECT_NEAR(mixed_log_density(shared, y), mixed_log_density(repeated, y), kExact);
  }
  EXPECT_NEAR(of_shares.quantile(0.3), of_members.quantile(0.3), 1e-8);
  constexpr int kDraws = 20000;
  RandomStream random(5, 0);
  int below = 0;
  for (int i = 0; i < kDraws; ++i) below += drawn(shared, random) < 0 ? 1 : 0;
  const double share = of_members.below(0);
  EXPECT_NEAR(below, kDraws * share, kChance * std::sqrt(kDraws * share * (1 - share)));
  // One of no share is not there.
  shared[1].share = 0;
  EXPECT_NEAR(mixed_log_density(shared, 0.2), kConstant.log_density(0.2), kExact);
}

TEST(Predictive, QuantilesAreWhereTheProbabilityIsBelow) {
  const std::vector<Outlook> members{kConstant, kVarying, {40, 1e-4, 0, 0, 1e-4, false}};
  const Mixture mixture(members);
  for (const double p : {1e-6, 0.01, 0.3, 1.0 / 3, 0.6, 2.0 / 3, 0.9, 0.999})
    EXPECT_NEAR(mixture.below(mixture.quantile(p)), p, kExact) << p;
}

TEST(Predictive, DrawsFallBelowQuantilesAsOftenAsTheyShould) {
  const std::vector<Outlook> members{kConstant, kVarying};
  const Mixture mixture(members);
  RandomStream random(3, 0);
  constexpr int kDraws = 20000;
  for (const double p : {0.02, 0.25, 0.5, 0.9}) {
    const double bound = mixture.quantile(p);
    int below = 0;
    for (int i = 0; i < kDraws; ++i) below += drawn(members, random) < bound ? 1 : 0;
    EXPECT_NEAR(below, kDraws * p, kChance * std::sqrt(kDraws * p * (1 - p))) << p;
  }
}

TEST_F(NoisySine, ARegressorsQuantilesAndSamplesAreOfItsOwnDistribution) {
  Regressor regressor({.hidden = {10}, .ensemble_size = 2, .training = {.max_epochs = 10}});
  regressor.fit(training.x, training.y);
  const std::vector<double> at{-1, 0.5, 8};
  const std::vector<double> levels{0.1, 0.9};
  const std::vector<double> quantiles = regressor.quantiles(at, levels);
  constexpr std::size_t kDraws = 4000;
  const std::vector<double> samples = regressor.samples(at, kDraws, 5);
  const Forecast forecast = regressor.predict(at);
  for (std::size_t row = 0; row < at.size(); ++row) {
    const auto draws = std::span(samples).subspan(row * kDraws, kDraws);
    double mean = 0, below = 0;
    for (const double draw : draws) {
      mean += draw / kDraws;
      below += draw < quantiles[2 * row] ? 1 : 0;
    }
    EXPECT_NEAR(mean, forecast.mean[row], kChance * std::sqrt(forecast.variance[row] / kDraws));
    EXPECT_NEAR(below, kDraws * levels[0], kChance * std::sqrt(kDraws * 0.1 * 0.9));
    EXPECT_LT(quantiles[2 * row], quantiles[2 * row + 1]);
  }
  // A row draws the same, wherever it comes.
  const std::vector<double> last = regressor.samples(std::vector<double>{8}, kDraws, 5, 2);
  EXPECT_TRUE(std::ranges::equal(last, std::span(samples).subspan(2 * kDraws)));
  EXPECT_EQ(complaint([&] { regressor.quantiles(at, std::vector<double>{1.0}); }),
            "quantiles = 1: must be above 0 and below 1");
}

}  // namespace
}  // namespace postrider
