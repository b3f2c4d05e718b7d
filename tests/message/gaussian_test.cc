#include "postrider/gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "math/quadrature.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

using State = Gaussian::State;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLogTwoPi = 1.8378770664093454836;

constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
constexpr double kQuadrature = 1e-11;  // what sums over the nodes of Tabulated keep
constexpr int kDraws = 2000;

const Gaussian kUniform = Gaussian::uniform();
const Gaussian kPoint = Gaussian::point_mass(2.5);

double log_normal(double x, double mean, double variance) {
  return -(x - mean) * (x - mean) / (2 * variance) - (std::log(variance) + kLogTwoPi) / 2;
}

// Means within a few deviations or far off, variances over 24 orders of magnitude.
Gaussian random_message(RandomStream& random) {
  const double variance = random.log_uniform(1e-12, 1e12);
  return Gaussian::from_moments(random.normal() * random.log_uniform(1e-3, 1e3), variance);
}

TEST(Gaussian, IsUniformByDefault) {
  EXPECT_EQ(Gaussian(), kUniform);
  EXPECT_EQ(kUniform.state(), State::uniform);
  EXPECT_EQ(kUniform.mean(), 0);
  EXPECT_EQ(kUniform.variance(), kInfinity);
  EXPECT_EQ(kUniform.std(), kInfinity);
}

TEST(Gaussian, PointMassHoldsItsValue) {
  EXPECT_EQ(kPoint.state(), State::point_mass);
  EXPECT_TRUE(kPoint.is_point_mass());
  EXPECT_EQ(kPoint.mean(), 2.5);
  EXPECT_EQ(kPoint.variance(), 0);
  EXPECT_EQ(kPoint.std(), 0);
}

TEST(Gaussian, NaturalParametersAreMeanAndPrecision) {
  const Gaussian g = Gaussian::from_moments(3, 4);
  EXPECT_TRUE(g.is_proper());
  EXPECT_EQ(g.tau(), 0.75);
  EXPECT_EQ(g.rho(), 0.25);
  EXPECT_EQ(g, Gaussian::from_natural(0.75, 0.25));
  EXPECT_EQ(g.mean(), 3);
  EXPECT_EQ(g.variance(), 4);
  EXPECT_EQ(g.std(), 2);
}

TEST(Gaussian, EndsOfTheVarianceAreStates) {
  EXPECT_EQ(Gaussian::from_moments(2.5, 0), kPoint);
  EXPECT_EQ(Gaussian::from_moments(2.5, -0.0), kPoint);
  EXPECT_EQ(Gaussian::from_moments(2.5, kInfinity), kUniform);
  // Neither the variance 1e-310 nor the precision of the variance 1e308 is a normal number.
  EXPECT_EQ(Gaussian::from_moments(2.5, 1e-310), kPoint);
  EXPECT_EQ(Gaussian::from_moments(2.5, 1e308), kUniform);
  // tau = 1e300/1e-300 overflows.
  EXPECT_EQ(Gaussian::from_moments(1e300, 1e-300), Gaussian::point_mass(1e300));
}

TEST(Gaussian, ZeroPrecisionHasNoSign) {
  const Gaussian g = Gaussian::from_natural(0, -0.0);
  EXPECT_EQ(g.state(), State::uniform);
  EXPECT_EQ(g.variance(), kInfinity);
  EXPECT_EQ(kUniform.power(-1).variance(), kInfinity);
}

TEST(Gaussian, PrecisionsBelowTheNormalNumbersHaveMoments) {
  const Gaussian g = Gaussian::from_natural(0, 1e-310);
  EXPECT_EQ(g.mean(), 0);
  EXPECT_EQ(g.variance(), kInfinity);
}

TEST(Gaussian, MomentsReadBack) {
  RandomStream random(1, 0);
  for (int i = 0; i < kDraws; ++i) {
    const double variance = random.log_uniform(1e-150, 1e150);
    const double mean = random.normal() * random.log_uniform(1e-100, 1e100);
    const Gaussian g = Gaussian::from_moments(mean, variance);
    EXPECT_NEAR(g.mean(), mean, kRounding * std::abs(mean));
    EXPECT_NEAR(g.variance(), variance, kRounding * variance);
  }
}

struct Refused {
  std::function<void()> call;
  std::string message;
};

