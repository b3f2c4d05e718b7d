#include "train/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kLeast = 1e-6, kMost = 2;
// Tolerances of the logarithm: the search's own, and a grid's.
constexpr double kSearch = 2e-6, kGrid = 4e-3;

struct Rows {
  std::vector<double> squared_residuals, variances;

  HeldOut held_out() const { return {squared_residuals, variances}; }
  double log_likelihood(double noise) const {
    double sum = 0;
    for (std::size_t i = 0; i < variances.size(); ++i)
      sum -= 0.5 * (std::log(variances[i] + noise) + squared_residuals[i] / (variances[i] + noise));
    return sum;
  }
};

Rows random_rows(std::size_t count, double noise, double largest_variance, std::uint64_t stream) {
  RandomStream random(8, stream);
  Rows out;
  for (std::size_t i = 0; i < count; ++i) {
    out.variances.push_back(random.log_uniform(0.01 * largest_variance, largest_variance));
    const double residual = std::sqrt(out.variances.back() + noise) * random.normal();
    out.squared_residuals.push_back(residual * residual);
  }
  return out;
}

double by_grid(const Rows& rows, double least, double most) {
  double best = least, best_value = -1e300;
  for (double log_noise = std::log(least); log_noise <= std::log(most); log_noise += kGrid / 2) {
    const double noise = std::exp(log_noise);
    const double value = rows.log_likelihood(noise);
    if (value <= best_value) continue;
    best = noise;
    best_value = value;
  }
  return best;
}

TEST(Noise, MostLikelyNoiseIsWhereAGridFindsIt) {
  for (std::uint64_t stream = 0; stream < 4; ++stream)
    for (const double noise : {0.001, 0.1, 1.0}) {
      const Rows rows = random_rows(200, noise, noise, stream);
      const double expected = by_grid(rows, kLeast, kMost);
      EXPECT_NEAR(std::log(most_likely_noise(rows.held_out(), kLeast, kMost) / expected), 0, kGrid)
          << stream << " " << noise;
    }
}

TEST(Noise, WithoutVarianceItIsTheMeanSquare) {
  const Rows rows{{0.1, 0.4, 0.7}, {0, 0, 0}};
  EXPECT_NEAR(std::log(most_likely_noise(rows.held_out(), kLeast, kMost) / 0.4), 0, kSearch);
}

TEST(Noise, StaysWithinItsBounds) {
  const Rows quiet{{0, 0}, {0.1, 0.1}}, loud{{100, 100}, {0, 0}};
  EXPECT_NEAR(std::log(most_likely_noise(quiet.held_out(), kLeast, kMost) / kLeast), 0, kSearch);
  EXPECT_NEAR(std::log(most_likely_noise(loud.held_out(), kLeast, kMost) / kMost), 0, kSearch);
}

TEST(Noise, NextNoiseIsHalfAStepInTheLogarithm) {
  constexpr double kRounding = 1e-15;
  EXPECT_NEAR(next_noise(0.5, 0.02, false), 0.1, kRounding);
  EXPECT_NEAR(next_noise(0.02, 0.5, false), 0.1, kRounding);
  EXPECT_NEAR(next_noise(0.3, 0.3, false), 0.3, kRounding);
  // In the first epoch no lower than to the root of a quarter.
  EXPECT_NEAR(next_noise(0.5, 1e-6, true), 0.25, kRounding);
  EXPECT_NEAR(next_noise(0.02, 0.5, true), 0.1, kRounding);
}

// A log-likelihood per row that is largest at a noise of its own: -(log b - log of it)^2/2. These are
// spread so that at the top the mean square of the slopes is the curvature, 1.
TEST(NoiseBySlopes, GoesToTheMostLikelyNoise) {
  constexpr double kBest = 0.2, kClose = 1e-9;
  const std::vector<double> best{kBest * std::exp(-1), kBest * std::exp(1)};
  double noise = 5;
  for (int i = 0; i < 60; ++i) {
    std::vector<double> slopes;
    for (const double each : best) slopes.push_back(std::log(each / noise));
    const double next = noise_by_slopes(noise, slopes);
    EXPECT_LE(std::abs(std::log(next / noise)), std::log(2) + kClose);
    noise = next;
  }
  EXPECT_NEAR(noise, kBest, kClose);
}

TEST(NoiseBySlopes, WithoutSlopesStays) {
  EXPECT_EQ(noise_by_slopes(3, {}), 3);
  EXPECT_EQ(noise_by_slopes(3, std::vector<double>{0, 0}), 3);
}

TEST(NoiseBySlopes, KnownRowsHoldItBack) {
  const std::vector<double> slopes{0.1, -0.2, 0.4};
  const double alone = noise_by_slopes(1, slopes), held = noise_by_slopes(1, slopes, 30);
  EXPECT_GT(alone, held);
  // The sum of the slopes over the information: their squares, and a half for each row that is known.
  EXPECT_DOUBLE_EQ(held, std::exp(0.3 / (0.01 + 0.04 + 0.16 + 0.5 * 30)));
  EXPECT_EQ(noise_by_slopes(1, {}, 30), 1);
}

TEST(NoiseWithLevel, TakesOverATenthOfTheMean) {
  EXPECT_DOUBLE_EQ(noise_with_level(3, std::vector<double>{1, 2, 3}), 3 * std::exp(0.2));
  EXPECT_DOUBLE_EQ(noise_with_level(3, std::vector<double>{-4, 0}), 3 * std::exp(-0.2));
  EXPECT_DOUBLE_EQ(noise_with_level(3, std::vector<double>{1, 4}, std::vector<double>{2, 1}),
                   3 * std::exp(0.2))
      << "a weight of two is a row twice";
  EXPECT_DOUBLE_EQ(noise_with_level(3, std::vector<double>{90}), 6) << "twice as much at most";
  EXPECT_EQ(noise_with_level(3, {}), 3) << "noise that does not vary";
}

TEST(Noise, AWeightOfTwoIsARowTwice) {
  const Rows rows = random_rows(40, 0.2, 0.2, 9);
  Rows twice = rows;
  std::vector<double> weights(rows.variances.size(), 1.0), slopes, repeated;
  for (std::size_t i = 0; i < weights.size(); ++i)
    slopes.push_back(20 * (rows.variances[i] - 0.07));
  repeated = slopes;
  for (std::size_t i = 0; i < weights.size(); i += 3) {
    weights[i] = 2;
    twice.squared_residuals.push_back(rows.squared_residuals[i]);
    twice.variances.push_back(rows.variances[i]);
    repeated.push_back(slopes[i]);
  }
  const HeldOut weighted{rows.squared_residuals, rows.variances, weights};
  EXPECT_NEAR(std::log(most_likely_noise(weighted, kLeast, kMost) /
                       most_likely_noise(twice.held_out(), kLeast, kMost)),
              0, kSearch);
  EXPECT_DOUBLE_EQ(noise_by_slopes(1, slopes, 5, weights), noise_by_slopes(1, repeated, 5));
  EXPECT_NE(noise_by_slopes(1, slopes, 5, weights), noise_by_slopes(1, slopes, 5));
}

}  // namespace
}  // namespace postrider::network
