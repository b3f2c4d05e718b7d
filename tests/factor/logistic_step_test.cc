#include "factor/logistic_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace postrider::graph {
using namespace internal;
namespace {

constexpr double kFit = 5e-5;           // of the probability
constexpr double kFitOfSlopes = 4e-4;   // of Z' and Z'', which the fit does not look at
constexpr double kShareDigits = 1e-10;  // of the shares, as they are written

struct Integrals {
  double z, first, second;  // Z and its derivatives by the mean
};

// f'(x) = f (1 - f), f''(x) = f (1 - f) (1 - 2 f) for sign = 1, integrated with N(mean, variance) by the trapezoid rule.
Integrals integrals(double sign, double mean, double variance) {
  constexpr int kSteps = 4000;
  constexpr double kDeviations = 10;
  const double deviation = std::sqrt(variance), step = 2 * kDeviations / kSteps;
  Integrals out{0, 0, 0};
  for (int i = 0; i <= kSteps; ++i) {
    const double t = -kDeviations + step * i, x = mean + deviation * t;
    const double weight = step * std::exp(-0.5 * t * t) / std::sqrt(2 * std::acos(-1.0));
    const double f = 1 / (1 + std::exp(-sign * x));
    out.z += weight * f;
    out.first += weight * sign * f * (1 - f);
    out.second += weight * f * (1 - f) * (1 - 2 * f);
  }
  return out;
}

TEST(LogisticStep, DerivativesAreThoseOfTheIntegral) {
  std::vector<double> sign, mean, variance;
  for (const double s : {1.0, -1.0})
    for (const double m : {-6.0, -2.0, -0.3, 0.0, 0.7, 3.0, 7.0})
      for (const double v : {0.01, 1.0, 20.0}) {
        sign.push_back(s);
        mean.push_back(m);
        variance.push_back(v);
      }
  const std::size_t count = sign.size();
  for (const SimdLevel level : SimdLevel::available()) {
    std::vector<double> log_z(count), g1(count), g2(count);
    EXPECT_EQ(logistic_derivatives({sign, mean, variance}, {log_z, g1, g2}, level), 0U);
    for (std::size_t i = 0; i < count; ++i) {
      const Integrals expected = integrals(sign[i], mean[i], variance[i]);
      const double z = std::exp(log_z[i]);
      EXPECT_NEAR(z, expected.z, kFit) << level.name();
      EXPECT_NEAR(z * g1[i], expected.first, kFitOfSlopes) << mean[i] << ' ' << variance[i];
      EXPECT_NEAR(z * (g1[i] * g1[i] - g2[i]), expected.second, kFitOfSlopes)
          << mean[i] << ' ' << variance[i];
      EXPECT_GE(g2[i], 0);
    }
  }
}

TEST(LogisticStep, BothSignsAreOneProbability) {
  const std::vector<double> sign{1, -1, 1}, mean{0.8, 0.8, 0.8}, variance{2, 2, 2};
  std::vector<double> log_z(3), g1(3), g2(3);
  logistic_derivatives({sign, mean, variance}, {log_z, g1, g2}, SimdLevel::best());
  EXPECT_NEAR(std::exp(log_z[0]) + std::exp(log_z[1]), 1, kShareDigits);
  EXPECT_EQ(log_z[0], log_z[2]);
  EXPECT_EQ(g1[0], g1[2]);
}

// Where f is nearly straight on a logarithmic scale, the fit bends: the second derivative stays at 0 and is counted.
TEST(LogisticStep, CountsWhatItGuards) {
  std::vector<double> mean, variance, sign;
  for (double m = -30; m < -2; m += 0.25) {
    mean.push_back(m);
    variance.push_back(1e-6);
    sign.push_back(1);
  }
  std::vector<double> log_z(mean.size()), g1(mean.size()), g2(mean.size());
  const std::size_t guarded =
      logistic_derivatives({sign, mean, variance}, {log_z, g1, g2}, SimdLevel::best());
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    EXPECT_GE(g2[i], 0);
    EXPECT_GT(g1[i], 0);
    zeros += g2[i] == 0 ? 1 : 0;
  }
  EXPECT_EQ(guarded, zeros);
}

}  // namespace
}  // namespace postrider::graph