TEST(Gaussian, RefusesWithFieldValueAndWhatIsAccepted) {
  const std::vector<Refused> all{
      {[] { Gaussian::point_mass(kInfinity); }, "value = inf: must be finite"},
      {[] { Gaussian::point_mass(kNan); }, "value = nan: must be finite"},
      {[] { Gaussian::from_moments(0, -1); }, "variance = -1: must be at least 0"},
      {[] { Gaussian::from_moments(0, kNan); }, "variance = nan: must be at least 0"},
      {[] { Gaussian::from_moments(-kInfinity, 1); }, "mean = -inf: must be finite"},
      {[] { Gaussian::from_natural(kNan, 1); }, "tau = nan: must be finite"},
      {[] { Gaussian::from_natural(1, kInfinity); },
       "rho = inf: must be finite; a point mass is made by point_mass"},
      {[] { Gaussian::from_natural(0.5, 0); }, "tau = 0.5: must be 0 where rho is 0"},
      {[] { kPoint.power(kInfinity); }, "exponent = inf: must be finite"},
      {[] { kPoint* Gaussian::point_mass(-1); },
       "product of two messages: point masses at 2.5 and -1 contradict each other; one of the two "
       "observations must go, or be given a variance"},
      {[] { kUniform / kPoint; },
       "quotient of two messages: the divisor is a point mass at 2.5; what it was multiplied into "
       "cannot be recovered"},
  };
  for (const Refused& refused : all) {
    try {
      refused.call();
      ADD_FAILURE() << "accepted; should have said: " << refused.message;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.what(), refused.message);
    }
  }
}

// N(1, 2) N(4, 1) is proportional to N(3, 2/3): precisions 1/2 + 1, taus 1/2 + 4.
TEST(GaussianAlgebra, ProductAddsPrecisions) {
  const Gaussian product = Gaussian::from_moments(1, 2) * Gaussian::from_moments(4, 1);
  EXPECT_NEAR(product.mean(), 3, kRounding * 3);
  EXPECT_NEAR(product.variance(), 2.0 / 3, kRounding);
  Gaussian in_place = Gaussian::from_moments(1, 2);
  in_place *= Gaussian::from_moments(4, 1);
  EXPECT_EQ(in_place, product);
}

TEST(GaussianAlgebra, UniformIsNeutral) {
  for (const Gaussian& g : {Gaussian::from_moments(1, 2), kUniform, kPoint}) {
    EXPECT_EQ(g * kUniform, g);
    EXPECT_EQ(kUniform * g, g);
    EXPECT_EQ(g / kUniform, g);
  }
}

TEST(GaussianAlgebra, PointMassAbsorbs) {
  const Gaussian g = Gaussian::from_moments(1, 2);
  EXPECT_EQ(kPoint * g, kPoint);
  EXPECT_EQ(g * kPoint, kPoint);
  EXPECT_EQ(kPoint * kPoint, kPoint);
  EXPECT_EQ(kPoint / g, kPoint);
}

TEST(GaussianAlgebra, QuotientsMayBeImproper) {
  const Gaussian wide = Gaussian::from_moments(1, 2), narrow = Gaussian::from_moments(1, 1);
  EXPECT_EQ((wide / narrow).state(), State::improper);
  EXPECT_EQ((narrow / wide).state(), State::proper);
  EXPECT_EQ((wide / wide).state(), State::uniform);
  // Equal precisions, different means: exp(x) is left, which is no message either.
  EXPECT_EQ((narrow / Gaussian::from_moments(0, 1)).state(), State::improper);
}

// 0.3 - (0.1 + 0.2) is -5.6e-17: a belief divided by the messages it was made of says nothing.
TEST(GaussianAlgebra, WhatRoundingLeavesOfAQuotientSaysNothing) {
  const Gaussian a = Gaussian::from_natural(0.1, 0.1), b = Gaussian::from_natural(0.2, 0.2);
  const Gaussian belief = Gaussian::from_natural(0.3, 0.3);
  ASSERT_LT(belief.rho() - (a * b).rho(), 0);
  EXPECT_EQ(belief / (a * b), Gaussian::uniform());
  EXPECT_EQ((belief / Gaussian::from_natural(0.4, 0.1 + 0.2)).state(), State::improper);
}

TEST(GaussianAlgebra, PrecisionsThatOverflowMakeAPointMassAtTheMean) {
  const Gaussian sharp = Gaussian::from_natural(1.2e308, 1.2e308);
  EXPECT_EQ(sharp * sharp, Gaussian::point_mass(1));
  EXPECT_EQ(sharp.power(2), Gaussian::point_mass(1));
}

TEST(GaussianAlgebra, ProductIsCommutativeAndAssociative) {
  RandomStream random(2, 0);
  for (int i = 0; i < kDraws; ++i) {
    const Gaussian a = random_message(random), b = random_message(random),
                   c = random_message(random);
    EXPECT_EQ(a * b, b * a);
    // Means may cancel in the sum of the taus: the error is relative to the largest of them.
    const Gaussian left = (a * b) * c, right = a * (b * c);
    const double taus = std::abs(a.tau()) + std::abs(b.tau()) + std::abs(c.tau());
    EXPECT_NEAR(left.rho(), right.rho(), kRounding * right.rho());
    EXPECT_NEAR(left.tau(), right.tau(), kRounding * taus);
  }
}

