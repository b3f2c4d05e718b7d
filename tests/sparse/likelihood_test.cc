#include "sparse/likelihood.h"

#include <gtest/gtest.h>

#include <cmath>

namespace postrider::internal::hashed {
namespace {

constexpr double kRounding = 1e-9, kLogisticFit = 1e-4, kKnownNoise = 1e-4;

LaneMoments two_scores() {
  LaneMoments out;
  out.mean = {0.4, -1.5};
  out.variance = {0.7, 2};
  return out;
}

// Phi(y m/sqrt(1 + v)).
TEST(Likelihood, ProbitIsTheNormalDistributionFunction) {
  const Likelihood likelihood(sparse::SparseOptions::Target::probit);
  const LaneMoments score = two_scores();
  const Answers answers = likelihood.answers(2, -1, score, {});
  for (std::size_t k = 0; k < 2; ++k) {
    const double expected =
        0.5 * std::erfc(score.mean[k] / std::sqrt(1 + score.variance[k]) / std::sqrt(2.0));
    EXPECT_NEAR(answers.log_z[k], std::log(expected), kRounding);
    EXPECT_LT(answers.g1[k], 0);
    EXPECT_GT(answers.g2[k], 0);
    EXPECT_LT(answers.g2[k] * score.variance[k], 1);
  }
  EXPECT_EQ(answers.log_z[2], 0);  // beyond the lanes in use
}

TEST(Likelihood, LogisticOfAKnownScore) {
  const Likelihood likelihood(sparse::SparseOptions::Target::logistic);
  LaneMoments score = two_scores();
  score.variance = {1e-9, 1e-9};
  const Answers answers = likelihood.answers(2, 1, score, {});
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(std::exp(answers.log_z[k]), 1 / (1 + std::exp(-score.mean[k])), kLogisticFit);
}

// With its noise known, a number leaves log N(y; m, v + noise).
TEST(Likelihood, NumberWithKnownNoise) {
  const Likelihood likelihood(sparse::SparseOptions::Target::number);
  const LaneMoments score = two_scores();
  LaneMoments noise;
  noise.mean = {std::log(0.3), std::log(0.3)};
  noise.variance = {1e-6, 1e-6};
  const Answers answers = likelihood.answers(2, 1.2, score, noise);
  for (std::size_t k = 0; k < 2; ++k) {
    const double total = score.variance[k] + 0.3, gap = 1.2 - score.mean[k];
    EXPECT_NEAR(answers.log_z[k],
                -0.5 * (gap * gap / total + std::log(2 * std::acos(-1.0) * total)), kKnownNoise);
    EXPECT_NEAR(answers.g1[k], gap / total, kKnownNoise);
    EXPECT_NEAR(answers.g2[k], 1 / total, kKnownNoise);
  }
}

// A message squared, in natural parameters, from the tilted moments.
TEST(Likelihood, RaisedIsTheMessageRepeated) {
  const Likelihood likelihood(sparse::SparseOptions::Target::probit);
  const LaneMoments score = two_scores();
  Answers answers = likelihood.answers(2, 1, score, {});
  const Answers once = answers;
  raise(answers, 2, score.variance, score.variance, 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const double m = score.mean[k], v = score.variance[k];
    const double tilted_mean = m + v * once.g1[k], tilted = v * (1 - v * once.g2[k]);
    const double rho = 1 / tilted - 1 / v, tau = tilted_mean / tilted - m / v;
    const double variance = 1 / (1 / v + 2 * rho), mean = variance * (m / v + 2 * tau);
    EXPECT_NEAR(m + v * answers.g1[k], mean, kRounding);
    EXPECT_NEAR(v * (1 - v * answers.g2[k]), variance, kRounding);
  }
}

}  // namespace
}  // namespace postrider::internal::hashed
