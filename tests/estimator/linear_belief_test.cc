#include "estimator/linear_belief.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace postrider {
using namespace internal;
namespace {

constexpr double kExact = 1e-10;
// As many standard errors as chance may be expected to take.
constexpr double kChance = 4.5;

// Two weights, by their density on a grid.
struct GridMoments {
  double mean[2] = {0, 0}, variance[2] = {0, 0}, covariance = 0, all = 0;
};
GridMoments on_a_grid(const std::vector<Gaussian>& priors, const Examples& rows) {
  constexpr double kReach = 8, kStep = 0.02;
  GridMoments out;
  double& all = out.all;
  const auto each = [&](auto&& use) {
    for (double u = -kReach; u <= kReach; u += kStep)
      for (double v = -kReach; v <= kReach; v += kStep) {
        double log_density = priors[0].log_density(u) + priors[1].log_density(v);
        for (std::size_t r = 0; r < rows.targets.size(); ++r) {
          if (std::isnan(rows.targets[r])) continue;
          const double left = rows.targets[r] - u * rows.inputs.values()[2 * r] -
                              v * rows.inputs.values()[2 * r + 1];
          log_density -= 0.5 * rows.sample_weights[r] * left * left;
        }
        use(u, v, std::exp(log_density));
      }
  };
  each([&](double u, double v, double density) {
    all += density;
    out.mean[0] += density * u;
    out.mean[1] += density * v;
  });
  for (double& mean : out.mean) mean /= all;
  each([&](double u, double v, double density) {
    out.variance[0] += density / all * (u - out.mean[0]) * (u - out.mean[0]);
    out.variance[1] += density / all * (v - out.mean[1]) * (v - out.mean[1]);
    out.covariance += density / all * (u - out.mean[0]) * (v - out.mean[1]);
  });
  return out;
}

const std::vector<Gaussian> kPriors{Gaussian::from_moments(0.5, 2),
                                    Gaussian::from_moments(-1, 0.5)};
const std::vector<double> kInputs{1, 2, -1, 0.5, 3, 1, 1, 1},
    kTargets{1, 0.3, std::numeric_limits<double>::quiet_NaN(), -0.4}, kPrecisions{1, 4, 100, 0.5};
const Examples kRows{Inputs(kInputs, 4, 2), kTargets, kPrecisions};

TEST(LinearBelief, MeanIsThatOfTheDensity) {
  const GridMoments expected = on_a_grid(kPriors, kRows);
  const std::vector<double> mean = LinearBelief(kPriors, LinearSums(kRows)).mean();
  EXPECT_NEAR(mean[0], expected.mean[0], 1e-8);
  EXPECT_NEAR(mean[1], expected.mean[1], 1e-8);
}

TEST(LinearBelief, DrawsHaveTheMomentsOfTheDensity) {
  constexpr int kDraws = 40000;
  const GridMoments expected = on_a_grid(kPriors, kRows);
  const LinearBelief belief(kPriors, LinearSums(kRows));
  RandomStream random(3, 0);
  double mean = 0, square = 0, product = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<double> w = belief.draw(random);
    mean += w[0] / kDraws;
    square += (w[0] - expected.mean[0]) * (w[0] - expected.mean[0]) / kDraws;
    product += (w[0] - expected.mean[0]) * (w[1] - expected.mean[1]) / kDraws;
  }
  const double root = std::sqrt(static_cast<double>(kDraws)), v = expected.variance[0];
  EXPECT_NEAR(mean, expected.mean[0], kChance * std::sqrt(v) / root);
  EXPECT_NEAR(square, v, kChance * v * std::sqrt(2) / root);
  const double of_product =
      std::sqrt(v * expected.variance[1] + expected.covariance * expected.covariance);
  EXPECT_NEAR(product, expected.covariance, kChance * of_product / root);
}

TEST(LinearBelief, WithoutRowsIsThePrior) {
  const std::vector<double> mean = LinearBelief(kPriors, LinearSums({Inputs({}, 0, 2), {}})).mean();
  EXPECT_NEAR(mean[0], 0.5, kExact);
  EXPECT_NEAR(mean[1], -1, kExact);
}

// By the density of the targets themselves, on a grid of the weights.
TEST(LinearBelief, EvidenceIsTheDensityOfTheTargets) {
  const auto log_density = [](double prior, double precision) {
    std::vector<Gaussian> priors;
    for (const Gaussian& each : kPriors)
      priors.push_back(
          Gaussian::from_moments(prior * each.mean(), prior * prior * each.variance()));
    std::vector<double> precisions(kPrecisions);
    for (double& each : precisions) each *= precision;
    return std::log(on_a_grid(priors, {kInputs, kTargets, precisions}).all) +
           1.5 * std::log(precision);  // three targets are there
  };
  const LinearSums sums(kRows);
  const double base = LinearBelief(kPriors, sums).log_evidence() - log_density(1, 1);
  for (const auto& [prior, precision] :
       {std::pair(0.5, 1.0), std::pair(1.0, 4.0), std::pair(1.5, 0.3)})
    EXPECT_NEAR(LinearBelief(kPriors, sums, {prior, precision}).log_evidence() - base,
                log_density(prior, precision), 1e-6);
}

TEST(LinearBelief, RowsThatAreNearlySureAreMet) {
  const std::vector<double> inputs{1, 2, 1, -1}, targets{3, 0}, sure{1e12, 1e12};
  RandomStream random(1, 0);
  const std::vector<double> w =
      LinearBelief(kPriors, LinearSums({Inputs(inputs, targets.size(), 2), targets, sure}))
          .draw(random);
  EXPECT_NEAR(w[0] + 2 * w[1], 3, 1e-4);
  EXPECT_NEAR(w[0] - w[1], 0, 1e-4);
}

}  // namespace
}  // namespace postrider