TEST(GaussianAlgebra, QuotientUndoesProduct) {
  RandomStream random(3, 0);
  for (int i = 0; i < kDraws; ++i) {
    const Gaussian a = random_message(random), b = random_message(random);
    const Gaussian back = (a * b) / b;
    EXPECT_NEAR(back.rho(), a.rho(), kRounding * (a.rho() + b.rho()));
    EXPECT_NEAR(back.tau(), a.tau(), kRounding * (std::abs(a.tau()) + std::abs(b.tau())));
  }
}

TEST(GaussianAlgebra, PowersAreRepeatedProducts) {
  RandomStream random(4, 0);
  for (int i = 0; i < kDraws; ++i) {
    const Gaussian a = random_message(random);
    EXPECT_TRUE(equal_within(a.power(3), a * a * a, {kRounding}));
    EXPECT_EQ(a.power(1), a);
    EXPECT_EQ(a.power(0), kUniform);
    EXPECT_EQ(a.power(0.25).mean(), (a.power(0.5)).mean());
    EXPECT_EQ(a.power(-1).state(), State::improper);
  }
  EXPECT_EQ(kPoint.power(0.5), kPoint);
  EXPECT_EQ(kPoint.power(0), kUniform);
  EXPECT_EQ(kUniform.power(7), kUniform);
  EXPECT_EQ(Gaussian::from_moments(1, 1e300).power(1e-300), kUniform);
}

TEST(GaussianDensity, IsTheNormalDensity) {
  RandomStream random(5, 0);
  for (int i = 0; i < kDraws; ++i) {
    const double mean = random.normal(), variance = random.log_uniform(1e-12, 1e12);
    const double x = mean + 5 * random.normal() * std::sqrt(variance);
    const double expected = log_normal(x, mean, variance);
    // The mean is read back with a rounding, which counts in units of the deviation.
    const double shift = std::abs(x - mean) * kRounding * std::abs(mean) / variance;
    EXPECT_NEAR(Gaussian::from_moments(mean, variance).log_density(x), expected,
                kRounding * (50 + std::abs(expected)) + shift);
  }
}

TEST(GaussianDensity, OfTheOtherStates) {
  EXPECT_EQ(kUniform.log_density(3), 0);
  EXPECT_EQ(kPoint.log_density(2.5), kInfinity);
  EXPECT_EQ(kPoint.log_density(2.4), -kInfinity);
  // A variance that no normal number holds.
  EXPECT_EQ(Gaussian::from_natural(0, 1.7e308).log_density(1), -kInfinity);
}

TEST(LogOverlap, IsTheIntegralOfTheProduct) {
  RandomStream random(6, 0);
  constexpr int kIntegrals = 40;
  for (int i = 0; i < kIntegrals; ++i) {
    const double mean_a = random.normal(), mean_b = random.normal();
    const double variance_a = random.log_uniform(1e-2, 1e2);
    const double variance_b = random.log_uniform(1e-2, 1e2);
    const Tabulated product(
        [&](double x) {
          return log_normal(x, mean_a, variance_a) + log_normal(x, mean_b, variance_b);
        },
        gaussian_range(mean_a, variance_a, {}));
    const double overlap = log_overlap(Gaussian::from_moments(mean_a, variance_a),
                                       Gaussian::from_moments(mean_b, variance_b));
    EXPECT_NEAR(overlap, product.log_mass(), kQuadrature * (1 + std::abs(overlap)));
  }
}

TEST(LogOverlap, OfTheOtherStates) {
  const Gaussian g = Gaussian::from_moments(1, 2);
  const double at_point = log_normal(2.5, 1, 2);
  EXPECT_NEAR(log_overlap(g, kPoint), at_point, kRounding * std::abs(at_point));
  EXPECT_EQ(log_overlap(kPoint, g), log_overlap(g, kPoint));
  EXPECT_EQ(log_overlap(kUniform, g), 0);
  EXPECT_EQ(log_overlap(g, kUniform), 0);
  EXPECT_EQ(log_overlap(kUniform, kPoint), 0);
  EXPECT_EQ(log_overlap(kUniform, kUniform), kInfinity);
  EXPECT_EQ(log_overlap(kPoint, kPoint), kInfinity);
  EXPECT_EQ(log_overlap(kPoint, Gaussian::point_mass(0)), -kInfinity);
}

