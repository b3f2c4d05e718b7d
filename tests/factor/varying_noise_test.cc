#include "factor/varying_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/random.h"
#include "math/quadrature.h"

namespace postrider {
namespace {

// Of log Z, and of the derivatives in units of the deviations that belong to them.
constexpr double kQuadrature = 1e-7, kDifference = 1e-5;
constexpr int kCases = 200;

double log_normal(double x, double variance) {
  return -0.5 * (std::log(2 * std::numbers::pi * variance) + x * x / variance);
}

// g's density after y is known, by adaptive quadrature.
Tabulated tilted(const VaryingNoiseInput& in) {
  constexpr double kFar = 12;  // deviations
  const double reach = kFar * std::sqrt(in.log_variance);
  return Tabulated(
      [&](double g) {
        return log_normal(g - in.log_mean, in.log_variance) +
               log_normal(in.residual, in.variance + in.scale * std::exp(g));
      },
      {in.log_mean - reach, in.log_mean + reach});
}

VaryingNoiseInput random_case(RandomStream& random) {
  return {3 * random.normal(), std::exp(2 * random.normal() - 2), random.normal(),
          random.uniform(0.01, 2), std::exp(random.normal())};
}

TEST(VaryingNoise, DerivativesAreThoseOfTheIntegral) {
  RandomStream random(3, 0);
  std::size_t guarded = 0;
  for (int i = 0; i < kCases; ++i) {
    const VaryingNoiseInput in = random_case(random);
    const VaryingNoiseDerivatives found = varying_noise_derivatives(in);
    const Tabulated exact = tilted(in);
    EXPECT_NEAR(found.log_z, exact.log_mass(), kQuadrature * (1 + std::abs(exact.log_mass())));
    EXPECT_DOUBLE_EQ(varying_noise_log_density(in), found.log_z);
    const auto total = [&](double g) { return in.variance + in.scale * std::exp(g); };
    const double inverse = exact.expect([&](double g) { return 1 / total(g); });
    const double squares = exact.expect([&](double g) { return 1 / (total(g) * total(g)); });
    EXPECT_NEAR(found.x_g1 / (in.residual * inverse), 1, kQuadrature);
    const double deviation = std::sqrt(in.log_variance);
    EXPECT_NEAR(found.log_g1 * deviation, (exact.mean() - in.log_mean) / deviation, kQuadrature);
    if (found.guarded > 0) {
      guarded += found.guarded;
      continue;
    }
    const double r = in.residual;
    EXPECT_NEAR(found.x_g2 / inverse, 1 - r * r * (squares - inverse * inverse) / inverse,
                kQuadrature);
    EXPECT_NEAR(found.log_g2 * in.log_variance, 1 - exact.variance() / in.log_variance,
                kQuadrature);
  }
  EXPECT_GT(guarded, 0U);
  EXPECT_LT(guarded, static_cast<std::size_t>(kCases));
}

TEST(VaryingNoise, SlopeIsADifferenceQuotient) {
  constexpr double kStep = 1e-4;
  RandomStream random(4, 0);
  for (int i = 0; i < kCases; ++i) {
    VaryingNoiseInput in = random_case(random);
    const double slope = varying_noise_derivatives(in).scale_slope;
    const double scale = in.scale;
    const auto at = [&](double step) {
      in.scale = scale * std::exp(step);
      return varying_noise_log_density(in);
    };
    EXPECT_NEAR(slope, (at(kStep) - at(-kStep)) / (2 * kStep), kDifference * (1 + std::abs(slope)));
  }
}

TEST(VaryingNoise, KnownNoiseIsTheGaussianLikelihood) {
  const double variance = 0.7, noise = 2 * std::exp(0.3), r = 1.1;
  const VaryingNoiseDerivatives found = varying_noise_derivatives({r, variance, 0.3, 1e-10, 2});
  EXPECT_NEAR(found.log_z, log_normal(r, variance + noise), kQuadrature);
  EXPECT_NEAR(found.x_g1, r / (variance + noise), kQuadrature);
  EXPECT_NEAR(found.x_g2, 1 / (variance + noise), kQuadrature) << "[limit: known_noise]";
}

TEST(VaryingNoise, AVagueMeanSaysNothingAboutTheNoise) {
  const VaryingNoiseDerivatives found = varying_noise_derivatives({5, 1e8, 0, 1, 1});
  EXPECT_NEAR(found.log_g1, 0, kQuadrature);
  EXPECT_NEAR(found.log_g2, 0, kQuadrature) << "[limit: vague]";
}

// Messages exist and are proper whatever comes: 0 < g2 v < 1 for both.
TEST(VaryingNoise, MessagesAreProper) {
  RandomStream random(5, 0);
  for (int i = 0; i < 20 * kCases; ++i) {
    VaryingNoiseInput in = random_case(random);
    in.residual *= std::exp(2 * random.normal());
    const VaryingNoiseDerivatives found = varying_noise_derivatives(in);
    EXPECT_TRUE(std::isfinite(found.log_z));
    EXPECT_GT(found.x_g2, 0);
    EXPECT_LT(found.x_g2 * in.variance, 1);
    EXPECT_GE(found.log_g2, 0);
    EXPECT_LT(found.log_g2 * in.log_variance, 1);
  }
}

TEST(VaryingNoise, ExpectedNoiseIsTheMeanOfALogNormal) {
  const Tabulated g([](double x) { return log_normal(x - 0.4, 0.5); }, {-10, 10});
  EXPECT_NEAR(expected_noise(0.4, 0.5, 3), 3 * g.expect([](double x) { return std::exp(x); }),
              kQuadrature);
}

}  // namespace
}  // namespace postrider