TEST(KlDivergence, IsTheExpectedLogRatio) {
  RandomStream random(7, 0);
  constexpr int kIntegrals = 40;
  for (int i = 0; i < kIntegrals; ++i) {
    const double mean_p = random.normal(), mean_q = random.normal();
    const double variance_p = random.log_uniform(1e-2, 1e2);
    const double variance_q = random.log_uniform(1e-2, 1e2);
    const Tabulated p([&](double x) { return log_normal(x, mean_p, variance_p); },
                      gaussian_range(mean_p, variance_p, {}));
    const double expected =
        p.expect([&](double x, double log_p) { return log_p - log_normal(x, mean_q, variance_q); });
    const double kl = kl_divergence(Gaussian::from_moments(mean_p, variance_p),
                                    Gaussian::from_moments(mean_q, variance_q));
    EXPECT_NEAR(kl, expected, kQuadrature * (1 + expected));
  }
}

// KL(N(0, p) || N(0, q)) = (p/q - 1 - log(p/q))/2, for ratios that p/q - 1 cannot hold.
TEST(KlDivergence, OfVeryDifferentVariances) {
  for (const double ratio : {1e-30, 1e-16, 1e-3, 0.49, 0.51, 2.0, 1e16, 1e30}) {
    const double expected = (ratio - 1 - std::log(ratio)) / 2;
    const double kl = kl_divergence(Gaussian::from_moments(0, ratio), Gaussian::from_moments(0, 1));
    EXPECT_NEAR(kl, expected, kRounding * (1 + expected)) << ratio;
  }
}

TEST(KlDivergence, IsNeverNegativeAndZeroForEqualMessages) {
  RandomStream random(8, 0);
  for (int i = 0; i < kDraws; ++i) {
    const Gaussian p = random_message(random), q = random_message(random);
    EXPECT_GE(kl_divergence(p, q), 0);
    EXPECT_EQ(kl_divergence(p, p), 0);
  }
}

TEST(KlDivergence, OfTheOtherStates) {
  const Gaussian g = Gaussian::from_moments(1, 2);
  const Gaussian improper = Gaussian::from_natural(1, -1);
  EXPECT_EQ(kl_divergence(kUniform, kUniform), 0);
  EXPECT_EQ(kl_divergence(kPoint, kPoint), 0);
  EXPECT_EQ(kl_divergence(kUniform, g), kInfinity);
  EXPECT_EQ(kl_divergence(g, kUniform), kInfinity);
  EXPECT_EQ(kl_divergence(kPoint, g), kInfinity);
  EXPECT_EQ(kl_divergence(g, kPoint), kInfinity);
  EXPECT_TRUE(std::isnan(kl_divergence(improper, g)));
  EXPECT_TRUE(std::isnan(kl_divergence(g, improper)));
}

TEST(EqualWithin, MeasuresMeansInDeviationsAndPrecisionsRelatively) {
  constexpr Tolerance kPercent{0.01};
  const Gaussian g = Gaussian::from_moments(0, 4);
  EXPECT_TRUE(equal_within(g, Gaussian::from_moments(0.019, 4), kPercent));
  EXPECT_FALSE(equal_within(g, Gaussian::from_moments(0.021, 4), kPercent));
  EXPECT_TRUE(equal_within(g, Gaussian::from_moments(0, 4.03), kPercent));
  EXPECT_FALSE(equal_within(g, Gaussian::from_moments(0, 4.05), kPercent));
  const Gaussian far = Gaussian::from_moments(1000, 4);
  EXPECT_TRUE(equal_within(far, Gaussian::from_moments(1009, 4), kPercent));
}

TEST(EqualWithin, NeedsTheSameState) {
  const Tolerance anything{1e6};
  const Gaussian g = Gaussian::from_moments(2.5, 1);
  EXPECT_TRUE(equal_within(kUniform, kUniform, anything));
  EXPECT_TRUE(equal_within(kPoint, kPoint, {0}));
  EXPECT_TRUE(equal_within(kPoint, Gaussian::point_mass(2.51), {0.01}));
  EXPECT_FALSE(equal_within(kPoint, Gaussian::point_mass(2.6), {0.01}));
  EXPECT_FALSE(equal_within(kPoint, g, anything));
  EXPECT_FALSE(equal_within(kUniform, g, anything));
  EXPECT_FALSE(equal_within(kUniform, kPoint, anything));
}

TEST(ToString, NamesTheState) {
  EXPECT_EQ(to_string(Gaussian::from_moments(0.5, 4)), "N(0.5, 4)");
  EXPECT_EQ(to_string(kUniform), "uniform");
  EXPECT_EQ(to_string(kPoint), "point mass at 2.5");
  EXPECT_EQ(to_string(Gaussian::from_natural(1, -2)), "improper (tau 1, rho -2)");
  std::ostringstream stream;
  stream << kPoint;
  EXPECT_EQ(stream.str(), to_string(kPoint));
}

}  // namespace
}  // namespace postrider
